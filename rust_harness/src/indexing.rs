//! Reading and writing at indices.

use pyo3::prelude::*;
use tenferro_runtime::TensorSessionOpsExt;
use tenferro_tensor::{GatherConfig, ScatterConfig};

use crate::operand::Operand;
use crate::table::ops;

ops! { [traced eager concrete] {
    fn gather(indices: Operand<'_>, offset_dims: Vec<usize>, collapsed_slice_dims: Vec<usize>,
        start_index_map: Vec<usize>, index_vector_dim: usize, slice_sizes: Vec<usize>)
        => (&indices, GatherConfig { offset_dims, collapsed_slice_dims, start_index_map, index_vector_dim, slice_sizes });
    fn scatter(indices: Operand<'_>, updates: Operand<'_>, update_window_dims: Vec<usize>,
        inserted_window_dims: Vec<usize>, scatter_dims_to_operand_dims: Vec<usize>, index_vector_dim: usize)
        => (&indices, &updates, ScatterConfig {
            update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, index_vector_dim });
    fn dynamic_slice(starts: Operand<'_>, sizes: Vec<usize>) => (&starts, &sizes);
    fn take_along_axis(indices: Operand<'_>, axis: usize) => (&indices, axis);
    fn index_select(axis: isize, positions: Vec<usize>) => (axis, &positions);
}}

ops! { [traced eager] {
    fn take_axis(axis: usize, indices: Vec<usize>) => (axis, &indices);
}}

ops! { [eager] {
    fn take_rows(rows: Vec<usize>) => (&rows);
    fn take_cols(cols: Vec<usize>) => (&cols);
    fn take_block(rows: Vec<usize>, cols: Vec<usize>) => (&rows, &cols);
}}
