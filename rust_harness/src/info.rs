//! What this binary is.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The families that were compiled in.
fn families() -> Vec<&'static str> {
    let all = [
        ("activation", cfg!(feature = "activation")),
        ("comparison", cfg!(feature = "comparison")),
        ("complex", cfg!(feature = "complex")),
        ("contraction", cfg!(feature = "contraction")),
        ("dtype", cfg!(feature = "dtype")),
        ("dynamic", cfg!(feature = "dynamic")),
        ("einsum", cfg!(feature = "einsum")),
        ("elementwise", cfg!(feature = "elementwise")),
        ("fft", cfg!(feature = "fft")),
        ("forms", cfg!(feature = "forms")),
        ("indexing", cfg!(feature = "indexing")),
        ("linalg", cfg!(feature = "linalg")),
        ("programs", cfg!(feature = "programs")),
        ("reduction", cfg!(feature = "reduction")),
        ("structural", cfg!(feature = "structural")),
        ("trg", cfg!(feature = "trg")),
    ];
    all.into_iter().filter_map(|(name, on)| on.then_some(name)).collect()
}

#[cfg(target_arch = "x86_64")]
fn cpu_features() -> Vec<&'static str> {
    let all = [
        ("sse4.2", is_x86_feature_detected!("sse4.2")),
        ("avx", is_x86_feature_detected!("avx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512vl", is_x86_feature_detected!("avx512vl")),
        ("avx512dq", is_x86_feature_detected!("avx512dq")),
    ];
    all.into_iter().filter_map(|(name, on)| on.then_some(name)).collect()
}

#[cfg(target_arch = "aarch64")]
fn cpu_features() -> Vec<&'static str> {
    let all = [
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        ("fp16", std::arch::is_aarch64_feature_detected!("fp16")),
        ("sve", std::arch::is_aarch64_feature_detected!("sve")),
    ];
    all.into_iter().filter_map(|(name, on)| on.then_some(name)).collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn cpu_features() -> Vec<&'static str> {
    Vec::new()
}

/// tenferro's version, the build's profile, compiler, target and families, the CPU's features and threads.
#[pyfunction]
pub fn build_info(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let info = PyDict::new(py);
    info.set_item("tenferro", env!("HARNESS_TENFERRO_VERSION"))?;
    info.set_item("harness", env!("CARGO_PKG_VERSION"))?;
    info.set_item("profile", env!("HARNESS_PROFILE"))?;
    info.set_item("rustc", env!("HARNESS_RUSTC"))?;
    info.set_item("target", env!("HARNESS_TARGET"))?;
    info.set_item("families", families())?;
    info.set_item("cpu_features", cpu_features())?;
    info.set_item("threads", std::thread::available_parallelism()?.get())?;
    Ok(info)
}
