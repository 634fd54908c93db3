"""Complex scalars as pairs of real ones, and their arithmetic: exact formulas by parts, C99 Annex G at infinities."""

from __future__ import annotations

from typing import Any

from flint import acb, arb

from references.arbiter import real
from references.arbiter.functions import BEYOND, sqrt
from references.arbiter.special import (
    NAN,
    PINF,
    PZERO,
    ZERO,
    Convention,
    Scalar,
    Special,
    Undecided,
    ball,
    exactly_zero,
    finite,
    negated,
)


class Pair:
    """A complex scalar re + i·im; each part a real scalar, so that each zero keeps its sign."""

    __slots__ = ("im", "re")

    def __init__(self, re: Scalar, im: Scalar) -> None:
        """re + i·im."""
        self.re, self.im = re, im

    def __repr__(self) -> str:
        """Both parts."""
        return f"({self.re}, {self.im})"


def stuck(*values: Any) -> Undecided | None:
    """The first undecided operand or part."""
    for value in values:
        for part in (value.re, value.im) if type(value) is Pair else (value,):
            if isinstance(part, Undecided):
                return part
    return None


def enclosed(z: Pair) -> Any:
    """The `acb` of a finite pair."""
    return acb(ball(z.re), ball(z.im))


def both_finite(z: Pair) -> bool:
    """Whether neither part is infinite or NaN."""
    return finite(z.re) and finite(z.im)


def is_zero(z: Pair) -> bool:
    """Whether both parts are zeros."""
    return exactly_zero(z.re) and exactly_zero(z.im)


def infinite(x: Scalar) -> bool:
    """Whether a real scalar is an infinity (one never reached counts)."""
    return type(x) is Special and not x.finite and x is not NAN


def negate(z: Any) -> Any:
    """−z."""
    return Pair(negated(z.re), negated(z.im)) if type(z) is Pair else z


def conjugate(z: Any) -> Any:
    """re − i·im."""
    return Pair(z.re, negated(z.im)) if type(z) is Pair else z


def add(z: Any, w: Any) -> Any:
    """z + w."""
    return stuck(z, w) or Pair(real.add(z.re, w.re), real.add(z.im, w.im))


def sub(z: Any, w: Any) -> Any:
    """z − w."""
    return stuck(z, w) or Pair(real.sub(z.re, w.re), real.sub(z.im, w.im))


def mul(z: Any, w: Any) -> Any:
    """z · w; where an operand is infinite and the textbook formula gives NaN, Annex G (G.5.1) gives an infinity."""
    if found := stuck(z, w):
        return found
    plain = _textbook(z, w)
    if not (both_finite(z) and both_finite(w)):
        return _convention("product", plain, _annex_product(z, w, plain))
    return plain


def _textbook(z: Pair, w: Pair) -> Pair:
    return Pair(
        real.sub(real.mul(z.re, w.re), real.mul(z.im, w.im)),
        real.add(real.mul(z.re, w.im), real.mul(z.im, w.re)),
    )


def _convention(name: str, plain: Any, annex: Any) -> Any:
    if annex is None or _same(plain, annex):
        return plain
    return Convention(f"complex {name} at an infinity or a zero", {"C99 Annex G": annex, "the textbook formula": plain})


def _same(z: Pair, w: Pair) -> bool:
    return all(x is y or (type(x) is type(y) is arb and x == y) for x, y in ((z.re, w.re), (z.im, w.im)))


def _boxed(x: Scalar, *, one: bool) -> Scalar:
    """±1 for an infinity, ±0 for the rest: the example program of G.5.1."""
    positive = _sign_of(x) > 0
    size: Scalar = arb(1) if one and infinite(x) else PZERO
    return size if positive else negated(size)


def _sign_of(x: Scalar) -> int:
    if type(x) is Special:
        return -1 if str(x.value)[0] == "-" else 1
    return 1 if x > 0 else -1


def _cleared(x: Scalar) -> Scalar:
    """A NaN part as a zero of its sign (the arbiter's NaN has none)."""
    return PZERO if x is NAN else x


def _annex_product(z: Pair, w: Pair, plain: Pair) -> Pair | None:
    if not (plain.re is NAN and plain.im is NAN):
        return None
    if not any(map(infinite, (z.re, z.im, w.re, w.im))):
        return None
    for first, second in ((z, w), (w, z)):
        if infinite(first.re) or infinite(first.im):
            boxed = Pair(_boxed(first.re, one=True), _boxed(first.im, one=True))
            other = Pair(_cleared(second.re), _cleared(second.im))
            found = _textbook(boxed, other)
            return Pair(real.mul(PINF, found.re), real.mul(PINF, found.im))
    return None


def squared(z: Pair) -> Scalar:
    """re² + im²."""
    return real.add(real.mul(z.re, z.re), real.mul(z.im, z.im))


def div(z: Any, w: Any) -> Any:
    """z / w by (z · conj w)/|w|²; infinities and zero divisors by the example program of C99 G.5.1."""
    if found := stuck(z, w):
        return found
    if both_finite(z) and both_finite(w) and not is_zero(w):
        return _quotient(z, w)
    if any(type(part) is Special and part.soft for part in (z.re, z.im, w.re, w.im)):
        return BEYOND
    return _convention("quotient", _quotient(z, w), _annex_quotient(z, w))


def _quotient(z: Pair, w: Pair) -> Pair:
    size, turned = squared(w), _textbook(z, conjugate(w))
    return Pair(real.div(turned.re, size), real.div(turned.im, size))


def _annex_quotient(z: Pair, w: Pair) -> Pair | None:
    if is_zero(w) and not (z.re is NAN and z.im is NAN):
        endless = PINF if _sign_of(w.re) > 0 else negated(PINF)
        return Pair(real.mul(endless, z.re), real.mul(endless, z.im))
    if (infinite(z.re) or infinite(z.im)) and both_finite(w):
        boxed = Pair(_boxed(z.re, one=True), _boxed(z.im, one=True))
        found = _textbook(boxed, conjugate(w))
        return Pair(real.mul(PINF, found.re), real.mul(PINF, found.im))
    if (infinite(w.re) or infinite(w.im)) and both_finite(z):
        boxed = Pair(_boxed(w.re, one=True), _boxed(w.im, one=True))
        found = _textbook(z, conjugate(boxed))
        return Pair(real.mul(PZERO, found.re), real.mul(PZERO, found.im))
    return None


def modulus(z: Any) -> Scalar:
    """|z|: infinite if either part is, whatever the other (C99 G.6 and hypot)."""
    if found := stuck(z):
        return found
    if infinite(z.re) or infinite(z.im):
        return PINF
    if exactly_zero(z.re):
        return real.absolute(z.im) if not exactly_zero(z.im) else PZERO
    return real.absolute(z.re) if exactly_zero(z.im) else sqrt(squared(z))


def direction(z: Any) -> Any:
    """z/|z|, and 0 at 0."""
    if found := stuck(z):
        return found
    if is_zero(z):
        return Pair(ZERO, ZERO)
    if not both_finite(z):
        return Pair(NAN, NAN) if NAN in (z.re, z.im) else Undecided("the direction of an infinity")
    size = modulus(z)
    return Pair(real.div(z.re, size), real.div(z.im, size))


def equal(z: Any, w: Any) -> bool | None:
    """Whether both parts agree; None where the balls do not tell."""
    parts = (real.order(z.re, w.re), real.order(z.im, w.im))
    if any(part in (-1, 1, 2) for part in parts):
        return False
    return None if None in parts else True
