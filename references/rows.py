"""From a row, one operation with its twins, to cases: the same operation asked of inputs of one kind after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from references.case import Case, Program
from references.dtypes import ALL, DIFFERENTIABLE
from references.inputs import Input, Shape, normal

Draw = Callable[..., Input]


def named(module: Any, *path: str) -> Program:
    """A library's function by name, looked up when it is called: listing cases starts no library."""

    def call(*arrays: Any, **options: Any) -> Any:
        found: Any = module
        for name in path:
            found = getattr(found, name)
        return found(*arrays, **options)

    return call


def method(name: str, *fixed: Any, **options: Any) -> Program:
    """A tenferro operation: the method of that name of its first operand; `fixed` and `options` follow the tensors."""
    return lambda first, *rest: getattr(first, name)(*rest, *fixed, **options)


@dataclass(frozen=True, kw_only=True, eq=False)
class Row:
    """One operation: its name in ids, its twins, the dtypes it takes and where its operands are drawn from.

    draws: one descriptor a operand, each a function of a shape; ordinary inputs of the operation's domain.
    smooth: dtypes with derivatives. category: key of tolerances, where it is not the family.
    """

    name: str
    tenferro: Program
    jax: Program | None = None
    torch: Program | None = None
    numpy: Program | None = None
    dtypes: tuple[str, ...] = DIFFERENTIABLE
    draws: tuple[Draw, ...] = (normal,)
    operands: tuple[str, ...] = ("x",)
    category: str | None = None

    def only(self, *dtypes: str) -> tuple[str, ...]:
        """Those of the operation's dtypes that are among `dtypes`, in the operation's order."""
        return tuple(name for name in self.dtypes if name in dtypes)

    def drawn(self, *shapes: Shape) -> dict[str, Input]:
        """Ordinary inputs of those shapes, one an operand; of the last one where fewer are given."""
        padded = [*shapes, *[shapes[-1]] * (len(self.draws) - len(shapes))]
        return {name: draw(*shape) for name, draw, shape in zip(self.operands, self.draws, padded, strict=True)}


def ask(row: Row, family: str, kind: str, *, why: str, inputs: Mapping[str, Input], **changes: Any) -> Case:
    """The case `family/name-kind` of a row. `changes` are fields of Case; a library is left out by giving it None."""
    fields: dict[str, Any] = {
        "jax": row.jax,
        "torch": row.torch,
        "numpy": row.numpy,
        "tenferro": row.tenferro,
        "dtypes": row.dtypes,
        "category": row.category,
    }
    return Case(id=f"{family}/{row.name}-{kind}", why=why, inputs=dict(inputs), **{**fields, **changes})


def each(row: Row) -> Row:
    """The row as a program of several groups of operands, one output a group: many shapes in one program."""
    arity = len(row.operands)

    def over(program: Program | None) -> Program | None:
        if program is None:
            return None
        return lambda *arrays: tuple(program(*arrays[i : i + arity]) for i in range(0, len(arrays), arity))

    spread = over(row.tenferro)
    assert spread is not None
    return replace(row, tenferro=spread, jax=over(row.jax), torch=over(row.torch), numpy=over(row.numpy))


def grouped(row: Row, groups: Mapping[str, tuple[Shape, ...]]) -> dict[str, Input]:
    """Ordinary inputs of several groups of shapes, for `each`; an input is called by operand and group."""
    return {
        f"{operand}-{group}": source
        for group, shapes in groups.items()
        for operand, source in row.drawn(*shapes).items()
    }


def behind_square(row: Row) -> Row:
    """The row asked of its first operand's square: the derivatives of a linear operation are then no constants."""

    def squared(program: Program | None) -> Program | None:
        return program and (lambda first, *rest: program(first * first, *rest))

    spread = squared(row.tenferro)
    assert spread is not None
    return replace(row, tenferro=spread, jax=squared(row.jax), torch=squared(row.torch), numpy=squared(row.numpy))


MEANINGS = {
    "shape": "incompatible shapes",
    "rank": "incompatible shapes|out of bounds for rank",
    "axis": "out of bounds for rank|duplicate",
    "dtype": "dtype|total order|defined for",
    "length": "zero-length",
    "mask": "dtype mismatch: expected Bool",
    "zero-divisor": "division by zero",
    "negative-exponent": "negative integer exponent",
}
"""What tenferro's text says where it refuses, by what is wrong with the question."""


def refused(row: Row, family: str, wrong: str, *, why: str, inputs: Mapping[str, Input], **changes: Any) -> Case:
    """The case `family/name-refuses-wrong`: a typed refusal that says what is wrong is right."""
    settings: dict[str, Any] = {"dtypes": ("f64",), "transforms": ("value",), "refuses": MEANINGS[wrong], **changes}
    return ask(row, family, f"refuses-{wrong}", why=why, inputs=inputs, **settings)


def refused_dtypes(row: Row, family: str, shape: Shape = (4,), *, taken: tuple[str, ...] = ()) -> Case | None:
    """An operation asked of every dtype it does not take; None where it takes all. taken: in cases of their own."""
    others = tuple(name for name in ALL if name not in (*row.dtypes, *taken))
    why = f"{row.name} of {', '.join(others)} is refused, where JAX and PyTorch may convert."
    return refused(row, family, "dtype", why=why, inputs=row.drawn(shape), dtypes=others) if others else None
