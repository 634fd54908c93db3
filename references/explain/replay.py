"""A JAX program computed again, one step at a time in NumPy, with chosen functions, contractions and sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import arb, ctx

from references.arbiter.rounding import rounded
from references.dtypes import name_of
from references.inputs import Array
from references.lazy import jax, jnp

Function = Callable[..., Array]
Sum = Callable[[Array, tuple[int, ...]], Array]
EXACT_BITS = 4400
"""Enough for any product of two f64 numbers plus a third."""


@dataclass(frozen=True)
class Model:
    """Without anything: as JAX computes each step alone. numpy: functions and sums by NumPy, the plain formula.

    functions: by primitive, in place of those; arithmetic among them only of complex numbers (that of reals is IEEE's).
    fma: "left" or "right": a sum contracts the product on that side. sums, products: reductions and contractions
    (dot_general) in place of those.
    """

    numpy: bool = False

    functions: Mapping[str, Function] = field(default_factory=dict)
    fma: str = ""
    sums: Sum | None = None
    products: Callable[[Array, Array, Any], Array] | None = None


PLAIN = Model(numpy=True)
ALONE = Model()
FUNCTIONS = ("sin", "cos", "tan", "tanh", "exp", "expm1", "log", "log1p", "sqrt")
"""Primitives that NumPy has under the same name."""
ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "add_any": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "square": np.square,
}


@dataclass(frozen=True)
class _Product:
    """A value with the factors it is the product of."""

    value: Array
    left: Array
    right: Array


def fma(x: Array, y: Array, z: Array) -> Array:
    """x·y + z rounded once, element by element; infinities and NaN as in two steps."""
    x, y, z = np.broadcast_arrays(x, y, z)
    with np.errstate(all="ignore"):
        found: Array = np.array(x * y + z)
    usual = np.flatnonzero(np.isfinite(x) & np.isfinite(y) & np.isfinite(z))
    if x.dtype.kind != "f" or not usual.size:
        return found
    held, ctx.prec = ctx.prec, EXACT_BITS
    try:
        rows = zip(*(a.reshape(-1)[usual].tolist() for a in (x, y, z)), strict=True)
        once, _ = rounded([arb(a) * arb(b) + arb(c) for a, b, c in rows], name_of(x))
    finally:
        ctx.prec = held
    flat = found.reshape(-1)
    flat[usual] = np.where((once == 0) & (flat[usual] == 0), flat[usual], once)
    return flat.reshape(found.shape)


def replay(closed: Any, arrays: Sequence[Array], model: Model) -> list[Array]:
    """The results of a closed jaxpr on arrays, in its order."""
    with np.errstate(all="ignore"):
        return [_plain(x) for x in _run(closed.jaxpr, closed.consts, list(arrays), model)]


def _plain(x: Any) -> Array:
    return x.value if isinstance(x, _Product) else np.asarray(x)


def _run(jaxpr: Any, consts: Sequence[Any], arguments: list[Any], model: Model) -> list[Any]:
    held: dict[Any, Any] = dict(zip(jaxpr.constvars, map(np.asarray, consts), strict=True))
    held.update(zip(jaxpr.invars, arguments, strict=True))

    def read(atom: Any) -> Any:
        return np.asarray(atom.val) if hasattr(atom, "val") else held[atom]

    for equation in jaxpr.eqns:
        results = _step(equation, [read(atom) for atom in equation.invars], model)
        held.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def inner(equation: Any) -> Any:
    """The program an equation calls, None where it calls none."""
    for key in ("jaxpr", "call_jaxpr", "fun_jaxpr"):
        found = equation.params.get(key)
        if hasattr(found, "jaxpr"):
            return found
    return None


def _step(equation: Any, values: list[Any], model: Model) -> list[Any]:
    name, called = equation.primitive.name, inner(equation)
    if called is not None and name not in ("scan", "while", "cond", "custom_linear_solve"):
        return _run(called.jaxpr, called.consts, values, model)
    if name in ("add", "add_any", "sub") and model.fma:
        return [_contracted(name, values, model.fma)]
    operands = [_plain(x) for x in values]
    if name in model.functions and (name not in ARITHMETIC or np.iscomplexobj(operands[0])):
        return [model.functions[name](*operands)]
    if name == "mul":
        return [_Product(np.multiply(*operands), *operands)]
    if name == "integer_pow" and equation.params["y"] > 0:
        return [_whole_power(operands[0], equation.params["y"], model)]
    if name == "reduce_sum" and (model.numpy or model.sums is not None):
        return [_summed(operands[0], tuple(equation.params["axes"]), model.sums)]
    if name == "dot_general" and model.products is not None:
        return [model.products(operands[0], operands[1], equation.params["dimension_numbers"])]
    if name in ARITHMETIC and operands[0].dtype.kind in "fc":
        return [np.asarray(ARITHMETIC[name](*operands))]
    if name in FUNCTIONS and model.numpy:
        return [np.asarray(getattr(np, name)(operands[0]))]
    return _by_jax(equation, operands)


def _by_jax(equation: Any, operands: list[Array]) -> list[Array]:
    """Any other primitive, as JAX computes it alone."""
    found = equation.primitive.bind(*map(jnp.asarray, operands), **equation.params)
    return [np.asarray(x) for x in (found if equation.primitive.multiple_results else [found])]


def _contracted(name: str, values: list[Any], side: str) -> Array:
    """A sum or difference with one product contracted: that of the side asked for, else the other."""
    sign = -1 if name == "sub" else 1
    for place in (0, 1) if side == "left" else (1, 0):
        product, other = values[place], _plain(values[1 - place])
        if isinstance(product, _Product):
            turned = -product.left if place == 1 and sign < 0 else product.left
            return fma(turned, product.right, other if place == 1 or sign > 0 else -other)
    return np.asarray(ARITHMETIC[name](*map(_plain, values)))


def _whole_power(x: Array, exponent: int, model: Model) -> Any:
    """By repeated squaring, as XLA does; a square is a product that may be contracted."""
    multiply = model.functions.get("mul", np.multiply) if np.iscomplexobj(x) else np.multiply
    if exponent == 2:
        return _Product(np.asarray(multiply(x, x)), x, x)
    result, base = None, x
    while exponent:
        if exponent & 1:
            result = base if result is None else multiply(result, base)
        exponent >>= 1
        base = multiply(base, base) if exponent else base
    return result


def _summed(x: Array, axes: tuple[int, ...], sums: Sum | None) -> Array:
    return np.asarray(np.sum(x, axis=axes) if sums is None else sums(x, axes))


def trace(function: Any, arguments: Sequence[Any]) -> tuple[Any, list[Array]]:
    """A program as a closed jaxpr, with its arguments flattened in the jaxpr's order."""
    placed = jax.tree.map(jnp.asarray, tuple(arguments))
    return jax.make_jaxpr(function)(*placed), [np.asarray(leaf) for leaf in jax.tree.leaves(placed)]


def operations(closed: Any) -> list[str]:
    """The primitives of a jaxpr in order, inner programs in place."""
    found: list[str] = []
    for equation in closed.jaxpr.eqns:
        called = inner(equation)
        found.extend(operations(called) if called is not None else [equation.primitive.name])
    return found
