"""The kinds of inputs that every elementwise operation is asked of: from a row to its cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from references.case import Case
from references.dtypes import FLOATS, INTEGERS, NUMPY
from references.generate import BROADCASTS, SHAPES, VIEWS, chosen, edge_pairs, edges, pairs, scaled, special, tied
from references.inputs import Input, fixed, positive, viewed
from references.rows import Row, ask, behind_square, each, grouped, refused

FAMILY = "elementwise"

SIZE = 400
"""Numbers in the arrays of most cases: one shape, so that JAX compiles an operation once."""

ENDLESS = ("log", "sqrt", "rsqrt")
"""Functions whose derivative at 0 is infinite: at −0 its sign is a matter of taste."""

DECADES = ("power7", "power150", "power300")


def ordinary(row: Row) -> Case:
    """Ordinary numbers of the operation's domain: values and every derivative, every dtype."""
    return ask(
        row,
        FAMILY,
        "ordinary",
        why=f"{row.name} of ordinary numbers, by value and by every derivative, is what the references compute.",
        inputs=row.drawn((SIZE,)),
    )


def shapes(row: Row) -> Case:
    """Every shape at which a kernel switches, in one program; the family widths asks at two widths."""
    return ask(
        each(row),
        FAMILY,
        "shapes",
        why=f"A kernel of {row.name} that is wrong at one rank, extent or length shows in the output of that shape.",
        inputs=grouped(row, {name: (shape,) for name, shape in SHAPES.items()}),
        dtypes=row.only("f64") or row.only("c128"),
        transforms=("value", "vjp"),
    )


def views(row: Row) -> Case:
    """Every view of an array that all libraries take, in one program."""

    def seen(view: Any) -> dict[str, Input]:
        return {name: viewed(source, view) for name, source in row.drawn((6, 5, 7)).items()}

    return ask(
        each(row),
        FAMILY,
        "views",
        why=f"{row.name} of a strided, offset, reversed or transposed array takes its own numbers in its own order.",
        inputs={f"{name}-{kind}": source for kind, view in VIEWS.items() for name, source in seen(view).items()},
        dtypes=row.only("f64", "c128"),
        transforms=("value", "vjp"),
    )


def values(row: Row, kind: str, why: str, *kinds: str) -> Case:
    """Values alone, of numbers of some kinds; two operands meet in every ordered pair."""
    sources = pairs(*kinds) if len(row.operands) == 2 else (special(*kinds),)
    inputs = dict(zip(row.operands, sources, strict=True))
    return ask(row, FAMILY, kind, why=why, inputs=inputs, dtypes=row.only(*FLOATS), transforms=("value",))


def unusual(row: Row) -> Iterator[Case]:
    """The kinds of numbers where a textbook formula goes wrong; complex ones are the family complex."""
    name = row.name
    yield values(
        row, "special", f"{name} of ±0, ±1, ±∞ and NaN is what IEEE 754 says.", "zeros", "units", "infinite", "nan"
    )
    yield values(row, "largest", f"{name} near the largest number overflows only where it must.", "largest", "units")
    yield values(
        row, "subnormal", f"{name} of numbers about the smallest keeps subnormals.", "smallest", "subnormal", "factors"
    )
    yield values(row, "decades", f"{name} of numbers scaled by 10^±7, ±150, ±300 is as exact.", *DECADES, "units")


