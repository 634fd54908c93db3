//! Python's operators, on every surface: each is the tenferro operation of that name.

use pyo3::prelude::*;
use tenferro_runtime::TensorSessionOpsExt;

use crate::operand::{Lower, Operand, Raise};
use crate::surface::{Concrete, Eager, Traced};
use crate::table::call;

macro_rules! binary {
    ($class:ident, $way:ident: $($name:ident $forward:ident $reflected:ident;)*) => {
        #[pymethods]
        impl $class {$(
            fn $forward(&self, py: Python<'_>, other: Operand<'_>) -> PyResult<Self> {
                let other = other.lower(self)?;
                let this = &*self.tensor;
                Ok(call!($way, self, py, this, $name, [&other])?.raise(self))
            }

            fn $reflected(&self, py: Python<'_>, other: Operand<'_>) -> PyResult<Self> {
                let other = other.lower(self)?;
                let this = &*other;
                Ok(call!($way, self, py, this, $name, [&self.tensor])?.raise(self))
            }
        )*}
    };
}

macro_rules! operators {
    ($($class:ident, $way:ident;)*) => {$(
        binary! { $class, $way:
            add __add__ __radd__;
            sub __sub__ __rsub__;
            mul __mul__ __rmul__;
            div __truediv__ __rtruediv__;
            rem __mod__ __rmod__;
            matmul __matmul__ __rmatmul__;
        }

        #[pymethods]
        impl $class {
            fn __pow__(&self, py: Python<'_>, other: Operand<'_>, modulo: Option<Operand<'_>>) -> PyResult<Self> {
                refuse_modulo(modulo)?;
                let other = other.lower(self)?;
                let this = &*self.tensor;
                Ok(call!($way, self, py, this, pow, [&other])?.raise(self))
            }

            fn __rpow__(&self, py: Python<'_>, other: Operand<'_>, modulo: Option<Operand<'_>>) -> PyResult<Self> {
                refuse_modulo(modulo)?;
                let other = other.lower(self)?;
                let this = &*other;
                Ok(call!($way, self, py, this, pow, [&self.tensor])?.raise(self))
            }

            fn __neg__(&self, py: Python<'_>) -> PyResult<Self> {
                let this = &*self.tensor;
                Ok(call!($way, self, py, this, neg, [])?.raise(self))
            }

            fn __abs__(&self, py: Python<'_>) -> PyResult<Self> {
                let this = &*self.tensor;
                Ok(call!($way, self, py, this, abs, [])?.raise(self))
            }
        }
    )*};
}

operators! {
    Traced, tensor;
    Eager, session;
    Concrete, engine;
}

fn refuse_modulo(modulo: Option<Operand<'_>>) -> PyResult<()> {
    match modulo {
        None => Ok(()),
        Some(_) => Err(pyo3::exceptions::PyTypeError::new_err("pow takes no modulus")),
    }
}
