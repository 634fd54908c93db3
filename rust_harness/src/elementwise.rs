//! Elementwise arithmetic and analytic functions.

use num_complex::Complex64;
use pyo3::prelude::*;
use tenferro_runtime::TensorSessionOpsExt;

use crate::operand::Operand;
use crate::table::ops;

ops! { [traced eager concrete] {
    fn add(other: Operand<'_>) => (&other);
    fn sub(other: Operand<'_>) => (&other);
    fn mul(other: Operand<'_>) => (&other);
    fn div(other: Operand<'_>) => (&other);
    fn rem(other: Operand<'_>) => (&other);
    fn pow(other: Operand<'_>) => (&other);
    fn maximum(other: Operand<'_>) => (&other);
    fn minimum(other: Operand<'_>) => (&other);
    fn clamp(lower: Operand<'_>, upper: Operand<'_>) => (&lower, &upper);
    fn neg();
    fn abs();
    fn sign();
    fn conj();
    fn exp();
    fn expm1();
    fn log();
    fn log1p();
    fn sin();
    fn cos();
    fn tanh();
    fn sqrt();
    fn rsqrt();
    fn erf();
    fn scale_real(factor: f64) => (factor);
    fn scale_complex(factor: Complex64) => (factor);
}}
