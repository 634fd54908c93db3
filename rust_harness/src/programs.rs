//! Whole programs in Rust, to be compared with the same programs driven from Python.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tenferro_ad::EagerTensor;
use tenferro_cpu::CpuEngine;
use tenferro_tensor::Tensor;

use crate::array;
use crate::compat::with_engine;
use crate::engine::{Core, Engine};
use crate::error::Outcome;

/// f(x) = Σ sin(x)·x² on the eager surface: its value, gradient, and the gradient's derivative along `tangent`.
#[pyfunction]
pub fn gradient_pair<'py>(
    py: Python<'py>,
    engine: &Engine,
    x: &Bound<'py, PyAny>,
    tangent: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let core = Core::new(py, &engine.0)?;
    let (x, tangent) = (array::read(x)?, array::read(tangent)?);
    let results = core.engine.run(py, |engine| pair(&core, engine, x, tangent))?;
    let answer = PyDict::new(py);
    for (name, tensor) in ["value", "grad", "hvp"].into_iter().zip(results) {
        answer.set_item(name, array::write(py, &tensor)?)?;
    }
    Ok(answer)
}

fn pair(core: &Arc<Core>, engine: &mut CpuEngine, x: Tensor, tangent: Tensor) -> Outcome<[Tensor; 3]> {
    let x = core.eager.variable_from(x)?;
    let tangent = core.eager.constant_from(tangent)?;
    let value = program(core, engine, &x)?;
    let grad = with_engine!(core.eager, grad, engine, &value, &x)?;
    let hvp = with_engine!(core.eager, jvp, engine, &grad, &x, &tangent)?;
    Ok([value.to_tensor(engine)?, grad.to_tensor(engine)?, hvp.to_tensor(engine)?])
}

fn program(core: &Arc<Core>, engine: &mut CpuEngine, x: &EagerTensor) -> Outcome<EagerTensor> {
    core.eager.with_eager_session(engine, |session| {
        let sine = session.sin(x)?;
        let square = session.mul(x, x)?;
        let product = session.mul(&sine, &square)?;
        Ok(session.reduce_sum(&product, None)?)
    })
}
