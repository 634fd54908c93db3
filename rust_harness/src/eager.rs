//! What only eager tensors have: gradient slots, backward passes, detaching.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tenferro_ad::{EagerNoGradGuard, EagerTraceCaptureGuard};

use crate::compat::with_engine;
use crate::engine::Core;
use crate::error::without_gil;
use crate::operand::{Lower, Operand};
use crate::runtime::Runtime;
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
        self.core.engine.run(py, |engine| Ok(with_engine!(self.tensor, backward_with, engine, &cotangent).map(drop)?))
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

    /// The same value in another runtime, without its history.
    fn detach_into(&self, py: Python<'_>, runtime: &Runtime) -> PyResult<Self> {
        let other = &runtime.core;
        let detached =
            self.core.engine.run(py, |engine| Ok(with_engine!(self.tensor, detach_into, engine, &other.eager)?))?;
        Ok(Self::new(detached, other))
    }

    /// Whether both tensors belong to one runtime.
    fn same_context(&self, other: &Self) -> bool {
        self.tensor.same_context(&other.tensor)
    }
}

#[pymethods]
impl Runtime {
    /// Clears the gradient slots of every leaf of this runtime.
    fn clear_grads(&self, py: Python<'_>) -> PyResult<()> {
        without_gil(py, || Ok(self.core.eager.clear_grads()?))
    }

    /// A context in which eager operations are not remembered.
    fn no_grad(&self) -> NoGrad {
        NoGrad { core: Arc::clone(&self.core), guard: None }
    }

    /// A context in which eager operations are remembered whether or not they lead to a variable.
    fn capture_trace(&self) -> CaptureTrace {
        CaptureTrace { core: Arc::clone(&self.core), guard: None }
    }

    /// Empties the caches of transforms and of prepared derivatives.
    fn clear_caches(&self, py: Python<'_>) -> PyResult<()> {
        without_gil(py, || Ok(self.core.eager.clear_caches()?))
    }

    /// Entries, hits and misses of the caches of transforms and of prepared derivatives.
    fn cache_stats(&self, py: Python<'_>) -> PyResult<BTreeMap<&'static str, (usize, u64, u64)>> {
        let stats = without_gil(py, || Ok(self.core.eager.cache_stats()?))?;
        let parts = [("ad_transforms", stats.ad_transforms), ("prepared_derivatives", stats.prepared_derivatives)];
        Ok(parts.into_iter().map(|(name, cache)| (name, (cache.entries, cache.hits, cache.misses))).collect())
    }
}

/// A context manager around a guard of tenferro's, which belongs to one thread, and so does this.
macro_rules! guarded {
    ($(#[$doc:meta])* $class:ident of $guard:ident by $method:ident) => {
        $(#[$doc])*
        #[pyclass(unsendable, module = "tenferro_harness._native")]
        pub struct $class {
            core: Arc<Core>,
            guard: Option<$guard>,
        }

        #[pymethods]
        impl $class {
            fn __enter__(mut slf: PyRefMut<'_, Self>) -> PyResult<()> {
                if slf.guard.is_some() {
                    return Err(PyRuntimeError::new_err("this context is entered already; make another"));
                }
                let guard = slf.core.eager.$method();
                slf.guard = Some(guard);
                Ok(())
            }

            fn __exit__(
                &mut self,
                _kind: &Bound<'_, PyAny>,
                _value: &Bound<'_, PyAny>,
                _traceback: &Bound<'_, PyAny>,
            ) -> bool {
                self.guard = None;
                false
            }
        }
    };
}

guarded!(
    /// Inside, eager operations are not remembered.
    NoGrad of EagerNoGradGuard by no_grad
);
guarded!(
    /// Inside, eager operations are remembered whether or not they lead to a variable.
    CaptureTrace of EagerTraceCaptureGuard by capture_trace
);
