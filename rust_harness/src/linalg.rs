//! Linear algebra.

use pyo3::prelude::*;
use tenferro_linalg::{EagerSessionLinalgExt, TensorLinalgExt, TracedTensorLinalgExt};

use crate::engine::extension;
use crate::table::ops;

extension!(tenferro_linalg);

ops! { [traced eager concrete] {
    fn svd() -> Three;
}}

ops! { [concrete] {
    fn svdvals();
}}
