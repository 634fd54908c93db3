"""Operations that rearrange numbers and change none: shapes, axes, slices, pads, triangles, diagonals.

Every value is compared bit for bit, special ones too. One program of a case has several outputs where an operation has
several kinds of use: each is compared on its own, and one compilation serves them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from references.case import Case, Program
from references.conventions import batch_to_back, batch_to_front
from references.dtypes import ALL, DIFFERENTIABLE
from references.inputs import Input, fixed, integers, normal, uniform
from references.lazy import jnp, lax, th, torch
from references.marked import marked
from references.misuses_layout import MISUSES
from references.refuse import Refusal, refusals
from references.squares import with_derivatives

GRAPH = ("traced", "eager")


def reshape_jax(x: Any, shape: Sequence[int]) -> Any:
    """Column-major, as tenferro: the first index runs fastest."""
    return jnp.reshape(x, shape, order="F")


def reshape_torch(x: Any, shape: Sequence[int]) -> Any:
    """PyTorch has row-major order alone: reverse the axes, reshape, reverse them again."""
    return backwards(backwards(x).reshape(tuple(reversed(shape))))


def backwards(x: Any) -> Any:
    """All axes in reverse order."""
    return x.permute(tuple(reversed(range(x.ndim))))


def moves(
    name: str,
    why: str,
    inputs: Mapping[str, Input],
    *,
    tenferro: Program,
    jax: Program | None,
    torch: Program | None = None,
    dtypes: tuple[str, ...] = ALL,
    **more: Any,
) -> Case:
    """A case of this family: every dtype, value and all derivatives."""
    return Case(
        id=f"layout/{name}",
        why=why,
        inputs=inputs,
        tenferro=tenferro,
        jax=jax,
        torch=torch,
        dtypes=dtypes,
        **more,
    )


def _broadcast_torch(x: Any, shape: Sequence[int], dims: Sequence[int]) -> Any:
    """`broadcast_in_dim`: the input's axis i becomes axis dims[i] of the output."""
    order = sorted(range(x.ndim), key=lambda i: dims[i])
    x = x.permute(order)
    placed = [1] * len(shape)
    for axis, i in enumerate(order):
        placed[dims[i]] = x.shape[axis]
    return x.reshape(placed).broadcast_to(tuple(shape))


def _broadcast_jax(x: Any, shape: Sequence[int], dims: Sequence[int]) -> Any:
    """`lax.broadcast_in_dim` wants dims in ascending order."""
    order = sorted(range(x.ndim), key=lambda i: dims[i])
    return lax.broadcast_in_dim(jnp.transpose(x, order), tuple(shape), tuple(sorted(dims)))


def _pad_torch(x: Any, low: Sequence[int], high: Sequence[int], interior: Sequence[int]) -> Any:
    """Zeros between, before and after; a negative edge crops."""
    for axis, (before, after, between) in enumerate(zip(low, high, interior, strict=True)):
        x = _pad_axis(x.movedim(axis, -1), before, after, between).movedim(-1, axis)
    return x


def _pad_axis(x: Any, before: int, after: int, between: int) -> Any:
    length = x.shape[-1]
    if between and length:
        spread = torch.cat([x[..., None], x.new_zeros((*x.shape, between))], dim=-1)
        x = spread.reshape(*x.shape[:-1], length * (between + 1))[..., : length + (length - 1) * between]
    return torch.nn.functional.pad(x, (before, after))


def _pads(*configs: tuple[Sequence[int], Sequence[int], Sequence[int]]) -> dict[str, Any]:
    """The three programs of one pad an output."""
    return {
        "tenferro": lambda x: tuple(
            x.pad(edge_padding_low=list(low), edge_padding_high=list(high), interior_padding=list(interior))
            for low, high, interior in configs
        ),
        "jax": lambda x: tuple(lax.pad(x, jnp.zeros((), x.dtype), list(zip(*c, strict=True))) for c in configs),
        "torch": lambda x: tuple(_pad_torch(x, *c) for c in configs),
    }


def _slices(*configs: tuple[Sequence[int], Sequence[int], Sequence[int]]) -> dict[str, Any]:
    """The three programs of one slice an output: starts, limits, strides."""

    def cut(starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]) -> tuple[slice, ...]:
        return tuple(map(slice, starts, limits, strides))

    return {
        "tenferro": lambda x: tuple(
            x.slice(starts=list(starts), limits=list(limits), strides=list(strides))
            for starts, limits, strides in configs
        ),
        "jax": lambda x: tuple(lax.slice(x, *c) for c in configs),
        "torch": lambda x: tuple(x[cut(*c)] for c in configs),
    }


def _each(method: str, configs: Sequence[Sequence[Any]]) -> Program:
    """tenferro's method once an output."""
    return lambda x: tuple(getattr(x, method)(*config) for config in configs)


