"""One output number for each input number: arithmetic and analytic functions."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from references import kinds
from references.case import Case
from references.dtypes import DIFFERENTIABLE, FLOATS, INTEGERS
from references.generate import edges
from references.inputs import Input, fixed, positive, uniform
from references.lazy import jnp, lax, torch
from references.rows import Row, ask, method, named, refused, refused_dtypes
from references.transforms import POINTS

NUMERIC = FLOATS + INTEGERS + ("c64", "c128")
ORDERED = FLOATS + INTEGERS
SIZE = kinds.SIZE
LIBRARIES: dict[str, Any] = {"jax": jnp, "torch": torch, "numpy": np}


def _wide(*shape: int) -> Input:
    return uniform(*shape, low=-3.0, high=3.0)


def _mild(*shape: int) -> Input:
    """Away from ±iπ/2, where tanh has poles."""
    return uniform(*shape, low=-1.2, high=1.2)


def _apart(*shape: int) -> Input:
    """Divisors: numbers in [1, 4), which integer dtypes multiply by eight."""
    return positive(*shape, low=1.0, high=4.0)


def _inexact(x: Any) -> bool:
    return bool(jnp.issubdtype(x.dtype, jnp.inexact))


def _jax_div(x: Any, y: Any) -> Any:
    """jnp.divide makes floats of integers; tenferro's quotient is lax.div's, which does not broadcast."""
    return jnp.divide(x, y) if _inexact(x) else lax.div(*jnp.broadcast_arrays(x, y))


def _torch_div(x: Any, y: Any) -> Any:
    inexact = x.is_floating_point() or x.is_complex()
    return torch.div(x, y) if inexact else torch.div(x, y, rounding_mode="trunc")


def _same(name: str, draw: Any, dtypes: tuple[str, ...] = DIFFERENTIABLE, **twins: Any) -> Row:
    """A function of one number that the libraries call alike, or as `twins` says; None: it has none there."""
    calls = {side: twins.get(side, named(module, name)) for side, module in LIBRARIES.items()}
    return Row(name=name, tenferro=method(name), dtypes=dtypes, draws=(draw,), **calls)


def _two(name: str, draws: Any, dtypes: tuple[str, ...] = NUMERIC, category: str | None = None, **twins: Any) -> Row:
    row = _same(name, None, dtypes, **twins)
    return replace(row, draws=draws, operands=("x", "y"), category=category)


ANALYTIC = (
    _same("exp", _wide),
    _same("expm1", positive),
    _same("log", positive),
    _same("log1p", positive),
    _same("sin", _wide),
    _same("cos", _wide),
    _same("tanh", _mild),
    _same("sqrt", positive),
    _same("rsqrt", positive, jax=named(lax, "rsqrt"), numpy=lambda x: 1 / np.sqrt(x)),
    _same("erf", _wide, FLOATS, jax=named(lax, "erf"), numpy=None),
)

SIGNS = (
    _same("neg", _wide, NUMERIC, jax=named(jnp, "negative"), numpy=named(np, "negative")),
    _same("abs", _wide, NUMERIC),
    _same("sign", _wide, NUMERIC, torch=named(torch, "sgn")),
    _same("conj", _wide, torch=named(torch, "conj_physical")),
    replace(
        _same("scale-real", _wide),
        tenferro=method("scale_real", -2.5),
        jax=lambda x: x * -2.5,
        torch=lambda x: x * -2.5,
        numpy=lambda x: x * x.real.dtype.type(-2.5),
    ),
    replace(
        _same("scale-complex", _wide, ("c64", "c128")),
        tenferro=method("scale_complex", 0.5 - 1.5j),
        jax=lambda x: x * (0.5 - 1.5j),
        torch=lambda x: x * (0.5 - 1.5j),
        numpy=lambda x: x * x.dtype.type(0.5 - 1.5j),
    ),
)

BINARY = (
    _two("add", (_wide, _wide)),
    _two("sub", (_wide, _wide), jax=named(jnp, "subtract"), numpy=named(np, "subtract")),
    _two("mul", (_wide, _wide), jax=named(jnp, "multiply"), numpy=named(np, "multiply")),
    _two("div", (_wide, _apart), jax=_jax_div, torch=_torch_div, numpy=None),
    _two(
        "rem",
        (_wide, _apart),
        ORDERED,
        jax=lambda x, y: lax.rem(*jnp.broadcast_arrays(x, y)),
        torch=named(torch, "fmod"),
        numpy=named(np, "fmod"),
    ),
    _two("maximum", (_wide, _wide), ORDERED, category="comparison"),
    _two("minimum", (_wide, _wide), ORDERED, category="comparison"),
    _two("pow", (positive, _wide), DIFFERENTIABLE, jax=named(jnp, "power"), numpy=named(np, "power")),
)

CLAMP = Row(
    name="clamp",
    tenferro=method("clamp"),
    jax=lambda x, low, high: jnp.minimum(high, jnp.maximum(low, x)),
    torch=lambda x, low, high: torch.clamp(x, low, high),
    numpy=lambda x, low, high: np.minimum(high, np.maximum(low, x)),
    dtypes=FLOATS,
    draws=(_wide, lambda *s: uniform(*s, low=-2.0, high=-1.0), lambda *s: uniform(*s, low=1.0, high=2.0)),
    operands=("x", "low", "high"),
    category="comparison",
)


_TURNS = (
    *(
        kinds.values(row, "turns", f"{row.name} near multiples of π/2 keeps its digits.", "turns", "halves")
        for row in ANALYTIC
        if row.name in ("sin", "cos")
    ),
    *(
        kinds.values(row, "long-turns", f"{row.name} of numbers up to 1e22 takes off whole turns.", "long-turns")
        for row in ANALYTIC
        if row.name in ("sin", "cos")
    ),
    *(
        kinds.values(row, "limits", f"{row.name} overflows, and leaves the normal numbers, where it must.", "limits")
        for row in ANALYTIC
        if row.name in ("exp", "expm1")
    ),
    *(
        kinds.values(row, "neighbours", f"{row.name} next to 1 and −1 keeps its digits.", "neighbours", "small")
        for row in ANALYTIC
    ),
    kinds.values(ANALYTIC[0], "underflow", "exp ends in subnormals, and then in 0.", "underflow"),
    Case(
        id="elementwise/scale-real-integers",
        why="A whole factor scales integers in their own dtype.",
        inputs={"x": edges()},
        jax=lambda x: x * 3,
        torch=lambda x: x * 3,
        numpy=lambda x: x * x.dtype.type(3),
        tenferro=lambda x: x.scale_real(3.0),
        dtypes=INTEGERS,
    ),
    Case(
        id="elementwise/scale-real-fraction-of-integers",
        why="A factor that is not whole is rounded to the integers' dtype, where others convert to a float.",
        inputs={"x": fixed(np.array([1, 2, -3]))},
        jax=lambda x: x * 2.5,
        torch=lambda x: x * 2.5,
        tenferro=lambda x: x.scale_real(2.5),
        dtypes=INTEGERS,
    ),
)


def _powers(name: str, why: str, x: Any, y: Any, **changes: Any) -> Case:
    inputs = {"x": fixed(np.resize(x, SIZE)), "y": fixed(np.resize(y, SIZE))}
    settings: dict[str, Any] = {"transforms": ("vjp", "jvp"), **changes}
    return kinds.at(BINARY[-1], name, why, inputs, **settings)


POWERS = (
    _powers("zero-base", "d/dx of x^y at x = 0 is 0 for y above 1 and 1 for y = 1.", 0.0, [1.0, 2, 3, 2.5], wrt=("x",)),
    _powers("zero-exponent", "d/dx of x^0 is 0, at x = 0 too.", [0.0, 1, -2, 0.5], 0.0, wrt=("x",)),
    _powers("base-one", "d/dy of 1^y is 0.", 1.0, [0.0, 1, -2, 0.5], wrt=("y",)),
    _powers("zero-base-exponent", "d/dy of x^y at x = 0 is 0 for y above 0.", 0.0, [1.0, 2, 3, 0.5], wrt=("y",)),
    _powers("negative-base", "d/dx of x^n at a negative x.", [-0.5, -2, -1.5], [1.0, 2, 3, -2, -1], wrt=("x",)),
    _powers(
        "second-zero-base", "The second derivative of x^2 at 0 is 2.", 0.0, [2.0, 3, 4], wrt=("x",), transforms=("hvp",)
    ),
    ask(
        replace(BINARY[-1], dtypes=INTEGERS),
        "elementwise",
        "integer",
        why="Integer powers multiply, wrap, and never go through a float; 0^0 is 1.",
        inputs={
            "x": fixed(np.array([3, 2, 0, 0, -2, -1, 7, 2**31 - 1, -(2**31), 5])),
            "y": fixed(np.array([19, 30, 0, 5, 31, 2**31 - 1, 1, 2, 3, 0])),
        },
        transforms=("value",),
    ),
)

_DIV, _REM, _POW = BINARY[3], BINARY[4], BINARY[-1]
_ZERO = {"dtypes": INTEGERS, "references": ("jax",)}  # PyTorch raises, and dies of some

INTEGER_REFUSALS = (
    refused(
        _DIV,
        "elementwise",
        "zero-divisor",
        why="An integer divided by zero is refused; lax.div gives −1.",
        inputs={"x": fixed(np.array([1, -7, 0])), "y": fixed(np.array([1, 0, 2]))},
        **_ZERO,
    ),
    refused(
        _REM,
        "elementwise",
        "zero-divisor",
        why="The remainder of an integer by zero is refused; lax.rem gives the dividend.",
        inputs={"x": fixed(np.array([1, -7, 0])), "y": fixed(np.array([1, 0, 2]))},
        **_ZERO,
    ),
    refused(
        _POW,
        "elementwise",
        "negative-exponent",
        why="An integer to a negative power is refused; PyTorch gives 0, NumPy raises.",
        inputs={"x": fixed(np.array([2, 1, -1])), "y": fixed(np.array([1, -1, -2]))},
        dtypes=INTEGERS,
        references=("numpy", "torch"),
    ),
)


def _factor_refused(wrong: str, factor: float, refuses: str) -> Case:
    return Case(
        id=f"elementwise/scale-real-refuses-{wrong}",
        why=f"Integers cannot be scaled by {factor}.",
        inputs={"x": fixed(np.array([1, 2, -3]))},
        jax=lambda x: x * factor,
        torch=lambda x: x * factor,
        tenferro=method("scale_real", factor),
        dtypes=INTEGERS,
        transforms=("value",),
        refuses=refuses,
    )


FACTOR_REFUSALS = (
    _factor_refused("nan", math.nan, "must be finite"),
    _factor_refused("out-of-range", 1e300, "rounded real scalar"),
)


def _promoted(name: str, other: str, dtypes: tuple[str, ...]) -> Case:
    """The other operand keeps a dtype of its own: gradients come back in each operand's."""
    row = next(row for row in BINARY if row.name == name)
    inputs = {"x": _wide(3, 4), "y": replace(_apart(4), dtype=other)}
    return ask(
        row,
        "elementwise",
        f"promoted-by-{other}",
        why=f"{name} of two dtypes, one of them broadcast: each gradient has its own operand's dtype and shape.",
        inputs=inputs,
        dtypes=dtypes,
        wrt=("x", "y"),
        surfaces=("traced", "eager"),
    )


