"""measure: every figure equals the slow exact model's, whatever the numbers and however they lie in memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from compare.measure import MeasureError, Mismatches, measure
from tests.unit import exact_model

type Array = np.ndarray[Any, Any]
FLOATS = ("float64", "float32")
COMPLEXES = ("complex128", "complex64")
SIZES = (1, 7, 255, 256, 257, 1000, 4097)
"""Around the 256 of a block, and beyond."""


def special(dtype: str) -> Array:
    """NaN of both signs, infinities, zeros, subnormals, the smallest normal and the largest numbers, of both signs."""
    info = np.finfo(dtype)
    sizes = np.array([np.nan, np.inf, 0, info.smallest_subnormal, info.tiny, info.max, 1, info.eps], dtype=dtype)
    return np.concatenate([sizes, -sizes, np.nextafter(sizes, dtype_of(dtype)(0))])


def dtype_of(dtype: str) -> Any:
    return np.dtype(dtype).type


def any_bits(rng: np.random.Generator, dtype: str, n: int) -> Array:
    """All exponents alike: most numbers are far from 1, some are NaN, infinite or subnormal."""
    return rng.integers(0, 256, (n, np.dtype(dtype).itemsize), dtype=np.uint8).view(dtype).ravel()


def near(rng: np.random.Generator, ref: Array, furthest: int) -> Array:
    """Every number moved by up to so many steps, most of them by few."""
    steps = (rng.integers(-furthest, furthest + 1, ref.size) * rng.random(ref.size) ** 4).astype(np.int64)
    bits = ref.view(np.int64 if ref.dtype == np.float64 else np.int32)
    return (bits + steps.astype(bits.dtype)).view(ref.dtype)


def pairs(seed: int, dtype: str, n: int) -> tuple[Array, Array]:
    """n pairs: unrelated ones, near ones, equal ones, and special numbers strewn over both sides."""
    rng = np.random.default_rng(seed)
    ref = rng.normal(size=n).astype(dtype) if seed % 2 else any_bits(rng, dtype, n)
    got = (near(rng, ref, 4), near(rng, ref, 300), any_bits(rng, dtype, n), ref.copy(), near(rng, ref, 10**7))[seed % 5]
    share = (0.0, 0.02, 0.5)[seed % 3]
    for side in (ref, got):
        where = rng.random(n) < share
        side[where] = rng.choice(special(dtype), where.sum())
    return ref, got


@pytest.mark.parametrize("dtype", FLOATS)
def test_every_figure_of_floats_equals_the_exact_model(dtype: str) -> None:
    compared = 0
    for seed in range(63):
        ref, got = pairs(seed, dtype, SIZES[seed % len(SIZES)])
        assert measure(ref, got) == exact_model.distance(ref, got), f"seed {seed}"
        compared += ref.size
    assert compared >= 50_000


@pytest.mark.parametrize("dtype", COMPLEXES)
def test_every_figure_of_complex_numbers_equals_the_exact_model(dtype: str) -> None:
    part = "float64" if dtype == "complex128" else "float32"
    for seed in range(30):
        ref, got = (side[: side.size // 2 * 2].view(dtype) for side in pairs(seed, part, 2 * SIZES[seed % 5]))
        assert measure(ref, got) == exact_model.distance(ref, got), f"seed {seed}"


@pytest.mark.parametrize("dtype", ["int64", "int32", "bool"])
def test_every_figure_of_integers_equals_the_exact_model(dtype: str) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        low, high = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        ref, got = (rng.integers(low, high, 300, dtype=np.int64, endpoint=True).astype(dtype) for _ in range(2))
        got[::3] = ref[::3]
        ref[0], got[0] = low, high
        assert measure(ref, got) == exact_model.distance(ref, got), f"seed {seed}"


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEXES])
def test_the_excess_over_an_allowance_equals_the_exact_model(dtype: str) -> None:
    part = np.dtype(dtype).type(0).real.dtype.name
    for seed in range(20):
        ref, got = (side.view(dtype) for side in pairs(seed, part, 514))
        rng = np.random.default_rng(seed)
        allowance = rng.choice([0.0, 5e-324, 1e-14, 1.0, 1e300], ref.size) * rng.random(ref.size)
        found = measure(ref, got, allowance=allowance)
        assert found == exact_model.distance(ref, got, allowance), f"seed {seed}"


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from(("float64", "float32", "complex128", "complex64", "int64", "int32", "bool")))
def test_any_arrays(data: st.DataObject, dtype: str) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    ref, got = (data.draw(hnp.arrays(dtype, shape)) for _ in range(2))
    assert measure(ref, got) == exact_model.distance(ref, got)


LARGEST = float(np.finfo(np.float64).max)


def one(ref: float, got: float) -> Any:
    return measure(np.array([ref]), np.array([got]))


def test_opposite_signs_of_the_largest_float_do_not_overflow() -> None:
    found = one(LARGEST, -LARGEST)
    assert found.max_ulp == 2 * (2046 * 2**52 + 2**52 - 1)
    assert (found.max_diff, found.at) == (math.inf, 0)


def test_infinity_is_not_one_ulp_from_the_largest_float() -> None:
    found = one(math.inf, LARGEST)
    assert (found.inf.count, found.max_ulp, sum(found.histogram)) == (1, 0, 0)
    assert found.inf == Mismatches(1, 0, "inf", LARGEST.hex())


def test_nan_agrees_with_nan_of_other_bits() -> None:
    other = np.array([0x7FF8000000000001], np.int64).view(np.float64)
    found = measure(np.array([math.nan]), other)
    assert (found.nan.count, found.max_ulp, found.bitwise_equal) == (0, 0, 0)


@pytest.mark.parametrize("number", [1.0, 0.0, math.inf])
def test_nan_against_a_number_is_counted(number: float) -> None:
    assert one(math.nan, number).nan == Mismatches(1, 0, "nan", number.hex())
    assert one(number, math.nan).nan.count == 1


def test_zeros_are_no_ulps_apart_and_their_signs_are_counted() -> None:
    found = one(-0.0, 0.0)
    assert (found.max_ulp, found.max_diff, found.bitwise_equal, found.zero_sign.count) == (0, 0.0, 0, 1)


def test_the_smallest_numbers_on_both_sides_of_zero_are_two_ulps_apart() -> None:
    assert one(5e-324, -5e-324).max_ulp == 2


def test_ulps_of_the_larger_part() -> None:
    found = measure(np.array([1.0 + 0j]), np.array([1.0 + 2.0**-52 * 3j]))
    assert (found.larger_ulp, found.larger_ulp_at) == (3.0, 0)
    assert found.parts[0].max_ulp == 0
    assert found.parts[1].max_ulp > 10**15


def lying_differently(array: Array) -> dict[str, Array]:
    """The same 6×5×4 numbers with other strides, offset, axis order and byte order."""
    wide = np.zeros((6, 5, 9), array.dtype)
    wide[:, :, 1::2] = array
    return {
        "fortran": np.asfortranarray(array),
        "every other": wide[:, :, 1::2],
        "transposed": np.ascontiguousarray(array.T).T,
        "reversed": np.ascontiguousarray(array[::-1, :, ::-1])[::-1, :, ::-1],
        "other byte order": array.astype(array.dtype.newbyteorder(">")),
        "unaligned": np.frombuffer(b"\0" + array.tobytes(), array.dtype, offset=1).reshape(array.shape),
        "read-only": np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape),
    }


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEXES, "int64", "int32", "bool"])
def test_strides_offset_axis_order_and_byte_order_do_not_matter(dtype: str) -> None:
    rng = np.random.default_rng(1)
    ref, got = ((rng.normal(size=(6, 5, 4)) * 3).astype(dtype) for _ in range(2))
    expected = exact_model.distance(ref, got)
    for name, other in lying_differently(got).items():
        assert measure(ref, other) == expected, name
    for name, other in lying_differently(ref).items():
        assert measure(other, got) == expected, name


def test_an_index_is_flat_in_c_order_whatever_the_memory() -> None:
    ref = np.zeros((3, 4), order="F")
    got = ref.copy(order="F")
    got[1, 2] = 1.0
    assert measure(ref, got).at == 6


@pytest.mark.parametrize("shape", [(), (0,), (3, 0)])
def test_no_axes_and_no_elements(shape: tuple[int, ...]) -> None:
    found = measure(np.ones(shape), np.ones(shape))
    assert (found.n, found.max_diff, found.at) == (math.prod(shape), 0.0, None)


def test_shape_and_dtype_come_first() -> None:
    for got in (np.ones((2, 1)), np.ones(2, np.float32)):
        found = measure(np.ones(2), got)
        assert not found.comparable
        assert (found.n, found.got_shape) == (0, got.shape)


@pytest.mark.parametrize("dtype", ["float16", "uint64", "int8", "object", "U3", "datetime64[s]", "f4,f4"])
def test_a_dtype_that_tenferro_has_not_is_refused(dtype: str) -> None:
    array = np.zeros(2, dtype)
    with pytest.raises(MeasureError, match="cannot be compared: only"):
        measure(array, array)


@pytest.mark.parametrize("unit", [-1e-300, math.nan, math.inf])
def test_an_allowance_is_finite_and_not_negative(unit: float) -> None:
    with pytest.raises(MeasureError, match="negative number, an infinity or NaN"):
        measure(np.ones(300), np.ones(300), allowance=np.array([*[1.0] * 299, unit]))


def test_an_allowance_has_the_shape_of_the_reference() -> None:
    with pytest.raises(MeasureError, match=r"shape \(1,\)"):
        measure(np.ones(2), np.ones(2), allowance=np.ones(1))
