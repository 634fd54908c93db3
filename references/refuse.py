"""Rows of what tenferro refuses: one misuse each, with what its error says, beside what other libraries do with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from references.case import SURFACES, Case, Program
from references.inputs import Input, uniform

KINDS = {
    "rank": "a wrong number of axes",
    "axis": "an axis that is not there",
    "shape": "extents that do not fit",
    "dtype": "a dtype it does not take",
    "index": "a place that is not there",
    "value": "a number that the result cannot hold",
}

MEANINGS = {
    "rank": r"rank|length|one entry per|counts differ",
    "axis": r"axis \d+ out of bounds|duplicate|distinct",
    "shape": r"shape|dimension|extent|slice|padding|stride|element-count",
    "dtype": r"dtype",
    "index": r"position \d+ out of bounds",
    "value": r"finite|range",
}
"""What an error's text has to speak of, by kind of misuse."""


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """One misuse. `text`: pattern of what tenferro says, by default its kind's.

    jax, torch, numpy: the same misuse there, where it can be put.
    """

    op: str
    kind: str
    tenferro: Program
    jax: Program | None = None
    torch: Program | None = None
    numpy: Program | None = None
    inputs: Mapping[str, Input] = field(default_factory=lambda: {"x": uniform(3, 4)})
    dtypes: tuple[str, ...] = ("f64",)
    surfaces: tuple[str, ...] = SURFACES
    transforms: tuple[str, ...] = ("value",)
    note: str = ""
    text: str = ""


def refusals(family: str, rows: Iterable[Refusal]) -> tuple[Case, ...]:
    """The cases of a family's rows: `family/refused-<op>-<kind>[-<note>]`."""
    return tuple(_case(family, row) for row in rows)


def _case(family: str, row: Refusal) -> Case:
    name = "-".join(part for part in (row.op.replace("_", "-"), row.kind, row.note) if part)
    return Case(
        id=f"{family}/refused-{name}",
        why=f"{row.op} given {KINDS[row.kind]} says so by a typed error, on every surface.",
        refuses=row.text or MEANINGS[row.kind],
        **{
            key: getattr(row, key)
            for key in ("inputs", "tenferro", "jax", "torch", "numpy", "dtypes", "surfaces", "transforms")
        },
    )
