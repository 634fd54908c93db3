"""Inputs by kind: the numbers where implementations differ, for every dtype, in arrays of one common length.

A kind is a list of real numbers of a float dtype. Complex dtypes take every pair of them as parts, two-input operations
every ordered pair; JAX compiles once a shape, so each array repeats its list until it has LENGTH numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from references.dtypes import COMPLEXES, INTEGERS, NUMPY
from references.inputs import Array, Input, Shape, integers

LENGTH = 400
"""Numbers in a generated array: every ordered pair of twenty."""

Choice = Callable[[str], Array]


@dataclass(frozen=True, kw_only=True)
class Chosen(Input):
    """Numbers that depend on the dtype, repeated to fill the shape; the second question rotates them by one."""

    choose: Choice

    def draw(self, key: str, dtype: str, ordinal: int) -> Array:
        """The array in `self.dtype` or `dtype`; `key` plays no part, the numbers are always the same."""
        wanted = self.dtype or dtype
        numbers = self.choose(wanted)
        if numbers.size > math.prod(self.shape):
            raise ValueError(f"{key}: {numbers.size} chosen numbers do not fit {self.shape}; take fewer kinds")
        array = np.roll(np.resize(numbers, self.shape).reshape(-1), ordinal).astype(NUMPY[wanted]).reshape(self.shape)
        return self.view(array) if self.view else array


def chosen(choose: Choice, shape: Shape = (LENGTH,), *, dtype: str | None = None) -> Input:
    """An input whose numbers `choose(dtype)` lists."""
    return Chosen(shape, _no_draw, dtype, choose=choose)


def _no_draw(bits: Any, count: int) -> Array:
    raise TypeError("numbers chosen by dtype are not drawn from bits")


def part(dtype: str) -> np.dtype[Any]:
    """The float dtype of a complex dtype's parts; a float dtype itself."""
    return np.zeros(0, NUMPY[dtype]).real.dtype


def _steps(number: float, real: np.dtype[Any]) -> list[float]:
    """A number and its two neighbours in a float dtype."""
    middle, end = real.type(number), real.type(np.inf)
    return [float(np.nextafter(middle, -end)), float(middle), float(np.nextafter(middle, end))]


def _mirrored(numbers: Sequence[float]) -> list[float]:
    return [*numbers, *(-number for number in numbers)]


def _largest(real: np.dtype[Any]) -> list[float]:
    info = np.finfo(real)
    return _mirrored([float(info.max), float(np.nextafter(info.max, real.type(0))), float(info.max) / 2])


def _smallest(real: np.dtype[Any]) -> list[float]:
    tiny = float(np.finfo(real).tiny)
    return _mirrored([tiny, tiny * 2, tiny * 1.5])


def _subnormal(real: np.dtype[Any]) -> list[float]:
    info = np.finfo(real)
    least = float(info.smallest_subnormal)
    return _mirrored([least, 3 * least, float(info.tiny) / 2, float(info.tiny) - least])


def _power(power: int) -> Callable[[np.dtype[Any]], list[float]]:
    """Irregular numbers near 10^power and 10^−power of f64; f32 takes the same share of its own exponents."""

    def listed(real: np.dtype[Any]) -> list[float]:
        exponent = _exponent(power, real)
        return _mirrored([1.618033988749895 * 2.0**exponent, 1.4142135623730951 * 2.0**-exponent])

    return listed


def _exponent(power: int, real: np.dtype[Any]) -> int:
    """The power of two nearest 10^power, or at the same share of the exponents of a narrower dtype."""
    widest = np.finfo(real).maxexp
    exponent = round(power * math.log2(10) * (widest / 1024 if abs(power) > 7 else 1))
    return max(6 - widest, min(widest - 6, exponent))  # six binades of room for factors


def _limits(real: np.dtype[Any]) -> list[float]:
    """About the arguments where exp overflows and where its result is no longer normal."""
    info = np.finfo(real)
    return [*_steps(math.log(float(info.max)), real), *_steps(math.log(float(info.tiny)) + 1e-3, real)]


def _underflow(real: np.dtype[Any]) -> list[float]:
    """Arguments where exp is subnormal, and 0."""
    info = np.finfo(real)
    least, tiny = math.log(float(info.smallest_subnormal)), math.log(float(info.tiny))
    return [*_steps(least, real), least - 1, tiny - 1, (least + tiny) / 2]


_TAIL = (4.0, 5.5, 6.5, 8.0, 8.379229534191165, 9.0, 10.0, 12.5, 17.0, 20.0, 25.0, 36.5, 60.0)