def _reference(function: Callable[..., Any], configs: Sequence[Sequence[Any]]) -> Program:
    return lambda x: tuple(function(x, *config) for config in configs)


def _family(method: str, configs: Sequence[Sequence[Any]], jax: Callable[..., Any], torch: Callable[..., Any]) -> Any:
    """The three programs of an operation asked once for each configuration."""
    return {"tenferro": _each(method, configs), "jax": _reference(jax, configs), "torch": _reference(torch, configs)}


def _triangle_jax(name: str) -> Callable[[Any, int], Any]:
    """Batch axes lead in JAX and trail in tenferro."""
    return lambda x, k: batch_to_back(getattr(jnp, name)(batch_to_front(x, x.ndim - 2), k), x.ndim - 2)


def _triangle_torch(name: str) -> Callable[[Any, int], Any]:
    return lambda x, k: batch_to_back(getattr(torch, name)(batch_to_front(x, x.ndim - 2), k), x.ndim - 2)


def _kept(a: int, b: int) -> int:
    """Where tenferro leaves the diagonal: at axis a, less one when b before it has gone."""
    return a - (b < a)


RESHAPES = [((6, 20),), ((120,),), ((2, 3, 1, 4, 5),), ((4, 5, 6),), ((1, 120, 1),)]
PERMUTATIONS = [((3, 1, 0, 2),), ((0, 1, 2, 3),), ((3, 2, 1, 0),), ((1, 0, 2, 3),), ((2, 3, 0, 1),)]
BROADCASTS = [((3, 4), (0, 1)), ((3, 5, 4), (0, 2)), ((2, 3, 4, 4), (1, 3)), ((4, 3), (1, 0)), ((3, 4, 2), (0, 1))]
STRETCHES = [((3, 7), (0, 1)), ((3, 5, 2), (0, 2)), ((5, 3, 1), (1, 2)), ((6, 2, 3, 2, 4), (2, 4))]
REVERSALS = [((0,),), ((2,),), ((0, 1, 2),), ((),), ((2, 0),)]
DIAGONALS = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
EMBEDDINGS = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]

SMALL = {"empty": marked(3, 0, 2), "one": marked(1, 1, 1)}
"""Nothing at all, and a single number of three axes."""

SIZES = {"below": marked(127, 129), "above": marked(129, 128)}
"""16 383 and 16 512 elements: on either side of 16 384, where strided kernels change."""


def _on_both(programs: Mapping[str, Program], views: Mapping[str, Program] | None = None) -> dict[str, Any]:
    """Each program on each of two arrays, and on what `views` makes of them inside the program."""

    def both(library: str) -> Program:
        ask = programs[library]
        seen = views[library] if views else None
        return lambda x, y: tuple(
            out for array in (x, y) for form in ((array, seen(array)) if seen else (array,)) for out in ask(form)
        )

    return {library: both(library) for library in programs}


TURNED: dict[str, Program] = {
    "tenferro": lambda x: x.transpose([1, 0]).reverse([1]),
    "jax": lambda x: jnp.flip(jnp.transpose(x), 1),
    "torch": lambda x: torch.flip(torch.permute(x, (1, 0)), (1,)),
}
"""A transposed and reversed array that exists only inside the program."""


def _concatenated(axis: int) -> dict[str, Program]:
    return {
        "tenferro": lambda x: (th.concatenate([x, x], axis),),
        "jax": lambda x: (jnp.concatenate([x, x], axis),),
        "torch": lambda x: (torch.cat([x, x], axis),),
    }


def _stacked(axis: int) -> dict[str, Program]:
    return {
        "tenferro": lambda x: (th.stack([x, x], axis),),
        "jax": lambda x: (jnp.stack([x, x], axis),),
        "torch": lambda x: (torch.stack([x, x], axis),),
    }


REVERSED_SHAPE: dict[str, Program] = {
    "tenferro": lambda x: (x.reshape(list(reversed(x.shape))),),
    "jax": lambda x: (reshape_jax(x, tuple(reversed(x.shape))),),
    "torch": lambda x: (reshape_torch(x, tuple(reversed(x.shape))),),
}


def _spread(rank: int) -> dict[str, Program]:
    """A new axis of extent 3 in front."""
    dims = tuple(range(1, rank + 1))
    return {
        "tenferro": lambda x: (x.broadcast_in_dim([3, *x.shape], list(dims)),),
        "jax": lambda x: (_broadcast_jax(x, (3, *x.shape), dims),),
        "torch": lambda x: (_broadcast_torch(x, (3, *x.shape), dims),),
    }


CORNER: dict[str, Program] = {
    "tenferro": lambda x: (x.slice(starts=[0, 0, 0], limits=[1, x.shape[1], 1], strides=[1, 1, 2]),),
    "jax": lambda x: (x[:1, :, :1],),
    "torch": lambda x: (x[:1, :, :1],),
}


