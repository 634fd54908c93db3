//! Reading and writing at indices.

use pyo3::prelude::*;
use tenferro_ad::{EagerSession, EagerTensor};
use tenferro_ops::std_tensor_op::StdTensorOp;
use tenferro_runtime::{TensorSessionOpsExt, TracedTensor};
use tenferro_tensor::{GatherConfig, ScatterConfig};

use crate::compat;
use crate::operand::Operand;
use crate::table::ops;

/// Where tenferro has the operation but no method for it: the core operation is applied as such.
trait UpdatesTraced {
    fn dynamic_update_slice(
        &self,
        update: &TracedTensor,
        starts: &TracedTensor,
    ) -> tenferro_runtime::Result<TracedTensor>;
}

impl UpdatesTraced for TracedTensor {
    fn dynamic_update_slice(
        &self,
        update: &TracedTensor,
        starts: &TracedTensor,
    ) -> tenferro_runtime::Result<TracedTensor> {
        compat::apply_core(StdTensorOp::DynamicUpdateSlice, &[self, update, starts])
    }
}

trait UpdatesEager {
    fn dynamic_update_slice(
        &mut self,
        x: &EagerTensor,
        update: &EagerTensor,
        starts: &EagerTensor,
    ) -> tenferro_ad::Result<EagerTensor>;
}

impl UpdatesEager for EagerSession<'_> {
    fn dynamic_update_slice(
        &mut self,
        x: &EagerTensor,
        update: &EagerTensor,
        starts: &EagerTensor,
    ) -> tenferro_ad::Result<EagerTensor> {
        self.apply_standard_op(StdTensorOp::DynamicUpdateSlice, &[x, update, starts])
    }
}

ops! { [traced eager concrete] {
    fn gather(indices: Operand<'_>, offset_dims: Vec<usize>, collapsed_slice_dims: Vec<usize>,
        start_index_map: Vec<usize>, index_vector_dim: usize, slice_sizes: Vec<usize>)
        => (&indices, GatherConfig { offset_dims, collapsed_slice_dims, start_index_map, index_vector_dim, slice_sizes });
    fn scatter(indices: Operand<'_>, updates: Operand<'_>, update_window_dims: Vec<usize>,
        inserted_window_dims: Vec<usize>, scatter_dims_to_operand_dims: Vec<usize>, index_vector_dim: usize)
        => (&indices, &updates, ScatterConfig {
            update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, index_vector_dim });
    fn dynamic_slice(starts: Operand<'_>, sizes: Vec<usize>) => (&starts, &sizes);
    fn dynamic_update_slice(update: Operand<'_>, starts: Operand<'_>) => (&update, &starts);
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
