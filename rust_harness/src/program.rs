//! Compiled programs: prepare once, run often, and derivative programs made from them.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use tenferro_cpu::CpuEngine;
use tenferro_runtime::{CompiledGraph, CompilerOptions, ExecutionEngine, GraphCompiler, Prepared, TracedTensor};
use tenferro_tensor::{Tensor, TensorRead};

use crate::array;
use crate::compat;
use crate::engine::Core;
use crate::error::{Fault, Outcome, without_gil};
use crate::surface::{Surface, Traced};

/// How a program is compiled, and those derived from it.
#[derive(Clone, Copy, Default)]
pub struct Compiling {
    pub drop_unused: bool,
    pub options: CompilerOptions,
}

impl Compiling {
    fn compiler(self) -> GraphCompiler {
        GraphCompiler::with_compiler_options(self.options)
    }
}

/// A compiled program. Its inputs keep the order of the placeholders; what the graph does not use has no position.
#[pyclass(frozen, module = "tenferro_harness._native")]
pub struct Program {
    core: Arc<Core>,
    graph: CompiledGraph,
    compiling: Compiling,
    inputs: Vec<Option<usize>>,
    outputs: Vec<Option<usize>>,
    prepared: Mutex<Option<Prepared>>,
}

impl Program {
    fn new(
        core: &Arc<Core>,
        graph: CompiledGraph,
        compiling: Compiling,
        inputs: Vec<Option<usize>>,
        outputs: Vec<Option<usize>>,
    ) -> Self {
        Self { core: Arc::clone(core), graph, compiling, inputs, outputs, prepared: Mutex::new(None) }
    }

    /// Compiles `outputs` as a function of `placeholders`.
    pub fn compile(
        core: &Arc<Core>,
        outputs: &[&TracedTensor],
        placeholders: &[&TracedTensor],
        compiling: Compiling,
    ) -> Outcome<Self> {
        let graph = compile(outputs, placeholders, compiling)?;
        let inputs: Vec<_> = placeholders.iter().map(|placeholder| compat::position(&graph, placeholder)).collect();
        let frozen = compat::frozen(&graph);
        let free = |input: &usize| !compat::is_bound(frozen, *input) && !inputs.contains(&Some(*input));
        if let Some(input) = (0..graph.input_count()).find(free) {
            let text = format!("input {input} of the program is a placeholder that was not given");
            return Err(Fault::Failed { kind: "RuntimeState".into(), text });
        }
        Ok(Self::new(core, graph, compiling, inputs, (0..outputs.len()).map(Some).collect()))
    }

    /// The program's open inputs in tenferro's order; what is missing or too much is left to tenferro to refuse.
    fn feed<'a>(&self, given: &'a [Tensor]) -> Vec<TensorRead<'a>> {
        let mut order: Vec<_> =
            self.inputs.iter().zip(given).filter_map(|(at, tensor)| Some(((*at)?, tensor))).collect();
        order.sort_by_key(|(at, _)| *at);
        let surplus = given.iter().skip(self.inputs.len());
        order.into_iter().map(|(_, tensor)| tensor).chain(surplus).map(TensorRead::from_tensor).collect()
    }

    fn prepare_with(&self, engine: &mut CpuEngine, given: &[Tensor]) -> Outcome<Prepared> {
        let prepared = self.core.graph.prepare(&self.graph, &self.feed(given), &[engine.target()])?;
        *self.prepared.lock().unwrap_or_else(PoisonError::into_inner) = Some(prepared.clone());
        Ok(prepared)
    }

    fn run_with(&self, engine: &mut CpuEngine, given: &[Tensor]) -> Outcome<Vec<Tensor>> {
        let known = self.prepared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let prepared = match known {
            Some(prepared) => prepared,
            None => self.prepare_with(engine, given)?,
        };
        let results = self.core.graph.run(&mut [&mut *engine], &prepared, &self.feed(given))?;
        results.into_iter().map(|result| Ok(result.into_tensor(engine)?)).collect()
    }

    /// Zeros for every input, as the program declares it.
    fn zeros(&self) -> Outcome<Vec<Tensor>> {
        let program = self.graph.program();
        let zeros = |at: &Option<usize>| match at {
            Some(at) => {
                let (dtype, shape) = compat::declared(program, program.inputs()[*at])?;
                array::zeros(dtype, &shape)
            }
            None => array::zeros(tenferro_tensor::DType::F64, &[]),
        };
        self.inputs.iter().map(zeros).collect()
    }

    fn positions(&self, wrt: Option<Vec<usize>>) -> PyResult<Vec<Option<usize>>> {
        let wrt = wrt.unwrap_or_else(|| (0..self.inputs.len()).collect());
        let known = |index: usize| {
            let error = || PyIndexError::new_err(format!("the program has {} inputs, not {index}", self.inputs.len()));
            self.inputs.get(index).copied().ok_or_else(error)
        };
        wrt.into_iter().map(known).collect()
    }

    fn active(&self, positions: &[Option<usize>]) -> Vec<bool> {
        (0..self.graph.input_count()).map(|input| positions.contains(&Some(input))).collect()
    }

    /// The program of Jᵀ: the inputs, then one cotangent an output.
    fn transposed(&self, positions: &[Option<usize>]) -> Outcome<Self> {
        let active_outputs: Vec<_> = (0..self.graph.output_count()).map(|k| self.outputs.contains(&Some(k))).collect();
        let frozen = compat::frozen(&self.graph);
        let derived = self.core.ad.vjp_program(frozen, &self.active(positions), &active_outputs)?;
        let cotangent = |output: &Option<usize>| derived.derivative_input_indices()[(*output)?];
        let derivative = |input: &Option<usize>| derived.derivative_output_indices()[(*input)?];
        let inputs = self.inputs.iter().copied().chain(self.outputs.iter().map(cotangent)).collect();
        let graph = self.compiling.compiler().compile_frozen_program(derived.frozen())?;
        Ok(Self::new(&self.core, graph, self.compiling, inputs, positions.iter().map(derivative).collect()))
    }

    /// The program of J: the inputs, then one tangent an input of `positions`.
    fn linearized(&self, positions: &[Option<usize>]) -> Outcome<Self> {
        let derived = self.core.ad.jvp_program(compat::frozen(&self.graph), &self.active(positions))?;
        let tangent = |input: &Option<usize>| derived.derivative_input_indices()[(*input)?];
        let derivative = |output: &Option<usize>| derived.derivative_output_indices()[(*output)?];
        let inputs = self.inputs.iter().copied().chain(positions.iter().map(tangent)).collect();
        let graph = self.compiling.compiler().compile_frozen_program(derived.frozen())?;
        Ok(Self::new(&self.core, graph, self.compiling, inputs, self.outputs.iter().map(derivative).collect()))
    }
}