def _transposed(*order: int) -> dict[str, Program]:
    return {
        "tenferro": lambda x: (x.transpose(list(order)),),
        "jax": lambda x: (jnp.transpose(x, order),),
        "torch": lambda x: (torch.permute(x, order),),
    }


def _reversed(*axes: int) -> dict[str, Program]:
    return {
        "tenferro": lambda x: (x.reverse(list(axes)),),
        "jax": lambda x: (jnp.flip(x, axes),),
        "torch": lambda x: (torch.flip(x, axes),),
    }


def _triangles(k: int) -> dict[str, Program]:
    return {
        "tenferro": lambda x: (x.tril(k), x.triu(k)),
        "jax": lambda x: (_triangle_jax("tril")(x, k), _triangle_jax("triu")(x, k)),
        "torch": lambda x: (_triangle_torch("tril")(x, k), _triangle_torch("triu")(x, k)),
    }


def _diagonal_jax(x: Any, a: int, b: int) -> Any:
    return jnp.moveaxis(jnp.diagonal(x, 0, a, b), -1, _kept(a, b))


def _diagonal_torch(x: Any, a: int, b: int) -> Any:
    return torch.movedim(torch.diagonal(x, 0, a, b), -1, _kept(a, b))


def _degenerate(name: str, programs: Mapping[str, Program]) -> Case:
    return moves(
        f"{name}-degenerate",
        "An empty array keeps its shape through the operation, and a single number its value.",
        SMALL,
        **_on_both(programs),
        dtypes=("f64", "i32", "bool"),
        transforms=("value", "vjp", "jvp"),
    )


SIZED_BY_VALUE: dict[str, Any] = {"dtypes": ("f64", "c128"), "transforms": ("value",)}
SIZED_BACK: dict[str, Any] = {"dtypes": ("f64",), "transforms": ("vjp",)}


def _sized(name: str, programs: Mapping[str, Program], asked: Mapping[str, Any] = SIZED_BY_VALUE) -> Case:
    return moves(
        f"{name}-sizes",
        "Arrays on both sides of a change of kernel, as they are and turned round inside the program.",
        SIZES,
        **_on_both(programs, TURNED),
        **asked,
    )


