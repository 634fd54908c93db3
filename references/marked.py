"""Arrays for operations that move numbers and must not change one: every kind of value, each at a known place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from references.dtypes import COMPLEXES, INTEGERS, NUMPY
from references.inputs import Array, Bits, Input, normal

EVERY = 5
"""One number in five is a special one: enough in a small array, few enough that a misplaced number is seen."""


@dataclass(frozen=True)
class Marked(Input):
    """Ordinary numbers, and at every fifth place the next of the dtype's special ones.

    Floats: NaN, ±0, ±infinity, the largest, the smallest normal, the smallest subnormal; complex: both parts so,
    out of step. Integers: any bit pattern, MIN, MAX, 0, −1. Bools: fair.
    """

    def _flat(self, bits: Bits, count: int, dtype: str, ordinal: int) -> Array:
        if dtype == "bool":
            return (bits.words(count) & np.uint64(1)).astype(np.bool_)
        if dtype in INTEGERS:
            return _marked(bits.words(count).astype(NUMPY[dtype]), _integers(dtype), ordinal)
        real = np.dtype("f4" if dtype in ("f32", "c64") else "f8")
        first = _marked(self.real(bits, count).astype(real), _floats(real), ordinal)
        if dtype not in COMPLEXES:
            return first
        found = np.empty(count, NUMPY[dtype])
        found.real, found.imag = first, _marked(self.real(bits, count).astype(real), _floats(real), ordinal + 3)
        return found


def marked(*shape: int) -> Input:
    """An array of that shape whose every number, special or not, has to arrive unchanged."""
    return Marked(shape, normal(*shape).real)


def _marked(ordinary: Array, special: Array, shift: int) -> Array:
    places = np.arange(EVERY - 2, ordinary.size, EVERY)
    ordinary[places] = special[(np.arange(places.size) + shift) % special.size]
    return ordinary


def _floats(dtype: np.dtype[np.floating]) -> Array:
    limits = np.finfo(dtype)
    numbers = [np.nan, -0.0, np.inf, 0.0, -np.inf, limits.max, limits.tiny, -limits.smallest_subnormal, limits.min]
    return np.array(numbers, dtype)


def _integers(dtype: str) -> Array:
    limits = np.iinfo(NUMPY[dtype])
    return np.array([limits.min, limits.max, 0, -1], NUMPY[dtype])