def _at_bounds() -> Case:
    bounds = np.resize([-1.0, 1.0, 0.0, -2.0, 2.0], SIZE)
    return kinds.at(
        CLAMP,
        "at-bounds",
        "Where x is at a bound its derivative belongs to x, to the bound or to both by halves: a choice.",
        {"x": fixed(bounds), "low": fixed(-np.ones(SIZE)), "high": fixed(np.ones(SIZE))},
        transforms=("vjp", "jvp"),
    )


UNARY = (*ANALYTIC, *SIGNS)

SIGN_AS_FACTOR = ask(  # alone, a sign of real numbers has no derivative but 0
    Row(
        name="sign",
        tenferro=lambda x, y: x * x * y.sign(),
        jax=lambda x, y: x * x * jnp.sign(y),
        torch=lambda x, y: x * x * torch.sgn(y),
        draws=(_wide, _wide),
        operands=("x", "y"),
    ),
    "elementwise",
    "as-factor",
    why="The derivative of a sign times a square is the other factor's alone, where the numbers are real.",
    inputs={"x": _wide(SIZE), "y": _wide(SIZE)},
    dtypes=("f32", "c64", "c128"),
)


def _pitfall(name: str, why: str, tenferro: Any, jax: Any, torch: Any) -> Case:
    """What a newcomer writes in JAX or PyTorch, whose twin of the same name computes something else."""
    return Case(
        id=f"elementwise/pitfall-{name}",
        why=why,
        inputs={"x": fixed(np.array([7, -7, 7, -7])), "y": fixed(np.array([2, 2, -2, -2]))},
        jax=jax,
        torch=torch,
        tenferro=tenferro,
        dtypes=INTEGERS,
        transforms=("value",),
    )


