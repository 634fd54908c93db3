//! tenferro's three surfaces for Python. One file a family, one line an operation.

mod array;
mod compat;
mod derive;
mod eager;
mod engine;
mod error;
mod fault;
mod info;
mod operand;
mod operators;
mod program;
mod runtime;
mod surface;
mod table;

#[cfg(feature = "activation")]
mod activation;
#[cfg(feature = "comparison")]
mod comparison;
#[cfg(feature = "complex")]
mod complex;
#[cfg(feature = "contraction")]
mod contraction;
#[cfg(feature = "dtype")]
mod dtype;
#[cfg(feature = "dynamic")]
mod dynamic;
#[cfg(feature = "einsum")]
mod einsum;
#[cfg(feature = "elementwise")]
mod elementwise;
#[cfg(feature = "fft")]
mod fft;
#[cfg(feature = "forms")]
mod forms;
#[cfg(feature = "indexing")]
mod indexing;
#[cfg(feature = "linalg")]
mod linalg;
#[cfg(feature = "programs")]
mod programs;
#[cfg(feature = "reduction")]
mod reduction;
#[cfg(feature = "structural")]
mod structural;
#[cfg(feature = "trg")]
mod trg;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    error::register(module)?;
    module.add_class::<engine::Engine>()?;
    module.add_class::<runtime::Runtime>()?;
    module.add_class::<eager::NoGrad>()?;
    module.add_class::<eager::CaptureTrace>()?;
    module.add_class::<program::Program>()?;
    module.add_class::<surface::Traced>()?;
    module.add_class::<surface::Eager>()?;
    module.add_class::<surface::Concrete>()?;
    module.add_function(wrap_pyfunction!(info::build_info, module)?)?;
    module.add_function(wrap_pyfunction!(table::operations, module)?)?;
    module.add_function(wrap_pyfunction!(fault::fault, module)?)?;
    #[cfg(feature = "comparison")]
    comparison::register(module)?;
    #[cfg(feature = "dynamic")]
    module.add_class::<dynamic::SymDim>()?;
    #[cfg(feature = "einsum")]
    einsum::register(module)?;
    #[cfg(feature = "programs")]
    module.add_function(wrap_pyfunction!(programs::gradient_pair, module)?)?;
    #[cfg(feature = "structural")]
    structural::register(module)?;
    #[cfg(feature = "trg")]
    module.add_function(wrap_pyfunction!(trg::trg, module)?)?;
    Ok(())
}
