"""The distance again, slow and exact: fractions for differences, Python integers for ulps, one element at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from compare.measure import Distance, Mismatches

type Array = np.ndarray[Any, Any]
NAMES = {"?": "bool", "i": "i32", "l": "i64", "f": "f32", "d": "f64", "F": "c64", "D": "c128"}


@dataclass(frozen=True)
class Format:
    """A binary format: digits of the fraction with its leading 1, exponent of the smallest normal number."""

    digits: int
    least: int

    def place(self, number: float) -> int:
        """How many numbers of the format lie between 0 and this finite one, with its sign."""
        size = abs(Fraction(number))
        exponent = max(math.frexp(number)[1] - 1, self.least) if size else self.least
        steps = size / Fraction(2) ** (exponent - self.digits + 1)
        assert steps.denominator == 1, "a number of the format"
        rank: int = (exponent - self.least) * 2 ** (self.digits - 1) + steps.numerator
        return -rank if number < 0 else rank

    def spacing(self, number: float) -> Fraction:
        """From |number| to the next larger number of the format, were its exponents without end."""
        exponent = max(math.frexp(number)[1] - 1, self.least) if number else self.least
        return Fraction(2) ** (exponent - self.digits + 1)


FORMATS = {"f": Format(24, -126), "d": Format(53, -1022), "F": Format(24, -126), "D": Format(53, -1022)}


def rounded(exact: Fraction) -> float:
    """The float64 nearest to a fraction, infinite where that is too large."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def distance(ref: Array, got: Array, allowance: Array | None = None) -> Distance:
    """What measure(ref, got, allowance=allowance) has to say."""
    units = None if allowance is None else [float(unit) for unit in allowance.flat]
    if ref.dtype.kind == "c":
        return _complex(ref, got, units)
    if ref.dtype.kind == "f":
        return _floats(ref, got, units)
    return _integers(ref, got)


def _blank(ref: Array) -> Distance:
    name = NAMES[ref.dtype.char]
    return Distance(ref_shape=ref.shape, got_shape=ref.shape, ref_dtype=name, got_dtype=name, n=ref.size)


def _floats(ref: Array, got: Array, units: list[float] | None) -> Distance:
    pairs = [(float(a), float(b)) for a, b in zip(ref.flat, got.flat, strict=True)]
    diffs = [_diff(a, b) for a, b in pairs]
    at = _first_largest(diffs)
    return _blank(ref)._replace(
        max_ref=max((abs(a) for a, _ in pairs if math.isfinite(a)), default=0.0),
        max_diff=0.0 if at is None else diffs[at],
        at=at,
        ref_at=None if at is None else pairs[at][0].hex(),
        got_at=None if at is None else pairs[at][1].hex(),
        bitwise_equal=_same_bytes(ref, got),
        nan=_mismatches(pairs, [math.isnan(a) != math.isnan(b) for a, b in pairs]),
        inf=_mismatches(pairs, [_infinite_misfit(a, b) for a, b in pairs]),
        zero_sign=_mismatches(pairs, [a == b == 0 and str(a) != str(b) for a, b in pairs]),
        **_ulps(_part_ulps(ref, got)),
        **_excess(diffs, units),
    )


def _diff(a: float, b: float) -> float:
    return abs(rounded(Fraction(a) - Fraction(b))) if math.isfinite(a) and math.isfinite(b) else 0.0


def _misfit(a: float, b: float) -> bool:
    return math.isnan(a) != math.isnan(b) or _infinite_misfit(a, b)


def _infinite_misfit(a: float, b: float) -> bool:
    return not (math.isnan(a) or math.isnan(b)) and (math.isinf(a) or math.isinf(b)) and a != b


def _same_bytes(ref: Array, got: Array) -> int:
    return sum(a.tobytes() == b.tobytes() for a, b in zip(ref.flat, got.flat, strict=True))


def _mismatches(pairs: Sequence[tuple[float, float]], found: list[bool]) -> Mismatches:
    if True not in found:
        return Mismatches()
    a, b = pairs[found.index(True)]
    return Mismatches(found.count(True), found.index(True), a.hex(), b.hex())


def _first_largest(sizes: Sequence[float | None]) -> int | None:
    """Where the largest size is first, None where all are 0."""
    known = [size or 0 for size in sizes]
    return known.index(max(known)) if any(known) else None


def bucket(ulps: int) -> int:
    """The bucket of ulps: 0, 1, 2, 3–4, 5–16, 17–64, …"""
    return next(k for k, edge in enumerate(edges()) if ulps <= edge)


