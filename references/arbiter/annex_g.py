"""C99 Annex G (G.6): complex functions at infinities and NaN. What the standard leaves open is undecided.

Every table is written for the upper right of its symmetry and carried to the rest by f(conj z) = conj f(z) and, where
it holds, f(−z) = ±f(z). Parts are real scalars; `Any` marks a part whose value or sign the standard leaves open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb

from references.arbiter import functions as f
from references.arbiter import real
from references.arbiter.cplx import Pair, infinite
from references.arbiter.special import (
    NAN,
    ONE,
    PINF,
    PZERO,
    ZERO,
    Scalar,
    Special,
    Undecided,
    exactly_zero,
    finite,
    negated,
)

OPEN = Undecided("C99 Annex G leaves it open")
CORRECTED = Undecided("C99 and its correction (DR 471) differ")


def none(name: str) -> Callable[[Pair], Any]:
    """For functions no standard defines at infinities."""
    return lambda z: (
        Pair(NAN, NAN) if z.re is NAN and z.im is NAN else Undecided(f"complex {name} at an infinity or NaN")
    )


def _negative(x: Scalar) -> bool:
    return str(x.value).startswith("-") if type(x) is Special else bool(x < 0)


def _soft(z: Pair) -> bool:
    return any(type(part) is Special and part.soft for part in (z.re, z.im))


def _mirrored(table: Callable[[Scalar, Scalar], Any]) -> Callable[[Pair], Any]:
    """A table of z with im ≥ 0, carried to im < 0 by conjugation."""

    def applied(z: Pair) -> Any:
        if _soft(z):
            return f.BEYOND
        if z.im is NAN or not _negative(z.im):
            return table(z.re, z.im)
        found = table(z.re, negated(z.im))
        return Pair(found.re, negated(found.im)) if type(found) is Pair else found

    return applied


def _exp(x: Scalar, y: Scalar) -> Any:
    """G.6.3.1."""
    if finite(x):
        return Pair(NAN, NAN)
    if x is NAN:
        return Pair(NAN, y) if exactly_zero(y) else Pair(NAN, NAN)
    if _negative(x):
        return Pair(ZERO, ZERO) if not finite(y) else _directed(PZERO, y)
    if exactly_zero(y):
        return Pair(PINF, y)
    return Pair(OPEN, NAN) if not finite(y) else _directed(PINF, y)


def _directed(size: Special, y: Scalar) -> Pair:
    return Pair(real.mul(size, f.cos(y)), real.mul(size, f.sin(y)))


def _log(x: Scalar, y: Scalar) -> Any:
    """G.6.3.2."""
    if infinite(y):
        return Pair(PINF, NAN if x is NAN else _angle_to_infinity(x))
    if infinite(x):
        return Pair(PINF, NAN if y is NAN else arb.pi() if _negative(x) else PZERO)
    return Pair(NAN, NAN)


def _angle_to_infinity(x: Scalar) -> Scalar:
    """atan2(+inf, x)."""
    if not infinite(x):
        return arb.pi() / 2
    return 3 * arb.pi() / 4 if _negative(x) else arb.pi() / 4


def _sqrt(x: Scalar, y: Scalar) -> Any:
    """G.6.4.2."""
    if infinite(y):
        return Pair(PINF, PINF)
    if infinite(x) and _negative(x):
        return Pair(NAN, OPEN) if y is NAN else Pair(PZERO, PINF)
    if infinite(x):
        return Pair(PINF, NAN if y is NAN else PZERO)
    return Pair(NAN, NAN)


def _sinh(x: Scalar, y: Scalar) -> Any:
    """G.6.2.5, x ≥ 0."""
    if exactly_zero(x):
        return Pair(ZERO, NAN)
    if finite(x):
        return Pair(NAN, NAN)
    if x is NAN:
        return Pair(NAN, y) if exactly_zero(y) else Pair(NAN, NAN)
    if exactly_zero(y):
        return Pair(PINF, y)
    return Pair(OPEN, NAN) if not finite(y) else _directed(PINF, y)


def _cosh(x: Scalar, y: Scalar) -> Any:
    """G.6.2.4, x ≥ 0."""
    if exactly_zero(x):
        return Pair(NAN, ZERO)
    if finite(x):
        return Pair(NAN, NAN)
    if x is NAN:
        return Pair(NAN, ZERO) if exactly_zero(y) else Pair(NAN, NAN)
    if exactly_zero(y):
        return Pair(PINF, y)
    if y is NAN:
        return Pair(PINF, NAN)
    return Pair(OPEN, NAN) if infinite(y) else _directed(PINF, y)


def _tanh(x: Scalar, y: Scalar) -> Any:
    """G.6.2.6, x ≥ 0."""
    if infinite(x):
        return Pair(ONE, real.mul(PZERO, f.sin(real.mul(arb(2), y))) if finite(y) else ZERO)
    if x is NAN:
        return Pair(NAN, y) if exactly_zero(y) else Pair(NAN, NAN)
    return CORRECTED if exactly_zero(x) else Pair(NAN, NAN)


def _reflected(table: Callable[[Scalar, Scalar], Any], *, odd: bool) -> Callable[[Pair], Any]:
    """A table of x ≥ 0, y ≥ 0 carried to the plane by f(conj z) = conj f(z) and f(−z) = ±f(z)."""
    upper = _mirrored(table)

    def applied(z: Pair) -> Any:
        if z.re is NAN or not _negative(z.re):
            return upper(z)
        found = upper(Pair(negated(z.re), negated(z.im)))
        if not odd or type(found) is not Pair:
            return found
        return Pair(negated(found.re), negated(found.im))

    return applied


exp = _mirrored(_exp)
log = _mirrored(_log)
sqrt = _mirrored(_sqrt)
tanh = _reflected(_tanh, odd=True)
_csinh = _reflected(_sinh, odd=True)
_ccosh = _reflected(_cosh, odd=False)


def sin(z: Pair) -> Any:
    """sin z = −i sinh(iz)."""
    found = _csinh(Pair(negated(z.im), z.re))
    return Pair(found.im, negated(found.re)) if type(found) is Pair else found


def cos(z: Pair) -> Any:
    """cos z = cosh(iz)."""
    return _ccosh(Pair(negated(z.im), z.re))
