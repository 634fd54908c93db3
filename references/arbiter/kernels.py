"""What one element of an operation is: for reals, pairs, integers and bools, with and without directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flint import acb, arb

from references.arbiter import cfunctions, cplx, real
from references.arbiter import functions as f
from references.arbiter.cplx import Pair
from references.arbiter.jet import NOT_SMOOTH, Jet, conjugated, product, summed, through, value
from references.arbiter.series import SERIES
from references.arbiter.special import NAN, ONE, PZERO, Scalar, Undecided, ball, exactly_zero, finite, negated

Operation = Callable[..., Any]
BRANCH = Undecided("a branch on an inexact intermediate")
REAL: dict[str, Operation] = {name: getattr(f, name) for name in SERIES if name != "inverse"}
COMPLEX: dict[str, Operation] = {name: getattr(cfunctions, name) for name in SERIES if hasattr(cfunctions, name)}
ARITHMETIC: dict[str, tuple[Operation, Operation]] = {
    "add": (real.add, cplx.add),
    "sub": (real.sub, cplx.sub),
    "mul": (real.mul, cplx.mul),
    "div": (real.div, cplx.div),
    "pow": (real.power, cfunctions.power),
}


def function(name: str, *, pairs: bool) -> tuple[Operation, Operation]:
    """The named function of one variable, and the same with directions."""
    plain = (COMPLEX if pairs else REAL)[name]
    expand = SERIES[name]

    def jets(x: Any) -> Any:
        return through(expand, x, plain(x.a)) if type(x) is Jet else plain(x)

    return plain, jets


def arithmetic(name: str, *, pairs: bool) -> tuple[Operation, Operation]:
    """add, sub, mul, div or pow, and the same with directions."""
    plain = ARITHMETIC[name][pairs]
    spread = {"add": _add, "sub": _sub, "mul": product, "div": _divide, "pow": _power}[name]

    def jets(x: Any, y: Any) -> Any:
        if type(x) is not Jet and type(y) is not Jet:
            return plain(x, y)
        a = plain(value(x), value(y))
        return a if isinstance(a, Undecided) else spread(x, y, a)

    return plain, jets


def of_stored(plain: Operation) -> Operation:
    """add or sub of two stored numbers: an exact zero by cancellation is +0 (IEEE 754, 6.3)."""

    def applied(x: Any, y: Any) -> Any:
        found = plain(x, y)
        if type(found) is Pair:
            return Pair(_positive(found.re), _positive(found.im))
        return _positive(found)

    return applied


def _positive(x: Scalar) -> Scalar:
    return PZERO if type(x) is arb and x.is_zero() else x


def negate(x: Any) -> Any:
    """−x of a real, a pair, or either with directions."""
    if type(x) is Jet:
        return x.each(lambda c: -c, negate(x.a))
    return cplx.negate(x) if type(x) is Pair else negated(x)


def conjugate(x: Any) -> Any:
    """The complex conjugate; reals stay."""
    if type(x) is Jet:
        return x.each(conjugated, cplx.conjugate(x.a))
    return cplx.conjugate(x)


def real_part(x: Any) -> Any:
    """The real part of a pair."""
    if type(x) is Jet:
        return x.each(lambda c: c.real, real_part(x.a))
    return x.re if type(x) is Pair else x


def imaginary_part(x: Any) -> Any:
    """The imaginary part of a pair."""
    if type(x) is Jet:
        return x.each(lambda c: c.imag, imaginary_part(x.a))
    return x.im if type(x) is Pair else x


def paired(x: Any) -> Any:
    """A real as a pair with imaginary part +0."""
    if type(x) is Jet:
        return x.each(acb, paired(x.a))
    return x if isinstance(x, Undecided) else Pair(x, PZERO)


def joined(re: Any, im: Any) -> Any:
    """re + i·im of two reals."""
    turned = paired(im)
    side = turned.each(lambda c: c * acb(0, 1), None) if type(turned) is Jet else turned
    a = _joined(value(re), value(im))
    return summed([paired(re), side], a) if Jet in (type(re), type(im)) else a


def _joined(re: Scalar, im: Scalar) -> Any:
    return cplx.stuck(re, im) or Pair(re, im)


def _add(x: Any, y: Any, a: Scalar) -> Any:
    return summed([x, y], a)


def _sub(x: Any, y: Any, a: Scalar) -> Any:
    return summed([x, y.each(lambda c: -c, None) if type(y) is Jet else y], a)


def _one_like(x: Any) -> Any:
    return Pair(ONE, PZERO) if type(value(x)) is Pair else ONE


def _inverse(y: Any) -> Any:
    one = _one_like(y)
    inverse = (cplx.div if type(one) is Pair else real.div)(one, value(y))
    return through(SERIES["inverse"], y, inverse) if type(y) is Jet else inverse


def _divide(x: Any, y: Any, a: Scalar) -> Any:
    inverse = _inverse(y)
    return inverse if isinstance(inverse, Undecided) else product(x, inverse, a)


def _power(x: Any, y: Any, a: Scalar) -> Any:
    """x to a constant power by its series in x (a complex one only if whole); else exp(y log x)."""
    if type(y) is not Jet:
        exponent = _constant(y)
        if type(exponent) is arb or _whole(exponent) is not None:
            return through(lambda z: _series_power(z, exponent), x, a)
    logarithm = function("log", pairs=type(value(x)) is Pair)[1](x)
    if isinstance(logarithm, Undecided):
        return logarithm
    raised = product(y, logarithm, _times(value(y), value(logarithm)))
    return through(SERIES["exp"], raised, a) if type(raised) is Jet else raised


def _times(x: Any, y: Any) -> Any:
    return (cplx.mul if type(x) is Pair else real.mul)(x, y)


def _constant(y: Any) -> Any:
    if type(y) is Pair:
        return cplx.enclosed(y) if cplx.both_finite(y) else arb("nan")
    return ball(y) if finite(y) else arb("nan")


def _series_power(z: Any, exponent: Any) -> Any:
    power = _whole(exponent)
    if power is not None:
        return z**power if power >= 0 else (1 / z) ** -power
    return (z.log() * exponent).exp()


def _whole(exponent: Any) -> int | None:
    """An exponent that is a small whole number."""
    whole = exponent.real if type(exponent) is acb and exponent.imag.is_zero() else exponent
    return int(float(whole)) if type(whole) is arb and whole.is_integer() and abs(whole) <= 2**20 else None


def maximum(order: int | None, x: Any, y: Any) -> Any:
    """The larger with its directions; where they are equal the derivative is not defined."""
    return _chosen(order, x, y, larger=True)


def minimum(order: int | None, x: Any, y: Any) -> Any:
    """The smaller with its directions."""
    return _chosen(order, x, y, larger=False)


def _chosen(order: int | None, x: Any, y: Any, *, larger: bool) -> Any:
    if order == 2:
        return NAN
    if order == 0:
        return NOT_SMOOTH if Jet in (type(x), type(y)) else (real.larger if larger else real.smaller)(x, y)
    if order is None:
        return next((u for u in (value(x), value(y)) if isinstance(u, Undecided)), BRANCH)
    return x if (order > 0) == larger else y


def magnitude(order: int | None, x: Any, _zero: Any) -> Any:
    """|x| of a real with directions."""
    if type(x) is not Jet:
        return real.absolute(x)
    if order in (0, 2):
        return NOT_SMOOTH
    return BRANCH if order is None else x if order > 0 else negate(x)


def pair_magnitude(x: Any) -> Any:
    """|z| = √(re² + im²), with directions; at 0 the derivative is not defined."""
    if type(x) is not Jet:
        return cplx.modulus(x)
    size = cplx.modulus(x.a)
    if isinstance(size, Undecided) or exactly_zero(size):
        return size if isinstance(size, Undecided) else NOT_SMOOTH
    mul = arithmetic("mul", pairs=False)[1]
    parts = [mul(part, part) for part in (real_part(x), imaginary_part(x))]
    square = summed(parts, real.mul(size, size))
    return through(SERIES["sqrt"], square, size)


def pair_direction(x: Any) -> Any:
    """z/|z| with directions."""
    if type(x) is not Jet:
        return cplx.direction(x)
    size = pair_magnitude(x)
    return size if isinstance(size, Undecided) else _divide(x, paired(size), cplx.direction(x.a))


def signum(order: int | None, x: Any, _zero: Any) -> Any:
    """−1, +0, 1; NaN passes."""
    if order is None:
        return value(x) if isinstance(value(x), Undecided) else BRANCH
    if order == 2:
        return NAN
    return PZERO if order == 0 else arb(order)


COMPARISONS: dict[str, Callable[[int], bool]] = {
    "eq": lambda order: order == 0,
    "lt": lambda order: order == -1,
    "le": lambda order: order in (-1, 0),
    "gt": lambda order: order == 1,
    "ge": lambda order: order in (0, 1),
}


def comparison(direction: str) -> Operation:
    """A bool from an order; with NaN everything is false."""
    holds = COMPARISONS[direction]

    def applied(order: int | None, x: Any, y: Any) -> Any:
        if order is None:
            return next((u for u in (value(x), value(y)) if isinstance(u, Undecided)), BRANCH)
        return order != 2 and holds(order)

    return applied


def first_undecided(values: Sequence[Any]) -> Undecided | None:
    """Of several scalars."""
    return next((x for x in values if isinstance(x, Undecided)), None)
