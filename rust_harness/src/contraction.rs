//! Matrix products and general contractions.

use pyo3::prelude::*;
use tenferro_runtime::TensorSessionOpsExt;

use crate::operand::{Operand, dot_config};
use crate::table::ops;

ops! { [traced eager concrete] {
    fn matmul(other: Operand<'_>) => (&other);
    fn dot_general(other: Operand<'_>,
        lhs_contracting_dims: Vec<usize>, rhs_contracting_dims: Vec<usize>,
        lhs_batch_dims: Vec<usize> = vec![], rhs_batch_dims: Vec<usize> = vec![])
        => (&other, dot_config(&lhs_contracting_dims, &rhs_contracting_dims, &lhs_batch_dims, &rhs_batch_dims));
}}

ops! { [eager concrete] {
    fn dot_general_with_conj(other: Operand<'_>,
        lhs_contracting_dims: Vec<usize>, rhs_contracting_dims: Vec<usize>,
        lhs_batch_dims: Vec<usize> = vec![], rhs_batch_dims: Vec<usize> = vec![],
        lhs_conj: bool = false, rhs_conj: bool = false)
        => (&other, dot_config(&lhs_contracting_dims, &rhs_contracting_dims, &lhs_batch_dims, &rhs_batch_dims),
            lhs_conj, rhs_conj);
}}
