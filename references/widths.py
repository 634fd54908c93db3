"""Every operation on one thread and on two, at a small size and at one beyond every switch of a kernel.

`nox -s widths` prints which of them move a bit with the width.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from references import activation, elementwise, reduction
from references.case import Case, Program
from references.inputs import booleans
from references.lazy import jax, jnp, lax, th
from references.rows import Row, behind_square, method, named
from references.wide import (
    LARGE,
    SMALL,
    Draw,
    both_sizes,
    curved,
    linear,
    moved,
    places,
    three,
    whole,
    wide,
)
from references.windows import Gather, Scatter

GRAPH: dict[str, Any] = {"surfaces": ("traced", "eager")}
TRACED: dict[str, Any] = {"surfaces": ("traced",)}
EAGER: dict[str, Any] = {"surfaces": ("eager",)}

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

SPACE = ([2], [0], [1], [1])


def _batched(a: Any, b: Any) -> Any:
    """Free axes of a, of b, then the batch axis, as tenferro orders them."""
    return jnp.einsum("ibk,kbj->ijb", a, b)


CONTRACTED = (
    _product("matmul", lambda a, b: a.matmul(b), lambda a, b: a @ b, *MATRICES),
    _product("dot-general", lambda a, b: a.dot_general(b, *SPACE), _batched, *BATCHES),
    _product(
        "dot-general-with-conj",
        lambda a, b: a.dot_general_with_conj(b, *SPACE, lhs_conj=False, rhs_conj=True),
        lambda a, b: _batched(a, jnp.conj(b)),
        *BATCHES,
        surfaces=("eager", "concrete"),
    ),
)


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
    return lambda x, indices: getattr(replace(ROWS_OF, slice_sizes=[1, x.shape[1]]), side)(x, indices)


ROWS_OF = Gather(offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], index_vector_dim=1, slice_sizes=[])
ADD_ROWS = Scatter(
    update_window_dims=[1], inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], index_vector_dim=1
)


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
        ADD_ROWS.tenferro,
        ADD_ROWS.jax,
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

CASES = (*COMPUTED, *CONTRACTED, *MOVED, *INDEXED)
