"""measure(ref, got): what differs between two arrays, in numbers. No tolerance is known here."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Final, NamedTuple

import numpy as np

from compare import kernel, kernel_complex, kernel_integers
from compare.bits import EDGES

type Array = np.ndarray[Any, Any]
type Number = int | float

DTYPES: Final = {
    np.dtype(order + code): name
    for order in "<>"
    for name, code in {
        "bool": "?",
        "i32": "i4",
        "i64": "i8",
        "f32": "f4",
        "f64": "f8",
        "c64": "c8",
        "c128": "c16",
    }.items()
}
_BITS: Final = {"f64": (0x7FF0000000000000, 0x7FFFFFFFFFFFFFFF), "f32": (0x7F800000, 0x7FFFFFFF)}
_UNSIGNED: Final = (1 << 64) - 1
_NONE: Final = np.empty(0)


class MeasureError(ValueError):
    """What cannot be measured: a dtype that tenferro has not, an allowance that is no error bound."""


@dataclass(frozen=True, slots=True)
class Mismatches:
    """Elements that differ in kind: how many, the first one's flat index (C order), both its values as hex."""

    count: int = 0
    at: int | None = None
    ref: str | None = None
    got: str | None = None


NO_MISMATCHES: Final = Mismatches()


class Distance(NamedTuple):
    """How far `got` is from `ref`. Indices are flat, in C order, None where nothing differs; values are hex.

    n: elements compared, 0 where shapes or dtypes differ. max_ref: max|ref| over its finite elements. max_diff: over
    the pairs that are both finite. Ulps are counted between finite pairs, and are 0 between −0 and +0, NaN and NaN, an
    infinity and itself; other pairs with NaN or infinity are in `nan` and `inf` and in no figure of ulps. p99_ulp is
    the upper edge of its bucket; histogram holds the buckets 0, 1, 2, 3–4, 5–16, … up to that of max_ulp.
    excess: max |diff| / allowance (None without one), allowance its unit there. Integers and bools: an ulp is 1.
    Complex: parts holds the distances of the real and of the imaginary part; the whole counts parts, except n and
    bitwise_equal (elements); larger_ulp is max |diff| of a part in ulps of the larger part of ref.
    A named tuple, which is made in a third of the time of a frozen dataclass: of a small array that is most of all.
    """

    ref_shape: tuple[int, ...]
    got_shape: tuple[int, ...]
    ref_dtype: str
    got_dtype: str
    n: int = 0
    max_ref: Number = 0.0
    max_diff: Number = 0.0
    at: int | None = None
    ref_at: str | None = None
    got_at: str | None = None
    bitwise_equal: int = 0
    max_ulp: int = 0
    ulp_at: int | None = None
    total_ulp: int = 0
    p99_ulp: int = 0
    histogram: tuple[int, ...] = ()
    nan: Mismatches = NO_MISMATCHES
    inf: Mismatches = NO_MISMATCHES
    zero_sign: Mismatches = NO_MISMATCHES
    excess: float | None = None
    excess_at: int | None = None
    allowance: float | None = None
    larger_ulp: float | None = None
    larger_ulp_at: int | None = None
    parts: tuple[Distance, ...] = ()

    @property
    def mean_ulp(self) -> float:
        """The mean ulps of the pairs that have any: total_ulp is exact, so this is correctly rounded."""
        counted = sum(self.histogram)
        return self.total_ulp / counted if counted else 0.0

    @property
    def comparable(self) -> bool:
        """Whether shapes and dtypes agree, so that elements were compared."""
        return self.ref_shape == self.got_shape and self.ref_dtype == self.got_dtype


def dtype_name(array: Array) -> str:
    """The short name of a dtype of tenferro ("f64", "c64", "bool"); MeasureError for any other."""
    name = DTYPES.get(array.dtype)
    if name is None:
        raise MeasureError(f"dtype {array.dtype} cannot be compared: only {', '.join(dict.fromkeys(DTYPES.values()))}")
    return name


