//! Comparison and selection.

use pyo3::prelude::*;
use tenferro_runtime::{Result, TensorSessionOpsExt, TracedTensor};

use crate::operand::{Direction, Operand, on_surface};
use crate::table::ops;

/// tenferro's traced selections take the condition as an argument; the table calls methods.
trait Chooses {
    fn where_select(&self, on_true: &TracedTensor, on_false: &TracedTensor) -> Result<TracedTensor>;
    fn select(&self, on_true: &TracedTensor, on_false: &TracedTensor) -> Result<TracedTensor>;
}

impl Chooses for TracedTensor {
    fn where_select(&self, on_true: &TracedTensor, on_false: &TracedTensor) -> Result<TracedTensor> {
        TracedTensor::where_select(self, on_true, on_false)
    }

    fn select(&self, on_true: &TracedTensor, on_false: &TracedTensor) -> Result<TracedTensor> {
        TracedTensor::select(self, on_true, on_false)
    }
}

ops! { [traced eager concrete] {
    fn compare(other: Operand<'_>, dir: Direction) => (&other, dir);
    fn where_select(on_true: Operand<'_>, on_false: Operand<'_>) => (&on_true, &on_false);
}}

ops! { [traced eager] {
    fn select(on_true: Operand<'_>, on_false: Operand<'_>) => (&on_true, &on_false);
}}

/// Elements of `on_true` where `condition` holds, else of `on_false`; any of the three may be a NumPy array.
#[pyfunction]
fn where_select(
    py: Python<'_>,
    condition: Operand<'_>,
    on_true: Operand<'_>,
    on_false: Operand<'_>,
) -> PyResult<Py<PyAny>> {
    on_surface!(py, &[condition, on_true, on_false], all,
        Chooses::where_select(all[0], all[1], all[2]),
        session: session.where_select(all[0], all[1], all[2]),
        engine: TensorSessionOpsExt::where_select(all[0], all[1], all[2], engine))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(where_select, module)?)
}
