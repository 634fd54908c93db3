"""Arithmetic of real scalars: Arb on balls, IEEE 754's tables where an operand is a zero, an infinity or NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb, fmpz

from references.arbiter.functions import exp
from references.arbiter.special import (
    NAN,
    NZERO,
    PZERO,
    WIDE,
    Scalar,
    Special,
    Undecided,
    ball,
    by_table,
    classes,
    exactly_zero,
    negated,
    negative,
)


def _stuck(*operands: Scalar) -> Scalar | None:
    for x in operands:
        if isinstance(x, Undecided):
            return x
    return None


def _soft(*operands: Scalar) -> bool:
    return any(type(x) is Special and x.soft for x in operands)


def _class_of(operation: Any, x: Scalar, y: Scalar) -> Scalar | None:
    """Undecided, the table's special value, or None where a ball has to be computed."""
    return _stuck(x, y) or by_table(operation, classes(x), classes(y), soft=_soft(x, y))


def add(x: Scalar, y: Scalar) -> Scalar:
    """x + y; an exact zero by cancellation has no sign here (the graph gives +0 to that of stored numbers)."""
    if type(x) is arb and type(y) is arb:
        return x + y
    if type(x) is Special and x.finite and type(y) is arb and not y.is_zero():
        return y if not x.soft else y + ball(x)
    if type(y) is Special and y.finite and type(x) is arb and not x.is_zero():
        return x if not y.soft else x + ball(y)
    found = _class_of(np.add, x, y)
    return found if found is not None else ball(x) + ball(y)


def sub(x: Scalar, y: Scalar) -> Scalar:
    """x − y."""
    if type(x) is arb and type(y) is arb:
        return x - y
    return add(x, negated(y))


def mul(x: Scalar, y: Scalar) -> Scalar:
    """x · y."""
    if type(x) is arb and type(y) is arb:
        return x * y
    if (exactly_zero(x) and _soft(y)) or (exactly_zero(y) and _soft(x)):
        return by_table(np.copysign, (0.0,), _signs(x, y))  # a huge number is finite: times zero it is zero
    found = _class_of(np.multiply, x, y)
    return found if found is not None else ball(x) * ball(y)


def _signs(x: Scalar, y: Scalar) -> tuple[float, ...]:
    """The signs a product may have."""
    return tuple({float(np.copysign(1, a) * np.copysign(1, b)) for a in classes(x) for b in classes(y)})


def div(x: Scalar, y: Scalar) -> Scalar:
    """x / y; division by a zero gives an infinity, by a zero of unknown sign nothing."""
    if type(x) is arb and type(y) is arb and not y.is_zero():
        return x / y
    found = _class_of(np.divide, x, y)
    return found if found is not None else ball(x) / ball(y)


def power(x: Scalar, y: Scalar) -> Scalar:
    """x to the y, by C99 (F.9.4.4) on special values; the formula exp(y log x) elsewhere, signed for integer y."""
    if stuck := _stuck(x, y):
        return stuck
    if type(x) is not arb or type(y) is not arb or x.is_zero() or y.is_zero():
        found = by_table(np.power, _sizes(x), _exponents(y), soft=_soft(x, y))
        return found if found is not None else arb(1)
    if x < 0:
        if not y.is_exact():
            return WIDE
        if not y.is_integer():
            return NAN
        return power(-x, y) if _even(y) else negated(power(-x, y))
    if abs(y) < _LONG:
        return x**y
    return exp(y * x.log())


_LONG = arb(2) ** 60


def _even(y: Any) -> bool:
    mantissa, exponent = y.man_exp()
    return bool(exponent > 0 or int(mantissa) * 2 ** int(exponent) % 2 == 0)


def _sizes(x: Scalar) -> tuple[float, ...]:
    """Classes of a base: its sign and whether its magnitude is below, at or above 1."""
    if type(x) is Special or x.is_zero():
        return classes(x)
    size = abs(x)
    found = [value for value, holds in ((0.5, size < 1), (1.0, size == 1), (2.0, size > 1)) if holds]
    return tuple(sign * value for sign in classes(x) for value in (found or (0.5, 1.0, 2.0)))


