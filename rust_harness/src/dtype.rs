//! Change of dtype: `convert` upward only, `cast` to any.

use pyo3::prelude::*;
use tenferro_runtime::TensorSessionOpsExt;

use crate::operand::Dtype;
use crate::table::ops;

ops! { [traced eager concrete] {
    fn convert(to: Dtype<'_>) => (to);
    fn cast(to: Dtype<'_>) => (to);
}}
