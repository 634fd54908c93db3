"""Every operation on one thread and on two, at a small size and at one beyond every switch of a kernel.

`nox -s widths` prints which of them move a bit with the width.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from references import activation, elementwise, reduction
from references.case import Case, Program
from references.contraction import BATCHED
from references.inputs import booleans
from references.lazy import jax, jnp
from references.rows import Row, behind_square, method, named
from references.wide import (
    LARGE,
    SMALL,
    Draw,
    both_sizes,
    curved,
    linear,
    moved,
    whole,
    wide,
)
from references.widths_moved import INDEXED, MOVED

LINES = (3400, 6)
"""20 400 elements in short lines: what is summed along one keeps its digits."""

TERMS = 141 * 143


def _lines(name: str, tenferro: Program, jax: Program, category: str = "activation", *draws: Draw) -> Case:
    """What takes whole lines of its first operand: softmax and its kin, and normalisations."""
    given = (wide, *draws)
    row = Row(
        name=name.replace("_", "-"), tenferro=tenferro, jax=jax, draws=given, operands=("x", "mask")[: len(given)]
    )
    return both_sizes(row, category, [SMALL], [LINES], dtypes=("f64",))


def _softmax(name: str) -> Case:
    return _lines(name, method(name, 1), lambda x: getattr(jax.nn, name)(x, axis=1))


def _masked(name: str) -> Case:
    twin = named(jax, "nn", name)
    program = method(f"masked_{name}", 1)
    return _lines(f"masked-{name}", program, lambda x, mask: twin(x, axis=1, where=mask), "activation", booleans)


def _norm(name: str) -> Case:
    formula = activation.NORMS[name]
    eps = activation.EPS
    return _lines(name, lambda x: getattr(x, name)(1, eps=eps), lambda x: formula(jnp, 1, x), "normalisation")


def _reduction(kind: str) -> Case:
    """Over all axes, so that one long run is split; not of whole numbers, whose sums no order changes.

    Several large ones: the rounded sum of one may be the same by chance.
    """
    row = replace(reduction.row_of(kind), name=f"reduce-{kind}", draws=(wide,))
    asked = row if kind == "sum-squares" else behind_square(row)
    return both_sizes(asked, row.category or "reduction", [SMALL], *[[LARGE]] * 6, terms=TERMS)


def _prod() -> Case:
    """Of real factors near 1: a hundred thousand complex ones, each with two parts near 1, overflow."""
    row = replace(reduction.row_of("prod"), name="reduce-prod", draws=(reduction.near_one,))
    return both_sizes(row, "reduction", [SMALL], [LARGE], [LARGE], terms=TERMS, dtypes=("f64",))


LINEAR = ("add", "sub", "mul", "rem", "maximum", "minimum")

COMPUTED = (
    *(curved(row, "elementwise") for row in elementwise.ANALYTIC),
    *(linear(row, "elementwise") for row in elementwise.SIGNS if row.name != "sign"),
    *((linear if row.name in LINEAR else curved)(row, "elementwise") for row in elementwise.BINARY),
    linear(elementwise.CLAMP, "elementwise"),
    moved(  # a factor, for a sign alone has no derivative but 0
        "sign",
        lambda x, y: x * y.sign(),
        lambda x, y: x * jnp.sign(y),
        (whole, wide),
        category="elementwise",
        small=(SMALL, SMALL),
        large=(LARGE, LARGE),
    ),
    *(curved(row, "activation") for row in activation.GATES),
    *(_softmax(name) for name in ("softmax", "log_softmax")),
    *(_masked(name) for name in ("softmax", "log_softmax")),
    *(_norm(name) for name in activation.NORMS),
    *(_reduction(kind) for kind in reduction.KINDS if kind != "prod"),
    _prod(),
)


def _product(name: str, tenferro: Program, jax: Program, *shapes: Any, **fields: Any) -> Case:
    row = Row(name=name, tenferro=tenferro, jax=jax, draws=(wide, wide), operands=("a", "b"))
    return both_sizes(row, "contraction", *shapes, terms=300, **fields)


MATRICES = (((6, 5), (5, 4)), ((141, 130), (130, 143)), ((300, 300), (300, 1)))
"""20 163 elements, and a matrix times a vector, which is split in another way."""

BATCHES = (((5, 2, 4), (4, 2, 3)), ((84, 3, 40), (40, 3, 80)), ((300, 1, 300), (300, 1, 1)))
"""20 160 elements, and the vector again."""

CONTRACTED = (
    _product("matmul", lambda a, b: a.matmul(b), lambda a, b: a @ b, *MATRICES),
    _product("dot-general", BATCHED.tenferro, BATCHED.jax, *BATCHES),
    _product(
        "dot-general-with-conj",
        BATCHED.conjugated(False, True),
        lambda a, b: BATCHED.jax(a, jnp.conj(b)),
        *BATCHES,
        surfaces=("eager", "concrete"),
    ),
)

CASES = (*COMPUTED, *CONTRACTED, *MOVED, *INDEXED)
