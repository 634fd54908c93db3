"""The negative control: the same arrays with one element wrong by a hair must be called a mismatch."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from compare.judge import Verdict
from compare.measure import Array

_INTEGER: Final = {"f": "=i", "d": "=q"}
_LARGEST: Final = {"f": float(np.finfo(np.float32).max), "d": float(np.finfo(np.float64).max)}
_AROUND: Final = 4
_MAGNITUDE: Final = {"f": 0x7FFFFFFF, "d": 0x7FFFFFFFFFFFFFFF}

type Judged = Callable[[Array], Verdict]


@dataclass(frozen=True, slots=True)
class Trial:
    """One element of `array` (flat index `at`) set to `value` (hex), which the rule `rule` has to find."""

    array: str
    rule: str
    at: int
    ref: str
    value: str
    caught: bool


@dataclass(frozen=True, slots=True)
class Limits:
    """What may differ: |diff| up to `bound` (a number, or one for every element), and `ulps` where they are bounded."""

    bound: float | Array
    ulps: int | None

    def at(self, index: int) -> float:
        """The bound of one element."""
        return float(self.bound.flat[index]) if isinstance(self.bound, np.ndarray) else self.bound


def try_out(name: str, ref: Array, base: Array, limits: Limits, judged: Judged) -> tuple[Trial, ...]:
    """Set single elements of `base` (which is judged a match) to what must not pass, judge each, and tell.

    Floats: the first number beyond ref + bound, the first beyond ref − bound, and the first with more ulps than
    allowed. Integers and bools: one step. An array without a finite element: a number for a NaN, zero for an infinity.
    """
    if ref.size == 0:
        return ()
    altered = np.array(base, order="C")
    return tuple(_trial(name, ref, altered, judged, *wrong) for wrong in _wrongs(ref, limits))


def _trial(name: str, ref: Array, altered: Array, judged: Judged, rule: str, at: int, value: Any) -> Trial:
    kept = altered.flat[at]
    altered.flat[at] = value
    verdict = judged(altered)
    altered.flat[at] = kept
    caught = verdict.outcome == "mismatch" and rule in verdict.broken
    return Trial(name, rule, at, hexes(ref.flat[at]), hexes(value), caught)


def _wrongs(ref: Array, limits: Limits) -> Iterator[tuple[str, int, Any]]:
    """(rule, index, value) of everything that must not pass."""
    if ref.dtype.kind not in "fc":
        yield "bound", ref.size // 2, _other(ref.flat[ref.size // 2])
        return
    at = _middle(ref)
    if at is None:
        number = ref.dtype.type(0)
        yield ("nan" if np.isnan(ref.flat[0]) else "inf"), 0, number
        return
    for up in (True, False):
        if (value := _beyond_bound(ref.flat[at], limits.at(at), up=up)) is not None:
            yield "bound", at, value
    if limits.ulps is not None:
        least = _least(ref)
        yield "ulps", least, _beyond_ulps(ref.flat[least], limits.ulps)


def _other(value: Any) -> Any:
    """The neighbour of an integer, the other bool."""
    if value.dtype == np.bool_:
        return ~value
    return value - 1 if value > 0 else value + 1


def _middle(ref: Array) -> int | None:
    """The first finite element from the middle on, or from the start."""
    finite = np.isfinite(ref.ravel())
    half = ref.size // 2
    for start, stop in ((half, ref.size), (0, half)):
        if finite[start:stop].any():
            return start + int(finite[start:stop].argmax())
    return None


def _least(ref: Array) -> int:
    """The finite element nearest to zero: there ulps are smallest, so that no scaled bound would see them."""
    flat = ref.ravel()
    sizes = np.maximum(np.abs(flat.real), np.abs(flat.imag)) if np.iscomplexobj(flat) else np.abs(flat)
    return int(np.where(np.isfinite(flat), sizes, np.inf).argmin())


def _key(number: float, code: str) -> int:
    """The place of a number in the row of all floats of its format ("f" or "d"); 0 for both zeros."""
    bits: int = struct.unpack(_INTEGER[code], struct.pack(f"={code}", number))[0]
    return bits if bits >= 0 else -(bits & _MAGNITUDE[code])


def _number(key: int, code: str) -> float:
    number: float = struct.unpack(f"={code}", struct.pack(_INTEGER[code], abs(key)))[0]
    return math.copysign(number, key)


def _beyond_bound(ref: Any, bound: float, *, up: bool) -> Any:
    """The first number above ref + bound (or below ref − bound) whose measured difference is more than the bound.

    Differences are measured as rounded float64, so numbers a rounding beyond may still measure as the bound itself;
    hence the search, by halves, among all floats. Complex: the real part upwards, the imaginary part downwards.
    None where no finite number is beyond.
    """
    if np.iscomplexobj(ref):
        part = _beyond_bound(ref.real if up else ref.imag, bound, up=up)
        return None if part is None else _with_part(ref, part, real=up)
    code, number = ref.dtype.char, float(ref)
    limit = _LARGEST[code]
    within, beyond = _key(number, code), _key(limit if up else -limit, code)
    if not abs(_number(beyond, code) - number) > bound:
        return None
    within, beyond = _narrowed(within, beyond, number, bound, code)
    while abs(beyond - within) > 1:
        middle = (within + beyond) // 2
        if abs(_number(middle, code) - number) > bound:
            beyond = middle
        else:
            within = middle
    return ref.dtype.type(_number(beyond, code))


def _narrowed(within: int, beyond: int, number: float, bound: float, code: str) -> tuple[int, int]:
    """The same search begun where it mostly ends, a few floats around ref ± bound, if it does end there."""
    way = 1 if beyond > within else -1
    with np.errstate(over="ignore"):
        guess = float(np.dtype(code).type(number + way * bound))
    if not math.isfinite(guess):
        return within, beyond
    near, far = _key(guess, code) - way * _AROUND, _key(guess, code) + way * _AROUND
    if way * (near - within) > 0 and not abs(_number(near, code) - number) > bound:
        within = near
    if way * (beyond - far) > 0 and abs(_number(far, code) - number) > bound:
        beyond = far
    return within, beyond


def _with_part(number: Any, part: Any, *, real: bool) -> Any:
    """A complex number with one part replaced."""
    pair = [part, number.imag] if real else [number.real, part]
    return np.array(pair, number.real.dtype).view(number.dtype)[0]


def _beyond_ulps(ref: Any, ulps: int) -> Any:
    """The first number with more than `ulps` ulps, towards zero; complex: in the smaller part, by the larger's ulps."""
    if np.iscomplexobj(ref):
        small = abs(ref.real) <= abs(ref.imag)
        part, larger = (ref.real, ref.imag) if small else (ref.imag, ref.real)
        step = (ulps + 1) * _ulp(larger)
        return _with_part(ref, float(part) - math.copysign(step, part), real=small)
    key, code = _key(float(ref), ref.dtype.char), ref.dtype.char
    return ref.dtype.type(_number(key - (ulps + 1) if key > 0 else key + (ulps + 1), code))


def _ulp(number: Any) -> float:
    """The distance of a number from its neighbour away from zero; NumPy's spacing overflows at the largest."""
    info = np.finfo(number.dtype)
    smallest = float(info.smallest_subnormal)
    return max(math.ldexp(1.0, math.frexp(number)[1] - info.nmant - 1), smallest) if number else smallest


def hexes(value: Any) -> str:
    """A number in hex, to the last bit; a complex one as two."""
    if np.iscomplexobj(value):
        return f"{float(value.real).hex()} {float(value.imag).hex()}"
    return float(value).hex() if value.dtype.kind == "f" else hex(int(value))
