//! Derivatives of tensors: grad, vjp and jvp, traced and eager.

use std::sync::Arc;

use pyo3::BoundObject;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use tenferro_ad::{EagerTensor, TracedTensorAdExt};
use tenferro_cpu::CpuEngine;
use tenferro_runtime::{GraphCompiler, TracedTensor};

use crate::compat::with_engine;
use crate::engine::Core;
use crate::error::{Fault, Outcome, without_gil};
use crate::operand::{Like, Lower, Operand, Raise, lower_all};
use crate::runtime::{Runtime, refs};
use crate::surface::{Surface, Traced};

/// The tensors of a derivative question, all of one surface.
struct Asked<T> {
    outputs: Vec<Arc<T>>,
    wrt: Vec<Arc<T>>,
    seeds: Vec<Arc<T>>,
}

#[pymethods]
impl Runtime {
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
                    let (eager, output) = (&self.core.eager, &asked.outputs[0]);
                    let mut grad = |wrt: &Arc<_>| Ok(with_engine!(eager, grad_optional, engine, output, wrt)?);
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
}

/// The traced tensor's own derivatives, which know the rules of core operations only.
#[pymethods]
impl Traced {
    fn grad(&self, py: Python<'_>, wrt: Operand<'_>) -> PyResult<Self> {
        let wrt = wrt.lower(self)?;
        Ok(without_gil(py, || Ok(self.tensor.grad(&wrt)?))?.raise(self))
    }

    fn vjp(&self, py: Python<'_>, wrt: Operand<'_>, cotangent: Operand<'_>) -> PyResult<Self> {
        let (wrt, cotangent) = (wrt.lower(self)?, cotangent.lower(self)?);
        Ok(without_gil(py, || Ok(self.tensor.vjp(&wrt, &cotangent)?))?.raise(self))
    }

    fn jvp(&self, py: Python<'_>, wrt: Operand<'_>, tangent: Operand<'_>) -> PyResult<Self> {
        let (wrt, tangent) = (wrt.lower(self)?, tangent.lower(self)?);
        Ok(without_gil(py, || Ok(self.tensor.jvp(&wrt, &tangent)?))?.raise(self))
    }

    /// The same value computed once and kept; derivatives go through what made it.
    fn checkpoint(&self, py: Python<'_>) -> PyResult<Self> {
        let mut kept = TracedTensor::clone(&self.tensor);
        let kept = self.core.engine.run(py, move |engine| {
            kept.checkpoint(&mut GraphCompiler::new(), &self.core.graph, engine)?;
            Ok(kept)
        })?;
        Ok(kept.raise(self))
    }
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
            let part = with_engine!(core.eager, vjp_optional, engine, output, wrt, cotangent)?;
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
            let part = with_engine!(core.eager, jvp_optional, engine, output, wrt, tangent)?;
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
