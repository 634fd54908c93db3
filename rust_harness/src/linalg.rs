//! Linear algebra.

use pyo3::prelude::*;
use tenferro_linalg::{EagerSessionLinalgExt, TensorLinalgExt, TracedTensorLinalgExt};

use crate::table::ops;

ops! { [traced eager concrete] {
    fn svd() -> Three;
}}

ops! { [concrete] {
    fn svdvals();
}}