def _exponents(y: Scalar) -> tuple[float, ...]:
    """Classes of an exponent: its sign and whether it is an odd integer, an even one or none."""
    if type(y) is Special or y.is_zero():
        return classes(y)
    if not y.is_exact():
        return tuple(sign * value for sign in classes(y) for value in (1.5, 2.0, 3.0))
    value = 1.5 if not y.is_integer() else (2.0 if _even(y) else 3.0)
    return tuple(sign * value for sign in classes(y))


def remainder(x: Scalar, y: Scalar) -> Scalar:
    """C's fmod: x − trunc(x/y)·y with the sign of x; exact, so `x` and `y` are exact balls."""
    if stuck := _stuck(x, y):
        return stuck
    if type(x) is not arb or type(y) is not arb or x.is_zero() or y.is_zero():
        found = by_table(np.fmod, classes(x), classes(y))
        return found if found is not None else x
    if not (x.is_exact() and y.is_exact()):
        return Undecided("a branch on an inexact intermediate (remainder)")
    rest = _exact_remainder(x, y)
    if rest == 0:
        return PZERO if x > 0 else NZERO
    return rest


def _exact_remainder(x: Any, y: Any) -> Any:
    (a, m), (b, n) = x.man_exp(), y.man_exp()
    low = min(int(m), int(n))
    over, under = abs(int(a)) << (int(m) - low), abs(int(b)) << (int(n) - low)
    rest = arb(fmpz(over % under)) * arb(2) ** low
    return rest if x > 0 else -rest


def absolute(x: Scalar) -> Scalar:
    """|x|."""
    if type(x) is arb:
        return abs(x)
    if type(x) is Special and (x.value < 0 or str(x.value)[0] == "-"):
        return negative(x)
    return x


def order(x: Scalar, y: Scalar) -> int | None:
    """-1, 0 or 1 for x <, =, > y; 2 where one is NaN; None where the balls do not tell."""
    if x is NAN or y is NAN:
        return 2
    if exactly_zero(x) and exactly_zero(y):
        return 0
    if type(x) is Special and type(y) is Special and x is y and not x.soft:
        return 0
    left, right = _comparable(x, y), _comparable(y, x)
    if left is None or right is None:
        return None
    if left < right:
        return -1
    if left > right:
        return 1
    return 0 if left == right else None


def _comparable(x: Scalar, other: Scalar) -> Any:
    """A ball or an infinite float for comparison with `other`."""
    if type(x) is arb:
        return x
    if type(x) is not Special or (x.soft and type(other) is Special and other.soft):
        return None
    if x.finite:
        return ball(x)
    return arb.pos_inf() if x.value > 0 else arb.neg_inf()


def sign(x: Scalar) -> Scalar:
    """−1, +0 or 1: the sign of ±0 is +0."""
    if type(x) is Special:
        return x if x is NAN else PZERO if exactly_zero(x) else arb(1 if not str(x.value).startswith("-") else -1)
    if isinstance(x, Undecided):
        return x
    if x.is_zero():
        return PZERO
    return arb(1) if x > 0 else arb(-1) if x < 0 else WIDE


def larger(x: Scalar, y: Scalar) -> Scalar:
    """The maximum; NaN passes. Of two zeros of different sign IEEE 754-2008 leaves the result open."""
    if type(x) is arb and type(y) is arb:
        return x.max(y)
    if stuck := _stuck(x, y):
        return stuck
    which = order(x, y)
    if which == 2:
        return NAN
    if which is None:
        return WIDE
    if which == 0 and x is not y:
        return arb(0)
    return x if which >= 0 else y


def smaller(x: Scalar, y: Scalar) -> Scalar:
    """The minimum, as the maximum of the negatives."""
    return negated(larger(negated(x), negated(y)))
