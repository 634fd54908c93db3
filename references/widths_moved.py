"""The operations of the family widths that move numbers: shapes and axes, selection, indexing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from references import indexing
from references.case import Case, Program
from references.inputs import booleans
from references.lazy import jnp, lax, th
from references.wide import LARGE, SMALL, moved, places, three, whole, wide

GRAPH: dict[str, Any] = {"surfaces": ("traced", "eager")}
TRACED: dict[str, Any] = {"surfaces": ("traced",)}
EAGER: dict[str, Any] = {"surfaces": ("eager",)}


def _rest(x: Any) -> list[int]:
    """All rows but the first, last first, and the second one once more."""
    return [*range(x.shape[0] - 1, 0, -1), 1]


def _inner(x: Any) -> list[int]:
    """The extents less one."""
    return [extent - 1 for extent in x.shape]


def _conditioned(name: str, function: Program, **fields: Any) -> Case:
    return moved(
        name,
        lambda x, y, c: getattr(c, name.replace("-", "_"))(x, y),
        lambda x, y, c: function(c, x, y),
        (whole, wide, booleans),
        category="comparison",
        **fields,
    )


MOVED = (
    moved(
        "compare",
        lambda x, y: x.compare(y, "lt"),
        lambda x, y: x < y,
        (whole, wide),
        category="comparison",
        transforms=("value",),
    ),
    _conditioned("select", lambda c, x, y: lax.select(c, x, y), **GRAPH),
    _conditioned("where-select", lambda c, x, y: jnp.where(c, x, y)),
    moved("cast", lambda x: x.cast("c64"), lambda x: lax.convert_element_type(x, np.complex64), category="dtype"),
    moved("convert", lambda x: x.convert("c128"), lambda x: lax.convert_element_type(x, complex), category="dtype"),
    moved("reshape", lambda x: x.reshape(list(reversed(x.shape))), lambda x: x.reshape(x.shape[::-1], order="F")),
    moved(
        "reshape-sym",
        lambda x: x.reshape_sym([x.sym_size(1), x.sym_size(0)]),
        lambda x: x.reshape(x.shape[::-1], order="F"),
        **TRACED,
    ),
    moved("transpose", lambda x: x.transpose([1, 0]), lambda x: x.T),
    moved("broadcast-in-dim", lambda x: x.broadcast_in_dim([3, *x.shape], [1, 2]), lambda x: jnp.stack([x] * 3)),
    moved(
        "broadcast-in-dim-sym",
        lambda x, y: x.broadcast_in_dim_sym([y.sym_size(0), x.sym_size(0), x.sym_size(1)], [1, 2], [y]),
        lambda x, y: jnp.stack([x] * y.shape[0]),
        (whole, booleans),
        small=(SMALL, (3,)),
        large=(LARGE, (2,)),
        **TRACED,
    ),
    moved("reverse", lambda x: x.reverse([0]), lambda x: x[::-1]),
    moved("slice", lambda x: x.slice(starts=[1, 0], limits=_inner(x), strides=[1, 1]), lambda x: x[1:-1, :-1]),
    moved("slice-axis", lambda x: x.slice_axis(0, 1, x.shape[0]), lambda x: x[1:], **GRAPH),
    moved("slice-builder", lambda x: x.slice_builder([(0, _rest(x))]), lambda x: x[np.array(_rest(x))], **GRAPH),
    moved("pad", lambda x: x.pad([1, 0], [0, 2], [0, 0]), lambda x: jnp.pad(x, ((1, 0), (0, 2)))),
    moved(
        "pad-to-match",
        lambda x, y: x.pad_to_match(y, 0),
        lambda x, y: jnp.pad(x, ((0, y.shape[0] - x.shape[0]), (0, 0))),
        (whole, booleans),
        small=(SMALL, (8, 5)),
        large=(LARGE, (150, 143)),
        **TRACED,
    ),
    moved("concatenate", lambda x, y: th.concatenate([x, y], 0), lambda x, y: jnp.concatenate([x, y]), (whole, whole)),
    moved("stack", lambda x, y: th.stack([x, y], 0), lambda x, y: jnp.stack([x, y]), (whole, whole), **GRAPH),
    moved("tril", lambda x: x.tril(0), lambda x: jnp.tril(x)),
    moved("triu", lambda x: x.triu(0), lambda x: jnp.triu(x)),
    moved("extract-diag", lambda x: x.extract_diag(0, 1), lambda x: jnp.diagonal(x)),
    moved(
        "embed-diag",
        lambda x: x.embed_diag(1, 2),
        lambda x: jnp.where(np.eye(x.shape[1], dtype=bool), x[:, :, None], 0),
        small=((3, 4),),
        large=((3, 80),),
    ),
    moved(
        "dynamic-truncate",  # its sum: what is cut at run time has no shape that a cotangent could follow
        lambda x, size: x.dynamic_truncate(size, 0).reduce_sum(None),
        lambda x, size: jnp.sum(x[:3]),
        (whole, three),
        small=(SMALL, ()),
        large=((6, 6800), ()),
        wrt=("x-small", "x-large"),
        category="reduction",
        terms=20_400,
        **TRACED,
    ),
    moved("shape-of", lambda x: x.shape_of(0), lambda x: jnp.float64(x.shape[0]), transforms=("value",), **TRACED),
)


def _gathered(side: str) -> Program:
    """Whole rows, however long."""
    return lambda x, indices: getattr(replace(indexing.ROWS_OF, slice_sizes=[1, x.shape[1]]), side)(x, indices)


def _taken(name: str, jax: Program, *leading: int, **fields: Any) -> Case:
    """Positions of the first axis that are known when the program is built."""
    return moved(
        name, lambda x: getattr(x, name.replace("-", "_"))(*leading, _rest(x)), jax, category="indexing", **fields
    )


INDEXED = (
    moved(
        "gather",
        _gathered("tenferro"),
        _gathered("jax"),
        (whole, places),
        category="indexing",
        small=(SMALL, (4,)),
        large=((350, 60), (340,)),
    ),
    moved(
        "scatter",
        indexing.ADD_ROWS.tenferro,
        indexing.ADD_ROWS.jax,
        (whole, places, whole),
        category="indexing",
        small=(SMALL, (4,), (4, 5)),
        large=((350, 60), (340,), (340, 60)),
    ),
    moved(
        "dynamic-slice",
        lambda x, starts: x.dynamic_slice(starts, _inner(x)),
        lambda x, starts: lax.dynamic_slice(x, tuple(starts), _inner(x)),
        (whole, places),
        category="indexing",
        small=(SMALL, (2,)),
        large=((143, 142), (2,)),
    ),
    moved(
        "dynamic-update-slice",
        lambda x, update, starts: x.dynamic_update_slice(update, starts),
        lambda x, update, starts: lax.dynamic_update_slice(x, update, tuple(starts)),
        (whole, whole, places),
        category="indexing",
        small=(SMALL, (3, 2), (2,)),
        large=(LARGE, (60, 70), (2,)),
    ),
    moved(
        "take-along-axis",
        lambda x, indices: x.take_along_axis(indices, 0),
        lambda x, indices: jnp.take_along_axis(x, indices, 0, mode="clip"),
        (whole, places),
        category="indexing",
        small=(SMALL, (4, 5)),
        large=(LARGE, (142, 143)),
    ),
    _taken("index-select", lambda x: x[np.array(_rest(x))], 0, **GRAPH),
    _taken("take-axis", lambda x: x[np.array(_rest(x))], 0, **GRAPH),
    _taken("take-rows", lambda x: x[np.array(_rest(x))], **EAGER),
    moved(
        "take-cols",
        lambda x: x.take_cols(_rest(x)),
        lambda x: x[:, np.array(_rest(x))],
        category="indexing",
        small=((5, 6),),
        large=(LARGE,),
        **EAGER,
    ),
    moved(
        "take-block",
        lambda x: x.take_block(_rest(x), [2, 0, 2]),
        lambda x: x[np.array(_rest(x))][:, np.array([2, 0, 2])],
        category="indexing",
        large=((6800, 3),),
        **EAGER,
    ),
)
