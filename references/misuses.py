"""Misuses of operations that move numbers, where their families have none of that kind of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from references.case import SURFACES, Program
from references.generate import small_integers
from references.inputs import Input, booleans, fixed, uniform
from references.lazy import jax, jnp, lax, th
from references.refuse import MEANINGS, Refusal
from references.windows import Scatter

GRAPH, EAGER, TRACED = ("traced", "eager"), ("eager",), ("traced",)
NUMBER, VECTOR, TABLE = {"x": uniform()}, {"x": uniform(3)}, {"x": uniform(5, 4)}
NO_AXIS = r"axis \d+ out of bounds for rank"
"""What tenferro says of a number that has no axis, or of a vector that has no second one."""


def _misuse(
    op: str,
    kind: str,
    tenferro: Program,
    jax: Program,
    inputs: dict[str, Input],
    surfaces: tuple[str, ...] = SURFACES,
    note: str = "",
    text: str = "",
) -> Refusal:
    meant = text or (NO_AXIS if kind == "rank" and not note else MEANINGS[kind])
    return Refusal(
        op=op, kind=kind, note=note, text=meant, inputs=inputs, tenferro=tenferro, jax=jax, surfaces=surfaces
    )


def _taken(x: Any, positions: list[int], axis: int) -> Any:
    """JAX gives NaN for a position that is not there, where PyTorch and NumPy refuse."""
    return jnp.take(x, np.array(positions), axis=axis)


def _block(rows: list[int], columns: list[int]) -> tuple[Program, Program]:
    return lambda x: x.take_block(rows, columns), lambda x: _taken(_taken(x, rows, 0), columns, 1)


LAYOUT = (
    _misuse("reverse", "rank", lambda x: x.reverse([0]), lambda x: lax.rev(x, (0,)), NUMBER),
    _misuse("extract_diag", "rank", lambda x: x.extract_diag(0, 1), lambda x: jnp.diagonal(x), VECTOR),
    _misuse("embed_diag", "rank", lambda x: x.embed_diag(0, 0), lambda x: jnp.expand_dims(x, (0, 2)), NUMBER),
    _misuse(
        "stack",
        "rank",
        lambda x, y: th.stack([x, y], 0),
        lambda x, y: jnp.stack([x, y]),
        {**TABLE, "y": uniform(3)},
        note="unequal",
        text=MEANINGS["shape"],
    ),
    _misuse(
        "transpose", "rank", lambda x: x.transpose([0, 1, 2]), lambda x: jnp.transpose(x, (0, 1, 2)), TABLE, note="long"
    ),
    _misuse("shape_of", "axis", lambda x: x.shape_of(2), lambda x: jnp.float64(x.shape[2]), TABLE, TRACED),
    _misuse("slice_axis", "rank", lambda x: x.slice_axis(0, 0, 1), lambda x: lax.slice_in_dim(x, 0, 1), NUMBER, GRAPH),
    _misuse(
        "slice_axis",
        "shape",
        lambda x: x.slice_axis(0, 0, 6),
        lambda x: lax.slice(x, (0, 0), (6, 4)),
        TABLE,
        GRAPH,
        note="past-the-end",
    ),
    _misuse(
        "slice_axis",
        "shape",
        lambda x: x.slice_axis(0, 3, 2),
        lambda x: lax.slice(x, (3, 0), (2, 4)),
        TABLE,
        GRAPH,
        note="reversed",
    ),
    _misuse("slice_builder", "axis", lambda x: x.slice_builder([(2, 0, 1)]), lambda x: x[:, :, :1], TABLE, GRAPH),
    _misuse(
        "slice_builder",
        "axis",
        lambda x: x.slice_builder([(0, 0, 1), (0, 0, 1)]),
        lambda x: lax.rev(x[:1], (0, 0)),
        TABLE,
        GRAPH,
        note="twice",
    ),
    _misuse("slice_builder", "rank", lambda x: x.slice_builder([(0, 0, 1)]), lambda x: x[:1], NUMBER, GRAPH),
    _misuse(
        "slice_builder",
        "shape",
        lambda x: x.slice_builder([(0, 0, 6)]),
        lambda x: lax.slice(x, (0, 0), (6, 4)),
        TABLE,
        GRAPH,
        note="past-the-end",
    ),
    _misuse(
        "slice_builder",
        "shape",
        lambda x: x.slice_builder([(0, 0, 3, 0)]),
        lambda x: x[0:3:0],
        TABLE,
        GRAPH,
        note="step-0",
        text=r"slice step 0|zero step",
    ),
    _misuse("slice_builder", "index", lambda x: x.slice_builder([(0, [5])]), lambda x: _taken(x, [5], 0), TABLE, GRAPH),
    _misuse(
        "pad_to_match",
        "axis",
        lambda x, y: x.pad_to_match(y, 2),
        lambda x, y: jnp.pad(x, (0, y.shape[2])),
        {**TABLE, "y": uniform(7, 4)},
        TRACED,
    ),
    _misuse(
        "pad_to_match",
        "rank",
        lambda x, y: x.pad_to_match(y, 1),
        lambda x, y: jnp.pad(x, (0, y.shape[1])),
        {**TABLE, "y": uniform(7)},
        TRACED,
    ),
    *(
        _misuse(
            "dynamic_truncate",
            kind,
            lambda x, size, axis=axis: x.dynamic_truncate(size, axis),
            lambda x, size, axis=axis: lax.dynamic_slice_in_dim(x, 0, size, axis),
            {"x": source, "size": size},
            TRACED,
            note=note,
            text=text,
        )
        for kind, note, axis, source, size, text in (
            ("axis", "", 2, uniform(5, 4), fixed(3.0), ""),
            ("rank", "", 0, uniform(), fixed(3.0), ""),
            ("rank", "size", 0, uniform(5, 4), fixed([3.0, 2.0]), ""),
            ("dtype", "bool-size", 0, uniform(5, 4), fixed(True, dtype="bool"), ""),
            ("dtype", "complex-size", 0, uniform(5, 4), fixed(2 + 0j, dtype="c128"), ""),
            ("value", "nan-size", 0, uniform(5, 4), fixed(np.nan), ""),
        )
    ),
    _misuse(
        "reshape_sym",
        "shape",
        lambda x: x.reshape_sym([x.sym_size(0), 3]),
        lambda x: jnp.reshape(x, (x.shape[0], 3)),
        TABLE,
        TRACED,
    ),
    _misuse(
        "reshape_sym",
        "axis",
        lambda x: x.reshape_sym([x.sym_size(2), 3]),
        lambda x: jnp.reshape(x, (x.shape[2], 3)),
        TABLE,
        TRACED,
    ),
    *(
        _misuse(
            "broadcast_in_dim_sym",
            kind,
            lambda x, y, dims=dims: x.broadcast_in_dim_sym([y.sym_size(0), 4], list(dims), [y]),
            lambda x, y, dims=dims: lax.broadcast_in_dim(x, (y.shape[0], 4), dims),
            {**TABLE, "y": uniform(extent)},
            TRACED,
            text=MEANINGS[kind],
        )
        for kind, dims, extent in (("shape", (0, 1), 3), ("axis", (0, 2), 5), ("rank", (0,), 5))
    ),
)

ADD_BESIDE = Scatter(
    update_window_dims=[1], inserted_window_dims=[0], scatter_dims_to_operand_dims=[2], index_vector_dim=1
)

INDEXING = (
    _misuse("index_select", "rank", lambda x: x.index_select(0, [0]), lambda x: _taken(x, [0], 0), NUMBER, GRAPH),
    _misuse("take_axis", "rank", lambda x: x.take_axis(0, [0]), lambda x: _taken(x, [0], 0), NUMBER, GRAPH),
    _misuse("take_rows", "rank", lambda x: x.take_rows([0]), lambda x: _taken(x, [0], 0), NUMBER, EAGER),
    _misuse("take_cols", "rank", lambda x: x.take_cols([0]), lambda x: _taken(x, [0], 1), VECTOR, EAGER),
    _misuse("take_block", "rank", *_block([0], [0]), VECTOR, EAGER),
    _misuse("take_block", "index", *_block([5], [0]), TABLE, EAGER, note="row"),
    _misuse("take_block", "index", *_block([0], [4]), TABLE, EAGER, note="column"),
    _misuse(
        "scatter",
        "axis",
        ADD_BESIDE.tenferro,
        ADD_BESIDE.jax,
        {**TABLE, "indices": fixed([3, 0, 4], dtype="i64"), "updates": small_integers(3, 4)},
    ),
    _misuse(
        "dynamic_update_slice",
        "dtype",
        lambda x, update, starts: x.dynamic_update_slice(update, starts),
        lambda x, update, starts: lax.dynamic_update_slice(x, update, tuple(starts)),
        {**TABLE, "update": uniform(2, 2), "starts": booleans(2)},
        note="bool-starts",
        text="bool index",
    ),
    _misuse(
        "dynamic_update_slice",
        "dtype",
        lambda x, update, starts: x.dynamic_update_slice(update, starts),
        lambda x, update, starts: lax.dynamic_update_slice(x, update, tuple(starts)),
        {**TABLE, "update": uniform(2, 2, dtype="f32"), "starts": fixed([0, 1], dtype="i64")},
        ("traced", "concrete"),
        note="mixed",
    ),
)

OPERANDS = {"a": small_integers(3, 2, 4), "b": small_integers(4, 2, 5)}


def _conjugated(lhs: list[int], rhs: list[int]) -> tuple[Program, Program]:
    """A batched product of conjugate and array, contracted over those axes."""
    return (
        lambda a, b: a.dot_general_with_conj(b, lhs, rhs, [1], [1], lhs_conj=True, rhs_conj=False),
        lambda a, b: lax.dot_general(jnp.conj(a), b, ((lhs, rhs), ([1], [1]))),
    )


CONTRACTION = (
    _misuse(
        "dot_general_with_conj",
        "shape",
        *_conjugated([2], [0]),
        {"a": uniform(3, 2, 4), "b": uniform(5, 2, 5)},
        ("eager", "concrete"),
    ),
    _misuse("dot_general_with_conj", "axis", *_conjugated([3], [0]), OPERANDS, ("eager", "concrete")),
    _misuse(
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
        _misuse(f"masked_{name}", "axis", *_masked(name, 2), {"x": uniform(3, 2), "mask": booleans(3, 2)}),
        _misuse(f"masked_{name}", "rank", *_masked(name, 0), {"x": uniform(), "mask": booleans()}),
        _misuse(
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
    return _misuse(
        "select", kind, lambda c, x, y: c.select(x, y), lambda c, x, y: lax.select(c, x, y), inputs, GRAPH, text=text
    )


COMPARISON = (
    _selected("shape", booleans(3), uniform(4), uniform(3), MEANINGS["shape"]),
    _selected("rank", booleans(2), uniform(2, 3), uniform(2, 3), MEANINGS["shape"]),
    _selected("dtype", uniform(3), uniform(3), uniform(3), MEANINGS["dtype"]),
)
