"""NumPy arrays go in and out of the harness unchanged, whatever their layout; nothing is cast on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tenferro_harness as th
from numpy.typing import NDArray

DTYPES = ("float32", "float64", "int32", "int64", "bool", "complex64", "complex128")
RUNTIME: Any = th.Runtime(th.Engine(1))

type Array = NDArray[Any]


def values(dtype: str, shape: tuple[int, ...]) -> Any:
    bits = np.random.default_rng(len(shape)).integers(-1000, 1000, (2, *shape))
    if dtype == "bool":
        return bits[0] > 0
    return (bits[0] + 1j * bits[1] if dtype.startswith("complex") else bits[0]).astype(dtype)


def strided(array: Array) -> Any:
    wide = np.zeros(tuple(2 * extent + 1 for extent in array.shape), array.dtype)
    odd: Any = (..., *(slice(1, None, 2) for _ in array.shape))
    view = wide[odd]
    view[...] = array
    return view


def unaligned(array: Array) -> Array:
    raw = np.zeros(array.nbytes + 1, np.uint8)[1:]
    view = raw.view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


def reversed_(array: Array) -> Array:
    backwards = tuple(slice(None, None, -1) for _ in array.shape)
    return np.ascontiguousarray(array[backwards])[backwards]


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "c-order": np.ascontiguousarray,
    "f-order": np.asfortranarray,
    "transposed": lambda array: np.ascontiguousarray(array.T).T,
    "strided": strided,
    "reversed": reversed_,
    "unaligned": unaligned,
    "big-endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
    "big-endian-reversed": lambda array: reversed_(array.astype(array.dtype.newbyteorder(">"))),
    "read-only": lambda array: np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape),
}
SHAPES = ((), (1,), (5,), (0,), (3, 0, 2), (2, 3), (3, 1, 4), (2, 3, 2, 3, 2))


@pytest.mark.parametrize("surface", ["concrete", "constant", "variable", "attached"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_round_trip(dtype: str, layout: str, surface: str) -> None:
    if surface == "variable" and dtype in ("int32", "int64", "bool"):
        surface = "constant"
    for shape in SHAPES:
        array = values(dtype, shape)
        back = getattr(RUNTIME, surface)(LAYOUTS[layout](array)).numpy()
        assert back.dtype == array.dtype
        assert back.dtype.isnative
        np.testing.assert_array_equal(back, array)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_broadcast_view_is_read_as_its_values(dtype: str) -> None:
    view = np.broadcast_to(values(dtype, (3, 1)), (4, 3, 2))
    np.testing.assert_array_equal(RUNTIME.concrete(view).numpy(), view)


def test_a_bool_array_over_other_bytes_is_read_as_truth() -> None:
    view = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    np.testing.assert_array_equal(RUNTIME.concrete(view).numpy(), [False, True, True, True])


def test_special_values_keep_their_bits() -> None:
    bits = np.array([0x7FF8000000000123, 0x8000000000000000, 0x7FF0000000000000, 1], np.uint64)
    array = bits.view(np.float64)
    assert RUNTIME.concrete(array).numpy().tobytes() == array.tobytes()
    assert RUNTIME.concrete(array.astype(">f8")).numpy().tobytes() == array.tobytes()


@pytest.mark.parametrize(
    "array",
    [
        np.ones(3, np.float16),
        np.ones(3, np.int8),
        np.ones(3, np.uint64),
        np.ones(3, object),
        np.ones(3, np.longdouble),
        np.ones(3, "M8[s]"),
        np.array(["a"]),
    ],
    ids=lambda array: str(array.dtype),
)
def test_another_dtype_is_refused_by_name(array: Array) -> None:
    with pytest.raises(TypeError, match=str(array.dtype).replace("[", r"\[")):
        RUNTIME.concrete(array)


@pytest.mark.parametrize("value", [[1.0, 2.0], "1.0", None, {}])
def test_what_is_no_array_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="NumPy array"):
        RUNTIME.concrete(value)


def test_results_are_writable_and_share_nothing() -> None:
    array = values("float64", (3, 4))
    tensor = RUNTIME.concrete(array)
    first = tensor.numpy()
    first[...] = 0
    kept = array.copy()
    array[...] = -1
    np.testing.assert_array_equal(tensor.numpy(), kept)
    assert first.flags.writeable
    assert first.flags.owndata


@pytest.mark.parametrize(
    ("dtype", "number", "expected"),
    [("float32", 2, 2.0), ("float64", 0.1, 0.1), ("int32", 3, 3), ("complex64", 1j, 1j), ("complex128", 2, 2)],
)
def test_a_python_number_takes_the_tensors_dtype(dtype: str, number: complex, expected: complex) -> None:
    tensor = RUNTIME.constant(np.ones(2, dtype))
    result = (tensor * number).numpy()
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, np.full(2, expected, dtype))


@pytest.mark.parametrize(
    ("dtype", "number", "error"),
    [
        ("int64", 0.5, TypeError),
        ("float64", 1j, TypeError),
        ("float64", True, TypeError),
        ("bool", 1, TypeError),
        ("int32", 2**31, OverflowError),
        ("float64", 2**53 + 1, OverflowError),
    ],
)
def test_a_python_number_that_would_change_is_refused(dtype: str, number: complex, error: type[Exception]) -> None:
    with pytest.raises(error):
        RUNTIME.constant(np.ones(2, dtype)).add(number)


def test_numpy_leaves_operators_to_the_tensor() -> None:
    array = values("float64", (2, 3))
    for make in (RUNTIME.attached, RUNTIME.constant, RUNTIME.concrete):
        result = array - make(array * 3)
        assert isinstance(result, type(make(array)))
        np.testing.assert_array_equal(result.numpy(), array * -2)
        np.testing.assert_array_equal(np.asarray(result), array * -2)


def test_surfaces_do_not_mix() -> None:
    array = np.ones(2)
    with pytest.raises(TypeError, match="does not mix"):
        RUNTIME.concrete(array).add(RUNTIME.constant(array))
