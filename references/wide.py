"""From an operation to the case that asks it at two widths and at two sizes, in one program.

What is linear, or moves numbers, is asked behind a square: its derivatives are then no constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from references.case import Case, Program
from references.inputs import Input, Shape, fixed, integers, uniform
from references.rows import Row, behind_square, each, grouped

ASKED = ("f64", "c128")
"""One real and one complex dtype of what adds up; of what goes number by number the first it has."""

SMALL, LARGE = (6, 5), (141, 143)
"""30 and 20 163 elements: below every switch, and above all: kernels change at 16 384, and reductions split a little
later."""

Draw = Callable[..., Input]


def both_sizes(
    row: Row, category: str, small: Sequence[Shape], large: Sequence[Shape], *more: Sequence[Shape], **fields: Any
) -> Case:
    """The case of one operation. small, large, more large ones: the shapes of its operands."""
    spread = each(row)
    larger = {f"large{place}": tuple(shapes) for place, shapes in enumerate(more, start=2)}
    return Case(
        id=f"widths/{row.name}",
        why=f"{row.name} on two threads is what it is on one, small or large, and so are its derivatives.",
        inputs=grouped(row, {"small": tuple(small), "large": tuple(large), **larger}),
        tenferro=spread.tenferro,
        jax=spread.jax,
        widths=(1, 2),
        properties=("agreement", "surfaces", "widths"),
        category=category,
        **{"dtypes": row.only(*ASKED), **fields},
    )


def curved(row: Row, category: str, **fields: Any) -> Case:
    """An operation that another family lists, with derivatives of its own."""
    return both_sizes(row, row.category or category, [SMALL], [LARGE], dtypes=row.only(*ASKED)[:1], **fields)


def linear(row: Row, category: str, **fields: Any) -> Case:
    """An operation that another family lists, behind a square of whole numbers."""
    exact = replace(behind_square(row), draws=(whole, *row.draws[1:]))
    return both_sizes(exact, row.category or category, [SMALL], [LARGE], dtypes=row.only(*ASKED)[:1], **fields)


def moved(
    name: str,
    tenferro: Program,
    jax: Program,
    draws: tuple[Draw, ...] | None = None,
    *,
    category: str = "layout",
    small: Sequence[Shape] = (SMALL,),
    large: Sequence[Shape] = (LARGE,),
    **fields: Any,
) -> Case:
    """An operation that moves numbers, behind a square of whole ones, which is exact."""
    drawn = draws or (whole,)
    operands = tuple("xyz"[: len(drawn)])
    row = Row(name=name, tenferro=tenferro, jax=jax, draws=drawn, operands=operands, dtypes=ASKED[:1])
    return both_sizes(behind_square(row), category, small, large, **fields)


def wide(*shape: int) -> Input:
    """Ordinary numbers of both signs."""
    return uniform(*shape, low=-1.5, high=1.5)


def whole(*shape: int) -> Input:
    """Small positive integers: squares and sums of them are exact in any order, and none is a zero with a sign."""
    return integers(*shape, low=1, high=9)


def places(*shape: int) -> Input:
    """Indices of as many places as there are, of six at least."""
    return integers(*shape, low=0, high=max(6, shape[0]), dtype="i64")


def three(*shape: int) -> Input:
    """The number 3, a size known when the program runs."""
    return fixed(3.0, dtype="f64")
