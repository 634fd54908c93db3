"""Complex functions: formulas by parts where both parts are finite, C99 Annex G (G.6) where one is not.

Each formula is written so that signed zeros pass through it as Annex G has them (f(conj z) = conj f(z), the side of a
branch cut by the sign of a zero part), and so that a huge part does not become infinity over infinity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb

from references.arbiter import annex_g, real
from references.arbiter import functions as f
from references.arbiter.cplx import Pair, both_finite, div, enclosed, is_zero, modulus, mul, squared, stuck
from references.arbiter.special import (
    NINF,
    ONE,
    PZERO,
    ZERO,
    Scalar,
    Special,
    Undecided,
    ball,
    exactly_zero,
    negated,
)

Formula = Callable[[Scalar, Scalar], Pair | Undecided]


def _function(formula: Formula, table: Callable[[Pair], Any]) -> Callable[[Any], Any]:
    def applied(z: Any) -> Any:
        if found := stuck(z):
            return found
        result = formula(z.re, z.im) if both_finite(z) else table(z)
        return stuck(result) or result

    return applied


def _turned(size: Scalar, y: Scalar) -> Pair:
    """size · (cos y + i sin y)."""
    return Pair(real.mul(size, f.cos(y)), real.mul(size, f.sin(y)))


def _exp(x: Scalar, y: Scalar) -> Pair:
    return _turned(f.exp(x), y)


def _expm1(x: Scalar, y: Scalar) -> Pair:
    """(expm1(x) cos y − 2 sin²(y/2), eˣ sin y)."""
    half = f.sin(real.mul(y, f.HALF))
    lost = real.mul(arb(2), real.mul(half, half))
    return Pair(real.sub(real.mul(f.expm1(x), f.cos(y)), lost), real.mul(f.exp(x), f.sin(y)))


def _sin(x: Scalar, y: Scalar) -> Pair:
    return Pair(real.mul(f.sin(x), f.cosh(y)), real.mul(f.cos(x), f.sinh(y)))


def _cos(x: Scalar, y: Scalar) -> Pair:
    return Pair(real.mul(f.cos(x), f.cosh(y)), negated(real.mul(f.sin(x), f.sinh(y))))


def _tanh(x: Scalar, y: Scalar) -> Pair:
    """With u = tanh x, v = tan y: (u(1 + v²) + i v sech² x) / (1 + u²v²)."""
    u, v = f.tanh(x), f.tan(y)
    below = real.add(ONE, real.mul(real.mul(u, u), real.mul(v, v)))
    above = real.mul(u, real.add(ONE, real.mul(v, v)))
    return Pair(real.div(above, below), real.div(real.mul(v, f.sech2(x)), below))


def angle(y: Scalar, x: Scalar) -> Scalar:
    """atan2: on the negative real axis the sign of a zero says which side of the cut."""
    if not exactly_zero(y):
        return arb.atan2(ball(y), ball(x))
    if exactly_zero(x) and type(x) is not Special:
        return Undecided("the sign of a zero chooses the side of a branch cut")
    if (x > 0) if type(x) is arb else x is PZERO:
        return y
    if type(y) is not Special:
        return Undecided("the sign of a zero chooses the side of a branch cut")
    return arb.pi() if y is PZERO else -arb.pi()


def _log_of_squared(size: Scalar) -> Scalar:
    if exactly_zero(size):
        return NINF
    if size == ONE:
        return PZERO
    return real.mul(f.log(size), f.HALF)


def _log(x: Scalar, y: Scalar) -> Pair:
    return Pair(_log_of_squared(squared(Pair(x, y))), angle(y, x))


def _log1p(x: Scalar, y: Scalar) -> Pair:
    """(log1p(x(x + 2) + y²)/2, atan2(y, 1 + x))."""
    if exactly_zero(x) and exactly_zero(y):
        return Pair(x if x is PZERO else ZERO, y)
    grown = real.add(real.mul(x, real.add(x, arb(2))), real.mul(y, y))
    return Pair(real.mul(f.log1p(grown), f.HALF), angle(y, real.add(ONE, x)))


def _sqrt(x: Scalar, y: Scalar) -> Pair | Undecided:
    if exactly_zero(x) and exactly_zero(y):
        return Pair(PZERO, y)
    if exactly_zero(y):
        return _sqrt_on_axis(x, y)
    root = enclosed(Pair(x, y)).sqrt()
    return Pair(root.real, root.imag)


def _sqrt_on_axis(x: Any, y: Scalar) -> Pair | Undecided:
    root = f.sqrt(abs(x))
    if x > 0:
        return Pair(root, y)
    if type(y) is not Special:
        return Undecided("the sign of a zero chooses the side of a branch cut")
    return Pair(PZERO, root if y is PZERO else negated(root))


def _rsqrt(x: Scalar, y: Scalar) -> Pair | Undecided:
    """conj(√z)/|z|."""
    root = _sqrt(x, y)
    if isinstance(root, Undecided) or is_zero(root):
        return Undecided("1/sqrt at 0 has no direction")
    size = modulus(Pair(x, y))
    return Pair(real.div(root.re, size), negated(real.div(root.im, size)))


exp = _function(_exp, annex_g.exp)
expm1 = _function(_expm1, annex_g.none("expm1"))
sin = _function(_sin, annex_g.sin)
cos = _function(_cos, annex_g.cos)
tanh = _function(_tanh, annex_g.tanh)
log = _function(_log, annex_g.log)
log1p = _function(_log1p, annex_g.none("log1p"))
sqrt = _function(_sqrt, annex_g.sqrt)
rsqrt = _function(_rsqrt, annex_g.none("rsqrt"))
SMALL = 64


def power(z: Any, w: Any) -> Any:
    """exp(w log z); whole exponents up to 64 by multiplication, so that exact results are exact."""
    if found := stuck(z, w):
        return found
    if not (both_finite(z) and both_finite(w)):
        return Undecided("a complex power of an infinity or NaN")
    if is_zero(w):
        return Pair(ONE, PZERO)
    if is_zero(z):
        return Pair(ZERO, ZERO) if real.order(w.re, ZERO) == 1 else Undecided("a complex power of 0")
    if (whole := _whole(w)) is not None:
        return _repeated(z, whole)
    return exp(mul(w, log(z)))


def _whole(w: Pair) -> int | None:
    exponent = w.re
    if not exactly_zero(w.im) or type(exponent) is not arb or not exponent.is_integer() or abs(exponent) > SMALL:
        return None
    return int(float(exponent))


def _repeated(z: Pair, exponent: int) -> Any:
    bare = Pair(ball(z.re), ball(z.im))
    result, base = Pair(ONE, ZERO), bare if exponent > 0 else div(Pair(ONE, ZERO), bare)
    for _ in range(abs(exponent)):
        result = mul(result, base)
    return result