def measure(ref: Array, got: Array, *, allowance: Array | None = None) -> Distance:
    """The Distance of two arrays of tenferro's dtypes, of any shape, strides and byte order.

    allowance: float64, the shape of ref, finite, not negative: the unit of `excess`, element by element.
    Raises MeasureError for another dtype and for an allowance that is not so.
    """
    names = dtype_name(ref), dtype_name(got)
    if names[0] != names[1] or ref.shape != got.shape:
        return Distance(ref_shape=ref.shape, got_shape=got.shape, ref_dtype=names[0], got_dtype=names[1])
    unit = None if allowance is None else _unit(ref, allowance)
    if names[0] in _BITS:
        return _floats(_flat(ref), _flat(got), names[0], ref.shape, unit)
    if names[0] in ("c64", "c128"):
        return _complex(ref, got, names[0], unit)
    return _integers(ref, got, names[0])


def _unit(ref: Array, allowance: Array) -> Array:
    if allowance.shape != ref.shape:
        raise MeasureError(f"the allowance has shape {allowance.shape}, the reference {ref.shape}: they must be equal")
    return _flat(allowance.astype(np.float64, copy=False))


def _flat(array: Array) -> Array:
    """The elements in C order; a copy unless they are so already, native, aligned and writeable.

    A kernel is compiled for arrays of one kind: for read-only or unaligned ones it would be compiled again.
    """
    if array.flags.carray and array.dtype.isnative:
        return array.reshape(-1)
    return np.array(array, dtype=array.dtype.newbyteorder("="), order="C").reshape(-1)


def _floats(ref: Array, got: Array, dtype: str, shape: tuple[int, ...], unit: Array | None) -> Distance:
    counts, reals = _scan(ref, got, dtype, unit)
    at, excess_at = _index(counts[kernel.AT]), _index(counts[kernel.EXCESS_AT])
    return Distance(
        ref_shape=shape,
        got_shape=shape,
        ref_dtype=dtype,
        got_dtype=dtype,
        n=ref.size,
        max_ref=reals[kernel.MAX_REF],
        max_diff=reals[kernel.MAX_DIFF],
        at=at,
        ref_at=None if at is None else _hex(ref[at]),
        got_at=None if at is None else _hex(got[at]),
        bitwise_equal=counts[kernel.SAME],
        nan=_mismatches(counts[kernel.NANS], counts[kernel.NAN_AT], ref, got),
        inf=_mismatches(counts[kernel.INFS], counts[kernel.INF_AT], ref, got),
        zero_sign=_mismatches(counts[kernel.ZEROS], counts[kernel.ZERO_AT], ref, got),
        excess=None if unit is None else reals[kernel.EXCESS],
        excess_at=excess_at,
        allowance=None if unit is None or excess_at is None else float(unit[excess_at]),
        max_ulp=counts[kernel.MAX_ULP] & _UNSIGNED,
        ulp_at=_index(counts[kernel.ULP_AT]),
        **_spread(_total(counts), counts[kernel.HISTOGRAM :], counts[kernel.MAX_ULP] & _UNSIGNED),
    )


def _scan(ref: Array, got: Array, dtype: str, unit: Array | None) -> tuple[list[int], list[float]]:
    raw, reals = _BLANK.copy(), np.zeros(3)
    infinity, magnitude = _BITS[dtype]
    kernel.scan(ref, got, infinity, magnitude, _NONE if unit is None else unit, raw, reals)
    counts: list[int] = raw.tolist()
    if counts[kernel.BAD]:
        raise MeasureError("the allowance holds a negative number, an infinity or NaN")
    return counts, reals.tolist()


def _blank() -> Array:
    counts = np.zeros(kernel.SIZE, np.int64)
    counts[[kernel.AT, kernel.ULP_AT, kernel.ZERO_AT, kernel.NAN_AT, kernel.INF_AT, kernel.EXCESS_AT]] = -1
    return counts


_BLANK: Final = _blank()


def _index(at: int) -> int | None:
    return None if at < 0 else at


def _hex(value: Any) -> str:
    return float(value).hex()


def _mismatches(count: int, at: int, ref: Array, got: Array) -> Mismatches:
    return Mismatches(count, at, _hex(ref[at]), _hex(got[at])) if count else NO_MISMATCHES