/// Through tenferro's public way where it can: one output, every placeholder used and of a known shape.
fn compile(outputs: &[&TracedTensor], placeholders: &[&TracedTensor], compiling: Compiling) -> Outcome<CompiledGraph> {
    let mut compiler = compiling.compiler();
    let shapes: Vec<_> = placeholders.iter().map(|placeholder| placeholder.try_concrete_shape()).collect();
    let known: Option<Vec<_>> = shapes.iter().map(Option::as_deref).collect();
    let ([output], Some(shapes)) = (outputs, known) else {
        return compat::compile_many(&mut compiler, outputs);
    };
    let specs: Vec<_> =
        placeholders.iter().zip(shapes).map(|(tensor, shape)| (*tensor, tensor.dtype(), shape)).collect();
    match compiler.compile_with_input_specs(output, &specs) {
        Err(_) if compiling.drop_unused => compat::compile_many(&mut compiler, outputs),
        result => Ok(result?),
    }
}

#[pymethods]
impl Program {
    /// Prepares for inputs like these, or like zeros of the declared shapes; running does it where it was not done.
    #[pyo3(signature = (inputs = None))]
    fn prepare(&self, py: Python<'_>, inputs: Option<Vec<Bound<'_, PyAny>>>) -> PyResult<()> {
        let given = match inputs {
            Some(inputs) => read_all(&inputs)?,
            None => self.zeros()?,
        };
        self.core.engine.run(py, |engine| self.prepare_with(engine, &given).map(drop))
    }

    /// Runs once for the caches' sake.
    fn warm_up(&self, py: Python<'_>, inputs: Vec<Bound<'_, PyAny>>) -> PyResult<()> {
        let given = read_all(&inputs)?;
        self.core.engine.run(py, |engine| {
            let prepared = self.prepare_with(engine, &given)?;
            Ok(self.core.graph.warm_up(&mut [&mut *engine], &prepared, &self.feed(&given))?)
        })
    }

    #[getter]
    fn is_prepared(&self) -> bool {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The outputs as NumPy arrays; None where a derivative is inactive.
    fn run<'py>(&self, py: Python<'py>, inputs: Vec<Bound<'py, PyAny>>) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        let given = read_all(&inputs)?;
        if self.outputs.iter().all(Option::is_none) {
            return Ok(self.outputs.iter().map(|_| None).collect());
        }
        let results = self.core.engine.run(py, |engine| self.run_with(engine, &given))?;
        let array = |at: &Option<usize>| at.map(|at| array::write(py, &results[at])).transpose();
        self.outputs.iter().map(array).collect()
    }

    /// Which outputs are inactive derivatives.
    #[getter]
    fn inactive(&self) -> Vec<bool> {
        self.outputs.iter().map(Option::is_none).collect()
    }

    /// The number of inputs that `run` takes.
    #[getter]
    fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// Which inputs the program uses.
    #[getter]
    fn used(&self) -> Vec<bool> {
        self.inputs.iter().map(Option::is_some).collect()
    }

    /// The names of the graph's operations, in order.
    fn operations(&self) -> Vec<String> {
        compat::operations(compat::frozen(&self.graph))
    }

    /// The program of the vjp: inputs, then one cotangent an output, to one derivative an input of `wrt` (all).
    #[pyo3(signature = (wrt = None))]
    fn vjp(&self, py: Python<'_>, wrt: Option<Vec<usize>>) -> PyResult<Self> {
        let positions = self.positions(wrt)?;
        without_gil(py, || self.transposed(&positions))
    }

    /// The program of the jvp: inputs, then one tangent an input of `wrt` (all), to one derivative an output.
    #[pyo3(signature = (wrt = None))]
    fn jvp(&self, py: Python<'_>, wrt: Option<Vec<usize>>) -> PyResult<Self> {
        let positions = self.positions(wrt)?;
        without_gil(py, || self.linearized(&positions))
    }
}

fn read_all(arrays: &[Bound<'_, PyAny>]) -> PyResult<Vec<Tensor>> {
    arrays.iter().map(array::read).collect()
}

/// The value of a traced tensor whose leaves all hold data.
pub fn evaluate<'py>(py: Python<'py>, traced: &Traced) -> PyResult<Bound<'py, PyAny>> {
    let core = traced.core();
    let program = without_gil(py, || Program::compile(core, &[&traced.tensor], &[], Compiling::default()))?;
    let results = core.engine.run(py, |engine| program.run_with(engine, &[]))?;
    array::write(py, &results[0])
}
