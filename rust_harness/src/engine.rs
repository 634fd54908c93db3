//! The CPU engine with its thread width, and what belongs to one answer: runtime, eager runtime, AD context.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tenferro_ad::{AdContext, AdContextBuilder, EagerRuntime, EagerSession};
use tenferro_cpu::{CpuEngine, Pool};
use tenferro_runtime::Runtime as GraphRuntime;

use crate::error::{Fault, Outcome, caught};

/// Wider than any machine this suite runs on; a typing slip must not start a thousand threads.
const WIDEST: usize = 256;

/// One engine behind a lock. Several runtimes may share it; one call at a time uses it.
pub struct EngineCell {
    pub width: usize,
    slot: Mutex<CpuEngine>,
}

impl EngineCell {
    fn new(width: usize) -> Outcome<Self> {
        Ok(Self { width, slot: Mutex::new(build(width)?) })
    }

    /// Runs `work` on the engine, without the GIL. A panic, or an engine that a panic broke, leaves a new engine.
    pub fn run<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut CpuEngine) -> Outcome<T> + Send) -> PyResult<T> {
        let outcome = py.detach(|| {
            let mut engine = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
            let outcome = caught(|| work(&mut engine));
            if matches!(outcome, Err(Fault::Panicked(_))) || engine.is_broken() {
                *engine = build(self.width)?;
            }
            outcome
        });
        Ok(outcome?)
    }
}

fn build(width: usize) -> Outcome<CpuEngine> {
    if width == 1 {
        return Ok(CpuEngine::serial());
    }
    Ok(CpuEngine::new(Pool::builder().threads(width).build().map_err(Fault::other)?))
}

/// A tenferro CPU engine of a fixed thread width.
#[pyclass(frozen, module = "tenferro_harness._native")]
pub struct Engine(pub Arc<EngineCell>);

#[pymethods]
impl Engine {
    #[new]
    fn new(py: Python<'_>, width: i64) -> PyResult<Self> {
        let checked = usize::try_from(width).ok().filter(|width| (1..=WIDEST).contains(width));
        let width = checked
            .ok_or_else(|| PyValueError::new_err(format!("width must be 1 to {WIDEST} threads, not {width}")))?;
        Ok(Self(Arc::new(py.detach(|| caught(|| EngineCell::new(width)))?)))
    }

    /// The number of threads asked for.
    #[getter]
    fn width(&self) -> usize {
        self.0.width
    }

    /// The number of threads the engine itself reports.
    fn num_threads(&self, py: Python<'_>) -> PyResult<usize> {
        self.0.run(py, |engine| Ok(engine.num_threads()))
    }

    fn __repr__(&self) -> String {
        format!("Engine(width={})", self.0.width)
    }
}

/// Everything that holds caches, and so belongs to one answer only; the engine may be shared.
pub struct Core {
    pub engine: Arc<EngineCell>,
    pub graph: GraphRuntime,
    pub eager: Arc<EagerRuntime>,
    pub ad: AdContext,
}

impl Core {
    pub fn new(py: Python<'_>, engine: &Arc<EngineCell>) -> PyResult<Arc<Self>> {
        Self::build(py, engine, true)
    }

    /// Without `rules`, the derivatives of linalg, einsum and fft are unknown to it.
    pub fn build(py: Python<'_>, engine: &Arc<EngineCell>, rules: bool) -> PyResult<Arc<Self>> {
        let cell = Arc::clone(engine);
        engine.run(py, move |engine| {
            let ad = ad_context(rules)?;
            let eager = EagerRuntime::with_ad_context(&ad)?;
            Ok(Arc::new(Self { graph: graph_runtime(engine)?, eager, ad, engine: cell }))
        })
    }

    /// One eager session for one operation.
    pub fn session<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut EagerSession<'_>) -> Outcome<T> + Send,
    ) -> PyResult<T> {
        self.engine.run(py, |engine| self.eager.with_eager_session(engine, work))
    }
}

/// What a family in a crate of its own brings along: the rules of its derivatives, and the module that runs it.
macro_rules! extension {
    ($library:ident) => {
        pub fn rules(builder: tenferro_ad::AdContextBuilder) -> $crate::error::Outcome<tenferro_ad::AdContextBuilder> {
            let rules = $library::semantic_ad_rules().map_err($crate::error::Fault::other)?;
            builder.with_semantic_extension_rules(rules).map_err($crate::error::Fault::other)
        }

        pub fn install(builder: &mut tenferro_runtime::RuntimeConfigBuilder) -> $crate::error::Outcome<()> {
            let id = tenferro_cpu::runtime_engine_id().map_err($crate::error::Fault::other)?;
            let module =
                $library::extension_module::<tenferro_cpu::CpuEngine>(id).map_err($crate::error::Fault::other)?;
            builder.install_extension_module(module).map(drop).map_err($crate::error::Fault::other)
        }
    };
}

pub(crate) use extension;

/// An AD context; with `rules`, it knows the derivatives of linalg, einsum and fft, as far as they are compiled in.
fn ad_context(rules: bool) -> Outcome<AdContext> {
    let builder = AdContext::builder();
    let builder = if rules { every_rule(builder)? } else { builder };
    builder.build().map_err(Fault::other)
}

fn every_rule(builder: AdContextBuilder) -> Outcome<AdContextBuilder> {
    #[cfg(feature = "linalg")]
    let builder = crate::linalg::rules(builder)?;
    #[cfg(feature = "einsum")]
    let builder = crate::einsum::rules(builder)?;
    #[cfg(feature = "fft")]
    let builder = crate::fft::rules(builder)?;
    Ok(builder)
}

/// A runtime on which compiled programs of every family that is compiled in run.
fn graph_runtime(engine: &CpuEngine) -> Outcome<GraphRuntime> {
    let registration = tenferro_cpu::runtime_engine_registration(engine).map_err(Fault::other)?;
    let mut builder = GraphRuntime::builder();
    builder.register_engine(registration).map_err(Fault::other)?;
    #[cfg(feature = "linalg")]
    crate::linalg::install(&mut builder)?;
    #[cfg(feature = "einsum")]
    crate::einsum::install(&mut builder)?;
    #[cfg(feature = "fft")]
    crate::fft::install(&mut builder)?;
    builder.build().map_err(Fault::other)
}
