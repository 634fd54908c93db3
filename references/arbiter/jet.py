"""Truncated power series in one direction t and many directions s_i, where t² = 0 and s_i s_j = 0.

A program run over x + t·v + Σ s_i e_i has the directional derivative as the coefficient of t, the column ∂/∂x_i as that
of s_i, and the derivative of that column along v as that of t·s_i. A function's own coefficients are those of Arb's
power series at the point: no derivative rule is written down anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from flint import acb, acb_series, arb, arb_series

from references.arbiter.cplx import Pair, enclosed
from references.arbiter.special import NZERO, Scalar, Special, Undecided, ball, exactly_zero, finite

Coefficients = dict[int, Any]
NOT_FINITE = Undecided("a derivative at an infinity or NaN")
CUT = Undecided("the sign of a zero chooses the side of a branch cut")
NOT_SMOOTH = Undecided("a non-smooth point of a derivative")
ZERO = arb(0)
_FIRST = 1


class Jet:
    """a + t·dt + Σ s_i·ds[i] + Σ t s_i·dts[i]; `a` a scalar, the coefficients balls (`acb` of a complex scalar)."""

    __slots__ = ("a", "ds", "dt", "dts")

    def __init__(self, a: Scalar, dt: Any, ds: Coefficients, dts: Coefficients) -> None:
        """A value and its coefficients; dt None is 0."""
        self.a, self.dt, self.ds, self.dts = a, dt, ds, dts

    def each(self, change: Callable[[Any], Any], a: Scalar) -> Jet:
        """The jet with `change`, a linear map, done to every coefficient, and `a` in place of its value."""
        dt = None if self.dt is None else change(self.dt)
        return Jet(a, dt, {i: change(c) for i, c in self.ds.items()}, {i: change(c) for i, c in self.dts.items()})


def value(x: Any) -> Scalar:
    """The scalar without its directions."""
    return x.a if type(x) is Jet else x


def centre(x: Scalar) -> Any:
    """The ball (`arb` or `acb`) at which a series starts; None at an infinity or NaN."""
    if type(x) is Pair:
        return enclosed(x) if finite(x.re) and finite(x.im) else None
    return ball(x) if finite(x) else None


def series(function: Callable[[Any], Any], at: Any) -> tuple[Any, Any]:
    """First and second coefficient of function(at + z)."""
    kind = acb_series if type(at) is acb else arb_series
    found = function(kind([at, _FIRST], prec=3))
    return found[1], found[2]


def through(function: Callable[[Any], Any], x: Jet, a: Scalar) -> Any:
    """function(x), its value `a` known, its coefficients those of the series of `function` at x.a.

    A complex function has f(conj z) = conj f(z): on the real axis the sign of the zero says from which side it is seen.
    """
    if isinstance(a, Undecided):
        return a
    at = centre(x.a)
    if at is None:
        return NOT_FINITE
    first, second = series(function, at)
    if type(x.a) is Pair and exactly_zero(x.a.im):
        if type(x.a.im) is not Special and not at.real > 0:
            return CUT
        if x.a.im is NZERO:  # the lower side of a branch cut; off it both are the same
            first, second = conjugated(first), conjugated(second)
    if not (first.is_finite() and second.is_finite()) and at.is_exact():
        return NOT_SMOOTH
    return composed(x, a, first, second)


def conjugated(c: Any) -> Any:
    """The conjugate of a coefficient."""
    return acb(c.real, -c.imag) if type(c) is acb else c


def composed(x: Jet, a: Scalar, first: Any, second: Any) -> Jet:
    """a + first·δ + second·δ² for x = x.a + δ."""
    dt = None if x.dt is None else first * x.dt
    dts = {i: first * c for i, c in x.dts.items()}
    if x.dt is not None:
        twice = 2 * second * x.dt
        for i, c in x.ds.items():
            dts[i] = dts[i] + twice * c if i in dts else twice * c
    return Jet(a, dt, {i: first * c for i, c in x.ds.items()}, dts)


def summed(terms: Iterable[Any], a: Scalar) -> Any:
    """The sum of jets and scalars, its value `a` known."""
    dt, ds, dts = None, dict[int, Any](), dict[int, Any]()
    for x in terms:
        if type(x) is Jet:
            dt = x.dt if dt is None else dt if x.dt is None else dt + x.dt
            _gather(ds, x.ds)
            _gather(dts, x.dts)
    return Jet(a, dt, ds, dts)


def _gather(into: Coefficients, more: Coefficients) -> None:
    for i, c in more.items():
        into[i] = into[i] + c if i in into else c


def product(x: Any, y: Any, a: Scalar) -> Any:
    """x·y, its value `a` known; at a zero times an infinity there is no derivative."""
    if isinstance(a, Undecided):
        return a
    left, right = centre(value(x)), centre(value(y))
    if left is None or right is None:
        return NOT_FINITE
    parts = []
    if type(x) is Jet:
        parts.append(x.each(lambda c: c * right, a))
    if type(y) is Jet:
        parts.append(y.each(lambda c: left * c, a))
    if len(parts) == 2 and (x.dt is not None or y.dt is not None):
        parts.append(_crossed(x, y))
    return summed(parts, a)


def _crossed(x: Jet, y: Jet) -> Jet:
    """t s_i from t of one factor and s_i of the other."""
    dts: Coefficients = {}
    for one, other in ((x, y), (y, x)):
        if one.dt is not None:
            _gather(dts, {i: one.dt * c for i, c in other.ds.items()})
    return Jet(None, None, {}, dts)
