"""What a real number can be besides a ball: signed zeros, infinities, NaN, and what is not decided.

A scalar of the arbiter is an `arb` ball (an exactly zero ball is a zero whose sign is not known), a `Special`, or
`Undecided`. Tables of IEEE 754 are not typed in: each operand is replaced by floats of its class, and NumPy, that is
the processor and C99's libm, says which class the result has.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb

Scalar = Any
"""arb | Special | Undecided"""


class Special:
    """A value that is no ball. `soft` marks what is finite above every format (huge), or non-zero below it (tiny)."""

    __slots__ = ("name", "soft", "value")

    def __init__(self, name: str, value: float, *, soft: bool = False) -> None:
        """value: a float of its class."""
        self.name, self.value, self.soft = name, value, soft

    def __repr__(self) -> str:
        """Its name."""
        return self.name

    @property
    def zero(self) -> bool:
        """±0, or so small that every format rounds it to ±0."""
        return self.value == 0.0

    @property
    def finite(self) -> bool:
        """A zero."""
        return self.value == 0.0


NAN = Special("nan", float("nan"))
PINF = Special("+inf", float("inf"))
NINF = Special("-inf", float("-inf"))
PZERO = Special("+0", 0.0)
NZERO = Special("-0", -0.0)
HUGE = Special("+huge", float("inf"), soft=True)
NHUGE = Special("-huge", float("-inf"), soft=True)
TINY = Special("+tiny", 0.0, soft=True)
NTINY = Special("-tiny", -0.0, soft=True)
ONE = arb(1)
ZERO = arb(0)
"""An exact zero whose sign is not known."""


class Undecided:
    """No answer, and why. It passes through every operation: the arbiter never guesses."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        """reason: as a record says it."""
        self.reason = reason

    def __repr__(self) -> str:
        """The reason."""
        return f"undecided: {self.reason}"


class Convention(Undecided):
    """Libraries define this element differently: `values` holds the scalar of each named convention."""

    __slots__ = ("passes", "values")

    def __init__(self, reason: str, values: dict[str, Scalar], *, passes: bool = False) -> None:
        """values: by convention; the first is IEEE 754's, C99's or the mathematical one.

        passes: whether the first may be computed with (it is the program's own reading, as of an index).
        """
        super().__init__(reason)
        self.values, self.passes = values, passes

    @property
    def onward(self) -> Scalar:
        """What an operation on this element is given."""
        return next(iter(self.values.values())) if self.passes else Undecided(self.reason)


SIGN_OF_ZERO = Undecided("the sign of a zero decides")
WIDE = arb("nan")
"""The ball that says nothing: a higher precision may say more."""

_OPPOSITE = {PINF: NINF, PZERO: NZERO, HUGE: NHUGE, TINY: NTINY, NAN: NAN}
_OPPOSITE.update({right: left for left, right in list(_OPPOSITE.items())})


def negative(special: Special) -> Special:
    """−x of a special value; NaN stays."""
    return _OPPOSITE[special]


UNSURE = 4
"""Classes of a ball that meets zero: a higher precision may tell its sign."""


def of_class(value: float, *, soft: bool) -> Scalar | None:
    """The special value a float stands for, None where it stands for a ball."""
    if value != value:
        return Undecided("beyond the exponents the arbiter follows") if soft else NAN
    if np.isinf(value):
        positive, negative_ = (HUGE, NHUGE) if soft else (PINF, NINF)
        return positive if value > 0 else negative_
    if value == 0.0:
        positive, negative_ = (TINY, NTINY) if soft else (PZERO, NZERO)
        return negative_ if np.signbit(value) else positive
    return None


def classes(x: Scalar) -> tuple[float, ...]:
    """Floats standing for all that `x` may be: its sign, its zero, its infinity."""
    if type(x) is Special:
        return (x.value,)
    if x > 0:
        return (1.0,)
    if x < 0:
        return (-1.0,)
    return (0.0, -0.0) if x.is_zero() else (-1.0, -0.0, 0.0, 1.0)


@functools.lru_cache(maxsize=4096)
def _table(operation: Callable[..., Any], operands: tuple[tuple[str, ...], ...]) -> frozenset[str]:
    with np.errstate(all="ignore"):
        found = (operation(*(np.float64(x) for x in case)) for case in itertools.product(*operands))
        return frozenset(repr(float(result)) for result in found)


def by_table(operation: Callable[..., Any], *operands: tuple[float, ...], soft: bool = False) -> Scalar | None:
    """The class of `operation` over the classes of its operands: a special value, None for a ball, or Undecided."""
    keys = tuple(tuple(repr(x) for x in operand) for operand in operands)
    results = [of_class(float(text), soft=soft) for text in _table(operation, keys)]
    first = results[0]
    if all(result is first for result in results):
        return first
    unsure = any(len(operand) == UNSURE for operand in operands)
    if all(type(result) is Special and result.zero for result in results):
        return _TINY_BALL if unsure else ZERO
    if unsure:
        return WIDE
    return first if type(first) is Undecided else SIGN_OF_ZERO


def nothing(x: Scalar) -> bool:
    """Whether `x` is undecided."""
    return isinstance(x, Undecided)


def exactly_zero(x: Scalar) -> bool:
    """Whether `x` is a zero, of whatever sign."""
    return bool(x.zero and not x.soft) if type(x) is Special else type(x) is arb and bool(x.is_zero())


def finite(x: Scalar) -> bool:
    """Whether `x` is a finite number (a ball that says nothing counts as finite)."""
    return type(x) is arb or (type(x) is Special and x.finite)


def ball(x: Scalar) -> Any:
    """The `arb` of a finite scalar: specials that are zero become 0, tiny ones a ball around it."""
    if type(x) is arb:
        return x
    return _TINY_BALL if x.soft else ZERO


_TINY_BALL = arb(0, arb(2) ** -(2**40))


def negated(x: Scalar) -> Scalar:
    """−x."""
    if type(x) is arb:
        return -x
    return negative(x) if type(x) is Special else x
