//! The engine's other forms of operations: into a destination of the caller's, from views, of one Rust type.

use num_complex::{Complex32, Complex64};
use pyo3::prelude::*;
use tenferro_cpu::CpuEngine;
use tenferro_runtime::TypedTensorSessionOpsExt;
use tenferro_tensor::{
    ContractionScalar, DType, DotGeneralAccumulation, Engine as EngineOps, TensorDot, TensorElementwise, TensorRead,
    TensorStructural, TensorValue, TensorWrite, TypedTensor,
};

use crate::error::{Fault, Outcome};
use crate::operand::{Lower, Operand, Raise, dot_config};
use crate::surface::Concrete;
use crate::table::Entry;

macro_rules! entries {
    ($($name:literal)*) => {
        $(inventory::submit! { Entry { name: $name, surfaces: &["concrete"] } })*
    };
}

entries! {
    "add_into" "sub_into" "mul_into" "div_into" "neg_into" "conj_into"
    "norm_squared_read" "vdot_read" "axpby_read_into_accum" "copy_read_into"
    "dot_general_read_into" "dot_general_read_into_accum" "solve_read_into" "einsum_into"
    "typed_add" "typed_exp" "typed_reduce_sum" "typed_reshape" "typed_transpose" "typed_matmul"
}

/// `x.add_into(y, out)`: a copy of `out`, overwritten. One line a form.
macro_rules! into_forms {
    ($($name:ident($($operand:ident),*);)*) => {
        // Python has no consuming methods; the names are tenferro's.
        #[allow(clippy::wrong_self_convention)]
        #[pymethods]
        impl Concrete {$(
            fn $name(&self, py: Python<'_>, $($operand: Operand<'_>,)* out: Operand<'_>) -> PyResult<Self> {
                $(let $operand = $operand.lower(self)?;)*
                written(self, py, out, |engine, target| Ok(engine.$name(&self.tensor, $(&$operand,)* target)?))
            }
        )*}
    };
}

into_forms! {
    add_into(other);
    sub_into(other);
    mul_into(other);
    div_into(other);
    neg_into();
    conj_into();
}

