"""Misuses of operations that rearrange numbers, beside those in the family's own file."""

from __future__ import annotations

import numpy as np

from references.inputs import fixed, uniform
from references.lazy import jnp, lax, th, torch
from references.misuses import GRAPH, NUMBER, TABLE, TRACED, VECTOR, misuse, selected_torch, taken
from references.refuse import MEANINGS

MISUSES = (
    misuse(
        "reverse",
        "rank",
        lambda x: x.reverse([0]),
        lambda x: lax.rev(x, (0,)),
        NUMBER,
        torch=lambda x: torch.flip(x, (0,)),
    ),
    misuse(
        "extract_diag",
        "rank",
        lambda x: x.extract_diag(0, 1),
        lambda x: jnp.diagonal(x),
        VECTOR,
        torch=lambda x: torch.diagonal(x),
    ),
    misuse(
        "embed_diag",
        "rank",
        lambda x: x.embed_diag(0, 0),
        lambda x: jnp.expand_dims(x, (0, 2)),
        NUMBER,
        torch=lambda x: torch.diag_embed(x),
    ),
    misuse(
        "stack",
        "rank",
        lambda x, y: th.stack([x, y], 0),
        lambda x, y: jnp.stack([x, y]),
        {**TABLE, "y": uniform(3)},
        note="unequal",
        text=MEANINGS["shape"],
        torch=lambda x, y: torch.stack([x, y]),
    ),
    misuse(
        "transpose", "rank", lambda x: x.transpose([0, 1, 2]), lambda x: jnp.transpose(x, (0, 1, 2)), TABLE, note="long"
    ),
    misuse(
        "shape_of",
        "axis",
        lambda x: x.shape_of(2),
        lambda x: jnp.float64(x.shape[2]),
        TABLE,
        TRACED,
        torch=lambda x: torch.tensor(x.shape[2]),
    ),
    misuse(
        "slice_axis",
        "rank",
        lambda x: x.slice_axis(0, 0, 1),
        lambda x: lax.slice_in_dim(x, 0, 1),
        NUMBER,
        GRAPH,
        torch=lambda x: torch.narrow(x, 0, 0, 1),
    ),
    misuse(
        "slice_axis",
        "shape",
        lambda x: x.slice_axis(0, 0, 6),
        lambda x: lax.slice(x, (0, 0), (6, 4)),
        TABLE,
        GRAPH,
        note="past-the-end",
        torch=lambda x: torch.narrow(x, 0, 0, 6),
    ),
    misuse(
        "slice_axis",
        "shape",
        lambda x: x.slice_axis(0, 3, 2),
        lambda x: lax.slice(x, (3, 0), (2, 4)),
        TABLE,
        GRAPH,
        note="reversed",
    ),
    misuse(
        "slice_builder",
        "axis",
        lambda x: x.slice_builder([(2, 0, 1)]),
        lambda x: x[:, :, :1],
        TABLE,
        GRAPH,
        torch=lambda x: x[:, :, :1],
    ),
    misuse(
        "slice_builder",
        "axis",
        lambda x: x.slice_builder([(0, 0, 1), (0, 0, 1)]),
        lambda x: lax.rev(x[:1], (0, 0)),
        TABLE,
        GRAPH,
        note="twice",
    ),
    misuse(
        "slice_builder",
        "rank",
        lambda x: x.slice_builder([(0, 0, 1)]),
        lambda x: x[:1],
        NUMBER,
        GRAPH,
        torch=lambda x: x[:1],
    ),
    misuse(
        "slice_builder",
        "shape",
        lambda x: x.slice_builder([(0, 0, 6)]),
        lambda x: lax.slice(x, (0, 0), (6, 4)),
        TABLE,
        GRAPH,
        note="past-the-end",
        torch=lambda x: torch.narrow(x, 0, 0, 6),
    ),
    misuse(
        "slice_builder",
        "shape",
        lambda x: x.slice_builder([(0, 0, 3, 0)]),
        lambda x: x[0:3:0],
        TABLE,
        GRAPH,
        note="step-0",
        torch=lambda x: x[0:3:0],
        text=r"slice step 0|zero step",
    ),
    misuse(
        "slice_builder",
        "index",
        lambda x: x.slice_builder([(0, [5])]),
        lambda x: taken(x, [5], 0),
        TABLE,
        GRAPH,
        torch=selected_torch([5], 0),
    ),
    misuse(
        "pad_to_match",
        "axis",
        lambda x, y: x.pad_to_match(y, 2),
        lambda x, y: jnp.pad(x, (0, y.shape[2])),
        {**TABLE, "y": uniform(7, 4)},
        TRACED,
    ),
    misuse(
        "pad_to_match",
        "rank",
        lambda x, y: x.pad_to_match(y, 1),
        lambda x, y: jnp.pad(x, (0, y.shape[1])),
        {**TABLE, "y": uniform(7)},
        TRACED,
    ),
    *(
        misuse(
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
    misuse(
        "reshape_sym",
        "shape",
        lambda x: x.reshape_sym([x.sym_size(0), 3]),
        lambda x: jnp.reshape(x, (x.shape[0], 3)),
        TABLE,
        TRACED,
        torch=lambda x: torch.reshape(x, (x.shape[0], 3)),
    ),
    misuse(
        "reshape_sym",
        "axis",
        lambda x: x.reshape_sym([x.sym_size(2), 3]),
        lambda x: jnp.reshape(x, (x.shape[2], 3)),
        TABLE,
        TRACED,
    ),
    *(
        misuse(
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
