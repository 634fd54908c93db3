//! Einstein summation and tensordot.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tenferro_einsum::{
    EagerSessionEinsumExt, TensorDotAxes, TensorEinsumExt, TensorTensordotExt, TraceContextEinsumExt,
    TracedTensorEinsumExt,
};

use crate::compat;
use crate::error::Fault;
use crate::operand::{Lower, Operand, on_surface};
use crate::surface::Surface;
use crate::table::{Entry, ops};

/// The axes of a tensordot: a count, or the axes of both sides.
#[derive(FromPyObject)]
pub enum Axes {
    Count(usize),
    Pairs(Vec<isize>, Vec<isize>),
}

impl Axes {
    fn given(&self) -> TensorDotAxes<'_> {
        match self {
            Self::Count(count) => TensorDotAxes::Count(*count),
            Self::Pairs(lhs, rhs) => TensorDotAxes::Axes { lhs, rhs },
        }
    }
}

impl<S: Surface> Lower<S> for Axes {
    type Out = Self;

    fn lower(self, _like: &S) -> PyResult<Self> {
        Ok(self)
    }
}

ops! { [traced eager concrete] {
    fn tensordot(other: Operand<'_>, axes: Axes) => (&other, axes.given());
}}

inventory::submit! { Entry { name: "einsum", surfaces: &["traced", "eager", "concrete"] } }

/// Einstein summation with an explicit arrow, "ij,jk->ik"; NumPy arrays among the tensors become constants.
#[pyfunction]
#[pyo3(signature = (subscripts, *tensors))]
fn einsum(py: Python<'_>, subscripts: &str, tensors: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    let tensors: Vec<Operand<'_>> = tensors.iter().map(Operand).collect();
    on_surface!(py, &tensors, all,
        compat::through_trace(all, |trace, inputs| Ok(trace.einsum(inputs, subscripts)?)),
        session: session.einsum(all, subscripts).map_err(Fault::from),
        engine: all.einsum(subscripts, engine))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(einsum, module)?)
}
