//! NumPy arrays in and out. The only file that knows element order: NumPy's strides here, tenferro's column-major there.

use num_complex::{Complex32, Complex64};
use numpy::npyffi::objects::_PyArray_GET_ITEM_DATA;
use numpy::{
    Element, IxDyn, PyArray, PyArrayDescr, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt};
use tenferro_tensor::{DType, Tensor, TensorScalar};

use crate::error::{Fault, Outcome};

/// The seven dtypes by the suite's names, which are NumPy's: c64 has two f32 parts.
const NAMES: [(&str, DType); 7] = [
    ("f32", DType::F32),
    ("f64", DType::F64),
    ("i32", DType::I32),
    ("i64", DType::I64),
    ("bool", DType::Bool),
    ("c64", DType::C32),
    ("c128", DType::C64),
];

/// Calls `$work::<T>($args)` with the Rust type of a dtype.
macro_rules! by_dtype {
    ($dtype:expr, $work:ident($($argument:expr),*), $otherwise:expr) => {
        match $dtype {
            DType::F32 => $work::<f32>($($argument),*),
            DType::F64 => $work::<f64>($($argument),*),
            DType::I32 => $work::<i32>($($argument),*),
            DType::I64 => $work::<i64>($($argument),*),
            DType::Bool => $work::<bool>($($argument),*),
            DType::C32 => $work::<Complex32>($($argument),*),
            DType::C64 => $work::<Complex64>($($argument),*),
            _ => $otherwise,
        }
    };
}

pub fn name(dtype: DType) -> String {
    let found = NAMES.iter().find(|(_, known)| *known == dtype);
    found.map_or_else(|| format!("{dtype:?}"), |(name, _)| (*name).to_owned())
}

/// A dtype by the suite's name or by anything NumPy takes for one.
pub fn dtype(value: &Bound<'_, PyAny>) -> PyResult<DType> {
    let named = value.extract::<String>().ok();
    let known = named.and_then(|name| NAMES.iter().find(|(known, _)| *known == name));
    match known {
        Some((_, dtype)) => Ok(*dtype),
        None => of_descr(&PyArrayDescr::new(value.py(), value)?),
    }
}

fn of_descr(descr: &Bound<'_, PyArrayDescr>) -> PyResult<DType> {
    Ok(match (descr.kind(), descr.itemsize()) {
        (b'f', 4) => DType::F32,
        (b'f', 8) => DType::F64,
        (b'i', 4) => DType::I32,
        (b'i', 8) => DType::I64,
        (b'b', 1) => DType::Bool,
        (b'c', 8) => DType::C32,
        (b'c', 16) => DType::C64,
        _ => {
            let text =
                format!("dtype {descr} is none of tenferro's f32, f64, i32, i64, bool, c64, c128; cast it first");
            return Err(PyTypeError::new_err(text));
        }
    })
}

/// Whether a value is a plain Python number, which takes the dtype of its surroundings; NumPy's scalars have their own.
pub fn is_number(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let number =
        value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() || value.is_instance_of::<PyComplex>();
    Ok(number && !is_numpy_scalar(value)?)
}

fn is_numpy_scalar(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.is_instance(&value.py().import("numpy")?.getattr("generic")?)
}

/// A tensor with the values of a NumPy array of any layout and byte order, or of a Python or NumPy scalar.
pub fn read(value: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        return read_array(array);
    }
    if !is_number(value)? && !is_numpy_scalar(value)? {
        let text = format!("expected a NumPy array or a number, not {}", value.get_type().name()?);
        return Err(PyTypeError::new_err(text));
    }
    let array = value.py().import("numpy")?.call_method1("asarray", (value,))?;
    read_array(array.cast::<PyUntypedArray>()?)
}

fn read_array(array: &Bound<'_, PyUntypedArray>) -> PyResult<Tensor> {
    let dtype = of_descr(&array.dtype())?;
    let unknown = || Err(Fault::unsupported(format!("dtype {dtype:?}")));
    Ok(by_dtype!(dtype, gather(array), unknown())?)
}

/// One element, read from memory of any alignment.
trait Readable: TensorScalar + Element + Copy {
    /// # Safety
    /// `at` must point to an element of this type inside a live array.
    unsafe fn read(at: *const u8, swapped: bool) -> Self;
}

macro_rules! readable {
    ($($real:ty as $bits:ty),*) => {$(
        impl Readable for $real {
            unsafe fn read(at: *const u8, swapped: bool) -> Self {
                // SAFETY: the caller's promise.
                let bits = unsafe { at.cast::<[u8; size_of::<$bits>()]>().read_unaligned() };
                let bits = <$bits>::from_ne_bytes(bits);
                <$real>::from_ne_bytes((if swapped { bits.swap_bytes() } else { bits }).to_ne_bytes())
            }
        }
    )*};
}

readable!(f32 as u32, f64 as u64, i32 as u32, i64 as u64);

macro_rules! readable_complex {
    ($($complex:ident of $part:ty),*) => {$(
        impl Readable for $complex {
            unsafe fn read(at: *const u8, swapped: bool) -> Self {
                // SAFETY: the caller's promise; the second part lies one part behind the first.
                unsafe {
                    let im = <$part>::read(at.add(size_of::<$part>()), swapped);
                    Self::new(<$part>::read(at, swapped), im)
                }
            }
        }
    )*};
}

readable_complex!(Complex32 of f32, Complex64 of f64);

impl Readable for bool {
    unsafe fn read(at: *const u8, _swapped: bool) -> Self {
        // SAFETY: the caller's promise. A view may hold bytes other than 0 and 1, which a Rust bool must not.
        unsafe { at.read() != 0 }
    }
}

