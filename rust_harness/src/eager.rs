//! What only eager tensors have: gradient slots, backward passes, detaching.

use pyo3::prelude::*;

use crate::error::without_gil;
use crate::operand::{Lower, Operand};
use crate::surface::{Concrete, Eager, Surface};

#[pymethods]
impl Eager {
    /// Adds the gradients of this rank-0 tensor to the slots of its leaves.
    fn backward(&self, py: Python<'_>) -> PyResult<()> {
        self.core.engine.run(py, |engine| Ok(self.tensor.backward(engine).map(drop)?))
    }

    /// The same with a cotangent, for a tensor of any shape.
    fn backward_with(&self, py: Python<'_>, cotangent: Operand<'_>) -> PyResult<()> {
        let cotangent = cotangent.lower(self)?;
        self.core.engine.run(py, |engine| Ok(self.tensor.backward_with(engine, &cotangent).map(drop)?))
    }

    /// What this leaf's slot holds, or None.
    fn grad(&self, py: Python<'_>) -> PyResult<Option<Concrete>> {
        let held = self.core.engine.run(py, |engine| {
            let held = self.tensor.grad()?;
            Ok(held.map(|gradient| gradient.to_tensor(engine)).transpose()?)
        })?;
        Ok(held.map(|tensor| Concrete::new(tensor, &self.core)))
    }

    /// Empties this leaf's slot.
    fn clear_grad(&self, py: Python<'_>) -> PyResult<()> {
        without_gil(py, || Ok(self.tensor.clear_grad()?))
    }

    /// The same value without its history.
    fn detach(&self, py: Python<'_>) -> PyResult<Self> {
        let detached = self.core.engine.run(py, |engine| Ok(self.tensor.detach(engine)?))?;
        Ok(Self::new(detached, &self.core))
    }

    /// Whether gradients are taken through this tensor.
    fn tracks_grad(&self) -> bool {
        self.tensor.tracks_grad()
    }
}
