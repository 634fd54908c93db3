//! Einstein summation and tensordot.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tenferro_einsum::{
    EagerSessionEinsumExt, EinsumNotation, EinsumOptimize, NestedEinsum, TensorDotAxes, TensorEinsumExt,
    TensorTensordotExt, TraceContextEinsumExt, TracedTensorEinsumExt, parse_einsum_subscripts,
};
use tenferro_runtime::{TraceContext, TraceValue};

use crate::compat;
use crate::engine::extension;
use crate::error::{Fault, Outcome, without_gil};
use crate::operand::{Like, Lower, Operand, Raise, lower_all, on_surface};
use crate::runtime::refs;
use crate::surface::{Surface, Traced};
use crate::table::{Entry, ops};

extension!(tenferro_einsum);

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

macro_rules! entries {
    ($($name:literal: $surfaces:expr;)*) => {
        $(inventory::submit! { Entry { name: $name, surfaces: $surfaces } })*
    };
}

entries! {
    "einsum": &["traced", "eager", "concrete"];
    "einsum_notation": &["traced", "eager", "concrete"];
    "einsum_subscripts": &["traced", "eager", "concrete"];
    "einsum_with": &["traced"];
}

fn operands<'py>(tensors: &Bound<'py, PyTuple>) -> Vec<Operand<'py>> {
    tensors.iter().map(Operand).collect()
}

/// Einstein summation with an explicit arrow, "ij,jk->ik"; NumPy arrays among the tensors become constants.
#[pyfunction]
#[pyo3(signature = (subscripts, *tensors))]
fn einsum(py: Python<'_>, subscripts: &str, tensors: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    on_surface!(py, &operands(tensors), all,
        compat::through_trace(all, |trace, inputs| Ok(trace.einsum(inputs, subscripts)?)),
        session: session.einsum(all, subscripts).map_err(Fault::from),
        engine: all.einsum(subscripts, engine))
}

/// The same with tenferro's parsed notation.
#[pyfunction]
#[pyo3(signature = (notation, *tensors))]
fn einsum_notation(py: Python<'_>, notation: &str, tensors: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    let notation = EinsumNotation::parse(notation).map_err(Fault::from)?;
    on_surface!(py, &operands(tensors), all,
        compat::through_trace(all, |trace, inputs| Ok(trace.einsum_notation(inputs, &notation)?)),
        session: session.einsum_notation(all, &notation).map_err(Fault::from),
        engine: all.einsum_notation(&notation, engine))
}

/// The same with tenferro's numbered labels.
#[pyfunction]
#[pyo3(signature = (subscripts, *tensors))]
fn einsum_subscripts(py: Python<'_>, subscripts: &str, tensors: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
    let subscripts = parse_einsum_subscripts(subscripts).map_err(Fault::from)?;
    on_surface!(py, &operands(tensors), all,
        compat::through_trace(all, |trace, inputs| Ok(trace.einsum_subscripts(inputs, &subscripts)?)),
        session: session.einsum_subscripts(all, &subscripts).map_err(Fault::from),
        engine: all.einsum_subscripts(&subscripts, engine))
}

/// The order of a summation of several tensors: pairs of positions, or the subscripts with parentheses.
#[derive(FromPyObject)]
enum Path {
    Nested(String),
    Pairs(Vec<(usize, usize)>),
}

impl Path {
    fn optimize(self) -> Outcome<EinsumOptimize> {
        Ok(match self {
            Self::Nested(text) => EinsumOptimize::Nested(NestedEinsum::parse(&text)?),
            Self::Pairs(pairs) => EinsumOptimize::Path(pairs),
        })
    }
}

/// The same, traced only, in the order of `path` (pairs of positions, or the subscripts with parentheses), or from
/// left to right without one.
#[pyfunction]
#[pyo3(signature = (subscripts, *tensors, path = None))]
fn einsum_with(py: Python<'_>, subscripts: &str, tensors: &Bound<'_, PyTuple>, path: Option<Path>) -> PyResult<Traced> {
    let tensors = operands(tensors);
    let Like::Traced(like) = Like::among(&tensors)? else {
        return Err(Fault::unsupported("einsum_with is an operation of tenferro's traced surface only").into());
    };
    let tensors = lower_all(&tensors, like.get())?;
    let optimize = path.map_or(Ok(EinsumOptimize::False), Path::optimize)?;
    let build = |trace: &mut TraceContext, inputs: &[TraceValue]| Ok(trace.einsum_with(inputs, subscripts, optimize)?);
    Ok(without_gil(py, || compat::through_trace(&refs(&tensors), build))?.raise(like.get()))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(einsum, module)?)?;
    module.add_function(wrap_pyfunction!(einsum_notation, module)?)?;
    module.add_function(wrap_pyfunction!(einsum_subscripts, module)?)?;
    module.add_function(wrap_pyfunction!(einsum_with, module)?)
}
