//! Shapes that are known at run time only: the traced surface.

use pyo3::prelude::*;
use tenferro_runtime::{SymDim as RawDim, TracedTensor};

use crate::error::without_gil;
use crate::operand::{Lower, Operand, Raise};
use crate::surface::Traced;
use crate::table::{Entry, ops};

/// An extent as an expression over the axes of traced tensors.
#[pyclass(frozen, module = "tenferro_harness._native")]
pub struct SymDim(RawDim);

/// An extent given as a number or as an expression.
#[derive(FromPyObject)]
enum Extent<'py> {
    Number(usize),
    Symbol(Bound<'py, SymDim>),
}

impl Extent<'_> {
    fn dim(&self) -> RawDim {
        match self {
            Self::Number(number) => RawDim::from(*number),
            Self::Symbol(symbol) => symbol.get().0.clone(),
        }
    }
}

fn dims(shape: &[Extent<'_>]) -> Vec<RawDim> {
    shape.iter().map(Extent::dim).collect()
}

#[pymethods]
impl SymDim {
    fn __add__(&self, other: Extent<'_>) -> Self {
        Self(self.0.clone() + other.dim())
    }

    fn __radd__(&self, other: Extent<'_>) -> Self {
        Self(other.dim() + self.0.clone())
    }

    fn __sub__(&self, other: Extent<'_>) -> Self {
        Self(self.0.clone() - other.dim())
    }

    fn __rsub__(&self, other: Extent<'_>) -> Self {
        Self(other.dim() - self.0.clone())
    }

    fn __mul__(&self, other: Extent<'_>) -> Self {
        Self(self.0.clone() * other.dim())
    }

    fn __rmul__(&self, other: Extent<'_>) -> Self {
        Self(other.dim() * self.0.clone())
    }

    fn __floordiv__(&self, other: Extent<'_>) -> Self {
        Self(self.0.clone() / other.dim())
    }

    fn __rfloordiv__(&self, other: Extent<'_>) -> Self {
        Self(other.dim() / self.0.clone())
    }

    fn min(&self, other: Extent<'_>) -> Self {
        Self(self.0.clone().min(other.dim()))
    }

    fn max(&self, other: Extent<'_>) -> Self {
        Self(self.0.clone().max(other.dim()))
    }

    /// The number, where the expression is one.
    fn constant_value(&self) -> Option<usize> {
        self.0.constant_value()
    }
}

ops! { [traced] {
    fn shape_of(axis: usize) => (axis);
    fn dynamic_truncate(size: Operand<'_>, axis: usize) => (&size, axis);
    fn pad_to_match(reference: Operand<'_>, axis: usize) => (&reference, axis);
}}

inventory::submit! { Entry { name: "reshape_sym", surfaces: &["traced"] } }
inventory::submit! { Entry { name: "broadcast_in_dim_sym", surfaces: &["traced"] } }
inventory::submit! { Entry { name: "sym_size", surfaces: &["traced"] } }
inventory::submit! { Entry { name: "axis_sym_dim", surfaces: &["traced"] } }
inventory::submit! { Entry { name: "sym_shape", surfaces: &["traced"] } }

#[pymethods]
impl Traced {
    fn reshape_sym(&self, py: Python<'_>, shape: Vec<Extent<'_>>) -> PyResult<Self> {
        let shape = dims(&shape);
        Ok(without_gil(py, || Ok(self.tensor.reshape_sym(&shape)?))?.raise(self))
    }

    fn broadcast_in_dim_sym(
        &self,
        py: Python<'_>,
        shape: Vec<Extent<'_>>,
        dims: Vec<usize>,
        shape_refs: Vec<Operand<'_>>,
    ) -> PyResult<Self> {
        let shape = self::dims(&shape);
        let shape_refs = shape_refs.into_iter().map(|tensor| tensor.lower(self)).collect::<PyResult<Vec<_>>>()?;
        let shape_refs: Vec<&TracedTensor> = shape_refs.iter().map(|tensor| &**tensor).collect();
        Ok(without_gil(py, || Ok(self.tensor.broadcast_in_dim_sym(&shape, &dims, &shape_refs)?))?.raise(self))
    }

    /// The extent of an axis as the graph knows it.
    fn sym_size(&self, py: Python<'_>, axis: usize) -> PyResult<SymDim> {
        without_gil(py, || Ok(SymDim(self.tensor.sym_size(axis)?)))
    }

    /// The extent of an axis, by this tensor's own axis where the graph does not know it.
    fn axis_sym_dim(&self, py: Python<'_>, axis: usize) -> PyResult<SymDim> {
        without_gil(py, || Ok(SymDim(self.tensor.axis_sym_dim(axis)?)))
    }

    /// All extents, or None where the graph knows none.
    fn sym_shape(&self) -> Option<Vec<SymDim>> {
        Some(self.tensor.sym_shape()?.iter().cloned().map(SymDim).collect())
    }
}