ROWS = (
    moves(
        "reshape",
        "Elements are taken column-major, the first index fastest; row-major order puts the same numbers elsewhere.",
        {"x": marked(5, 6, 4)},
        **_family("reshape", RESHAPES, reshape_jax, reshape_torch),
    ),
    moves(
        "transpose",
        "A permutation is not its inverse: of four different extents, (3, 1, 0, 2) tells them apart.",
        {"x": marked(2, 3, 4, 5)},
        **_family(
            "transpose",
            PERMUTATIONS,
            lambda x, order: jnp.transpose(x, order),
            lambda x, order: torch.permute(x, order),
        ),
    ),
    moves(
        "broadcast-new-axes",
        "New axes before, between and behind, and two axes that change places.",
        {"x": marked(3, 4)},
        **_family("broadcast_in_dim", BROADCASTS, _broadcast_jax, _broadcast_torch),
    ),
    moves(
        "broadcast-stretch",
        "An extent of 1 repeats along its axis, and its gradient is the sum over the copies.",
        {"x": marked(3, 1)},
        **_family("broadcast_in_dim", STRETCHES, _broadcast_jax, _broadcast_torch),
    ),
    moves(
        "broadcast-scalar",
        "A rank-0 leaf fills an array, and its gradient is a sum over all of it.",
        {"x": normal()},
        **_family("broadcast_in_dim", [((), ()), ((1,), ()), ((3, 4), ())], _broadcast_jax, _broadcast_torch),
    ),
    moves(
        "broadcast-scalar-to-nothing",
        "A rank-0 leaf fills an empty array: its gradient is the sum of nothing, 0.",
        {"x": normal()},
        **_family("broadcast_in_dim", [((2, 0), ()), ((3,), ())], _broadcast_jax, _broadcast_torch),
    ),
    moves(
        "reverse",
        "One axis, several, all, none.",
        {"x": marked(3, 4, 5)},
        **_family("reverse", REVERSALS, lambda x, axes: jnp.flip(x, axes), lambda x, axes: torch.flip(x, axes)),
    ),
    moves(
        "slice",
        "Starts, limits and strides of each axis; a stride that does not divide the extent; nothing; all.",
        {"x": marked(7, 5, 6)},
        **_slices(
            ((1, 0, 2), (6, 5, 6), (1, 1, 1)),
            ((0, 1, 0), (7, 4, 6), (3, 2, 4)),
            ((6, 4, 5), (7, 5, 6), (1, 1, 1)),
            ((2, 0, 0), (2, 5, 6), (1, 1, 1)),
            ((0, 0, 0), (7, 5, 6), (1, 1, 1)),
            ((1, 1, 1), (7, 5, 6), (7, 9, 5)),
        ),
    ),
    moves(
        "slice-axis",
        "One axis is cut, the others stay whole; an empty range gives nothing.",
        {"x": marked(7, 5, 6)},
        tenferro=lambda x: (x.slice_axis(0, 2, 5), x.slice_axis(2, 0, 6), x.slice_axis(1, 4, 5), x.slice_axis(1, 3, 3)),
        jax=lambda x: (x[2:5], x, x[:, 4:5], x[:, 3:3]),
        torch=lambda x: (x[2:5], x.clone(), x[:, 4:5], x[:, 3:3]),
        surfaces=GRAPH,
    ),
    moves(
        "pad-edges",
        "Zeros before and behind, each axis its own; the gradient is the part that was there before.",
        {"x": marked(3, 4)},
        **_pads(((1, 0), (2, 3), (0, 0)), ((0, 2), (0, 0), (0, 0)), ((0, 0), (0, 0), (0, 0))),
    ),
    moves(
        "pad-interior",
        "Zeros between neighbours, not behind the last one.",
        {"x": marked(3, 4)},
        **_pads(((0, 0), (0, 0), (2, 1)), ((1, 2), (0, 1), (1, 3))),
    ),
    moves(
        "pad-negative",
        "A negative edge crops, after interior zeros were put in; a cropped number has gradient 0.",
        {"x": marked(5, 4)},
        **_pads(((-1, 0), (0, -2), (0, 0)), ((-2, -1), (3, -1), (1, 2)), ((-3, 1), (-2, 0), (0, 0))),
    ),
    moves(
        "concatenate",
        "Three arrays of different extents along the axis, one of them empty there, one used twice.",
        {"x": marked(3, 2), "y": marked(3, 4), "z": marked(3, 0)},
        tenferro=lambda x, y, z: (th.concatenate([x, y, z, x], 1), th.concatenate([x, x], 0)),
        jax=lambda x, y, z: (jnp.concatenate([x, y, z, x], 1), jnp.concatenate([x, x], 0)),
        torch=lambda x, y, z: (torch.cat([x, y, z, x], 1), torch.cat([x, x], 0)),
    ),
    moves(
        "concatenate-one",
        "One array alone is joined to itself.",
        {"x": marked(3, 2)},
        tenferro=lambda x: th.concatenate([x], 0),
        jax=lambda x: jnp.concatenate([x], 0),
        torch=lambda x: torch.cat([x], 0),
    ),
    moves(
        "stack",
        "A new axis at each place, counted from either end; one array used twice.",
        {"x": marked(3, 4), "y": marked(3, 4)},
        tenferro=lambda x, y: tuple(th.stack([x, y, x], axis) for axis in (0, 1, 2, -1, -3)),
        jax=lambda x, y: tuple(jnp.stack([x, y, x], axis) for axis in (0, 1, 2, -1, -3)),
        torch=lambda x, y: tuple(torch.stack([x, y, x], axis) for axis in (0, 1, 2, -1, -3)),
    ),
    *(
        moves(
            f"{name}-{form}",
            f"{name} acts on the first two axes, at every offset; what it drops becomes 0 even where it was NaN.",
            {"x": marked(*shape)},
            **_family(name, [(k,) for k in (0, 1, -1, 3, -4, 9)], _triangle_jax(name), _triangle_torch(name)),
        )
        for name in ("tril", "triu")
        for form, shape in (("wide", (3, 5)), ("batched", (4, 3, 2)))
    ),
    moves(
        "triangle-extreme-offsets",
        "An offset at either end of 64 bits keeps all or nothing, and overflows nowhere.",
        {"x": marked(3, 4)},
        tenferro=lambda x: (x.tril(2**63 - 1), x.triu(-(2**63)), x.tril(-(2**63)), x.triu(2**63 - 1)),
        jax=lambda x: (x, x, jnp.zeros_like(x), jnp.zeros_like(x)),
        torch=lambda x: (x.clone(), x.clone(), torch.zeros_like(x), torch.zeros_like(x)),
    ),
    moves(
        "many-axes",
        "Eight axes in reverse order, and twelve of which ten repeat.",
        {"x": marked(3, 4)},
        tenferro=lambda x: (
            x.reshape([1, 3, 1, 2, 1, 2, 1, 1]).transpose([7, 5, 3, 1, 6, 4, 2, 0]),
            x.broadcast_in_dim([2] * 5 + [1] * 5 + [3, 4], [10, 11]),
        ),
        jax=lambda x: (
            jnp.transpose(reshape_jax(x, (1, 3, 1, 2, 1, 2, 1, 1)), (7, 5, 3, 1, 6, 4, 2, 0)),
            jnp.broadcast_to(x, (*[2] * 5, *[1] * 5, 3, 4)),
        ),
        torch=lambda x: (
            torch.permute(reshape_torch(x, (1, 3, 1, 2, 1, 2, 1, 1)), (7, 5, 3, 1, 6, 4, 2, 0)),
            torch.broadcast_to(x, (*[2] * 5, *[1] * 5, 3, 4)),
        ),
        dtypes=("f64", "i32"),
    ),
    moves(
        "extract-diag",
        "The diagonal of two axes stays at the place of the first one; extents differ, so the shorter one counts.",
        {"x": marked(3, 4, 3)},
        **_family(
            "extract_diag",
            DIAGONALS,
            _diagonal_jax,
            _diagonal_torch,
        ),
    ),
    moves(
        "embed-diag",
        "An axis tied to another one: zeros off the diagonal, also beside NaN and infinity.",
        {"x": marked(3, 4)},
        **_family("embed_diag", EMBEDDINGS, lambda x, a, b: _embed_jax(x, a, b), lambda x, a, b: _embed_torch(x, a, b)),
    ),
)


