//! One answer's runtime: where its tensors are made and its derivatives taken.

use std::sync::Arc;

use pyo3::BoundObject;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use tenferro_ad::{EagerNoGradGuard, EagerTensor};
use tenferro_cpu::CpuEngine;
use tenferro_runtime::TracedTensor;

use crate::array;
use crate::engine::{Core, Engine};
use crate::error::{Fault, Outcome, without_gil};
use crate::operand::{Like, Operand, lower_all};
use crate::program::Program;
use crate::surface::{Concrete, Eager, Surface, Traced};

/// A fresh tenferro runtime, eager runtime and AD context on an engine.
#[pyclass(frozen, module = "tenferro_harness._native")]
pub struct Runtime {
    core: Arc<Core>,
}

/// The tensors of a derivative question, all of one surface.
struct Asked<T> {
    outputs: Vec<Arc<T>>,
    wrt: Vec<Arc<T>>,
    seeds: Vec<Arc<T>>,
}

#[pymethods]
impl Runtime {
    #[new]
    fn new(py: Python<'_>, engine: &Engine) -> PyResult<Self> {
        Ok(Self { core: Core::new(py, &engine.0)? })
    }

    /// An eager leaf that gradients are taken of.
    fn variable(&self, py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<Eager> {
        let tensor = array::read(array)?;
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
    #[pyo3(signature = (outputs, placeholders, drop_unused = false))]
    fn compile(
        &self,
        py: Python<'_>,
        outputs: Vec<PyRef<'_, Traced>>,
        placeholders: Vec<PyRef<'_, Traced>>,
        drop_unused: bool,
    ) -> PyResult<Program> {
        let outputs: Vec<_> = outputs.iter().map(|tensor| Arc::clone(&tensor.tensor)).collect();
        let placeholders: Vec<_> = placeholders.iter().map(|tensor| Arc::clone(&tensor.tensor)).collect();
        without_gil(py, || Program::compile(&self.core, &refs(&outputs), &refs(&placeholders), drop_unused))
    }

    /// The gradients of a rank-0 output; None where it is inactive. Traced and eager.
    fn grad(&self, py: Python<'_>, output: Operand<'_>, wrt: Vec<Operand<'_>>) -> PyResult<Vec<Option<Py<PyAny>>>> {
        match Like::among(std::slice::from_ref(&output))? {
            Like::Traced(like) => {
                let asked = asked(&[Operand(output.0.clone())], &wrt, &[], like.get())?;
                let grad = |wrt: &Arc<_>| Ok(self.core.ad.grad_optional(&asked.outputs[0], wrt)?);
                raised(py, without_gil(py, || asked.wrt.iter().map(grad).collect::<Outcome<Vec<_>>>())?, &self.core)
            }
            Like::Eager(like) => {
                let asked = asked(&[Operand(output.0.clone())], &wrt, &[], like.get())?;
                let grads = self.core.engine.run(py, |engine| {
                    let mut grad = |wrt: &Arc<_>| Ok(self.core.eager.grad_optional(engine, &asked.outputs[0], wrt)?);
                    asked.wrt.iter().map(&mut grad).collect::<Outcome<Vec<_>>>()
                })?;
                raised(py, grads, &self.core)
            }
            Like::Concrete(_) => Err(no_derivatives()),
        }
    }

    /// Jᵀ·cotangents, added over the outputs; None where it is inactive. Traced and eager.
    fn vjp(
        &self,
        py: Python<'_>,
        outputs: Vec<Operand<'_>>,
        wrt: Vec<Operand<'_>>,
        cotangents: Vec<Operand<'_>>,
    ) -> PyResult<Vec<Option<Py<PyAny>>>> {
        same_number("output", outputs.len(), "cotangents", cotangents.len())?;
        match Like::among(&outputs)? {
            Like::Traced(like) => {
                let asked = asked(&outputs, &wrt, &cotangents, like.get())?;
                raised(py, without_gil(py, || traced_vjp(&self.core, &asked))?, &self.core)
            }
            Like::Eager(like) => {
                let asked = asked(&outputs, &wrt, &cotangents, like.get())?;
                raised(py, self.core.engine.run(py, |engine| eager_vjp(&self.core, engine, &asked))?, &self.core)
            }
            Like::Concrete(_) => Err(no_derivatives()),
        }
    }

    /// J·tangents, one result an output; None where it is inactive. Traced and eager.
    fn jvp(
        &self,
        py: Python<'_>,
        outputs: Vec<Operand<'_>>,
        wrt: Vec<Operand<'_>>,
        tangents: Vec<Operand<'_>>,
    ) -> PyResult<Vec<Option<Py<PyAny>>>> {
        same_number("wrt", wrt.len(), "tangents", tangents.len())?;
        match Like::among(&outputs)? {
            Like::Traced(like) => {
                let asked = asked(&outputs, &wrt, &tangents, like.get())?;
                raised(py, without_gil(py, || traced_jvp(&self.core, &asked))?, &self.core)
            }
            Like::Eager(like) => {
                let asked = asked(&outputs, &wrt, &tangents, like.get())?;
                raised(py, self.core.engine.run(py, |engine| eager_jvp(&self.core, engine, &asked))?, &self.core)
            }
            Like::Concrete(_) => Err(no_derivatives()),
        }
    }

    /// Clears the gradient slots of every leaf of this runtime.
    fn clear_grads(&self, py: Python<'_>) -> PyResult<()> {
        without_gil(py, || Ok(self.core.eager.clear_grads()?))
    }

    /// A context in which eager operations are not remembered.
    fn no_grad(&self) -> NoGrad {
        NoGrad { core: Arc::clone(&self.core), guard: None }
    }

    /// The width of the engine.
    #[getter]
    fn width(&self) -> usize {
        self.core.engine.width
    }
}

fn refs<T>(tensors: &[Arc<T>]) -> Vec<&T> {
    tensors.iter().map(Arc::as_ref).collect()
}

fn same_number(left: &str, n: usize, right: &str, m: usize) -> PyResult<()> {
    if n == m { Ok(()) } else { Err(PyValueError::new_err(format!("{n} {left} but {m} {right}: give one each"))) }
}

fn no_derivatives() -> PyErr {
    Fault::unsupported("the concrete surface has values only, no derivatives").into()
}

fn asked<S: Surface>(
    outputs: &[Operand<'_>],
    wrt: &[Operand<'_>],
    seeds: &[Operand<'_>],
    like: &S,
) -> PyResult<Asked<S::Tensor>> {
    if let Some(stranger) = wrt.iter().find(|tensor| S::shared(&tensor.0).is_none()) {
        let text = format!("a derivative is taken of {} tensors, not of a {}", S::NAME, stranger.0.get_type().name()?);
        return Err(PyTypeError::new_err(text));
    }
    Ok(Asked { outputs: lower_all(outputs, like)?, wrt: lower_all(wrt, like)?, seeds: lower_all(seeds, like)? })
}

fn raised<T, S>(py: Python<'_>, tensors: Vec<Option<T>>, core: &Arc<Core>) -> PyResult<Vec<Option<Py<PyAny>>>>
where
    T: Send + crate::operand::Raise<S>,
    S: Surface<Tensor = T> + for<'a> IntoPyObject<'a, Error = PyErr>,
{
    let python = |tensor: T| Ok(S::new(tensor, core).into_pyobject(py)?.into_any().unbind());
    tensors.into_iter().map(|tensor| tensor.map(python).transpose()).collect()
}

fn traced_vjp(core: &Core, asked: &Asked<TracedTensor>) -> Outcome<Vec<Option<TracedTensor>>> {
    let mut total: Vec<Option<TracedTensor>> = asked.wrt.iter().map(|_| None).collect();
    for (output, cotangent) in asked.outputs.iter().zip(&asked.seeds) {
        let parts = core.ad.vjp_many(output, &refs(&asked.wrt), cotangent)?;
        for (sum, part) in total.iter_mut().zip(parts) {
            *sum = plus(sum.take(), part, |a, b| Ok(a.add(b)?))?;
        }
    }
    Ok(total)
}

fn traced_jvp(core: &Core, asked: &Asked<TracedTensor>) -> Outcome<Vec<Option<TracedTensor>>> {
    let pairs: Vec<_> = asked.wrt.iter().zip(&asked.seeds).map(|(wrt, tangent)| (&**wrt, &**tangent)).collect();
    asked.outputs.iter().map(|output| Ok(core.ad.jvp_many(output, &pairs)?)).collect()
}

fn eager_vjp(core: &Core, engine: &mut CpuEngine, asked: &Asked<EagerTensor>) -> Outcome<Vec<Option<EagerTensor>>> {
    let mut derivatives = Vec::with_capacity(asked.wrt.len());
    for wrt in &asked.wrt {
        let mut total = None;
        for (output, cotangent) in asked.outputs.iter().zip(&asked.seeds) {
            let part = core.eager.vjp_optional(engine, output, wrt, cotangent)?;
            total = plus(total, part, |a, b| eager_add(core, engine, a, b))?;
        }
        derivatives.push(total);
    }
    Ok(derivatives)
}

fn eager_jvp(core: &Core, engine: &mut CpuEngine, asked: &Asked<EagerTensor>) -> Outcome<Vec<Option<EagerTensor>>> {
    let mut derivatives = Vec::with_capacity(asked.outputs.len());
    for output in &asked.outputs {
        let mut total = None;
        for (wrt, tangent) in asked.wrt.iter().zip(&asked.seeds) {
            let part = core.eager.jvp_optional(engine, output, wrt, tangent)?;
            total = plus(total, part, |a, b| eager_add(core, engine, a, b))?;
        }
        derivatives.push(total);
    }
    Ok(derivatives)
}

fn eager_add(core: &Core, engine: &mut CpuEngine, a: &EagerTensor, b: &EagerTensor) -> Outcome<EagerTensor> {
    core.eager.with_eager_session(engine, |session| Ok(session.add(a, b)?))
}

fn plus<T>(sum: Option<T>, part: Option<T>, add: impl FnOnce(&T, &T) -> Outcome<T>) -> Outcome<Option<T>> {
    match (sum, part) {
        (Some(sum), Some(part)) => add(&sum, &part).map(Some),
        (sum, part) => Ok(sum.or(part)),
    }
}

/// A context manager: tenferro's guard belongs to one thread, and so does this.
#[pyclass(unsendable, module = "tenferro_harness._native")]
pub struct NoGrad {
    core: Arc<Core>,
    guard: Option<EagerNoGradGuard>,
}

#[pymethods]
impl NoGrad {
    fn __enter__(mut slf: PyRefMut<'_, Self>) -> PyResult<()> {
        if slf.guard.is_some() {
            return Err(PyRuntimeError::new_err("this no_grad context is entered already; make another"));
        }
        let guard = slf.core.eager.no_grad();
        slf.guard = Some(guard);
        Ok(())
    }

    fn __exit__(&mut self, _kind: &Bound<'_, PyAny>, _value: &Bound<'_, PyAny>, _traceback: &Bound<'_, PyAny>) -> bool {
        self.guard = None;
        false
    }
}
