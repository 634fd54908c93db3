//! The three Python classes, one a surface, and what all of them have.

use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use tenferro_ad::EagerTensor;
use tenferro_runtime::TracedTensor;
use tenferro_tensor::{DType, Tensor};

use crate::array;
use crate::engine::Core;
use crate::error::{Fault, Outcome, without_gil};
use crate::program;
use crate::table;

/// What an operation needs to know of a surface: its tensor type and how a constant of it is made.
pub trait Surface: Sized {
    type Tensor;
    const NAME: &'static str;

    fn new(tensor: Self::Tensor, core: &Arc<Core>) -> Self;
    fn core(&self) -> &Arc<Core>;
    fn dtype(&self) -> DType;
    fn constant(core: &Core, tensor: Tensor) -> Outcome<Self::Tensor>;

    /// The tensor of a Python object of this surface's class.
    fn shared(value: &Bound<'_, PyAny>) -> Option<Arc<Self::Tensor>>;
}

macro_rules! surface {
    ($(#[$doc:meta])* $class:ident of $tensor:ty, $name:literal, $constant:expr) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "tenferro_harness._native")]
        pub struct $class {
            pub tensor: Arc<$tensor>,
            pub core: Arc<Core>,
        }

        impl Surface for $class {
            type Tensor = $tensor;
            const NAME: &'static str = $name;

            fn new(tensor: $tensor, core: &Arc<Core>) -> Self {
                Self { tensor: Arc::new(tensor), core: Arc::clone(core) }
            }

            fn core(&self) -> &Arc<Core> {
                &self.core
            }

            fn dtype(&self) -> DType {
                self.tensor.dtype()
            }

            fn constant(core: &Core, tensor: Tensor) -> Outcome<$tensor> {
                let make: fn(&Core, Tensor) -> Outcome<$tensor> = $constant;
                make(core, tensor)
            }

            fn shared(value: &Bound<'_, PyAny>) -> Option<Arc<$tensor>> {
                value.cast::<Self>().ok().map(|handle| Arc::clone(&handle.get().tensor))
            }
        }

        #[pymethods]
        impl $class {
            /// NumPy must leave `array * tensor` to the tensor.
            #[classattr]
            fn __array_ufunc__() -> Option<i32> {
                None
            }

            /// "traced", "eager" or "concrete".
            #[classattr]
            fn surface() -> &'static str {
                $name
            }

            /// "f32", "f64", "i32", "i64", "bool", "c64" or "c128".
            #[getter(dtype)]
            fn py_dtype(&self) -> String {
                array::name(self.dtype())
            }

            /// An operation that only other surfaces have is refused by name; anything else is no attribute.
            fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
                Err(table::no_such(name, $name))
            }

            /// NumPy's door: a new array every time.
            #[pyo3(signature = (dtype = None, copy = None))]
            fn __array__<'py>(
                &self,
                py: Python<'py>,
                dtype: Option<Bound<'py, PyAny>>,
                copy: Option<bool>,
            ) -> PyResult<Bound<'py, PyAny>> {
                if copy == Some(false) {
                    return Err(PyValueError::new_err("a tensor is read into a new array; it cannot be shared"));
                }
                let array = self.numpy(py)?;
                match dtype {
                    Some(dtype) => array.call_method1("astype", (dtype,)),
                    None => Ok(array),
                }
            }

            fn __bool__(&self) -> PyResult<bool> {
                Err(PyTypeError::new_err("a tensor has no truth value; read it with numpy()"))
            }
        }
    };
}

surface!(
    /// A value of a graph that is compiled before it runs.
    Traced of TracedTensor, "traced",
    |_, tensor| Ok(TracedTensor::from_tensor_concrete_shape(tensor)?)
);
surface!(
    /// A value that exists at once and remembers how it came about.
    Eager of EagerTensor, "eager",
    |core, tensor| Ok(core.eager.constant_from(tensor)?)
);
surface!(
    /// A plain value.
    Concrete of Tensor, "concrete",
    |_, tensor| Ok(tensor)
);

#[pymethods]
impl Traced {
    /// The extents, or None where one of them is symbolic.
    #[getter]
    fn shape(&self) -> Option<Vec<usize>> {
        self.tensor.try_concrete_shape()
    }

    #[getter]
    fn rank(&self) -> usize {
        self.tensor.rank
    }

    /// Compiles and runs a graph whose leaves all hold data.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        program::evaluate(py, self)
    }

    /// Whether the tensor is a leaf with data.
    fn is_attached(&self) -> bool {
        self.tensor.attached_value().is_some()
    }

    fn __repr__(&self) -> String {
        format!("Traced({:?}, {})", self.shape(), array::name(self.dtype()))
    }
}

#[pymethods]
impl Eager {
    #[getter]
    fn shape(&self) -> Vec<usize> {
        self.tensor.shape().to_vec()
    }

    #[getter]
    fn rank(&self) -> usize {
        self.tensor.shape().len()
    }

    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tensor = self.core.engine.run(py, |engine| Ok(self.tensor.to_tensor(engine)?))?;
        array::write(py, &tensor)
    }

    fn __repr__(&self) -> String {
        format!("Eager({:?}, {})", self.shape(), array::name(self.dtype()))
    }
}

#[pymethods]
impl Concrete {
    #[getter]
    fn shape(&self) -> Vec<usize> {
        self.tensor.shape().to_vec()
    }

    #[getter]
    fn rank(&self) -> usize {
        self.tensor.shape().len()
    }

    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array::write(py, &self.tensor)
    }

    /// A second tensor with the same values.
    fn duplicate(&self, py: Python<'_>) -> PyResult<Self> {
        let copy = without_gil(py, || self.tensor.duplicate().map_err(Fault::from))?;
        Ok(Self::new(copy, &self.core))
    }

    fn __repr__(&self) -> String {
        format!("Concrete({:?}, {})", self.shape(), array::name(self.dtype()))
    }
}