/// The elements of `array` in column-major order.
fn gather<T: Readable>(array: &Bound<'_, PyUntypedArray>) -> Outcome<Tensor> {
    let shape = array.shape().to_vec();
    let strides = array.strides().to_vec();
    let swapped = array.dtype().is_native_byteorder() == Some(false);
    // SAFETY: the array is alive as long as `array`, and NumPy's data pointer addresses its first element.
    let base = unsafe { (*_PyArray_GET_ITEM_DATA(array.as_array_ptr())).data as *const u8 };
    let mut values = Vec::with_capacity(shape.iter().product());
    visit(&shape, &strides, |offset| {
        // SAFETY: `offset` is an index of the array times its strides, so it lies inside the array.
        values.push(unsafe { T::read(base.offset(offset), swapped) });
    });
    Ok(Tensor::from_vec_col_major(shape, values)?)
}

/// Calls `element` with the offset of every element, the first axis fastest.
fn visit(shape: &[usize], strides: &[isize], mut element: impl FnMut(isize)) {
    if shape.contains(&0) {
        return;
    }
    let (length, step) = (shape.first().copied().unwrap_or(1), strides.first().copied().unwrap_or(0));
    let mut index = vec![0; shape.len()];
    let mut start = 0;
    loop {
        (0..length as isize).for_each(|i| element(start + i * step));
        let mut axis = 1;
        loop {
            if axis >= shape.len() {
                return;
            }
            index[axis] += 1;
            start += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            start -= strides[axis] * shape[axis] as isize;
            index[axis] = 0;
            axis += 1;
        }
    }
}

/// A new, writable, C-ordered NumPy array with the tensor's values.
pub fn write<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    let unknown = || Err(PyTypeError::new_err(format!("dtype {:?} has no NumPy array", tensor.dtype())));
    by_dtype!(tensor.dtype(), scatter(py, tensor), unknown())
}

fn scatter<'py, T: Readable>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    let source = tensor.as_slice::<T>().map_err(Fault::from)?;
    let array = PyArray::<T, IxDyn>::zeros(py, tensor.shape(), false);
    // SAFETY: the array was made a line above; nobody else holds it.
    let target = unsafe { array.as_slice_mut()? };
    let (shape, strides) = reversed(tensor.shape());
    let mut next = target.iter_mut();
    visit(&shape, &strides, |offset| {
        if let Some(element) = next.next() {
            *element = source[offset as usize];
        }
    });
    Ok(array.into_any())
}

/// The column-major strides of `shape`, both reversed: visiting them walks the elements in row-major order.
fn reversed(shape: &[usize]) -> (Vec<usize>, Vec<isize>) {
    let mut step = 1;
    let column = |&extent: &usize| {
        let own = step;
        step *= extent as isize;
        (extent, own)
    };
    let axes: Vec<_> = shape.iter().map(column).collect();
    axes.into_iter().rev().unzip()
}

/// Zeros of a dtype and shape: what `prepare` shows the runtime where no inputs are given.
pub fn zeros(dtype: DType, shape: &[usize]) -> Outcome<Tensor> {
    fn filled<T: Readable + Default>(shape: &[usize]) -> Outcome<Tensor> {
        Ok(Tensor::from_vec_col_major(shape.to_vec(), vec![T::default(); shape.iter().product()])?)
    }
    by_dtype!(dtype, filled(shape), Err(Fault::unsupported(format!("dtype {dtype:?}"))))
}

/// A rank-0 tensor of `dtype` with the value of a Python number, which must not lose anything by it.
pub fn scalar(value: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Tensor> {
    let given = value.get_type().name()?;
    let refused = || PyTypeError::new_err(format!("a Python {given} is no {} scalar; cast it first", name(dtype)));
    let (bool_, int, float) =
        (value.is_instance_of::<PyBool>(), value.is_instance_of::<PyInt>(), value.is_instance_of::<PyFloat>());
    let fits = match dtype {
        DType::Bool => bool_,
        DType::I32 | DType::I64 => int && !bool_,
        DType::F32 | DType::F64 => (int || float) && !bool_,
        _ => (int || float || value.is_instance_of::<PyComplex>()) && !bool_,
    };
    if !fits {
        return Err(refused());
    }
    let tensor = match dtype {
        DType::Bool => rank0(value.extract::<bool>()?),
        DType::I32 => rank0(value.extract::<i32>()?),
        DType::I64 => rank0(value.extract::<i64>()?),
        DType::F32 => rank0(exact(value)?.re as f32),
        DType::F64 => rank0(exact(value)?.re),
        DType::C32 => rank0(Complex32::new(exact(value)?.re as f32, exact(value)?.im as f32)),
        DType::C64 => rank0(exact(value)?),
        _ => return Err(refused()),
    };
    Ok(tensor.map_err(Fault::from)?)
}

fn rank0<T: TensorScalar>(value: T) -> tenferro_tensor::Result<Tensor> {
    Tensor::from_vec_col_major(Vec::<usize>::new(), vec![value])
}

/// A Python number as complex; an integer that f64 cannot hold is refused.
fn exact(value: &Bound<'_, PyAny>) -> PyResult<Complex64> {
    let number: Complex64 = value.extract()?;
    if value.is_instance_of::<PyInt>() && !value.eq(number.re)? {
        return Err(PyOverflowError::new_err(format!("the integer {value} is no float; give it as one")));
    }
    Ok(number)
}

/// Refuses a shape that NumPy could not hold either.
pub fn checked_shape(shape: &[i64]) -> PyResult<Vec<usize>> {
    let refused = || PyValueError::new_err(format!("a shape has no negative extents: {shape:?}"));
    shape.iter().map(|&extent| usize::try_from(extent).map_err(|_| refused())).collect()
}
