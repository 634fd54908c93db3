"""Reading and adding at indices: what is out of range is clamped, and duplicates add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from references import misuses
from references.case import Case, Program
from references.dtypes import ALL
from references.generate import small_integers
from references.inputs import Input, booleans, fixed, integers, uniform
from references.lazy import jnp, lax, torch
from references.marked import marked
from references.refuse import Refusal, refusals
from references.squares import with_derivatives
from references.windows import Gather, Scatter, clamped_torch

SUMMED = tuple(name for name in ALL if name != "bool")


def at(*numbers: Any, dtype: str = "i64") -> Input:
    """An index array; the second question rotates it."""
    return fixed(np.array(numbers, np.int64), dtype=dtype)


def reads(
    name: str,
    why: str,
    inputs: Mapping[str, Input],
    *,
    tenferro: Program,
    jax: Program | None,
    torch: Program | None,
    dtypes: tuple[str, ...] = ALL,
    **more: Any,
) -> Case:
    """A case of this family: every dtype, value and all derivatives."""
    return Case(
        id=f"indexing/{name}",
        why=why,
        inputs=inputs,
        tenferro=tenferro,
        jax=jax,
        torch=torch,
        dtypes=dtypes,
        **more,
    )


def _gather(name: str, why: str, shape: Sequence[int], indices: Input, config: Gather, **more: Any) -> Case:
    programs: dict[str, Any] = {"tenferro": config.tenferro, "jax": config.jax, "torch": config.torch}
    return reads(f"gather-{name}", why, {"x": marked(*shape), "indices": indices}, **{**programs, **more})


def _scatter(
    name: str, why: str, shapes: tuple[Sequence[int], Sequence[int]], indices: Input, config: Scatter, **more: Any
) -> Case:
    programs: dict[str, Any] = {"tenferro": config.tenferro, "jax": config.jax, "torch": config.torch}
    inputs = {"x": small_integers(*shapes[0]), "indices": indices, "updates": small_integers(*shapes[1])}
    return reads(f"scatter-{name}", why, inputs, **programs, **{"dtypes": SUMMED, **more})


def _positions(name: str, why: str, programs: Mapping[str, Any], **more: Any) -> Case:
    """Positions known when the program is built."""
    return reads(name, why, {"x": marked(5, 4, 3)}, **programs, **more)


def _jax(x: Any, axis: int, positions: Sequence[int]) -> Any:
    return jnp.take(x, np.array(positions, np.int64), axis=axis)


def _torch(x: Any, axis: int, positions: Sequence[int]) -> Any:
    return torch.index_select(x, axis, torch.tensor(positions, dtype=torch.int64))


def _block_torch(x: Any, rows: Sequence[int], columns: Sequence[int]) -> Any:
    return _torch(_torch(x, 0, rows), 1, columns)


def _slice_torch(x: Any, starts: Any, sizes: Sequence[int]) -> Any:
    return x[clamped_torch(x, starts, sizes)]


def _dynamic_slice(name: str, why: str, starts: Input, sizes: Sequence[int], **more: Any) -> Case:
    return reads(
        f"dynamic-slice-{name}",
        why,
        {"x": marked(6, 5, 4), "starts": starts},
        tenferro=lambda x, starts: x.dynamic_slice(starts, list(sizes)),
        jax=lambda x, starts: lax.dynamic_slice(x, tuple(jnp.maximum(starts, 0)), sizes),  # JAX counts −1 from the end
        torch=lambda x, starts: _slice_torch(x, starts, sizes),
        **more,
    )


def _update_slice(name: str, why: str, starts: Input, sizes: Sequence[int], **more: Any) -> Case:
    return reads(
        f"dynamic-update-slice-{name}",
        why,
        {"x": marked(6, 5), "update": marked(*sizes), "starts": starts},
        tenferro=lambda x, update, starts: x.dynamic_update_slice(update, starts),
        jax=lambda x, update, starts: lax.dynamic_update_slice(x, update, tuple(jnp.maximum(starts, 0))),
        torch=_updated_torch,
        **more,
    )


def _updated_torch(x: Any, update: Any, starts: Any) -> Any:
    found = x.clone()
    found[clamped_torch(x, starts, update.shape)] = update
    return found


def _along(name: str, why: str, shape: Sequence[int], indices: Input, axis: int, **more: Any) -> Case:
    return reads(
        f"take-along-axis-{name}",
        why,
        {"x": marked(*shape), "indices": indices},
        tenferro=lambda x, indices: x.take_along_axis(indices, axis),
        # JAX counts −1 from the end, "clip" or not.
        jax=lambda x, indices: jnp.take_along_axis(x, jnp.maximum(indices, 0), axis, mode="clip"),
        torch=lambda x, indices: torch.take_along_dim(x, indices.long().clamp(0, x.shape[axis] - 1), axis),
        **more,
    )


ROWS_OF = Gather(offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], index_vector_dim=1, slice_sizes=[1, 4])
ADD_ROWS = Scatter(
    update_window_dims=[1], inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], index_vector_dim=1
)


def _whole_floats(dtype: str) -> Case:
    """JAX and PyTorch take no float for an index, so they are given the integers."""
    return _gather(
        f"rows-{dtype}",
        "An index that is a whole number means that row, whatever its dtype.",
        (5, 4),
        fixed([3.0, -1.0, 0.0, 7.0], dtype=dtype),
        ROWS_OF,
        dtypes=("f64", "i32"),
        transforms=("value",),
        jax=lambda x, indices: ROWS_OF.jax(x, indices.astype(int)),
        torch=lambda x, indices: ROWS_OF.torch(x, indices.long()),
    )


FEW: dict[str, Any] = {"dtypes": ("f64", "i32"), "transforms": ("value", "vjp")}

MANY: dict[str, Any] = {"dtypes": ("f64", "c128"), "widths": (1, 2), "transforms": ("value", "vjp")}
"""16 200 and 18 000 numbers: on either side of 16 384."""

BLOCKS: tuple[tuple[str, str, Program, list[int], list[int]], ...] = (
    ("rows", "Rows, one of them twice.", lambda x: x.take_rows([4, 0, 4]), [4, 0, 4], [0, 1, 2, 3]),
    ("cols", "Columns, one of them twice.", lambda x: x.take_cols([3, 3, 1]), [0, 1, 2, 3, 4], [3, 3, 1]),
    ("block", "Rows and columns at once.", lambda x: x.take_block([4, 1], [2, 0, 2]), [4, 1], [2, 0, 2]),
)

ROWS = (
    _gather("rows", "Rows in any order, one of them twice.", (5, 4), at(3, 0, 3, 4), ROWS_OF),
    _gather(
        "rows-i32",
        "Indices of 32 bits mean the same rows.",
        (5, 4),
        at(3, 0, 3, 4, dtype="i32"),
        ROWS_OF,
        dtypes=("f64",),
    ),
    _whole_floats("f32"),
    _whole_floats("f64"),
    _gather(
        "clamps",
        "A row before the first is the first, one past the last is the last; nothing wraps.",
        (5, 4),
        at(-1, 5, -(2**40), 2**40, 2, -5),
        ROWS_OF,
    ),
    _gather(
        "no-rows",
        "No index gives no row, and a gradient of zeros.",
        (5, 4),
        at(),
        ROWS_OF,
        dtypes=("f64", "i32", "bool"),
        transforms=("value", "vjp"),
    ),
    _gather(
        "columns-first",
        "The window's axis comes first in the output, the batch axes behind it.",
        (5, 4),
        at([1, 3], [0, 0], [3, 2]),
        Gather(offset_dims=[0], collapsed_slice_dims=[1], start_index_map=[1], index_vector_dim=2, slice_sizes=[5, 1]),
    ),
    _gather(
        "points",
        "Index vectors that name the axes in another order, and clamp each by its own extent.",
        (5, 4, 3),
        at([2, 4, 0], [9, -1, 1], [0, 7, 3]),
        Gather(
            offset_dims=[],
            collapsed_slice_dims=[0, 1, 2],
            start_index_map=[2, 0, 1],
            index_vector_dim=1,
            slice_sizes=[1, 1, 1],
        ),
    ),
    _gather(
        "windows",
        "Windows of 2 × 3 are pulled back until they fit.",
        (5, 4, 3),
        at([0, 0], [4, 3], [-2, 1], [3, 2]),
        Gather(
            offset_dims=[1, 2],
            collapsed_slice_dims=[2],
            start_index_map=[0, 1],
            index_vector_dim=1,
            slice_sizes=[2, 3, 1],
        ),
    ),
    _gather(
        "vectors-first",
        "Index vectors along the first axis of the index array.",
        (5, 4),
        at([4, 0, 2], [1, 3, 3]),
        Gather(
            offset_dims=[], collapsed_slice_dims=[0, 1], start_index_map=[0, 1], index_vector_dim=0, slice_sizes=[1, 1]
        ),
    ),
    _scatter("rows", "Rows are added where the index says, the rest stays.", ((5, 4), (3, 4)), at(3, 0, 4), ADD_ROWS),
    _scatter("duplicates", "Two updates of one row both count.", ((5, 4), (6, 4)), at(3, 0, 3, 3, 1, 0), ADD_ROWS),
    _scatter(
        "clamps",
        "An update out of range is added to the nearest row; JAX's default would drop it.",
        ((5, 4), (5, 4)),
        at(-1, 5, 2, -(2**40), 2**40),
        ADD_ROWS,
    ),
    _scatter("none", "No update changes nothing.", ((5, 4), (0, 4)), at(), ADD_ROWS, dtypes=("f64", "i32")),
    _scatter(
        "points",
        "Index vectors that name the axes in another order.",
        ((5, 4, 3), (4,)),
        at([2, 4, 0], [9, -1, 1], [0, 7, 3], [2, 4, 0]),
        Scatter(
            update_window_dims=[],
            inserted_window_dims=[0, 1, 2],
            scatter_dims_to_operand_dims=[2, 0, 1],
            index_vector_dim=1,
        ),
    ),
    _scatter(
        "windows",
        "Windows of 2 × 3 overlap, and are pulled back until they fit.",
        ((5, 4, 3), (2, 3, 4)),
        at([0, 0], [4, 3], [-2, 1], [3, 2]),
        Scatter(
            update_window_dims=[0, 1], inserted_window_dims=[2], scatter_dims_to_operand_dims=[0, 1], index_vector_dim=1
        ),
    ),
    *(
        case
        for name, rows in (("below", 270), ("above", 300))
        for case in (
            _gather(
                f"{name}-16384",
                "Many rows, more of them than one kernel takes at once, some out of range.",
                (rows, 60),
                integers(rows, low=-9, high=rows + 9, dtype="i64"),
                replace(ROWS_OF, slice_sizes=[1, 60]),
                **MANY,
            ),
            _scatter(
                f"{name}-16384",
                "Many rows added, nearly every row twice; the order in which they are added must not show.",
                ((rows // 2, 60), (rows, 60)),
                integers(rows, low=-9, high=rows // 2 + 9, dtype="i64"),
                ADD_ROWS,
                **MANY,
            ),
        )
    ),
    _dynamic_slice("inside", "A window whose place is a number of the program.", at(1, 2, 0), (3, 2, 4)),
    _dynamic_slice(
        "clamps", "A window that would leave the array is pulled back, each axis for itself.", at(-3, 99, 2), (4, 3, 3)
    ),
    _dynamic_slice(
        "i32", "Starts of 32 bits mean the same place.", at(2, 1, 1, dtype="i32"), (2, 2, 1), dtypes=("f64",)
    ),
    _dynamic_slice("whole", "A window as large as the array has one place.", at(5, -5, 1), (6, 5, 4), dtypes=("f64",)),
    _update_slice("inside", "An update is written over the window, not added to it.", at(1, 2), (3, 2)),
    _update_slice("clamps", "A window that would leave the array is pulled back.", at(-4, 99), (2, 3)),
    _update_slice("i32", "Starts of 32 bits mean the same place.", at(2, 1, dtype="i32"), (2, 2), dtypes=("f64",)),
    _update_slice("whole", "An update as large as the array replaces it.", at(3, -3), (6, 5), dtypes=("f64", "i32")),
    _along(
        "middle",
        "One index for each place of the output.",
        (3, 4, 2),
        at([[0, 3], [1, 1], [2, 0]], [[3, 3], [0, 2], [1, 1]], [[2, 1], [0, 0], [3, 2]]),
        1,
    ),
    _along(
        "clamps",
        "An index out of range reads the nearest place; nothing wraps.",
        (3, 4),
        at([-1, 9, 1, 0], [2, 3, -9, 4]),
        0,
    ),
    _along(
        "i32",
        "Indices of 32 bits mean the same places.",
        (3, 4),
        at([0, 2, 1, 0], [2, 2, 1, 1], dtype="i32"),
        0,
        dtypes=("f64",),
    ),
    _along(
        "stretched",
        "An extent of 1 of the indices beside the axis repeats.",
        (3, 4, 2),
        at([[0], [3]], [[1], [2]], [[3], [-9]]),
        1,
        dtypes=("f64", "i32", "bool"),
    ),
    _dynamic_slice(
        "empty-window", "A window of no rows is empty, and its gradient zeros.", at(1, 2, 0), (0, 2, 3), **FEW
    ),
    reads(
        "dynamic-slice-scalar",
        "A number of rank 0 has one window, which no start names.",
        {"x": marked(), "starts": fixed(np.zeros(0, np.int64), dtype="i64")},
        tenferro=lambda x, starts: x.dynamic_slice(starts, []),
        jax=lambda x, starts: x,
        torch=lambda x, starts: x.clone(),
        **FEW,
    ),
    reads(
        "dynamic-update-slice-scalar",
        "A number of rank 0 is replaced whole.",
        {"x": marked(), "update": marked(), "starts": fixed(np.zeros(0, np.int64), dtype="i64")},
        tenferro=lambda x, update, starts: x.dynamic_update_slice(update, starts),
        jax=lambda x, update, starts: lax.dynamic_update_slice(x, update, ()),
        torch=lambda x, update, starts: update.clone(),
        **FEW,
    ),
    _along(
        "no-indices", "No index along the axis gives nothing.", (3, 4), fixed(np.zeros((3, 0)), dtype="i64"), 1, **FEW
    ),
    _along(
        "nothing-beside",
        "Nothing beside the axis gives nothing.",
        (0, 4),
        fixed(np.zeros((0, 2)), dtype="i64"),
        1,
        **FEW,
    ),
    reads(
        "index-select-of-nothing",
        "Rows of no columns, and no rows of some.",
        {"x": marked(0, 4), "y": marked(3, 4)},
        tenferro=lambda x, y: (x.index_select(1, [0, 0, 3]), y.index_select(0, [])),
        jax=lambda x, y: (_jax(x, 1, [0, 0, 3]), _jax(y, 0, [])),
        torch=lambda x, y: (_torch(x, 1, [0, 0, 3]), _torch(y, 0, [])),
        **FEW,
    ),
    reads(
        "negative-starts-from-the-end",
        "In JAX a start of −2 is the last but one; in tenferro it is clamped to 0.",
        {"x": marked(6, 5), "starts": at(-2, -3)},
        tenferro=lambda x, starts: x.dynamic_slice(starts, [2, 2]),
        jax=lambda x, starts: lax.dynamic_slice(x, tuple(starts), (2, 2)),
        torch=None,
        dtypes=("f64",),
        transforms=("value",),
    ),
    reads(
        "negative-indices-from-the-end",
        "In JAX and NumPy an index of −1 is the last place; in tenferro it is clamped to 0.",
        {"x": marked(3, 4), "indices": at([-1, 0, 1, -2], [-3, 2, -1, 0])},
        tenferro=lambda x, indices: x.take_along_axis(indices, 0),
        jax=lambda x, indices: jnp.take_along_axis(x, indices, 0),
        numpy=lambda x, indices: np.take_along_axis(x, indices, 0),
        torch=None,
        dtypes=("f64",),
        transforms=("value",),
    ),
    _positions(
        "index-select",
        "Positions along an axis counted from either end; some twice, some not at all, none.",
        {
            "tenferro": lambda x: (x.index_select(0, [4, 0, 0, 2]), x.index_select(-2, [3, 1]), x.index_select(2, [])),
            "jax": lambda x: (_jax(x, 0, [4, 0, 0, 2]), _jax(x, 1, [3, 1]), _jax(x, 2, [])),
            "torch": lambda x: (_torch(x, 0, [4, 0, 0, 2]), _torch(x, 1, [3, 1]), _torch(x, 2, [])),
        },
    ),
    _positions(
        "take-axis",
        "Positions along an axis; some twice, some not at all.",
        {
            "tenferro": lambda x: (x.take_axis(0, [4, 0, 0, 2]), x.take_axis(1, [3, 1])),
            "jax": lambda x: (_jax(x, 0, [4, 0, 0, 2]), _jax(x, 1, [3, 1])),
            "torch": lambda x: (_torch(x, 0, [4, 0, 0, 2]), _torch(x, 1, [3, 1])),
        },
        surfaces=("traced", "eager"),
    ),
    *(
        reads(
            f"take-{name}",
            why,
            {"x": marked(5, 4)},
            tenferro=tenferro,
            jax=lambda x, rows=rows, columns=columns: x[np.ix_(rows, columns)],
            torch=lambda x, rows=rows, columns=columns: _block_torch(x, rows, columns),
            surfaces=("eager",),
        )
        for name, why, tenferro, rows, columns in BLOCKS
    ),
)

SEEN: dict[str, tuple[Any, Sequence[int]]] = {
    "strided": (lambda a: a[::2, ::2], (10, 8)),
    "reversed": (lambda a: a[::-1], (5, 4)),
    "offset": (lambda a: a[1:, 2:], (6, 6)),
    "transposed": (lambda a: a.T, (4, 5)),
}
"""Views of five rows of four, each with the shape of the array it is of."""

VIEWED = tuple(
    replace(
        _gather(
            f"of-{kind}",
            f"Rows of a {kind} array are its own rows in its own order.",
            (5, 4),
            at(3, 0, 3, 4),
            ROWS_OF,
            dtypes=("f64", "i32", "c128"),
        ),
        inputs={"x": replace(marked(*shape), view=view), "indices": at(3, 0, 3, 4)},
    )
    for kind, (view, shape) in SEEN.items()
)

PITFALLS = (
    reads(
        "pitfall-scatter-adds",
        "A scatter of JAX's name replaces what was there; tenferro's adds to it.",
        {"x": uniform(5, 4), "indices": at(3, 0, 4), "updates": uniform(3, 4)},
        tenferro=ADD_ROWS.tenferro,
        jax=lambda x, indices, updates: x.at[indices].set(updates),
        torch=lambda x, indices, updates: torch.index_copy(x, 0, indices, updates),
        dtypes=("f64",),
        transforms=("value",),
    ),
    reads(
        "pitfall-scatter-clamps",
        "An update out of range is dropped by JAX's default, and added to the nearest row by tenferro.",
        {"x": uniform(5, 4), "indices": at(3, 0, 7), "updates": uniform(3, 4)},
        tenferro=ADD_ROWS.tenferro,
        jax=lambda x, indices, updates: x.at[indices].add(updates),
        torch=None,
        dtypes=("f64",),
        transforms=("value",),
    ),
    reads(
        "pitfall-gather-fills",
        "A row out of range is NaN by JAX's default, and the nearest row by tenferro.",
        {"x": uniform(5, 4), "indices": at(3, 0, 7)},
        tenferro=ROWS_OF.tenferro,
        jax=lambda x, indices: jnp.take(x, indices, axis=0),
        torch=None,
        dtypes=("f64",),
        transforms=("value",),
    ),
)

MIXED = reads(
    "dynamic-update-slice-of-another-dtype",
    "An update of another dtype is converted to the array's on the eager surface alone; the others refuse it.",
    {"x": uniform(5, 4), "update": uniform(2, 2, dtype="f32"), "starts": at(0, 1)},
    tenferro=lambda x, update, starts: x.dynamic_update_slice(update, starts),
    jax=None,
    torch=_updated_torch,
    dtypes=("f64",),
    transforms=("value",),
    properties=("agreement", "second-answer"),
)

ADDED_TO = Case(
    id="indexing/scatter-passes-the-cotangent-on",
    why="What is added to passes its cotangent on untouched; that cotangent has no second derivative.",
    inputs={"x": small_integers(5, 4), "indices": at(3, 0, 4), "updates": small_integers(3, 4)},
    tenferro=ADD_ROWS.tenferro,
    jax=ADD_ROWS.jax,
    torch=ADD_ROWS.torch,
    transforms=("vjp", "hvp"),
)

X5 = {"x": uniform(5, 4)}
"""Five rows of four."""

REFUSED = (
    Refusal(
        op="gather",
        kind="dtype",
        note="bool-indices",
        inputs={**X5, "indices": booleans(3)},
        tenferro=ROWS_OF.tenferro,
        jax=ROWS_OF.jax,
    ),
    Refusal(
        op="gather",
        kind="value",
        note="fraction",
        text="representable",
        inputs={**X5, "indices": fixed([0.0, 1.5], dtype="f64")},
        tenferro=ROWS_OF.tenferro,
        jax=ROWS_OF.jax,
        torch=lambda x, indices: x[indices],
    ),
    Refusal(
        op="gather",
        kind="shape",
        inputs={**X5, "indices": at(0, 1)},
        tenferro=replace(ROWS_OF, slice_sizes=[1, 5]).tenferro,
        jax=replace(ROWS_OF, slice_sizes=[1, 5]).jax,
    ),
    Refusal(
        op="gather",
        kind="axis",
        inputs={**X5, "indices": at(0, 1)},
        tenferro=replace(ROWS_OF, start_index_map=[2]).tenferro,
        jax=replace(ROWS_OF, start_index_map=[2]).jax,
    ),
    Refusal(
        op="gather",
        kind="rank",
        inputs={**X5, "indices": at(0, 1)},
        tenferro=replace(ROWS_OF, slice_sizes=[1]).tenferro,
        jax=replace(ROWS_OF, slice_sizes=[1]).jax,
    ),
    Refusal(
        op="scatter",
        kind="dtype",
        inputs={"x": small_integers(5, 4), "indices": at(3, 0, 4), "updates": small_integers(3, 4)},
        tenferro=ADD_ROWS.tenferro,
        jax=ADD_ROWS.jax,
        torch=ADD_ROWS.torch,
        dtypes=("bool",),
    ),
    Refusal(
        op="scatter",
        kind="shape",
        inputs={**X5, "indices": at(3, 0, 4), "updates": uniform(2, 4)},
        tenferro=ADD_ROWS.tenferro,
        jax=ADD_ROWS.jax,
        torch=ADD_ROWS.torch,
    ),
    Refusal(
        op="scatter",
        kind="rank",
        inputs={**X5, "indices": at(3, 0, 4), "updates": uniform(3)},
        tenferro=ADD_ROWS.tenferro,
        jax=ADD_ROWS.jax,
    ),
    Refusal(
        op="dynamic_slice",
        kind="rank",
        inputs={**X5, "starts": at(0)},
        tenferro=lambda x, starts: x.dynamic_slice(starts, [1, 1]),
        jax=lambda x, starts: lax.dynamic_slice(x, tuple(starts), (1, 1)),
    ),
    Refusal(
        op="dynamic_slice",
        kind="shape",
        note="window-too-large",
        inputs={**X5, "starts": at(0, 0)},
        tenferro=lambda x, starts: x.dynamic_slice(starts, [6, 1]),
        jax=lambda x, starts: lax.dynamic_slice(x, tuple(starts), (6, 1)),
    ),
    Refusal(
        op="dynamic_slice",
        kind="dtype",
        note="bool-starts",
        inputs={**X5, "starts": booleans(2)},
        tenferro=lambda x, starts: x.dynamic_slice(starts, [1, 1]),
        jax=lambda x, starts: lax.dynamic_slice(x, tuple(starts), (1, 1)),
    ),
    Refusal(
        op="dynamic_update_slice",
        kind="shape",
        inputs={**X5, "update": uniform(6, 4), "starts": at(0, 0)},
        tenferro=lambda x, update, starts: x.dynamic_update_slice(update, starts),
        jax=lambda x, update, starts: lax.dynamic_update_slice(x, update, tuple(starts)),
    ),
    Refusal(
        op="dynamic_update_slice",
        kind="rank",
        inputs={**X5, "update": uniform(2), "starts": at(0, 0)},
        tenferro=lambda x, update, starts: x.dynamic_update_slice(update, starts),
        jax=lambda x, update, starts: lax.dynamic_update_slice(x, update, tuple(starts)),
    ),
    Refusal(
        op="take_along_axis",
        kind="rank",
        inputs={**X5, "indices": at(0, 1)},
        tenferro=lambda x, indices: x.take_along_axis(indices, 0),
        jax=lambda x, indices: jnp.take_along_axis(x, indices, 0),
        torch=lambda x, indices: torch.take_along_dim(x, indices, 0),
    ),
    Refusal(
        op="take_along_axis",
        kind="axis",
        inputs={**X5, "indices": at([0, 1, 0, 0])},
        tenferro=lambda x, indices: x.take_along_axis(indices, 2),
        jax=lambda x, indices: jnp.take_along_axis(x, indices, 2),
        torch=lambda x, indices: torch.take_along_dim(x, indices, 2),
    ),
    Refusal(
        op="take_along_axis",
        kind="shape",
        note="array-of-extent-1",
        inputs={"x": uniform(1, 4), "indices": at([0, 1], [2, 3], [1, 1])},
        tenferro=lambda x, indices: x.take_along_axis(indices, 1),
        jax=lambda x, indices: jnp.take_along_axis(x, indices, 1),
        torch=lambda x, indices: torch.take_along_dim(x, indices, 1),
    ),
    Refusal(
        op="take_along_axis",
        kind="dtype",
        note="float-indices",
        inputs={**X5, "indices": fixed([[0.0, 1.0, 0.0, 2.0]], dtype="f64")},
        tenferro=lambda x, indices: x.take_along_axis(indices, 0),
        jax=lambda x, indices: jnp.take_along_axis(x, indices, 0),
        torch=lambda x, indices: torch.take_along_dim(x, indices, 0),
    ),
    Refusal(
        op="index_select",
        kind="index",
        inputs=X5,
        tenferro=lambda x: x.index_select(0, [0, 5]),
        jax=lambda x: _jax(x, 0, [0, 5]),
        torch=lambda x: _torch(x, 0, [0, 5]),
    ),
    Refusal(
        op="index_select",
        kind="axis",
        inputs=X5,
        tenferro=lambda x: x.index_select(2, [0]),
        jax=lambda x: _jax(x, 2, [0]),
        torch=lambda x: _torch(x, 2, [0]),
    ),
    Refusal(
        op="take_axis",
        kind="index",
        inputs=X5,
        tenferro=lambda x: x.take_axis(1, [4]),
        jax=lambda x: _jax(x, 1, [4]),
        torch=lambda x: _torch(x, 1, [4]),
        surfaces=("traced", "eager"),
    ),
    Refusal(
        op="take_axis",
        kind="axis",
        inputs=X5,
        tenferro=lambda x: x.take_axis(2, [0]),
        jax=lambda x: _jax(x, 2, [0]),
        torch=lambda x: _torch(x, 2, [0]),
        surfaces=("traced", "eager"),
    ),
    Refusal(
        op="take_rows",
        kind="index",
        inputs=X5,
        tenferro=lambda x: x.take_rows([5]),
        jax=lambda x: _jax(x, 0, [5]),
        torch=lambda x: _torch(x, 0, [5]),
        surfaces=("eager",),
    ),
    Refusal(
        op="take_cols",
        kind="index",
        inputs=X5,
        tenferro=lambda x: x.take_cols([4]),
        jax=lambda x: _jax(x, 1, [4]),
        torch=lambda x: _torch(x, 1, [4]),
        surfaces=("eager",),
    ),
)

CASES = (
    *with_derivatives((*ROWS, *VIEWED)),
    *PITFALLS,
    MIXED,
    ADDED_TO,
    *refusals("indexing", (*REFUSED, *misuses.INDEXING)),
)