/// A copy of `out` after `write` has worked on it.
fn written(
    like: &Concrete,
    py: Python<'_>,
    out: Operand<'_>,
    write: impl FnOnce(&mut CpuEngine, TensorWrite<'_>) -> Outcome<()> + Send,
) -> PyResult<Concrete> {
    let out = out.lower(like)?;
    let result = like.core.engine.run(py, |engine| {
        let mut target = out.duplicate()?;
        write(engine, TensorWrite::from_tensor(&mut target))?;
        Ok(target)
    })?;
    Ok(result.raise(like))
}

/// A factor in the dtype of the tensors that it scales.
fn factor(value: Complex64, dtype: DType) -> Outcome<ContractionScalar> {
    let whole = ContractionScalar::one(dtype)?;
    Ok(match whole {
        ContractionScalar::F32(_) => ContractionScalar::F32(value.re as f32),
        ContractionScalar::F64(_) => ContractionScalar::F64(value.re),
        ContractionScalar::C32(_) => ContractionScalar::C32(Complex32::new(value.re as f32, value.im as f32)),
        ContractionScalar::C64(_) => ContractionScalar::C64(value),
    })
}

#[pymethods]
impl Concrete {
    /// Σ|x|² of all elements, rank 0.
    fn norm_squared_read(&self, py: Python<'_>) -> PyResult<Self> {
        let read = TensorRead::from_tensor(&self.tensor);
        Ok(self.core.engine.run(py, |engine| Ok(engine.norm_squared_read(read)?))?.raise(self))
    }

    /// Σ conj(x)·y, rank 0.
    fn vdot_read(&self, py: Python<'_>, other: Operand<'_>) -> PyResult<Self> {
        let other = other.lower(self)?;
        let (x, y) = (TensorRead::from_tensor(&self.tensor), TensorRead::from_tensor(&other));
        Ok(self.core.engine.run(py, |engine| Ok(engine.vdot_read(x, y)?))?.raise(self))
    }

    /// alpha·x + beta·out, in a copy of `out`.
    fn axpby_read_into_accum(
        &self,
        py: Python<'_>,
        alpha: Complex64,
        beta: Complex64,
        out: Operand<'_>,
    ) -> PyResult<Self> {
        let (alpha, beta) = (factor(alpha, self.tensor.dtype())?, factor(beta, self.tensor.dtype())?);
        let x = TensorRead::from_tensor(&self.tensor);
        written(self, py, out, |engine, target| Ok(engine.axpby_read_into_accum(alpha, x, beta, target)?))
    }

    /// This tensor, seen with its axes permuted, copied into a copy of `out`.
    #[pyo3(signature = (out, perm = None))]
    fn copy_read_into(&self, py: Python<'_>, out: Operand<'_>, perm: Option<Vec<usize>>) -> PyResult<Self> {
        written(self, py, out, |engine, target| {
            let whole = TensorValue::from_tensor(self.tensor.duplicate()?);
            let view = match perm {
                Some(perm) => whole.transpose_view(perm)?,
                None => whole,
            };
            Ok(engine.copy_read_into(view.tensor_read(), target)?)
        })
    }

    /// A contraction into a copy of `out`.
    #[pyo3(signature = (other, lhs_contracting_dims, rhs_contracting_dims, lhs_batch_dims, rhs_batch_dims, out))]
    fn dot_general_read_into(
        &self,
        py: Python<'_>,
        other: Operand<'_>,
        lhs_contracting_dims: Vec<usize>,
        rhs_contracting_dims: Vec<usize>,
        lhs_batch_dims: Vec<usize>,
        rhs_batch_dims: Vec<usize>,
        out: Operand<'_>,
    ) -> PyResult<Self> {
        let other = other.lower(self)?;
        let config = dot_config(&lhs_contracting_dims, &rhs_contracting_dims, &lhs_batch_dims, &rhs_batch_dims);
        let (x, y) = (TensorRead::from_tensor(&self.tensor), TensorRead::from_tensor(&other));
        written(self, py, out, |engine, target| Ok(engine.dot_general_read_into(x, y, &config, target)?))
    }

    /// alpha·contraction + beta·out, in a copy of `out`.
    fn dot_general_read_into_accum(
        &self,
        py: Python<'_>,
        other: Operand<'_>,
        lhs_contracting_dims: Vec<usize>,
        rhs_contracting_dims: Vec<usize>,
        alpha: Complex64,
        beta: Complex64,
        out: Operand<'_>,
    ) -> PyResult<Self> {
        let other = other.lower(self)?;
        let config = dot_config(&lhs_contracting_dims, &rhs_contracting_dims, &[], &[]);
        let (alpha, beta) = (factor(alpha, self.tensor.dtype())?, factor(beta, self.tensor.dtype())?);
        let scaling = DotGeneralAccumulation { lhs_conj: false, rhs_conj: false, alpha, beta };
        let (x, y) = (TensorRead::from_tensor(&self.tensor), TensorRead::from_tensor(&other));
        written(self, py, out, |engine, target| Ok(engine.dot_general_read_into_accum(x, y, &config, scaling, target)?))
    }

    /// The solution of this·x = b into a copy of `out`.
    #[cfg(feature = "linalg")]
    fn solve_read_into(&self, py: Python<'_>, b: Operand<'_>, out: Operand<'_>) -> PyResult<Self> {
        use tenferro_linalg::TensorReadLinalgExt;
        let b = b.lower(self)?;
        let (a, b) = (TensorRead::from_tensor(&self.tensor), TensorRead::from_tensor(&b));
        written(self, py, out, |engine, target| Ok(a.solve_read_into(b, target, engine)?))
    }

    /// An Einstein summation of this and other tensors into a copy of `out`.
    #[cfg(feature = "einsum")]
    fn einsum_into(
        &self,
        py: Python<'_>,
        subscripts: &str,
        others: Vec<Operand<'_>>,
        out: Operand<'_>,
    ) -> PyResult<Self> {
        use tenferro_einsum::TensorEinsumIntoExt;
        let others = crate::operand::lower_all(&others, self)?;
        let mut all = vec![&*self.tensor];
        all.extend(others.iter().map(|tensor| &**tensor));
        written(self, py, out, |engine, target| Ok(all.as_slice().einsum_into(subscripts, engine, target)?))
    }
}

/// `x.typed_exp()`: the operation on tenferro's typed tensor, for f64.
macro_rules! typed_forms {
    ($($python:ident = $name:ident($($argument:ident: $kind:ty),*) => ($($given:expr),*);)*) => {
        #[pymethods]
        impl Concrete {$(
            fn $python(&self, py: Python<'_>, $($argument: $kind),*) -> PyResult<Self> {
                $(let $argument = Lower::<Self>::lower($argument, self)?;)*
                let this = typed(&self.tensor)?;
                let result = self.core.engine.run(py, |engine| Ok(this.$name($($given,)* engine)?))?;
                Ok(tenferro_tensor::Tensor::from_typed(result).raise(self))
            }
        )*}
    };
}

fn typed(tensor: &tenferro_tensor::Tensor) -> Outcome<&TypedTensor<f64>> {
    let refused = || Fault::unsupported(format!("the typed forms are bound for f64, not {:?}", tensor.dtype()));
    tensor.as_typed::<f64>().ok_or_else(refused)
}

typed_forms! {
    typed_add = add(other: Operand<'_>) => (typed(&other)?);
    typed_exp = exp() => ();
    typed_reduce_sum = reduce_sum(axes: Option<Vec<usize>>) => (axes.as_deref());
    typed_reshape = reshape(shape: Vec<usize>) => (&shape);
    typed_transpose = transpose(perm: Vec<usize>) => (&perm);
    typed_matmul = matmul(other: Operand<'_>) => (typed(&other)?);
}