PITFALLS = (
    _pitfall(
        "remainder-sign",
        "tenferro's % has the sign of the dividend, as C and lax.rem; % of JAX and PyTorch that of the divisor.",
        lambda x, y: x % y,
        lambda x, y: x % y,
        lambda x, y: x % y,
    ),
    _pitfall(
        "quotient-of-integers",
        "tenferro's / of integers truncates towards 0, as C and lax.div; // of JAX and PyTorch rounds down.",
        lambda x, y: x / y,
        lambda x, y: x // y,
        lambda x, y: x // y,
    ),
)

_TAKEN = {"pow": INTEGERS, "scale-real": INTEGERS}
"""Dtypes that an operation takes in cases of their own: powers where the exponent is not negative, whole factors."""

CASES = (
    Case(
        id="elementwise/sin-published-points",
        why="The published thousand points show where tenferro's sine rounds otherwise than the references'.",
        inputs={"x": fixed(POINTS)},
        jax=lambda x: jnp.sin(x),
        torch=lambda x: torch.sin(x),
        numpy=lambda x: np.sin(x),
        tenferro=lambda x: x.sin(),
    ),
    Case(
        id="elementwise/cos-published-points",
        why="The published thousand points show where tenferro's cosine rounds otherwise than the references'.",
        inputs={"x": fixed(POINTS)},
        jax=lambda x: jnp.cos(x),
        torch=lambda x: torch.cos(x),
        numpy=lambda x: np.cos(x),
        tenferro=lambda x: x.cos(),
    ),
    *(kinds.ordinary(row) for row in (*UNARY, *BINARY, CLAMP)),
    *(kinds.shapes(row) for row in (*UNARY, *BINARY, CLAMP)),
    *(kinds.views(row) for row in (*UNARY, *BINARY, CLAMP)),
    *(case for row in (*UNARY, *BINARY) if row.only(*FLOATS) for case in kinds.unusual(row)),
    *(kinds.at_zero(row) for row in UNARY if row.only(*FLOATS)),
    *(kinds.at_ties(row) for row in BINARY if row.name != "pow"),
    *(kinds.broadcast(row) for row in BINARY),
    *(kinds.broadcast_empty(row) for row in BINARY),
    *(kinds.itself(row) for row in BINARY if row.name not in ("div", "rem")),
    *(kinds.integers(row) for row in (*SIGNS, *BINARY) if row.only(*INTEGERS)),
    *(_promoted(name, "f32", ("f64", "c64", "c128")) for name in ("mul", "div", "pow")),
    *(_promoted(name, "f64", ("f32", "c128")) for name in ("add", "mul", "maximum")[:2]),
    *(kinds.two_leaves(row) for row in ANALYTIC),
    *(kinds.of_squares(row) for row in (*SIGNS, *BINARY[:3], *BINARY[4:7], CLAMP) if row.name != "sign"),
    SIGN_AS_FACTOR,
    *PITFALLS,
    _at_bounds(),
    *POWERS,
    *INTEGER_REFUSALS,
    *FACTOR_REFUSALS,
    *(kinds.least_by_minus_one(row) for row in (_DIV, _REM)),
    *(
        case
        for row in (*UNARY, *BINARY, CLAMP)
        if (case := refused_dtypes(row, "elementwise", taken=_TAKEN.get(row.name, ())))
    ),
    *(case for row in (*BINARY, CLAMP) for case in kinds.shape_refusals(row)),
    *_TURNS,
    *(kinds.at_power(row, power) for row in (*SIGNS, *BINARY[:-1]) if row.only(*FLOATS) for power in (150, -150)),
)
