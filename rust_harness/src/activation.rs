//! Activation and normalisation.

use pyo3::prelude::*;
use tenferro_runtime::TensorSessionOpsExt;

use crate::operand::Operand;
use crate::table::ops;

ops! { [traced eager concrete] {
    fn sigmoid();
    fn silu();
    fn softplus();
    fn gelu();
    fn gelu_tanh();
    fn softmax(axis: usize) => (axis);
    fn log_softmax(axis: usize) => (axis);
    fn masked_softmax(mask: Operand<'_>, axis: usize) => (&mask, axis);
    fn masked_log_softmax(mask: Operand<'_>, axis: usize) => (&mask, axis);
    fn layer_norm(axis: usize, weight: Option<Operand<'_>> = None, bias: Option<Operand<'_>> = None, eps: f64 = 1e-5)
        => (axis, weight.as_deref(), bias.as_deref(), eps);
    fn rms_norm(axis: usize, weight: Option<Operand<'_>> = None, bias: Option<Operand<'_>> = None, eps: f64 = 1e-5)
        => (axis, weight.as_deref(), bias.as_deref(), eps);
}}