KINDS: dict[str, Callable[[np.dtype[Any]], list[float]]] = {
    "zero": lambda real: [0.0],
    "zeros": lambda real: [0.0, -0.0],
    "units": lambda real: _mirrored([1.0, 0.5, 2.0, 3.0]),
    "factors": lambda real: _mirrored([1.0, 0.5, 2.0]),
    "neighbours": lambda real: _mirrored(_steps(1.0, real)),
    "infinite": lambda real: [np.inf, -np.inf],
    "nan": lambda real: [np.nan],
    "largest": _largest,
    "smallest": _smallest,
    "subnormal": _subnormal,
    "power7": _power(7),
    "power150": _power(150),
    "power300": _power(300),
    "limits": _limits,
    "underflow": _underflow,
    "turns": lambda real: _mirrored([np.pi / 2, np.pi, 3 * np.pi / 2, 2 * np.pi, 100 * np.pi]),
    "long-turns": lambda real: _mirrored([1e5, 2.0**20 + 1, 1e8, 1e15, 1e22]),
    "halves": lambda real: _mirrored([0.5, 1.5, 2.5, 0.25, 0.75]),
    "left-tail": lambda real: [-number for number in _TAIL],
    "right-tail": lambda real: list(_TAIL),
    "small": lambda real: _mirrored([1e-3, 1e-5, 1e-7, 1e-8, 1e-9, 1e-12, 1e-16, 1e-20, 1e-30]),
}
"""Real numbers by kind: a function of the float dtype."""


def reals(dtype: str, *kinds: str) -> Array:
    """The numbers of some kinds as a float dtype, or as the parts of a complex dtype, has them; each once."""
    real = part(dtype)
    listed = np.asarray([number for kind in kinds for number in KINDS[kind](real)], real)
    _, first = np.unique(listed.view(f"u{real.itemsize}"), return_index=True)
    return listed[np.sort(first)]


def of_parts(re: Array, im: Array, dtype: str) -> Array:
    """Complex numbers from parts; 1j·inf would make NaN of a zero part."""
    made = np.empty(np.broadcast_shapes(re.shape, im.shape), NUMPY[dtype])
    made.real, made.imag = re, im
    return made


def numbers(dtype: str, *kinds: str) -> Array:
    """The numbers of some kinds in a float dtype; in a complex dtype every pair of them as parts."""
    listed = reals(dtype, *kinds)
    if dtype not in COMPLEXES:
        return listed
    re, im = np.meshgrid(listed, listed, indexing="ij")
    return of_parts(re.reshape(-1), im.reshape(-1), dtype)


def special(*kinds: str, shape: Shape = (LENGTH,)) -> Input:
    """One input that holds the numbers of some kinds; integer dtypes get their edges."""
    return chosen(lambda dtype: _edges(dtype) if dtype in INTEGERS else _any(dtype, *kinds), shape)


def _any(dtype: str, *kinds: str) -> Array:
    return np.array([False, True]) if dtype == "bool" else numbers(dtype, *kinds)


def pairs(*kinds: str, shape: Shape = (LENGTH,)) -> tuple[Input, Input]:
    """Two inputs that meet in every ordered pair of numbers of some kinds; complex numbers meet one other each."""
    return chosen(lambda dtype: _pair(dtype, kinds)[0], shape), chosen(lambda dtype: _pair(dtype, kinds)[1], shape)


def _pair(dtype: str, kinds: Sequence[str]) -> list[Array]:
    one = _edges(dtype) if dtype in INTEGERS else _any(dtype, *kinds)
    if dtype in COMPLEXES:
        return [one, one[_shuffled(one.size)]]
    return [side.reshape(-1) for side in np.meshgrid(one, one, indexing="ij")]


