//! One answer's runtime: where its tensors are made and its derivatives taken.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tenferro_runtime::{CompilerOptions, OptimizerConfig, TracedTensor};

use crate::array;
use crate::engine::{Core, Engine};
use crate::error::without_gil;
use crate::program::{Compiling, Program};
use crate::surface::{Concrete, Eager, Surface, Traced};

/// A fresh tenferro runtime, eager runtime and AD context on an engine.
#[pyclass(frozen, module = "tenferro_harness._native")]
pub struct Runtime {
    pub core: Arc<Core>,
}

#[pymethods]
impl Runtime {
    /// Without `rules` the AD context knows no rules of linalg, einsum and fft.
    #[new]
    #[pyo3(signature = (engine, rules = true))]
    fn new(py: Python<'_>, engine: &Engine, rules: bool) -> PyResult<Self> {
        Ok(Self { core: Core::build(py, &engine.0, rules)? })
    }

    /// An eager leaf that gradients are taken of, from an array, or from an eager tensor's data without its history.
    fn variable(&self, py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<Eager> {
        let tensor = match array.cast::<Eager>() {
            Ok(held) => {
                let held = held.get();
                held.core.engine.run(py, |engine| Ok(held.tensor.to_tensor(engine)?))?
            }
            Err(_) => array::read(array)?,
        };
        let leaf = without_gil(py, || Ok(self.core.eager.variable_from(tensor)?))?;
        Ok(Eager::new(leaf, &self.core))
    }

    /// An eager leaf without gradient.
    fn constant(&self, py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<Eager> {
        let tensor = array::read(array)?;
        let leaf = without_gil(py, || Ok(self.core.eager.constant_from(tensor)?))?;
        Ok(Eager::new(leaf, &self.core))
    }

    /// A plain tensor.
    fn concrete(&self, array: &Bound<'_, PyAny>) -> PyResult<Concrete> {
        Ok(Concrete::new(array::read(array)?, &self.core))
    }

    /// A traced input without data; a shape of None is symbolic, with `rank` axes.
    #[pyo3(signature = (shape, dtype, rank = None))]
    fn placeholder(
        &self,
        py: Python<'_>,
        shape: Option<Vec<i64>>,
        dtype: &Bound<'_, PyAny>,
        rank: Option<usize>,
    ) -> PyResult<Traced> {
        let dtype = array::dtype(dtype)?;
        let leaf = match (shape, rank) {
            (Some(shape), None) => {
                let shape = array::checked_shape(&shape)?;
                without_gil(py, || Ok(TracedTensor::input_concrete_shape(dtype, &shape)?))?
            }
            (None, Some(rank)) => without_gil(py, || Ok(TracedTensor::input_symbolic_shape(dtype, rank)?))?,
            _ => return Err(PyValueError::new_err("a placeholder takes a shape, or None and a rank")),
        };
        Ok(Traced::new(leaf, &self.core))
    }

    /// A traced leaf with data; with `symbolic`, its shape is not part of the graph.
    #[pyo3(signature = (array, symbolic = false))]
    fn attached(&self, py: Python<'_>, array: &Bound<'_, PyAny>, symbolic: bool) -> PyResult<Traced> {
        let tensor = array::read(array)?;
        let make =
            if symbolic { TracedTensor::from_tensor_symbolic_shape } else { TracedTensor::from_tensor_concrete_shape };
        Ok(Traced::new(without_gil(py, || Ok(make(tensor)?))?, &self.core))
    }

    /// Compiles traced outputs as a program of placeholders; an unused one is refused unless it is to be dropped.
    #[pyo3(signature = (
        outputs, placeholders, drop_unused = false, algebraic_layout_simplifier = true, dot_decomposer = false
    ))]
    fn compile(
        &self,
        py: Python<'_>,
        outputs: Vec<PyRef<'_, Traced>>,
        placeholders: Vec<PyRef<'_, Traced>>,
        drop_unused: bool,
        algebraic_layout_simplifier: bool,
        dot_decomposer: bool,
    ) -> PyResult<Program> {
        let outputs: Vec<_> = outputs.iter().map(|tensor| Arc::clone(&tensor.tensor)).collect();
        let placeholders: Vec<_> = placeholders.iter().map(|tensor| Arc::clone(&tensor.tensor)).collect();
        let optimizer = OptimizerConfig { algebraic_layout_simplifier, dot_decomposer };
        let compiling = Compiling { drop_unused, options: CompilerOptions { optimizer } };
        without_gil(py, || Program::compile(&self.core, &refs(&outputs), &refs(&placeholders), compiling))
    }

    /// The width of the engine.
    #[getter]
    fn width(&self) -> usize {
        self.core.engine.width
    }
}

pub fn refs<T>(tensors: &[Arc<T>]) -> Vec<&T> {
    tensors.iter().map(Arc::as_ref).collect()
}
