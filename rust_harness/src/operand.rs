//! Arguments on their way to an operation, and results on their way back.

use std::sync::Arc;

use num_complex::Complex64;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use tenferro_ad::EagerTensor;
use tenferro_runtime::TracedTensor;
use tenferro_tensor::{CompareDir, DType, DotGeneralConfig, Tensor};

use crate::array;
use crate::error::Fault;
use crate::surface::{Concrete, Eager, Surface, Traced};

/// A tensor argument: a tensor of the same surface, a NumPy array of its own dtype, or a number of the receiver's dtype.
#[derive(FromPyObject)]
#[pyo3(transparent)]
pub struct Operand<'py>(pub Bound<'py, PyAny>);

/// A dtype argument: the suite's name or anything NumPy takes for a dtype.
#[derive(FromPyObject)]
#[pyo3(transparent)]
pub struct Dtype<'py>(Bound<'py, PyAny>);

/// A comparison: "eq", "lt", "le", "gt" or "ge".
#[derive(FromPyObject)]
#[pyo3(transparent)]
pub struct Direction(String);

/// Turns a Python argument into what the surface's tenferro method takes.
pub trait Lower<S: Surface> {
    type Out;
    fn lower(self, like: &S) -> PyResult<Self::Out>;
}

macro_rules! plain {
    ($($argument:ty),*) => {$(
        impl<S: Surface> Lower<S> for $argument {
            type Out = Self;
            fn lower(self, _like: &S) -> PyResult<Self> {
                Ok(self)
            }
        }
    )*};
}

plain!(bool, usize, isize, i64, f64, Complex64, Vec<usize>, Vec<isize>, Vec<i64>);
plain!(Option<f64>, Option<usize>, Option<Vec<usize>>, Option<Vec<i64>>, Option<String>);

impl<S: Surface> Lower<S> for Operand<'_> {
    type Out = Arc<S::Tensor>;

    fn lower(self, like: &S) -> PyResult<Arc<S::Tensor>> {
        let value = &self.0;
        if let Some(tensor) = S::shared(value) {
            return Ok(tensor);
        }
        if Like::of(value).is_some() {
            let text = format!("a {} tensor does not mix with {}", S::NAME, value.str()?);
            return Err(PyTypeError::new_err(text));
        }
        let tensor = if array::is_number(value)? { array::scalar(value, like.dtype())? } else { array::read(value)? };
        Ok(Arc::new(S::constant(like.core(), tensor)?))
    }
}

impl<S: Surface> Lower<S> for Option<Operand<'_>> {
    type Out = Option<Arc<S::Tensor>>;

    fn lower(self, like: &S) -> PyResult<Self::Out> {
        self.map(|operand| operand.lower(like)).transpose()
    }
}

impl<S: Surface> Lower<S> for Dtype<'_> {
    type Out = DType;

    fn lower(self, _like: &S) -> PyResult<DType> {
        array::dtype(&self.0)
    }
}

impl<S: Surface> Lower<S> for Direction {
    type Out = CompareDir;

    fn lower(self, _like: &S) -> PyResult<CompareDir> {
        Ok(match self.0.as_str() {
            "eq" => CompareDir::Eq,
            "lt" => CompareDir::Lt,
            "le" => CompareDir::Le,
            "gt" => CompareDir::Gt,
            "ge" => CompareDir::Ge,
            other => {
                return Err(Fault::unsupported(format!("comparison {other:?}; there are eq, lt, le, gt, ge")).into());
            }
        })
    }
}

/// The axes of a contraction, as tenferro wants them.
pub fn dot_config(
    lhs_contracting_dims: &[usize],
    rhs_contracting_dims: &[usize],
    lhs_batch_dims: &[usize],
    rhs_batch_dims: &[usize],
) -> DotGeneralConfig {
    DotGeneralConfig {
        lhs_contracting_dims: lhs_contracting_dims.into(),
        rhs_contracting_dims: rhs_contracting_dims.into(),
        lhs_batch_dims: lhs_batch_dims.into(),
        rhs_batch_dims: rhs_batch_dims.into(),
    }
}

/// Turns tenferro's result into Python objects of the receiver's surface and runtime.
pub trait Raise<S: Surface> {
    type Out;
    fn raise(self, like: &S) -> Self::Out;
}

