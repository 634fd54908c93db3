"""Arrays made from a case's id: raw generator bits and exact arithmetic, so that no version or platform changes them.

Every descriptor draws by an ordinal: 0 is the case, 1 the second question asked of the same program.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from references.dtypes import COMPLEXES, INTEGERS, NUMPY

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


class Bits:
    """A stream of 64-bit words that depends on `key` alone (PCG64 seeded by BLAKE2b)."""

    def __init__(self, key: str) -> None:
        seed = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=16).digest(), "little")
        self._source = np.random.PCG64(seed)

    def words(self, count: int) -> Array:
        """`count` words, uint64."""
        return np.asarray(self._source.random_raw(count), dtype=np.uint64)


Draw = Callable[[Bits, int], Array]


@dataclass(frozen=True)
class Input:
    """How one array of a case is made.

    shape: the array's shape. real: `count` numbers as float64 (exact; rounded once to the dtype).
    dtype: fixed dtype, where it is not the case's (indices, predicates). signed: False keeps integers as they are.
    view: applied to the finished array, for strided, offset and reversed inputs.
    """

    shape: Shape
    real: Draw
    dtype: str | None = None
    view: Callable[[Array], Array] | None = None

    def draw(self, key: str, dtype: str, ordinal: int) -> Array:
        """The array for `key` ("case/name"), in `self.dtype` or `dtype`; ordinal 1 is the second question."""
        wanted = self.dtype or dtype
        bits, count = Bits(f"{key}#{ordinal}"), math.prod(self.shape)
        flat = self._flat(bits, count, wanted, ordinal)
        array = flat.reshape(self.shape)
        return self.view(array) if self.view else array

    def _flat(self, bits: Bits, count: int, dtype: str, ordinal: int) -> Array:
        real = self.real(bits, count)
        if isinstance(self.real, Fixed):
            return cast_exactly(np.roll(real, ordinal), dtype)
        if dtype in COMPLEXES:
            return (real + 1j * self.real(bits, count)).astype(NUMPY[dtype])
        return cast_exactly(real, dtype)


def cast_exactly(real: Array, dtype: str) -> Array:
    """Numbers in a case's dtype. Real numbers drawn for an integer dtype are scaled to spread over small integers."""
    if dtype in INTEGERS and real.dtype.kind == "f":
        return np.rint(real * 8).astype(NUMPY[dtype])
    if dtype == "bool" and real.dtype.kind == "f":
        return real > 0
    with np.errstate(over="ignore", invalid="ignore"):
        return real.astype(NUMPY[dtype])


@dataclass(frozen=True)
class Fixed:
    """The same numbers each time; the second question rotates them by one."""

    numbers: Array

    def __call__(self, bits: Bits, count: int) -> Array:
        """The numbers, flat; the bits are not asked."""
        return self.numbers.reshape(-1)


def fixed(numbers: Any, *, dtype: str | None = None) -> Input:
    """The given numbers, of their own shape."""
    array = np.asarray(numbers)
    return Input(array.shape, Fixed(array), dtype)


def uniform(*shape: int, low: float = -1.0, high: float = 1.0, dtype: str | None = None) -> Input:
    """Numbers spread evenly over [low, high): 53-bit integers, scaled with one rounding each step."""

    def real(bits: Bits, count: int) -> Array:
        fraction = (bits.words(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return low + (high - low) * fraction

    return Input(shape, real, dtype)


def normal(*shape: int, scale: float = 1.0, dtype: str | None = None) -> Input:
    """Near-normal numbers of mean 0 and deviation `scale`: the sum of twelve 48-bit uniforms less six, exact."""

    def real(bits: Bits, count: int) -> Array:
        words = (bits.words(12 * count) >> np.uint64(16)).astype(np.int64).reshape(12, count)
        return (words.sum(axis=0) - 6 * 2**48).astype(np.float64) * 2.0**-48 * scale

    return Input(shape, real, dtype)


def positive(*shape: int, low: float = 0.25, high: float = 4.0, dtype: str | None = None) -> Input:
    """Numbers in [low, high), away from 0: inputs of log, sqrt and divisors."""
    return uniform(*shape, low=low, high=high, dtype=dtype)


def binades(*shape: int, lowest: int, highest: int, dtype: str | None = None) -> Input:
    """Both signs, 53-bit mantissas and exponents spread evenly over [lowest, highest]: `ldexp` is exact."""

    def real(bits: Bits, count: int) -> Array:
        mantissa = (bits.words(count) >> np.uint64(12)).astype(np.float64) * 2.0**-52 + 1
        choice = bits.words(count)
        exponent = lowest + (choice % np.uint64(highest - lowest + 1)).astype(np.int64)
        sign = np.where(choice >> np.uint64(63), -1.0, 1.0)
        return np.ldexp(sign * mantissa, exponent)

    return Input(shape, real, dtype)


def integers(*shape: int, low: int, high: int, dtype: str | None = None) -> Input:
    """Integers in [low, high), exact in every dtype that holds them."""

    def real(bits: Bits, count: int) -> Array:
        span = np.uint64(high - low)
        return (bits.words(count) % span).astype(np.int64) + low

    return Input(shape, real, dtype)


def booleans(*shape: int) -> Input:
    """Fair predicates, bool whatever the case's dtype."""

    def real(bits: Bits, count: int) -> Array:
        return (bits.words(count) & np.uint64(1)).astype(np.int64)

    return Input(shape, real, "bool")


def well_conditioned(n: int) -> Input:
    """An n × n matrix n·I + U with U uniform in [−1, 1): diagonally dominant, so far from singular."""

    def real(bits: Bits, count: int) -> Array:
        noise = uniform(n, n).real(bits, count)
        return (noise.reshape(n, n) + n * np.eye(n)).reshape(-1)

    return Input((n, n), real)


def viewed(source: Input, view: Callable[[Array], Array]) -> Input:
    """The same numbers seen through `view` (a stride, an offset, a reversal, a transposition)."""
    return Input(source.shape, source.real, source.dtype, view)


def hash_arrays(arrays: Sequence[tuple[str, Array]]) -> str:
    """Sixteen hex digits of BLAKE2b over names, dtypes, shapes and C-order bytes; says whether two runs asked alike."""
    digest = hashlib.blake2b(digest_size=8)
    for name, array in arrays:
        digest.update(f"{name}:{array.dtype.str}:{array.shape};".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