def at_power(row: Row, power: int) -> Case:
    """Derivatives at numbers near a power of ten."""
    sources = [scaled(SIZE, power=power), *(scaled(SIZE, power=power // 10) for _ in row.operands[1:])]
    return ask(
        row,
        FAMILY,
        f"scaled{power:+d}",
        why=f"Derivatives of {row.name} at numbers near 10^{power} are judged by their own size.",
        inputs=dict(zip(row.operands, sources, strict=True)),
        dtypes=row.only(*FLOATS),
        transforms=("vjp", "jvp", "hvp"),
        category="relative",
    )


def at(row: Row, kind: str, why: str, inputs: dict[str, Input], **changes: Any) -> Case:
    """Derivatives alone, first and second, at chosen points."""
    settings: dict[str, Any] = {"dtypes": row.only(*FLOATS), "transforms": ("vjp", "jvp", "hvp"), **changes}
    return ask(row, FAMILY, kind, why=why, inputs=inputs, **settings)


def at_zero(row: Row) -> Case:
    """Derivatives at 0."""
    return at(
        row,
        "at-zero",
        f"The first and second derivative of {row.name} at ±0 are the limit, or the documented choice.",
        {"x": special("zero" if row.name in ENDLESS else "zeros")},
    )


def at_ties(row: Row) -> Case:
    """Derivatives where operands are equal or zero."""
    return at(
        row,
        "ties",
        f"Derivatives of {row.name} where operands are equal or zero.",
        {"x": tied(SIZE), "y": fixed(np.resize([0.5, 1.0, -1.0, -0.5], SIZE))},
    )


def broadcast(row: Row) -> Case:
    """Every way one operand is stretched to another, in one program."""
    return ask(
        each(row),
        FAMILY,
        "broadcast",
        why=f"An operand of {row.name} stretched along any axis has a gradient that is summed along it.",
        inputs=grouped(row, BROADCASTS),
        dtypes=row.only("f64", "i32", "c128"),
        transforms=("value", "vjp", "jvp", "hvp"),
    )


def broadcast_empty(row: Row) -> Case:
    """One shape beside an ordinary one: an empty gradient alone would prove nothing."""
    return ask(
        each(row),
        FAMILY,
        "broadcast-empty",
        why=f"An operand of {row.name} stretched to nothing has a gradient of zeros.",
        inputs=grouped(row, {"empty": ((1, 3), (0, 3)), "other": ((2, 3), (2, 3))}),
        dtypes=row.only("f64"),
        transforms=("value", "vjp"),
    )


def itself(row: Row) -> Case:
    """Both operands one leaf."""

    def twice(program: Any) -> Any:
        return program and (lambda x: program(x, x))

    return ask(
        replace(row, tenferro=twice(row.tenferro), jax=twice(row.jax), torch=twice(row.torch), numpy=twice(row.numpy)),
        FAMILY,
        "of-itself",
        why=f"A leaf that is both operands of {row.name} has the sum of both gradients.",
        inputs={"x": positive(SIZE)},
        dtypes=row.only("f64", "c64"),
    )


def integers(row: Row) -> Case:
    """Integer edges: MIN, −1, 0, MAX and odd numbers beyond what a float holds."""
    divides = row.name in ("div", "rem")
    sources = edge_pairs(divisor=divides) if len(row.operands) == 2 else (edges(),)
    return ask(
        row,
        FAMILY,
        "integer-edges",
        why=f"Integer {row.name} wraps, truncates and never goes through a float.",
        inputs=dict(zip(row.operands, sources, strict=True)),
        dtypes=row.only(*INTEGERS),
        transforms=("value",),
    )


def two_leaves(row: Row) -> Case:
    """The same function twice in one program: what is kept for one leaf must not serve the other."""

    def both(program: Any) -> Any:
        return program and (lambda x, y: (program(x), program(y)))

    twins = {side: both(getattr(row, side)) for side in ("tenferro", "jax", "torch", "numpy")}
    return ask(
        replace(row, **twins),
        FAMILY,
        "of-two-leaves",
        why=f"{row.name} of two leaves: each second derivative is taken at its own leaf.",
        inputs={"x": row.draws[0](SIZE), "y": row.draws[0](SIZE)},
        dtypes=row.only("f64", "c64"),
        transforms=("hvp",),
    )


def of_squares(row: Row) -> Case:
    """Second derivatives of what is linear, behind a square; of f64 the family widths asks."""
    return ask(
        behind_square(row),
        FAMILY,
        "of-squares",
        why=f"{row.name} passes the second derivative of what it is asked of on, of every dtype.",
        inputs=row.drawn((SIZE,)),
        dtypes=row.only("f32", "c64", "c128"),
        transforms=("hvp",),
    )


def least_by_minus_one(row: Row) -> Case:
    """The one quotient that does not fit: x86 traps, and PyTorch's process with it."""
    return ask(
        row,
        FAMILY,
        "least-by-minus-one",
        why=f"{row.name} of MIN and −1 wraps, where the processor's own instruction traps.",
        inputs={
            "x": chosen(lambda dtype: np.iinfo(NUMPY[dtype]).min * np.ones(3), (3,)),
            "y": fixed(np.array([-1, 1, 2])),
        },
        dtypes=INTEGERS,
        transforms=("value",),
    )


def shape_refusals(row: Row) -> Iterator[Case]:
    """Shapes and ranks that do not fit."""
    why = f"Operands of {row.name} that do not stretch to each other are refused."
    for wrong, shapes in (("shape", ((3,), (4,))), ("rank", ((2, 3), (2,)))):
        yield refused(row, FAMILY, wrong, why=why, inputs=row.drawn(*shapes))
