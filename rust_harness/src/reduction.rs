//! Reductions: over all axes where `axes` is None, over none where it is empty.

use pyo3::prelude::*;
use tenferro_runtime::TensorSessionOpsExt;

use crate::table::ops;

ops! { [traced eager concrete] {
    fn reduce_sum(axes: Option<Vec<usize>> = None) => (axes.as_deref());
    fn reduce_sum_squares(axes: Option<Vec<usize>> = None) => (axes.as_deref());
    fn reduce_prod(axes: Option<Vec<usize>> = None) => (axes.as_deref());
    fn reduce_max(axes: Option<Vec<usize>> = None) => (axes.as_deref());
    fn reduce_min(axes: Option<Vec<usize>> = None) => (axes.as_deref());
    fn reduce_mean(axes: Option<Vec<usize>> = None) => (axes.as_deref());
}}