TRACED: dict[str, Any] = {"surfaces": ("traced",)}

SYMBOLIC = (
    moves(
        "slice-builder",
        "Ranges, steps and taken positions of several axes in one selection.",
        {"x": marked(7, 5, 6)},
        tenferro=lambda x: (
            x.slice_builder([(0, 1, 6), (2, 0, 6, 4)]),
            x.slice_builder([(1, [4, 0, 0]), (0, 2, 7, 3)]),
            x.slice_builder([]),
        ),
        jax=lambda x: (x[1:6, :, ::4], x[2:7:3][:, np.array([4, 0, 0])], x),
        torch=lambda x: (x[1:6, :, ::4], x[2:7:3][:, [4, 0, 0]], x.clone()),
        surfaces=GRAPH,
    ),
    moves(
        "reshape-sym",
        "Extents that are expressions over axes give the same column-major order.",
        {"x": marked(5, 6, 4)},
        tenferro=lambda x: (
            x.reshape_sym([x.sym_size(0) * x.sym_size(1), x.sym_size(2)]),
            x.reshape_sym([x.sym_size(2) // 2, 2 * x.axis_sym_dim(0), 6]),
            x.reshape_sym([(x.sym_size(1) - 1).min(x.sym_size(0)), x.sym_size(1), x.sym_size(2).max(1)]),
        ),
        jax=lambda x: tuple(reshape_jax(x, shape) for shape in ((30, 4), (2, 10, 6), (5, 6, 4))),
        torch=lambda x: tuple(reshape_torch(x, shape) for shape in ((30, 4), (2, 10, 6), (5, 6, 4))),
        **TRACED,
    ),
    moves(
        "broadcast-in-dim-sym",
        "An extent taken from another tensor's axis.",
        {"x": marked(3, 1), "y": marked(7, 2)},
        tenferro=lambda x, y: x.broadcast_in_dim_sym([2, x.sym_size(0), y.sym_size(0)], [1, 2], [y]),
        jax=lambda x, y: _broadcast_jax(x, (2, 3, 7), (1, 2)),
        torch=lambda x, y: _broadcast_torch(x, (2, 3, 7), (1, 2)),
        **TRACED,
    ),
    moves(
        "dynamic-truncate",
        "A size that is a number of the program: a fraction is rounded, too much is all, less than nothing is nothing.",
        {
            "x": marked(5, 4),
            "some": fixed(3.0, dtype="f64"),
            "fraction": fixed(1.75, dtype="f32"),
            "whole": fixed(9, dtype="i64"),
            "none": fixed(-2.0, dtype="f64"),
        },
        tenferro=lambda x, *sizes: tuple(
            x.dynamic_truncate(size, axis) for size, axis in zip(sizes, (0, 1, 0, 1), strict=True)
        ),
        jax=lambda x, *_: (x[:3], x[:, :2], x, x[:, :0]),
        torch=lambda x, *_: (x[:3], x[:, :2], x.clone(), x[:, :0]),
        wrt=("x",),
        **TRACED,
    ),
    moves(
        "pad-to-match",
        "Zeros up to another tensor's extent; the other tensor's numbers take no part.",
        {"x": marked(3, 4), "y": marked(5, 6)},
        tenferro=lambda x, y: (x.pad_to_match(y, 0), x.pad_to_match(y, 1)),
        jax=lambda x, y: (jnp.pad(x, ((0, 2), (0, 0))), jnp.pad(x, ((0, 0), (0, 2)))),
        torch=lambda x, y: (_pad_torch(x, (0, 0), (2, 0), (0, 0)), _pad_torch(x, (0, 0), (0, 2), (0, 0))),
        **TRACED,
    ),
    moves(
        "shape-of",
        "An extent as a number of the program, float64 whatever the array holds.",
        {"x": marked(3, 4)},
        tenferro=lambda x: (x.shape_of(0), x.shape_of(1)),
        jax=lambda x: (jnp.float64(x.shape[0]), jnp.float64(x.shape[1])),
        torch=lambda x: tuple(torch.tensor(float(extent), dtype=torch.float64) for extent in x.shape),
        transforms=("value",),
        **TRACED,
    ),
)


def _placed(a: int, b: int) -> int:
    """Where axis a is once axis b has been put in."""
    return a + (b <= a)


def _embed_jax(x: Any, a: int, b: int) -> Any:
    """Zeros selected, not multiplied: 0·NaN would be NaN."""
    extent = x.shape[a]
    wide = jnp.expand_dims(x, b)
    place = _placed(a, b)
    rows = lax.broadcasted_iota(int, (*wide.shape[:b], extent, *wide.shape[b + 1 :]), b)
    columns = lax.broadcasted_iota(int, rows.shape, place)
    return jnp.where(rows == columns, wide, jnp.zeros((), x.dtype))


def _embed_torch(x: Any, a: int, b: int) -> Any:
    return torch.diag_embed(x.movedim(a, -1), 0, _placed(a, b), b)


DEGENERATES: dict[str, Mapping[str, Program]] = {
    "reshape": REVERSED_SHAPE,
    "transpose": _transposed(2, 0, 1),
    "broadcast": _spread(3),
    "reverse": _reversed(0, 1, 2),
    "slice": CORNER,
    "pad": _pads(((1, 0, 2), (0, 1, 0), (1, 0, 1)), ((-1, 0, 0), (0, 0, -1), (0, 0, 0))),
    "pad-interior": _pads(((1, 0, 2), (0, 1, 0), (1, 2, 0))),
    "concatenate": _concatenated(1),
    "stack": _stacked(1),
    "triangle": _triangles(0),
    "extract-diag": _family("extract_diag", [(0, 1), (2, 0)], _diagonal_jax, _diagonal_torch),
    "embed-diag": _family("embed_diag", [(1, 3), (0, 0)], _embed_jax, _embed_torch),
}

SIZED: dict[str, Mapping[str, Program]] = {
    "reshape": REVERSED_SHAPE,
    "transpose": _transposed(1, 0),
    "broadcast": _spread(2),
    "reverse": _reversed(0),
    "slice": _slices(((1, 0), (127, 126), (2, 3))),
    "pad": _pads(((1, -2), (0, 2), (0, 1))),
    "concatenate": _concatenated(1),
    "stack": _stacked(1),
    "triangle": _triangles(-1),
    "extract-diag": _family("extract_diag", [(0, 1), (1, 0)], _diagonal_jax, _diagonal_torch),
}

REFUSED = (
    Refusal(
        op="reshape",
        kind="shape",
        tenferro=lambda x: x.reshape([5, 2]),
        jax=lambda x: reshape_jax(x, (5, 2)),
        torch=lambda x: reshape_torch(x, (5, 2)),
    ),
    Refusal(
        op="transpose",
        kind="rank",
        tenferro=lambda x: x.transpose([0]),
        jax=lambda x: jnp.transpose(x, (0,)),
        torch=lambda x: torch.permute(x, (0,)),
    ),
    Refusal(
        op="transpose",
        kind="axis",
        tenferro=lambda x: x.transpose([0, 2]),
        jax=lambda x: jnp.transpose(x, (0, 2)),
        torch=lambda x: torch.permute(x, (0, 2)),
    ),
    Refusal(
        op="transpose",
        kind="axis",
        note="twice",
        tenferro=lambda x: x.transpose([1, 1]),
        jax=lambda x: jnp.transpose(x, (1, 1)),
        torch=lambda x: torch.permute(x, (1, 1)),
    ),
    Refusal(
        op="broadcast_in_dim",
        kind="shape",
        tenferro=lambda x: x.broadcast_in_dim([3, 5], [0, 1]),
        jax=lambda x: lax.broadcast_in_dim(x, (3, 5), (0, 1)),
        torch=lambda x: x.broadcast_to((3, 5)),
    ),
    Refusal(
        op="broadcast_in_dim",
        kind="axis",
        tenferro=lambda x: x.broadcast_in_dim([3, 4], [0, 2]),
        jax=lambda x: lax.broadcast_in_dim(x, (3, 4), (0, 2)),
    ),
    Refusal(
        op="broadcast_in_dim",
        kind="rank",
        tenferro=lambda x: x.broadcast_in_dim([3, 4], [0]),
        jax=lambda x: lax.broadcast_in_dim(x, (3, 4), (0,)),
    ),
    Refusal(
        op="reverse",
        kind="axis",
        tenferro=lambda x: x.reverse([2]),
        jax=lambda x: lax.rev(x, (2,)),
        torch=lambda x: torch.flip(x, (2,)),
    ),
    Refusal(
        op="reverse",
        kind="axis",
        note="twice",
        tenferro=lambda x: x.reverse([1, 1]),
        jax=lambda x: lax.rev(x, (1, 1)),
        torch=lambda x: torch.flip(x, (1, 1)),
    ),
    Refusal(
        op="slice",
        kind="rank",
        tenferro=lambda x: x.slice(starts=[0], limits=[1], strides=[1]),
        jax=lambda x: lax.slice(x, (0,), (1,), (1,)),
    ),
    Refusal(
        op="slice",
        kind="shape",
        note="past-the-end",
        tenferro=lambda x: x.slice(starts=[0, 0], limits=[4, 4], strides=[1, 1]),
        jax=lambda x: lax.slice(x, (0, 0), (4, 4), (1, 1)),
        torch=lambda x: x[0:4, 0:4],
    ),
    Refusal(
        op="slice",
        kind="shape",
        note="stride-0",
        tenferro=lambda x: x.slice(starts=[0, 0], limits=[3, 4], strides=[1, 0]),
        jax=lambda x: lax.slice(x, (0, 0), (3, 4), (1, 0)),
        torch=lambda x: x[0:3, 0:4:0],
    ),
    Refusal(
        op="slice_axis",
        kind="axis",
        tenferro=lambda x: x.slice_axis(2, 0, 1),
        jax=lambda x: lax.slice_in_dim(x, 0, 1, axis=2),
        torch=lambda x: torch.narrow(x, 2, 0, 1),
        surfaces=GRAPH,
    ),
    Refusal(
        op="pad",
        kind="rank",
        tenferro=lambda x: x.pad([1], [1], [0]),
        jax=lambda x: lax.pad(x, 0.0, [(1, 1, 0)]),
    ),
    Refusal(
        op="pad",
        kind="shape",
        note="crops-too-much",
        tenferro=lambda x: x.pad([-4, 0], [0, 0], [0, 0]),
        jax=lambda x: lax.pad(x, 0.0, [(-4, 0, 0), (0, 0, 0)]),
        torch=lambda x: _pad_torch(x, (-4, 0), (0, 0), (0, 0)),
    ),
    Refusal(
        op="pad",
        kind="shape",
        note="negative-interior",
        tenferro=lambda x: x.pad([0, 0], [0, 0], [-1, 0]),
        jax=lambda x: lax.pad(x, 0.0, [(0, 0, -1), (0, 0, 0)]),
    ),
    Refusal(
        op="concatenate",
        kind="shape",
        inputs={"x": uniform(3, 4), "y": uniform(2, 4)},
        tenferro=lambda x, y: th.concatenate([x, y], 1),
        jax=lambda x, y: jnp.concatenate([x, y], 1),
        torch=lambda x, y: torch.cat([x, y], 1),
    ),
    Refusal(
        op="concatenate",
        kind="axis",
        tenferro=lambda x: th.concatenate([x, x], 2),
        jax=lambda x: jnp.concatenate([x, x], 2),
        torch=lambda x: torch.cat([x, x], 2),
    ),
    Refusal(
        op="concatenate",
        kind="rank",
        inputs={"x": uniform(3, 4), "y": uniform(3)},
        tenferro=lambda x, y: th.concatenate([x, y], 0),
        jax=lambda x, y: jnp.concatenate([x, y], 0),
        torch=lambda x, y: torch.cat([x, y], 0),
    ),
    Refusal(
        op="stack",
        kind="shape",
        inputs={"x": uniform(3, 4), "y": uniform(4, 3)},
        tenferro=lambda x, y: th.stack([x, y], 0),
        jax=lambda x, y: jnp.stack([x, y], 0),
        torch=lambda x, y: torch.stack([x, y], 0),
    ),
    Refusal(
        op="stack",
        kind="axis",
        tenferro=lambda x: th.stack([x, x], 4),
        jax=lambda x: jnp.stack([x, x], 4),
        torch=lambda x: torch.stack([x, x], 4),
    ),
    *(
        Refusal(
            op=name,
            kind="rank",
            inputs={"x": uniform(3)},
            tenferro=lambda x, name=name: getattr(x, name)(0),
            jax=lambda x, name=name: getattr(jnp, name)(x),
            torch=lambda x, name=name: getattr(torch, name)(x),
        )
        for name in ("tril", "triu")
    ),
    Refusal(
        op="extract_diag",
        kind="axis",
        tenferro=lambda x: x.extract_diag(0, 2),
        jax=lambda x: jnp.diagonal(x, 0, 0, 2),
        torch=lambda x: torch.diagonal(x, 0, 0, 2),
    ),
    Refusal(
        op="extract_diag",
        kind="axis",
        note="twice",
        tenferro=lambda x: x.extract_diag(1, 1),
        jax=lambda x: jnp.diagonal(x, 0, 1, 1),
        torch=lambda x: torch.diagonal(x, 0, 1, 1),
    ),
    Refusal(
        op="embed_diag",
        kind="axis",
        tenferro=lambda x: x.embed_diag(2, 0),
        jax=lambda x: _embed_jax(x, 2, 0),
        torch=lambda x: _embed_torch(x, 2, 0),
    ),
    Refusal(
        op="embed_diag",
        kind="axis",
        note="to-insert",
        tenferro=lambda x: x.embed_diag(0, 4),
        jax=lambda x: _embed_jax(x, 0, 4),
        torch=lambda x: _embed_torch(x, 0, 4),
    ),
)


def _pitfall(name: str, why: str, shape: Sequence[int], tenferro: Program, jax: Program, torch: Program) -> Case:
    """What another library's user would expect: known to differ."""
    return Case(
        id=f"layout/pitfall-{name}",
        why=why,
        inputs={"x": uniform(*shape)},
        tenferro=tenferro,
        jax=jax,
        torch=torch,
        transforms=("value",),
    )


PITFALLS = (
    _pitfall(
        "reshape-order",
        "JAX and PyTorch take elements row-major, the last index fastest; tenferro column-major, the first one.",
        (2, 3),
        lambda x: x.reshape([3, 2]),
        lambda x: jnp.reshape(x, (3, 2)),
        lambda x: torch.reshape(x, (3, 2)),
    ),
    _pitfall(
        "triangle-axes",
        "JAX and PyTorch take the last two axes for the matrix, tenferro the first two.",
        (3, 3, 2),
        lambda x: (x.tril(0), x.triu(0)),
        lambda x: (jnp.tril(x), jnp.triu(x)),
        lambda x: (torch.tril(x), torch.triu(x)),
    ),
    _pitfall(
        "diagonal-axis",
        "JAX and PyTorch put the diagonal last, tenferro leaves it where its first axis was.",
        (3, 3, 2),
        lambda x: x.extract_diag(0, 1),
        lambda x: jnp.diagonal(x, 0, 0, 1),
        lambda x: torch.diagonal(x, 0, 0, 1),
    ),
)

UNCHANGED = tuple(
    Case(
        id=f"layout/{name}-unchanged",
        why="What changes nothing passes its cotangent on untouched; that cotangent has no second derivative.",
        inputs={"x": normal(3, 4)},
        tenferro=tenferro,
        jax=lambda x: x,
        torch=lambda x: x * 1,
        surfaces=surfaces,
    )
    for name, tenferro, surfaces in (
        ("broadcast", lambda x: x.broadcast_in_dim([3, 4], [0, 1]), ("traced", "eager", "concrete")),
        ("slice-builder", lambda x: x.slice_builder([]), GRAPH),
        ("nothing", lambda x: x, ("traced", "eager", "concrete")),
    )
)

SIZE = {"x": integers(5, 4, low=1, high=9), "size": fixed(3.0, dtype="f64")}
"""An array and how much of it is kept."""

CUT: dict[str, Any] = {"wrt": ("x",), "surfaces": ("traced",), "category": "layout"}

DYNAMIC = (
    Case(
        id="layout/dynamic-truncate-summed",
        why="What is cut off at run time has gradient 0; what is kept has its own.",
        inputs=SIZE,
        tenferro=lambda x, size: (
            (x * x).dynamic_truncate(size, 0).reduce_sum(None),
            (x * x).dynamic_truncate(size, 1),
        ),
        jax=lambda x, size: (jnp.sum((x * x)[:3]), (x * x)[:, :3]),
        torch=lambda x, size: (torch.sum((x * x)[:3]), (x * x)[:, :3]),
        dtypes=DIFFERENTIABLE,
        transforms=("jvp",),
        **CUT,
    ),
    Case(
        id="layout/dynamic-truncate-summed-back",
        why="The gradient of a sum over what is kept at run time, and its derivative.",
        inputs=SIZE,
        tenferro=lambda x, size: (x * x * x).dynamic_truncate(size, 0).reduce_sum(None),
        jax=lambda x, size: jnp.sum((x * x * x)[:3]),
        torch=lambda x, size: torch.sum((x * x * x)[:3]),
        dtypes=DIFFERENTIABLE,
        transforms=("vjp", "hvp"),
        **CUT,
    ),
    Case(
        id="layout/dynamic-truncate-product",
        why="A product of two arrays of one run-time shape has that shape, and so have their gradients.",
        inputs=SIZE,
        tenferro=lambda x, size: ((x * x).dynamic_truncate(size, 0) * x.dynamic_truncate(size, 0)).reduce_sum(None),
        jax=lambda x, size: jnp.sum((x * x * x)[:3]),
        torch=lambda x, size: torch.sum((x * x * x)[:3]),
        transforms=("value", "vjp", "jvp"),
        **CUT,
    ),
)

CASES = (
    *DYNAMIC,
    *with_derivatives((*ROWS, *SYMBOLIC)),
    *with_derivatives(_degenerate(name, programs) for name, programs in DEGENERATES.items()),
    *(_sized(name, programs) for name, programs in SIZED.items()),
    *tuple(with_derivatives(_sized(name, programs, SIZED_BACK) for name, programs in SIZED.items()))[1::2],
    *UNCHANGED,
    *PITFALLS,
    *refusals("layout", (*REFUSED, *MISUSES)),
)
