"""Comparison and selection: bools of two operands, and one of two operands by a bool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from references import misuses
from references.case import Case, Program
from references.dtypes import ALL, DIFFERENTIABLE, FLOATS, INTEGERS
from references.generate import BROADCASTS, SHAPES, VIEWS, edge_pairs, pairs, special, tied
from references.inputs import Input, booleans, fixed, integers, uniform, viewed
from references.lazy import jnp, lax, torch
from references.refuse import refusals
from references.rows import Row, ask, each, grouped, named, refused, refused_dtypes

SIZE = 400
ORDERED = (*FLOATS, *INTEGERS, "bool")

DIRECTIONS = {"eq": "equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
"""tenferro's directions, and what NumPy and JAX call them; PyTorch takes tenferro's names. There is no "not equal"."""


def _few(*shape: int) -> Input:
    """Numbers of which many are equal, in every dtype; complex ones in both parts."""
    return integers(*shape, low=-2, high=3)


def _comparison(direction: str) -> Row:
    def compare(x: Any, y: Any) -> Any:
        return x.compare(y, direction)

    return Row(
        name=f"compare-{direction}",
        tenferro=compare,
        jax=named(jnp, DIRECTIONS[direction]),
        torch=named(torch, direction),
        numpy=named(np, DIRECTIONS[direction]),
        dtypes=ALL if direction == "eq" else ORDERED,
        draws=(_few, _few),
        operands=("x", "y"),
    )


COMPARISONS = tuple(_comparison(direction) for direction in DIRECTIONS)


def _selection(name: str, tenferro: Program, jax: Program) -> Row:
    return Row(
        name=name,
        tenferro=tenferro,
        jax=jax,
        torch=named(torch, "where"),
        numpy=named(np, "where"),
        dtypes=ALL,
        draws=(booleans, uniform, uniform),
        operands=("condition", "x", "y"),
    )


WHERE = _selection("where-select", lambda c, x, y: c.where_select(x, y), named(jnp, "where"))
SELECT = _selection("select", lambda c, x, y: c.select(x, y), named(lax, "select"))


SPECIAL = {"special": ("units", "infinite", "nan", "largest"), "subnormal": ("smallest", "subnormal")}


def _compared(row: Row) -> Iterator[Case]:
    values: dict[str, Any] = {"transforms": ("value",)}
    yield ask(
        row,
        "comparison",
        "ties",
        why=f"{row.name} of numbers of which many are equal.",
        inputs=row.drawn((SIZE,)),
        **values,
    )
    for kind, kinds in SPECIAL.items():
        x, y = pairs("zeros", *kinds)
        yield ask(
            row,
            "comparison",
            kind,
            why=f"{row.name}: −0 equals 0, NaN compares with nothing, and a subnormal is not 0.",
            inputs={"x": x, "y": y},
            dtypes=row.only(*FLOATS),
            **values,
        )
    low, high = edge_pairs()
    yield ask(
        row,
        "comparison",
        "integer-edges",
        why=f"{row.name} of integers that one float would hold as equal.",
        inputs={"x": low, "y": high},
        dtypes=row.only(*INTEGERS),
        **values,
    )
    yield _groups(row, "shapes", "of every shape", {name: (shape,) for name, shape in SHAPES.items()})
    yield _groups(row, "broadcast", "of operands stretched", BROADCASTS, surfaces=("traced", "eager"))


def _groups(row: Row, kind: str, what: str, groups: Any, **changes: Any) -> Case:
    settings: dict[str, Any] = {"dtypes": ("f64",), "transforms": ("value",), **changes}
    return ask(
        each(row),
        "comparison",
        kind,
        why=f"{row.name} {what} along each axis.",
        inputs=grouped(row, groups),
        **settings,
    )


def _selected(row: Row, surfaces: tuple[str, ...]) -> Iterator[Case]:
    where: dict[str, Any] = {"surfaces": surfaces}
    x, y = pairs("zeros", "infinite", "nan", "subnormal", "largest")
    yield ask(
        row,
        "comparison",
        "ordinary",
        why=f"{row.name} passes each cotangent to the operand that was taken, and zero to the other.",
        inputs=row.drawn((SIZE,)),
        **where,
    )
    yield ask(
        row,
        "comparison",
        "special",
        why=f"{row.name} moves numbers without computing: −0, NaN and subnormals stay what they are.",
        inputs={"condition": booleans(SIZE), "x": x, "y": y},
        dtypes=row.only(*FLOATS),
        transforms=("value",),
        **where,
    )
    yield _groups(
        row,
        "shapes",
        "of every shape",
        {name: (shape, shape, shape) for name, shape in SHAPES.items()},
        transforms=("value", "vjp"),
        **where,
    )
    yield ask(
        each(row),
        "comparison",
        "views",
        why=f"{row.name} of a strided, offset, reversed or transposed array takes its own numbers.",
        inputs={
            f"{name}-{kind}": viewed(source, view)
            for kind, view in VIEWS.items()
            for name, source in row.drawn((6, 5, 7)).items()
        },
        transforms=("value", "vjp"),
        dtypes=("f64", "bool"),
        **where,
    )


def _twice(row: Row, tenferro: Program, surfaces: tuple[str, ...]) -> Case:
    return Case(
        id=f"comparison/{row.name}-one-leaf-twice",
        why="A leaf that is both branches has the whole cotangent.",
        inputs={"condition": booleans(SIZE), "x": uniform(SIZE)},
        jax=lambda c, x: jnp.where(c, x * x, x),
        torch=lambda c, x: torch.where(c, x * x, x),
        tenferro=tenferro,
        dtypes=DIFFERENTIABLE,
        surfaces=surfaces,
        category="elementwise",
    )


def _refused() -> Iterator[Case]:
    """Shapes that do not stretch to each other, orders of complex numbers, and conditions that are no bools."""
    for row in COMPARISONS:
        why = f"{row.name} of shapes that do not stretch to each other."
        yield refused(row, "comparison", "shape", why=why, inputs=row.drawn((3,), (4,)))
        yield refused(row, "comparison", "rank", why=why, inputs=row.drawn((2, 3), (2,)))
        if case := refused_dtypes(row, "comparison"):
            yield case
    why = "Branches and condition that do not stretch to each other are refused."
    yield refused(WHERE, "comparison", "shape", why=why, inputs=WHERE.drawn((3,), (4,), (3,)))
    yield refused(WHERE, "comparison", "rank", why=why, inputs=WHERE.drawn((2,), (2, 3), (2, 3)))
    condition = {"condition": uniform(3), "x": uniform(3), "y": uniform(3)}
    why = "A condition of numbers is refused; jnp.where takes it for a bool."
    yield refused(WHERE, "comparison", "mask", why=why, inputs=condition, refuses="dtype mismatch")


CASES = (
    *(case for row in COMPARISONS for case in _compared(row)),
    *_selected(WHERE, ("traced", "eager", "concrete")),
    *_refused(),
    *refusals("comparison", misuses.COMPARISON),
    *_selected(SELECT, ("traced", "eager")),
    _groups(
        WHERE,
        "broadcast",
        "of operands stretched",
        {
            "all": ((), (3, 4), (3, 4)),
            "row": ((4,), (3, 4), (3, 1)),
            "outer": ((3, 1), (1, 4), ()),
            "rank": ((2, 1, 1), (3, 1), (4,)),
        },
        transforms=("value", "vjp", "jvp", "hvp"),
        surfaces=("traced", "eager"),
    ),
    _twice(WHERE, lambda c, x: c.where_select(x * x, x), ("traced", "eager", "concrete")),
    _twice(SELECT, lambda c, x: c.select(x * x, x), ("traced", "eager")),
    Case(
        id="comparison/where-select-from-comparison",
        why="A condition computed from the leaf itself has no derivative, and its ties go to one branch.",
        inputs={"x": tied(SIZE)},
        jax=lambda x: jnp.where(x > 0, x * x, -x),
        torch=lambda x: torch.where(x > 0, x * x, -x),
        tenferro=lambda x: x.compare(x - x, "gt").where_select(x * x, -x),
        dtypes=FLOATS,
        category="elementwise",
    ),
    Case(
        id="comparison/where-select-shelters-no-derivative",
        why="Where a branch is not taken its zero cotangent meets an infinite derivative: NaN, as in JAX and PyTorch.",
        inputs={
            "condition": fixed(np.arange(SIZE) % 2 == 0, dtype="bool"),
            "x": fixed(np.where(np.arange(SIZE) % 2 == 0, 0.25 + np.arange(SIZE) / 64, 0.0)),
        },
        jax=lambda c, x: jnp.where(c, jnp.sqrt(x), x),
        torch=lambda c, x: torch.where(c, torch.sqrt(x), x),
        tenferro=lambda c, x: c.where_select(x.sqrt(), x),
        dtypes=FLOATS,
        category="elementwise",
        transforms=("vjp",),
    ),
    Case(
        id="comparison/where-select-nan-in-other-branch",
        why="NaN and ∞ in the branch not taken reach neither the value nor the derivative of the branch taken.",
        inputs={
            "condition": fixed(np.ones(SIZE, bool), dtype="bool"),
            "x": uniform(SIZE),
            "y": special("infinite", "nan"),
        },
        jax=lambda c, x, y: jnp.where(c, x * x, y),
        torch=lambda c, x, y: torch.where(c, x * x, y),
        tenferro=lambda c, x, y: c.where_select(x * x, y),
        dtypes=FLOATS,
        wrt=("x",),
    ),
)
