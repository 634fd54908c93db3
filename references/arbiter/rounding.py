"""From stored floats to exact balls, and from balls to correctly rounded floats (nearest, ties to even)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import arb

from references.arbiter.special import NAN, NINF, NZERO, PINF, PZERO, Scalar, Special

Array = np.ndarray[Any, np.dtype[Any]]
BITS = {"f32": 24, "f64": 53, "c64": 24, "c128": 53}
"""Significant bits of a float dtype, or of the parts of a complex one."""
PART = {"f32": np.float32, "f64": np.float64, "c64": np.float32, "c128": np.float64}


def exact(value: float) -> Scalar:
    """The scalar a stored float is: an exact ball or a special value."""
    if value != value:
        return NAN
    if value == 0.0:
        return NZERO if str(value)[0] == "-" else PZERO
    if value in (float("inf"), float("-inf")):
        return PINF if value > 0 else NINF
    return arb(value)


def rounded(balls: Sequence[Any], dtype: str) -> tuple[Array, Array]:
    """The floats the two ends of each ball round to: where they agree bit for bit, the rounding is decided."""
    low = np.array([float(x.lower()) for x in balls], dtype=np.float64)
    high = np.array([float(x.upper()) for x in balls], dtype=np.float64)
    if BITS[dtype] == 53:
        return low, high
    return (
        _narrow(low, [x.lower for x in balls]),
        _narrow(high, [x.upper for x in balls]),
    )


def _narrow(wide: Array, ends: Sequence[Any]) -> Array:
    """f64 roundings as f32 ones: where the first rounding met a tie of the second, the exact end decides."""
    with np.errstate(all="ignore"):
        narrow = wide.astype(np.float32)
        other = 2 * wide - narrow.astype(np.float64)
        tie = (narrow != wide) & (other.astype(np.float32) == other) | np.isinf(narrow) & np.isfinite(wide)
        for index in np.flatnonzero(tie).tolist():
            narrow[index] = np.float32(_nudged(wide[index], ends[index]()))
    return narrow


def _nudged(wide: float, end: Any) -> float:
    """`wide` moved off the tie, to the side on which the exact value lies."""
    at = arb(float(wide))
    if end > at:
        return float(np.nextafter(wide, np.inf))
    return float(np.nextafter(wide, -np.inf)) if end < at else float(wide)


def nearest(x: Scalar, dtype: str) -> Scalar:
    """`x`, an exact ball, rounded to `dtype` once: what storing it there makes of it."""
    if type(x) is Special:
        return x
    low, _ = rounded([x], dtype)
    if low[0] == 0.0:
        return NZERO if x < 0 else PZERO
    return exact(float(low[0]))
