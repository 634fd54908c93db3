"""Real functions of one variable: Arb on balls, IEEE 754 and C99 (F.9) on special values, domains checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from references.arbiter.special import (
    HUGE,
    NAN,
    NHUGE,
    NINF,
    NTINY,
    NZERO,
    ONE,
    PINF,
    PZERO,
    SIGN_OF_ZERO,
    TINY,
    ZERO,
    Convention,
    Scalar,
    Special,
    Undecided,
)

Function = Callable[[Scalar], Scalar]
FAR = arb(2) ** 60
"""Beyond it exp(x) leaves the exponents the arbiter follows: the result is huge or tiny, its sign known."""
GONE = arb(2) ** 10
"""Beyond it erfc(x) < exp(−x²) is below every format, and Arb's enclosure of it meets 0."""
NEGLIGIBLE = arb(0, arb(2) ** -(2**40))
MINUS_ONE = arb(-1)
HALF = arb(1) / 2
BEYOND = Undecided("beyond the exponents the arbiter follows")
_PLAIN = {HUGE: PINF, NHUGE: NINF, TINY: PZERO, NTINY: NZERO}
_REACHED_SOFTLY = {PINF: HUGE, NINF: NHUGE, PZERO: TINY, NZERO: NTINY}


def _function(balls: Function, plus: Scalar, minus: Scalar, zero: Scalar, negzero: Scalar, *, soft: bool) -> Function:
    """A function from its formula on balls and its values at +inf, −inf, +0 and −0 (None at 0: by the formula).

    soft: huge and tiny arguments may take the limit. A formula that leaves a function's domain returns NaN itself.
    """
    table: dict[Special, Scalar] = {NAN: NAN, PINF: plus, NINF: minus, PZERO: zero, NZERO: negzero}
    at_zero = _shared(zero, negzero)

    def applied(x: Scalar) -> Scalar:
        if type(x) is arb:
            return balls(x) if at_zero is None or not x.is_zero() else at_zero
        if type(x) is not Special:
            return x
        if x.soft:
            return _softly(table[_PLAIN[x]]) if soft else BEYOND
        found = table[x]
        return balls(ZERO) if found is None else found

    return applied


def _shared(plus: Scalar, minus: Scalar) -> Scalar:
    """The value at a zero of unknown sign."""
    if plus is minus:
        return plus
    return ZERO if plus.zero and minus.zero else SIGN_OF_ZERO


def _softly(limit: Scalar) -> Scalar:
    """A limit that is approached and not reached."""
    if type(limit) is Special:
        return _REACHED_SOFTLY.get(limit, BEYOND)
    return limit + NEGLIGIBLE if type(limit) is arb else BEYOND


def _exp(x: Any) -> Scalar:
    return HUGE if x > FAR else TINY if x < -FAR else x.exp()


def _expm1(x: Any) -> Scalar:
    return HUGE if x > FAR else x.expm1()


def _log(x: Any) -> Scalar:
    return NAN if x < 0 else x.log()


def _log1p(x: Any) -> Scalar:
    return NAN if x < -1 else NINF if x == MINUS_ONE else x.log1p()


def _sqrt(x: Any) -> Scalar:
    return NAN if x < 0 else x.sqrt()


def _rsqrt(x: Any) -> Scalar:
    return NAN if x < 0 else x.rsqrt()


def _sinh(x: Any) -> Scalar:
    return HUGE if x > FAR else NHUGE if x < -FAR else x.sinh()


def _cosh(x: Any) -> Scalar:
    return HUGE if abs(x) > FAR else x.cosh()


def _sech2(x: Any) -> Scalar:
    return TINY if abs(x) > FAR else x.sech() ** 2


def _sigmoid(x: Any) -> Scalar:
    """1/(1 + exp(−x)), written for each tail without losing it."""
    grown = _exp(-abs(x))
    if grown is TINY:
        return 1 + NEGLIGIBLE if x > 0 else TINY
    return 1 / (1 + grown) if x > 0 else x.exp() / (1 + x.exp())


def _gated(x: Any, gate: Scalar) -> Scalar:
    return NTINY if gate is TINY else x * gate


def _silu(x: Any) -> Scalar:
    return _gated(x, _sigmoid(x))


def _softplus(x: Any) -> Scalar:
    """log(1 + exp x) = max(x, 0) + log1p(exp(−|x|))."""
    grown = _exp(-abs(x))
    if grown is TINY:
        return x + NEGLIGIBLE if x > 0 else TINY
    return x + grown.log1p() if x > 0 else x.exp().log1p()


def _gelu(x: Any) -> Scalar:
    """x/2 · erfc(−x/√2): no cancellation in the left tail."""
    inner = -x / arb(2).sqrt()
    return _gated(x, TINY if inner > GONE else inner.erfc() / 2)


def gelu_inner(x: Any) -> Any:
    """2√(2/π) (x + 0.044715 x³), whose sigmoid is the gate of gelu's tanh form: (1 + tanh u)/2 = sigmoid(2u)."""
    return 2 * (2 / arb.pi()).sqrt() * (x + arb(fmpq(44715, 1_000_000)) * x**3)


def _gelu_tanh(x: Any) -> Scalar:
    return _gated(x, _sigmoid(gelu_inner(x)))


def _at_minus_infinity(name: str) -> Convention:
    return Convention(f"{name} at -inf", {"the limit": NZERO, "the formula (-inf times 0)": NAN})


exp = _function(_exp, PINF, PZERO, ONE, ONE, soft=True)
expm1 = _function(_expm1, PINF, MINUS_ONE, PZERO, NZERO, soft=True)
log = _function(_log, PINF, NAN, NINF, NINF, soft=False)
log1p = _function(_log1p, PINF, NAN, PZERO, NZERO, soft=False)
sin = _function(lambda x: x.sin(), NAN, NAN, PZERO, NZERO, soft=False)
cos = _function(lambda x: x.cos(), NAN, NAN, ONE, ONE, soft=False)
tan = _function(lambda x: x.tan(), NAN, NAN, PZERO, NZERO, soft=False)
sinh = _function(_sinh, PINF, NINF, PZERO, NZERO, soft=True)
cosh = _function(_cosh, PINF, PINF, ONE, ONE, soft=True)
sech2 = _function(_sech2, PZERO, PZERO, ONE, ONE, soft=True)
tanh = _function(lambda x: x.tanh(), ONE, MINUS_ONE, PZERO, NZERO, soft=True)
sqrt = _function(_sqrt, PINF, NAN, PZERO, NZERO, soft=False)
rsqrt = _function(_rsqrt, PZERO, NAN, PINF, NINF, soft=False)
erf = _function(lambda x: x.erf(), ONE, MINUS_ONE, PZERO, NZERO, soft=True)
sigmoid = _function(_sigmoid, ONE, PZERO, HALF, HALF, soft=True)
silu = _function(_silu, PINF, _at_minus_infinity("silu"), PZERO, NZERO, soft=True)
softplus = _function(_softplus, PINF, PZERO, None, None, soft=True)
gelu = _function(_gelu, PINF, _at_minus_infinity("gelu"), PZERO, NZERO, soft=True)
gelu_tanh = _function(_gelu_tanh, PINF, _at_minus_infinity("gelu_tanh"), PZERO, NZERO, soft=True)
