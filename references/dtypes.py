"""The seven dtypes of tenferro by their short names, and what follows from each."""

from __future__ import annotations

from typing import Any

import numpy as np

NUMPY: dict[str, np.dtype[Any]] = {
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "bool": np.dtype(np.bool_),
    "c64": np.dtype(np.complex64),
    "c128": np.dtype(np.complex128),
}
NAMES = {dtype: name for name, dtype in NUMPY.items()}
FLOATS = ("f32", "f64")
COMPLEXES = ("c64", "c128")
INTEGERS = ("i32", "i64")
DIFFERENTIABLE = FLOATS + COMPLEXES
ALL = tuple(NUMPY)


def name_of(array: np.ndarray[Any, Any]) -> str:
    """The short name of an array's dtype ("f64"), or NumPy's own name where tenferro has no such dtype."""
    return NAMES.get(array.dtype.newbyteorder("="), str(array.dtype))
