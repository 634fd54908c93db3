"""Long sums of stored floats, exactly: whole mantissas are added by exponent, a million in milliseconds."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb

from references.arbiter.graph import Array

LONG = 512
"""Terms from which it is worth it."""
_HALF = 26
"""Mantissas of 53 bits are added in two halves, so that 2³⁶ of them do not overflow 64 bits."""


def summed(terms: Array) -> Any:
    """Σ of f32 or f64 numbers as an exact ball; None where one is infinite or NaN, or all are zero."""
    numbers = terms.astype(np.float64)
    if not np.isfinite(numbers).all() or not numbers.any():
        return None
    fractions, exponents = np.frexp(numbers)
    whole = np.ldexp(fractions, 53).astype(np.int64)
    low = int(exponents.min())
    places = (exponents - low).astype(np.int64)
    high, rest = whole >> _HALF, whole & ((1 << _HALF) - 1)
    total = 0
    for part, shift in ((high, _HALF), (rest, 0)):
        sums = np.zeros(int(places.max()) + 1, dtype=np.int64)
        np.add.at(sums, places, part)
        total += sum(int(sums[e]) << (int(e) + shift) for e in np.flatnonzero(sums))
    return arb((total, low - 53))  # exact, whatever the working precision
