"""Misuses of operations that move numbers, where their families have none of that kind of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from references.case import SURFACES, Program
from references.generate import small_integers
from references.inputs import Input, booleans, fixed, uniform
from references.lazy import jax, jnp, lax, torch
from references.refuse import MEANINGS, Refusal
from references.windows import Scatter

GRAPH, EAGER, TRACED = ("traced", "eager"), ("eager",), ("traced",)
NUMBER, VECTOR, TABLE = {"x": uniform()}, {"x": uniform(3)}, {"x": uniform(5, 4)}
NO_AXIS = r"axis \d+ out of bounds for rank"
"""What tenferro says of a number that has no axis, or of a vector that has no second one."""


def misuse(
    op: str,
    kind: str,
    tenferro: Program,
    jax: Program,
    inputs: dict[str, Input],
    surfaces: tuple[str, ...] = SURFACES,
    note: str = "",
    text: str = "",
    torch: Program | None = None,
) -> Refusal:
    """One misuse; `text` is what tenferro says of its kind, of a rank what it says where there is no such axis."""
    meant = text or (NO_AXIS if kind == "rank" and not note else MEANINGS[kind])
    return Refusal(
        op=op,
        kind=kind,
        note=note,
        text=meant,
        inputs=inputs,
        tenferro=tenferro,
        jax=jax,
        torch=torch,
        surfaces=surfaces,
    )


def taken(x: Any, positions: list[int], axis: int) -> Any:
    """JAX gives NaN for a position that is not there, where PyTorch and NumPy refuse."""
    return jnp.take(x, np.array(positions), axis=axis)


def selected_torch(positions: list[int], axis: int) -> Program:
    """PyTorch refuses a position that is not there."""
    return lambda x: torch.index_select(x, axis, torch.tensor(positions))


def _block(rows: list[int], columns: list[int]) -> tuple[Program, Program]:
    return lambda x: x.take_block(rows, columns), lambda x: taken(taken(x, rows, 0), columns, 1)


def _updated(note: str, update: Input, starts: Input, surfaces: tuple[str, ...], text: str) -> Refusal:
    return misuse(
        "dynamic_update_slice",
        "dtype",
        lambda x, update, starts: x.dynamic_update_slice(update, starts),
        lambda x, update, starts: lax.dynamic_update_slice(x, update, tuple(starts)),
        {**TABLE, "update": update, "starts": starts},
        surfaces,
        note,
        text,
    )


def _first(op: str, *leading: int, axis: int = 0, surfaces: tuple[str, ...] = GRAPH) -> Refusal:
    """The first row or column of what has no such axis."""
    return misuse(
        op,
        "rank",
        lambda x: getattr(x, op)(*leading, [0]),
        lambda x: taken(x, [0], axis),
        VECTOR if axis else NUMBER,
        surfaces,
        torch=selected_torch([0], axis),
    )


ADD_BESIDE = Scatter(
    update_window_dims=[1], inserted_window_dims=[0], scatter_dims_to_operand_dims=[2], index_vector_dim=1
)

INDEXING = (
    _first("index_select", 0),
    _first("take_axis", 0),
    _first("take_rows", surfaces=EAGER),
    _first("take_cols", axis=1, surfaces=EAGER),
    misuse("take_block", "rank", *_block([0], [0]), VECTOR, EAGER),
    misuse("take_block", "index", *_block([5], [0]), TABLE, EAGER, note="row"),
    misuse("take_block", "index", *_block([0], [4]), TABLE, EAGER, note="column"),
    misuse(
        "scatter",
        "axis",
        ADD_BESIDE.tenferro,
        ADD_BESIDE.jax,
        {**TABLE, "indices": fixed([3, 0, 4], dtype="i64"), "updates": small_integers(3, 4)},
    ),
    _updated("bool-starts", uniform(2, 2), booleans(2), SURFACES, "bool index"),
    _updated("mixed", uniform(2, 2, dtype="f32"), fixed([0, 1], dtype="i64"), ("traced", "concrete"), ""),
)

OPERANDS = {"a": small_integers(3, 2, 4), "b": small_integers(4, 2, 5)}


def _conjugated(lhs: list[int], rhs: list[int]) -> tuple[Program, Program]:
    """A batched product of conjugate and array, contracted over those axes."""
    return (
        lambda a, b: a.dot_general_with_conj(b, lhs, rhs, [1], [1], lhs_conj=True, rhs_conj=False),
        lambda a, b: lax.dot_general(jnp.conj(a), b, ((lhs, rhs), ([1], [1]))),
    )


CONTRACTION = (
    misuse(
        "dot_general_with_conj",
        "shape",
        *_conjugated([2], [0]),
        {"a": uniform(3, 2, 4), "b": uniform(5, 2, 5)},
        ("eager", "concrete"),
    ),
    misuse("dot_general_with_conj", "axis", *_conjugated([3], [0]), OPERANDS, ("eager", "concrete")),
    misuse(
        "dot_general_with_conj", "rank", *_conjugated([2], []), OPERANDS, ("eager", "concrete"), note="unequal-lists"
    ),
)


def _masked(name: str, axis: int) -> tuple[Program, Program]:
    return (
        lambda x, mask: getattr(x, f"masked_{name}")(mask, axis),
        lambda x, mask: getattr(jax.nn, name)(x, axis=axis, where=mask),
    )


ACTIVATION = tuple(
    refusal
    for name in ("softmax", "log_softmax")
    for refusal in (
        misuse(f"masked_{name}", "axis", *_masked(name, 2), {"x": uniform(3, 2), "mask": booleans(3, 2)}),
        misuse(f"masked_{name}", "rank", *_masked(name, 0), {"x": uniform(), "mask": booleans()}),
        misuse(
            f"masked_{name}",
            "rank",
            *_masked(name, 0),
            {"x": uniform(3, 2), "mask": booleans(3)},
            note="mask",
            text=MEANINGS["shape"],
        ),
    )
)


def _selected(kind: str, condition: Input, x: Input, y: Input, text: str) -> Refusal:
    inputs = {"condition": condition, "x": x, "y": y}
    return misuse(
        "select",
        kind,
        lambda c, x, y: c.select(x, y),
        lambda c, x, y: lax.select(c, x, y),
        inputs,
        GRAPH,
        text=text,
        torch=lambda c, x, y: torch.where(c, x, y),
    )


COMPARISON = (
    _selected("shape", booleans(3), uniform(4), uniform(3), MEANINGS["shape"]),
    _selected("rank", booleans(2), uniform(2, 3), uniform(2, 3), MEANINGS["shape"]),
    _selected("dtype", uniform(3), uniform(3), uniform(3), MEANINGS["dtype"]),
)
