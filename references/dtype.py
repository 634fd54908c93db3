"""Tensors of every dtype, built from NumPy arrays of every layout, computed with and read back."""

from __future__ import annotations

from typing import Any

import numpy as np

from references.case import Case
from references.dtypes import ALL, DIFFERENTIABLE
from references.inputs import Array, Input, uniform, viewed
from references.lazy import jnp, torch

NUMERIC = tuple(name for name in ALL if name != "bool")


def _swapped(array: Array) -> Array:
    """The same numbers in the other byte order."""
    return array.astype(array.dtype.newbyteorder("S"))


LAYOUTS: dict[str, Any] = {
    "c-order": lambda a: np.ascontiguousarray(a),
    "f-order": lambda a: np.asfortranarray(a),
    "transposed": lambda a: a.transpose(2, 0, 1),
    "strided": lambda a: a[::2, :, ::3],
    "reversed": lambda a: a[:, ::-1, ::-1],
    "offset": lambda a: a[1:, 2:, 1:-1],
    "byte-swapped": _swapped,
    "broadcast": lambda a: np.broadcast_to(a[:, :1], a.shape),
}

SHAPES: dict[str, tuple[int, ...]] = {
    "rank-0": (),
    "one": (1,),
    "empty": (3, 0, 2),
    "ones": (1, 1, 1),
    "rank-5": (2, 3, 1, 4, 2),
}


def _round_trip(name: str, why: str, source: Input) -> Case:
    """In and out again: NumPy itself is the reference, as it is of what JAX and PyTorch refuse to take."""
    return Case(
        id=f"dtype/round-trip-{name}",
        why=why,
        inputs={"x": source},
        numpy=lambda x: x.astype(x.dtype.newbyteorder("=")),
        tenferro=lambda x: x,
        dtypes=ALL,
        transforms=("value",),
    )


def _computed(name: str, view: Any) -> Case:
    """A weighted sum over one axis: a mixed-up axis or element shows in every number of the result."""
    return Case(
        id=f"dtype/computed-{name}",
        why=f"A {name} array is computed with as its own numbers, in its own order.",
        inputs={"x": viewed(uniform(6, 5, 7), view), "w": viewed(uniform(6, 5, 7), view)},
        jax=lambda x, w: jnp.sum(x * w, axis=1),
        torch=lambda x, w: torch.sum(x * w, dim=1, dtype=x.dtype),
        tenferro=lambda x, w: (x * w).reduce_sum([1]),
        dtypes=NUMERIC,
        transforms=("value", "vjp"),
        category="reduction",
        terms=7,
    )


CASES = (
    *(
        _round_trip(name, f"A {name} array comes back with its own numbers.", viewed(uniform(6, 5, 7), view))
        for name, view in LAYOUTS.items()
    ),
    *(
        _round_trip(name, f"A {name} array comes back with its own shape.", uniform(*shape))
        for name, shape in SHAPES.items()
    ),
    *(_computed(name, view) for name, view in LAYOUTS.items() if name != "byte-swapped"),
    Case(
        id="dtype/sin-per-dtype",
        why="One function of every dtype that has it.",
        inputs={"x": uniform(5, 4, low=-3.0, high=3.0)},
        jax=lambda x: jnp.sin(x),
        torch=lambda x: torch.sin(x),
        tenferro=lambda x: x.sin(),
        dtypes=DIFFERENTIABLE,
        category="elementwise",
    ),
)
