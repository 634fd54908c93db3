//! Matrix products and general contractions.

use pyo3::prelude::*;
use tenferro_runtime::TensorSessionOpsExt;
use tenferro_tensor::DotGeneralConfig;

use crate::operand::Operand;
use crate::table::ops;

fn config(
    lhs_contracting_dims: &[usize],
    rhs_contracting_dims: &[usize],
    lhs_batch_dims: &[usize],
    rhs_batch_dims: &[usize],
) -> DotGeneralConfig {
    DotGeneralConfig {
        lhs_contracting_dims: lhs_contracting_dims.into(),
        rhs_contracting_dims: rhs_contracting_dims.into(),
        lhs_batch_dims: lhs_batch_dims.into(),
        rhs_batch_dims: rhs_batch_dims.into(),
    }
}

ops! { [traced eager concrete] {
    fn matmul(other: Operand<'_>) => (&other);
    fn dot_general(other: Operand<'_>,
        lhs_contracting_dims: Vec<usize>, rhs_contracting_dims: Vec<usize>,
        lhs_batch_dims: Vec<usize> = vec![], rhs_batch_dims: Vec<usize> = vec![])
        => (&other, config(&lhs_contracting_dims, &rhs_contracting_dims, &lhs_batch_dims, &rhs_batch_dims));
}}

ops! { [eager concrete] {
    fn dot_general_with_conj(other: Operand<'_>,
        lhs_contracting_dims: Vec<usize>, rhs_contracting_dims: Vec<usize>,
        lhs_batch_dims: Vec<usize> = vec![], rhs_batch_dims: Vec<usize> = vec![],
        lhs_conj: bool = false, rhs_conj: bool = false)
        => (&other, config(&lhs_contracting_dims, &rhs_contracting_dims, &lhs_batch_dims, &rhs_batch_dims),
            lhs_conj, rhs_conj);
}}