def _total(counts: list[int]) -> int:
    """The sum of all ulps, exact."""
    return (counts[kernel.LOW] & _UNSIGNED) + ((counts[kernel.HIGH] & _UNSIGNED) << 32)


def _spread(total: int, buckets: list[int], largest: int) -> dict[str, Any]:
    """Sum, p99 and histogram of ulps, the largest of which tells how many buckets are in use."""
    histogram = tuple(buckets[: 1 + bisect_left(EDGES, largest)])
    return {"total_ulp": total, "p99_ulp": _p99(histogram), "histogram": histogram}


def _p99(histogram: tuple[int, ...]) -> int:
    """The upper edge of the first bucket up to which at least 99 % of all lie."""
    most, below = 99 * sum(histogram), 0
    for edge, count in zip(EDGES, histogram, strict=False):
        below += count
        if 100 * below >= most:
            return int(edge)
    raise AssertionError("a bucket holds the last one")


def _integers(ref: Array, got: Array, dtype: str) -> Distance:
    wide_ref, wide_got = (_flat(array).astype(np.int64, copy=False) for array in (ref, got))
    histogram = np.zeros(len(EDGES), np.int64)
    same, max_ref, max_diff, first, low, high = kernel_integers.scan(wide_ref, wide_got, histogram)
    at = _index(first)
    return Distance(
        ref_shape=ref.shape,
        got_shape=ref.shape,
        ref_dtype=dtype,
        got_dtype=dtype,
        n=ref.size,
        max_ref=max_ref,
        max_diff=max_diff,
        at=at,
        ref_at=None if at is None else hex(wide_ref[at]),
        got_at=None if at is None else hex(wide_got[at]),
        bitwise_equal=same,
        max_ulp=max_diff,
        ulp_at=at,
        **_spread(low + (high << 32), histogram.tolist(), max_diff),
    )


def _complex(ref: Array, got: Array, dtype: str, unit: Array | None) -> Distance:
    pieces = [part.copy() for array in (_flat(ref), _flat(got)) for part in (array.real, array.imag)]
    real_ref, imag_ref, real_got, imag_got = pieces
    part = "f32" if dtype == "c64" else "f64"
    real = _floats(real_ref, real_got, part, ref.shape, unit)
    imag = _floats(imag_ref, imag_got, part, ref.shape, unit)
    same, larger_at, larger = kernel_complex.scan(*pieces, -149 if part == "f32" else -1074)
    return Distance(
        ref_shape=ref.shape,
        got_shape=ref.shape,
        ref_dtype=dtype,
        got_dtype=dtype,
        n=ref.size,
        max_ref=max(real.max_ref, imag.max_ref),
        bitwise_equal=same,
        larger_ulp=larger,
        larger_ulp_at=_index(larger_at),
        parts=(real, imag),
        **_worse(real, imag),
    )


def _worse(real: Distance, imag: Distance) -> dict[str, Any]:
    """The figures of both parts together: of the worse one, or added."""
    far = imag if imag.max_diff > real.max_diff else real
    odd = imag if imag.max_ulp > real.max_ulp else real
    beyond = imag if (imag.excess or 0.0) > (real.excess or 0.0) else real
    histogram = [a + b for a, b in zip_longest(real.histogram, imag.histogram, fillvalue=0)]
    return {
        "max_diff": far.max_diff,
        "at": far.at,
        "ref_at": far.ref_at,
        "got_at": far.got_at,
        "max_ulp": odd.max_ulp,
        "ulp_at": odd.ulp_at,
        "excess": beyond.excess,
        "excess_at": beyond.excess_at,
        "allowance": beyond.allowance,
        "nan": _both(real.nan, imag.nan),
        "inf": _both(real.inf, imag.inf),
        "zero_sign": _both(real.zero_sign, imag.zero_sign),
        **_spread(real.total_ulp + imag.total_ulp, histogram, odd.max_ulp),
    }


def _both(real: Mismatches, imag: Mismatches) -> Mismatches:
    """The mismatches of two parts as one: counts added, the first one kept."""
    if real.at is None or imag.at is None:
        return imag if real.at is None else real
    return replace(imag if imag.at < real.at else real, count=real.count + imag.count)