def edges() -> list[int]:
    """The upper edge of every bucket."""
    return [0, 1, 2, *(2**k for k in range(2, 66, 2))]


def _ulps(ulps: Sequence[int | None]) -> dict[str, Any]:
    known = [one for one in ulps if one is not None]
    histogram = [0] * (1 + bucket(max(known, default=0)))
    for one in known:
        histogram[bucket(one)] += 1
    fewest = -(-99 * len(known) // 100)  # 99 % of them, rounded up
    return {
        "max_ulp": max(known, default=0),
        "ulp_at": _first_largest(ulps),
        "total_ulp": sum(known),
        "p99_ulp": edges()[bucket(sorted(known)[fewest - 1])] if known else 0,
        "histogram": tuple(histogram),
    }


def _excess(diffs: list[float], units: list[float] | None) -> dict[str, Any]:
    if units is None:
        return {}
    ratios = [_ratio(diff, unit) for diff, unit in zip(diffs, units, strict=True)]
    at = _first_largest(ratios)
    return {
        "excess": 0.0 if at is None else ratios[at],
        "excess_at": at,
        "allowance": None if at is None else units[at],
    }


def _ratio(diff: float, unit: float) -> float:
    if diff == 0:
        return 0.0
    return math.inf if unit == 0 or math.isinf(diff) else rounded(Fraction(diff) / Fraction(unit))


def _integers(ref: Array, got: Array) -> Distance:
    pairs = [(int(a), int(b)) for a, b in zip(ref.flat, got.flat, strict=True)]
    diffs = [abs(a - b) for a, b in pairs]
    at = _first_largest(diffs)
    return _blank(ref)._replace(
        max_ref=max((abs(a) for a, _ in pairs), default=0),
        max_diff=max(diffs, default=0),
        at=at,
        ref_at=None if at is None else hex(pairs[at][0]),
        got_at=None if at is None else hex(pairs[at][1]),
        bitwise_equal=diffs.count(0),
        **_ulps(diffs),
    )


def _complex(ref: Array, got: Array, units: list[float] | None) -> Distance:
    part = ref.real.dtype
    real, imag = (_floats(a, b, units) for a, b in ((ref.real, got.real), (ref.imag, got.imag)))
    worse, odd = max(real, imag, key=lambda one: one.max_diff), max(real, imag, key=lambda one: one.max_ulp)
    beyond = max(real, imag, key=lambda one: one.excess or 0.0)
    larger = [_larger_ulps(a, b, FORMATS[part.char]) for a, b in zip(ref.flat, got.flat, strict=True)]
    at = _first_largest(larger)
    return _blank(ref)._replace(
        max_ref=max(real.max_ref, imag.max_ref),
        max_diff=worse.max_diff,
        at=worse.at,
        ref_at=worse.ref_at,
        got_at=worse.got_at,
        bitwise_equal=_same_bytes(ref, got),
        nan=_together(real.nan, imag.nan),
        inf=_together(real.inf, imag.inf),
        zero_sign=_together(real.zero_sign, imag.zero_sign),
        excess=beyond.excess,
        excess_at=beyond.excess_at,
        allowance=beyond.allowance,
        larger_ulp=0.0 if at is None else larger[at],
        larger_ulp_at=at,
        parts=(real, imag),
        **{**_ulps(_part_ulps(ref.real, got.real) + _part_ulps(ref.imag, got.imag)), "ulp_at": odd.ulp_at},
    )


def _part_ulps(ref: Array, got: Array) -> list[int | None]:
    form = FORMATS[ref.dtype.char]
    found: list[int | None] = []
    for a, b in ((float(a), float(b)) for a, b in zip(ref.flat, got.flat, strict=True)):
        both = math.isfinite(a) and math.isfinite(b)
        found.append(abs(form.place(a) - form.place(b)) if both else None if _misfit(a, b) else 0)
    return found


def _together(real: Mismatches, imag: Mismatches) -> Mismatches:
    first = min((one for one in (real, imag) if one.count), key=lambda one: one.at or 0, default=real)
    return replace(first, count=real.count + imag.count)


def _larger_ulps(ref: complex, got: complex, form: Format) -> float:
    """The larger difference of two parts in ulps of the larger part of ref; what is not finite does not count."""
    parts = [(float(ref.real), float(got.real)), (float(ref.imag), float(got.imag))]
    larger = max((abs(a) for a, _ in parts if math.isfinite(a)), default=0.0)
    diff = max(_diff(a, b) for a, b in parts)
    return diff if diff in (0.0, math.inf) else rounded(Fraction(diff) / form.spacing(larger))
