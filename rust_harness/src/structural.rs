//! Shape and layout: tenferro reshapes in column-major order.

use std::ops::Range;

use pyo3::prelude::*;
use tenferro_runtime::{TensorSessionOpsExt, TracedTensor};
use tenferro_tensor::{PadConfig, SliceConfig, Tensor};

use crate::error::without_gil;
use crate::operand::{Operand, Raise, on_surface};
use crate::surface::{Eager, Traced};
use crate::table::{Entry, ops};

fn slice_config(starts: Vec<usize>, limits: Vec<usize>, strides: Option<Vec<usize>>) -> SliceConfig {
    let strides = strides.unwrap_or_else(|| vec![1; starts.len()]);
    SliceConfig { starts, limits, strides }
}

fn pad_config(edge_padding_low: Vec<i64>, edge_padding_high: Vec<i64>, interior: Option<Vec<i64>>) -> PadConfig {
    let interior_padding = interior.unwrap_or_else(|| vec![0; edge_padding_low.len()]);
    PadConfig { edge_padding_low, edge_padding_high, interior_padding }
}

ops! { [traced eager concrete] {
    fn reshape(shape: Vec<usize>) => (&shape);
    fn transpose(perm: Vec<usize>) => (&perm);
    fn broadcast_in_dim(shape: Vec<usize>, dims: Vec<usize>) => (&shape, &dims);
    fn reverse(axes: Vec<usize>) => (&axes);
    fn slice(starts: Vec<usize>, limits: Vec<usize>, strides: Option<Vec<usize>> = None)
        => (slice_config(starts, limits, strides));
    fn pad(edge_padding_low: Vec<i64>, edge_padding_high: Vec<i64>, interior_padding: Option<Vec<i64>> = None)
        => (pad_config(edge_padding_low, edge_padding_high, interior_padding));
    fn tril(k: i64 = 0) => (k);
    fn triu(k: i64 = 0) => (k);
    fn extract_diag(axis_a: usize, axis_b: usize) => (axis_a, axis_b);
    fn embed_diag(axis_a: usize, axis_b: usize) => (axis_a, axis_b);
}}

ops! { [traced eager] {
    fn slice_axis(axis: usize, start: usize, stop: usize) => (axis, Range { start, end: stop });
}}

/// One step of a slice builder: an axis with start, stop and step, or with the indices to take.
#[derive(FromPyObject)]
enum Selection {
    Step(usize, usize, usize, usize),
    Range(usize, usize, usize),
    Take(usize, Vec<usize>),
}

/// tenferro's slice builder fed with a list: `(axis, start, stop)`, `(axis, start, stop, step)` or `(axis, [indices])`.
macro_rules! slice_builder {
    ($class:ident, |$this:ident, $py:ident, $builder:ident| $apply:expr) => {
        #[pymethods]
        impl $class {
            fn slice_builder(&self, py: Python<'_>, selections: Vec<Selection>) -> PyResult<Self> {
                let ($this, $py) = (self, py);
                let $builder =
                    selections.iter().fold(self.tensor.slice_builder(), |builder, selection| match selection {
                        Selection::Range(axis, start, stop) => builder.axis(*axis, *start..*stop),
                        Selection::Step(axis, start, stop, step) => builder.axis_step(*axis, *start..*stop, *step),
                        Selection::Take(axis, indices) => builder.take_axis(*axis, indices),
                    });
                Ok($apply?.raise(self))
            }
        }
    };
}

slice_builder!(Traced, |_this, py, builder| without_gil(py, || Ok(builder.apply()?)));
slice_builder!(Eager, |this, py, builder| this.core.session(py, |session| Ok(builder.apply(session)?)));

inventory::submit! { Entry { name: "slice_builder", surfaces: &["traced", "eager"] } }
inventory::submit! { Entry { name: "concatenate", surfaces: &["traced", "eager", "concrete"] } }
inventory::submit! { Entry { name: "stack", surfaces: &["traced", "eager", "concrete"] } }

/// Joins tensors along an axis; NumPy arrays among them become constants.
#[pyfunction]
fn concatenate(py: Python<'_>, tensors: Vec<Operand<'_>>, axis: usize) -> PyResult<Py<PyAny>> {
    on_surface!(py, &tensors, all,
        TracedTensor::concatenate(all, axis),
        session: session.concatenate(all, axis),
        engine: Tensor::concatenate(all, axis, engine))
}

/// Joins tensors of one shape along a new axis; NumPy arrays among them become constants.
#[pyfunction]
fn stack(py: Python<'_>, tensors: Vec<Operand<'_>>, dim: isize) -> PyResult<Py<PyAny>> {
    on_surface!(py, &tensors, all,
        TracedTensor::stack(all, dim),
        session: session.stack(all, dim),
        engine: Tensor::stack(all, dim, engine))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(concatenate, module)?)?;
    module.add_function(wrap_pyfunction!(stack, module)?)
}
