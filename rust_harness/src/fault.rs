//! Faults on purpose: what the isolation tests plant at the boundary between Python and Rust.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::engine::Engine;

/// Provokes a fault: "panic" and "panic-in-thread" (inside `engine` where one is given), "abort", "segfault",
/// "stack-overflow", "spin-with-gil", "spin-without-gil" (for `amount` seconds), "allocate" (`amount` bytes).
#[pyfunction]
#[pyo3(signature = (kind, amount = 1e9, engine = None))]
pub fn fault(py: Python<'_>, kind: &str, amount: f64, engine: Option<&Engine>) -> PyResult<usize> {
    match kind {
        "panic" | "panic-in-thread" => panics(py, kind, engine),
        "abort" => std::process::abort(),
        "segfault" => {
            // SAFETY: none, on purpose.
            unsafe { black_box(std::ptr::null_mut::<u8>()).write_volatile(1) };
            Ok(0)
        }
        "stack-overflow" => Ok(deeper(black_box(0))),
        "spin-with-gil" => Ok(spin(amount)),
        "spin-without-gil" => Ok(py.detach(|| spin(amount))),
        "allocate" => Ok(allocate(amount as usize)),
        _ => Err(PyValueError::new_err(format!("no fault is called {kind:?}"))),
    }
}

fn panics(py: Python<'_>, kind: &str, engine: Option<&Engine>) -> PyResult<usize> {
    let work = || match kind {
        "panic" => panic!("a planted panic"),
        _ => thread::scope(|scope| match scope.spawn(|| panic!("a planted panic in a thread")).join() {
            Ok(never) => never,
            Err(payload) => std::panic::resume_unwind(payload),
        }),
    };
    match engine {
        Some(engine) => engine.0.run(py, |_| work()),
        None => crate::error::without_gil(py, work),
    }
}

#[allow(unconditional_recursion)]
fn deeper(depth: usize) -> usize {
    let frame = black_box([depth; 64]);
    deeper(depth + 1) + frame[63]
}

fn spin(seconds: f64) -> usize {
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    while Instant::now() < end {
        std::hint::spin_loop();
    }
    0
}

/// Touches every page, so that the memory is really taken.
fn allocate(bytes: usize) -> usize {
    let block = black_box(vec![1u8; bytes]);
    block.iter().step_by(4096).map(|byte| usize::from(*byte)).sum()
}