macro_rules! raised {
    ($($class:ident of $tensor:ty),*) => {$(
        impl Raise<$class> for $tensor {
            type Out = $class;
            fn raise(self, like: &$class) -> $class {
                $class::new(self, like.core())
            }
        }

        raised!(tuple $class: a $tensor, b $tensor);
        raised!(tuple $class: a $tensor, b $tensor, c $tensor);
        raised!(tuple $class: a $tensor, b $tensor, c $tensor, d $tensor);
        raised!(tuple $class: a $tensor, b $tensor, c $tensor, d $tensor, e $tensor);
    )*};
    (tuple $class:ident: $($part:ident $tensor:ty),*) => {
        impl Raise<$class> for ($($tensor,)*) {
            type Out = ($(<$tensor as Raise<$class>>::Out,)*);
            fn raise(self, like: &$class) -> Self::Out {
                let ($($part,)*) = self;
                ($($part.raise(like),)*)
            }
        }
    };
}

raised!(Traced of TracedTensor, Eager of EagerTensor, Concrete of Tensor);

/// The first tensor among the arguments of a free function: it decides the surface and the runtime.
pub enum Like<'a, 'py> {
    Traced(&'a Bound<'py, Traced>),
    Eager(&'a Bound<'py, Eager>),
    Concrete(&'a Bound<'py, Concrete>),
}

impl<'a, 'py> Like<'a, 'py> {
    pub fn of(value: &'a Bound<'py, PyAny>) -> Option<Self> {
        let traced = value.cast::<Traced>().ok().map(Self::Traced);
        let eager = || value.cast::<Eager>().ok().map(Self::Eager);
        traced.or_else(eager).or_else(|| value.cast::<Concrete>().ok().map(Self::Concrete))
    }

    pub fn among(operands: &'a [Operand<'py>]) -> PyResult<Self> {
        let found = operands.iter().find_map(|operand| Self::of(&operand.0));
        found.ok_or_else(|| PyTypeError::new_err("none of the arguments is a tensor of a runtime"))
    }
}

/// Every operand as a tensor of the surface of `like`.
pub fn lower_all<S: Surface>(operands: &[Operand<'_>], like: &S) -> PyResult<Vec<Arc<S::Tensor>>> {
    operands.iter().map(|operand| Operand(operand.0.clone()).lower(like)).collect()
}

/// Runs a free function of several tensors on the surface of the first: `refs` are the lowered tensors.
macro_rules! on_surface {
    ($py:ident, $operands:expr, $refs:ident, $traced:expr, $session:ident: $eager:expr, $engine:ident: $concrete:expr) => {{
        let operands: &[$crate::operand::Operand<'_>] = $operands;
        match $crate::operand::Like::among(operands)? {
            $crate::operand::Like::Traced(like) => {
                $crate::operand::on_surface!(lowered $py, operands, like, $refs);
                let result = $crate::error::without_gil($py, || Ok($traced?))?;
                Ok(Py::new($py, $crate::operand::Raise::raise(result, like.get()))?.into_any())
            }
            $crate::operand::Like::Eager(like) => {
                $crate::operand::on_surface!(lowered $py, operands, like, $refs);
                let result = like.get().core.session($py, |$session| Ok($eager?))?;
                Ok(Py::new($py, $crate::operand::Raise::raise(result, like.get()))?.into_any())
            }
            $crate::operand::Like::Concrete(like) => {
                $crate::operand::on_surface!(lowered $py, operands, like, $refs);
                let result = like.get().core.engine.run($py, |$engine| Ok($concrete?))?;
                Ok(Py::new($py, $crate::operand::Raise::raise(result, like.get()))?.into_any())
            }
        }
    }};
    (lowered $py:ident, $operands:ident, $like:ident, $refs:ident) => {
        let lowered = $crate::operand::lower_all($operands, $like.get())?;
        let borrowed: Vec<_> = lowered.iter().map(|tensor| &**tensor).collect();
        let $refs = borrowed.as_slice();
    };
}

pub(crate) use on_surface;

/// The results of operations, by their number of tensors; what no operation of this build returns yet stays unused.
pub type One<S> = S;
#[allow(dead_code)]
pub type Two<S> = (S, S);
#[allow(dead_code)]
pub type Three<S> = (S, S, S);
#[allow(dead_code)]
pub type Four<S> = (S, S, S, S);
#[allow(dead_code)]
pub type Five<S> = (S, S, S, S, S);
