"""How far a side's element is from the truth: in ulps of the truth, and absolutely."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from references.arbiter.decide import Element
from references.arbiter.rounding import BITS, PART

ORDINALS = {np.dtype(np.float32): (np.int32, 31), np.dtype(np.float64): (np.int64, 63)}


def ordinal(x: Any) -> int:
    """The place of a float among all floats of its dtype; ±0 are 0, infinities follow the largest."""
    kind, sign = ORDINALS[x.dtype]
    bits = int(x.view(kind))
    return bits if bits >= 0 else -(bits + (1 << sign))


def parts_of(value: Any) -> tuple[Any, ...]:
    """The real and the imaginary part of a complex number; a real one alone."""
    return (value.real, value.imag) if np.iscomplexobj(value) else (value,)


def spacing(x: float, dtype: str) -> float:
    """The distance of neighbouring floats at x ≥ 0 (NumPy's overflows at the largest)."""
    least = {24: -149, 53: -1074}[BITS[dtype]]
    return math.ldexp(1.0, max(math.frexp(x)[1] - BITS[dtype], least)) if x else math.ldexp(1.0, least)


def right(element: Element, value: Any) -> bool:
    """Whether a side has the correctly rounded value, bit for bit; a zero of undecided sign may have either."""
    pairs = zip(parts_of(element.value), parts_of(value), element.unsigned, strict=False)
    return all(_same(truth, got, unsigned) for truth, got, unsigned in pairs)


def _same(truth: Any, got: Any, unsigned: bool) -> bool:
    if truth != truth:
        return bool(got != got)
    return bool(truth == got and (unsigned or np.signbit(truth) == np.signbit(got)))


def ulps(element: Element, value: Any, dtype: str) -> float:
    """The distance in ulps; complex: of the worse part, in ulps of the larger part of the truth. inf: another kind."""
    if dtype not in BITS:
        return float(abs(int(element.value) - int(value))) if value == value else math.inf
    truths, gots = parts_of(element.value), parts_of(parted(value, dtype))
    if len(truths) == 1:
        return _part_ulps(truths[0], gots[0], overflown=element.overflown)
    found = [_part_ulps(t, g, overflown=element.overflown) for t, g in zip(truths, gots, strict=True)]
    if not all(map(math.isfinite, found)) or not all(map(np.isfinite, truths)):
        return max(found)
    unit = spacing(float(max(map(abs, truths))), dtype)
    return max(min(u, abs(float(t) - float(g)) / unit) for u, t, g in zip(found, truths, gots, strict=True))


def parted(value: Any, dtype: str) -> Any:
    """The side's value with the dtype's parts."""
    return value if np.iscomplexobj(value) else PART[dtype](value)


def _part_ulps(truth: Any, got: Any, *, overflown: bool) -> float:
    if truth != truth or got != got:
        return 0.0 if truth != truth and got != got else math.inf
    if truth == got:
        return 0.0
    if np.isinf(got) or (np.isinf(truth) and not overflown):
        return math.inf
    return float(abs(ordinal(truth) - ordinal(got)))


def error(element: Element, value: Any) -> float:
    """|side − truth|, the larger of the parts'; inf where the kinds differ; from what overflows, to the largest."""
    truths, gots = parts_of(element.value), parts_of(value)
    return max(_part_error(t, g, overflown=element.overflown) for t, g in zip(truths, gots, strict=True))


def _part_error(truth: Any, got: Any, *, overflown: bool) -> float:
    if truth != truth or got != got:
        return 0.0 if truth != truth and got != got else math.inf
    if truth == got:
        return 0.0
    if np.isinf(truth):
        largest = math.copysign(float(np.finfo(truth.dtype).max), truth)
        return abs(largest - float(got)) if overflown and np.isfinite(got) else math.inf
    return abs(float(truth) - float(got))


def size(element: Element) -> float:
    """The larger part of the truth in magnitude; inf where one is not finite, NaN where one is NaN."""
    return max(abs(float(part)) for part in parts_of(element.value))