def _shuffled(count: int) -> Array:
    """A fixed permutation that takes neighbours apart."""
    step = next(step for step in range(round(count * 0.618), count + 2) if math.gcd(step, count) == 1)
    return (np.arange(count) * step + count // 3) % count


def _edges(dtype: str) -> Array:
    """Integers where arithmetic wraps, truncates or passes what a float holds."""
    info = np.iinfo(NUMPY[dtype])
    far = 2**53 + 1 if dtype == "i64" else 2**24 + 1
    return np.array([info.min, info.min + 1, -far, -7, -2, -1, 0, 1, 2, 7, far, info.max - 1, info.max], NUMPY[dtype])


def edges(*, shape: Shape = (LENGTH,), without: Sequence[int] = ()) -> Input:
    """MIN, −1, 0, MAX and odd integers beyond 2^53 (i32: 2^24), less those of `without`."""
    return chosen(lambda dtype: _left(_edges(dtype), without), shape)


def edge_pairs(*, shape: Shape = (LENGTH,), divisor: bool = False) -> tuple[Input, Input]:
    """Two integer inputs that meet in every ordered pair of edges; a divisor is not 0, and not −1 where MIN is divided.

    MIN / −1 kills PyTorch's process, so it belongs to a case of its own.
    """

    def side(index: int) -> Choice:
        return lambda dtype: _edge_pair(dtype, divisor)[index]

    return chosen(side(0), shape), chosen(side(1), shape)


def _edge_pair(dtype: str, divisor: bool) -> tuple[Array, Array]:
    x, y = (grid.reshape(-1) for grid in np.meshgrid(_edges(dtype), _edges(dtype), indexing="ij"))
    kept = (y != 0) & ~((x == np.iinfo(NUMPY[dtype]).min) & (y == -1)) if divisor else np.ones(x.shape, bool)
    return x[kept], y[kept]


def _left(listed: Array, without: Sequence[int]) -> Array:
    return listed[~np.isin(listed, np.asarray(without, listed.dtype))]


def scaled(*shape: int, power: int, positive: bool = False) -> Input:
    """Numbers near 10^power in f64: fifteen decades' worth of 53-bit mantissas about it.

    power: of f64; f32 takes the same share of its own exponents. positive: no negative numbers.
    """

    def choose(dtype: str) -> Array:
        exponent = _exponent(power, part(dtype))
        count = int(np.prod(shape)) * (2 if dtype in COMPLEXES else 1)
        found = _mantissas(count, positive) * 2.0 ** (exponent + np.arange(count) % 5 - 2)
        return of_parts(found[::2], found[1::2], dtype) if dtype in COMPLEXES else found

    return chosen(choose, shape)


def _mantissas(count: int, positive: bool) -> Array:
    """Irregular numbers in [1, 2): multiples of the golden ratio; every third one negative."""
    fraction = (np.arange(1, count + 1) * 0.6180339887498949) % 1 + 1
    return fraction if positive else np.where(np.arange(count) % 3 == 1, -fraction, fraction)


def tied(*shape: int) -> Input:
    """Few different numbers, −1, −½, 0, ½, 1 (integers: times eight): ties and zeros everywhere."""
    whole = integers(*shape, low=-2, high=3)
    return Input(shape, lambda bits, count: whole.real(bits, count) * 0.5)


def small_integers(*shape: int, top: int = 8) -> Input:
    """Integers of magnitude at most `top`: sums and contractions of a few thousand are exact everywhere."""
    return integers(*shape, low=-top, high=top + 1)


SHAPES: dict[str, Shape] = {
    "rank-0": (),
    "empty": (3, 0, 2),
    "one": (1,),
    "ones": (1, 1, 1),
    "fifteen": (15,),
    "sixteen": (16,),
    "seventeen": (17,),
    "rank-3": (2, 5, 3),
    "rank-4": (2, 3, 1, 4),
    "rank-5": (2, 3, 1, 4, 2),
    "4097": (4097,),
    "below-16384": (127, 129),
    "above-16384": (129, 128),
    "above-131072": (331, 401),
}
"""Shapes on both sides of every switch between kernels: vector width, overlap check, strided fusion."""

BROADCASTS: dict[str, tuple[Shape, Shape]] = {
    "scalar": ((), (3, 4)),
    "one-element": ((1,), (3, 4)),
    "row": ((4,), (3, 4)),
    "column": ((3, 1), (3, 4)),
    "outer": ((3, 1), (1, 4)),
    "middle": ((2, 1, 3), (2, 4, 3)),
    "rank": ((2, 1), (5, 1, 3)),
    "both-scalar": ((), ()),
}
"""Two shapes for each way one array is stretched to another."""

VIEWS: dict[str, Callable[[Array], Array]] = {
    "c-order": lambda a: np.ascontiguousarray(a),
    "f-order": lambda a: np.asfortranarray(a),
    "transposed": lambda a: a.transpose(2, 0, 1),
    "strided": lambda a: a[::2, :, ::3],
    "reversed": lambda a: a[:, ::-1, ::-1],
    "offset": lambda a: a[1:, 2:, 1:-1],
    "broadcast": lambda a: np.broadcast_to(a[:, :1], a.shape),
}
"""Views of an array of rank 3, at least 2 × 3 × 4, that every library takes."""
