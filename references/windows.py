"""Gather and scatter by windows, as StableHLO and tenferro describe them, in JAX's and in PyTorch's words.

A window of `sizes` starts where an index vector says and is clamped into the operand: negative starts become 0, starts
too far are pulled back until the window fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from references.lazy import jnp, lax, torch


@dataclass(frozen=True)
class Gather:
    """tenferro's `GatherConfig`, field by field."""

    offset_dims: Sequence[int]
    collapsed_slice_dims: Sequence[int]
    start_index_map: Sequence[int]
    index_vector_dim: int
    slice_sizes: Sequence[int]

    def tenferro(self, x: Any, indices: Any) -> Any:
        """The operation itself."""
        return x.gather(indices, **asdict(self))

    def jax(self, x: Any, indices: Any) -> Any:
        """`lax.gather`, told to clamp."""
        numbers = lax.GatherDimensionNumbers(
            tuple(self.offset_dims), tuple(self.collapsed_slice_dims), tuple(self.start_index_map)
        )
        vectors = _vectors_jax(indices, self.index_vector_dim)
        return lax.gather(x, vectors, numbers, tuple(self.slice_sizes), mode=lax.GatherScatterMode.CLIP)

    def torch(self, x: Any, indices: Any) -> Any:
        """Advanced indexing with one index array an axis."""
        grids, batch = _grids(
            x.shape, indices, self.index_vector_dim, self.start_index_map, self.collapsed_slice_dims, self.slice_sizes
        )
        found = x[grids]
        return torch.movedim(found, list(range(batch, found.ndim)), list(self.offset_dims))


@dataclass(frozen=True)
class Scatter:
    """tenferro's `ScatterConfig`, field by field. Updates are added, duplicates too."""

    update_window_dims: Sequence[int]
    inserted_window_dims: Sequence[int]
    scatter_dims_to_operand_dims: Sequence[int]
    index_vector_dim: int

    def tenferro(self, x: Any, indices: Any, updates: Any) -> Any:
        """The operation itself."""
        return x.scatter(indices, updates, **asdict(self))

    def jax(self, x: Any, indices: Any, updates: Any) -> Any:
        """`lax.scatter_add`, told to clamp."""
        numbers = lax.ScatterDimensionNumbers(
            tuple(self.update_window_dims), tuple(self.inserted_window_dims), tuple(self.scatter_dims_to_operand_dims)
        )
        vectors = _vectors_jax(indices, self.index_vector_dim)
        return lax.scatter_add(x, vectors, updates, numbers, mode=lax.GatherScatterMode.CLIP)

    def torch(self, x: Any, indices: Any, updates: Any) -> Any:
        """`index_put` that accumulates."""
        sizes = iter([updates.shape[axis] for axis in self.update_window_dims])
        full = [1 if axis in self.inserted_window_dims else next(sizes) for axis in range(x.ndim)]
        grids, batch = _grids(
            x.shape, indices, self.index_vector_dim, self.scatter_dims_to_operand_dims, self.inserted_window_dims, full
        )
        moved = torch.movedim(updates, list(self.update_window_dims), list(range(batch, updates.ndim)))
        return x.index_put(grids, moved, accumulate=True)


def _vectors_jax(indices: Any, axis: int) -> Any:
    """JAX has index vectors on the last axis; an axis past the last one means vectors of one number."""
    return indices[..., None] if axis == indices.ndim else jnp.moveaxis(indices, axis, -1)


def _grids(
    extents: Sequence[int],
    indices: Any,
    axis: int,
    start_map: Sequence[int],
    collapsed: Sequence[int],
    sizes: Sequence[int],
) -> tuple[tuple[Any, ...], int]:
    """One index array for each axis of the operand, of shape batch + window, and the number of batch axes."""
    vectors = indices[..., None] if axis == indices.ndim else indices.movedim(axis, -1)
    batch = vectors.ndim - 1
    kept = [axis for axis in range(len(extents)) if axis not in collapsed]
    shape = [*vectors.shape[:-1], *(1 for _ in kept)]
    grids = []
    for axis, (extent, size) in enumerate(zip(extents, sizes, strict=True)):
        start = _start(vectors, start_map, axis, extent - size).reshape(shape)
        if axis in kept:
            offset = [1] * len(shape)
            offset[batch + kept.index(axis)] = size
            start = start + torch.arange(size).reshape(offset)
        grids.append(start)
    return tuple(torch.broadcast_tensors(*grids)), batch


def _start(vectors: Any, start_map: Sequence[int], axis: int, last: int) -> Any:
    if axis not in start_map:
        return torch.zeros(vectors.shape[:-1], dtype=torch.int64)
    return vectors[..., list(start_map).index(axis)].long().clamp(0, last)


def clamped_torch(x: Any, starts: Any, sizes: Sequence[int]) -> tuple[slice, ...]:
    """The window of `dynamic_slice` as slices."""
    first = [int(starts[axis].clamp(0, x.shape[axis] - size)) for axis, size in enumerate(sizes)]
    return tuple(slice(start, start + size) for start, size in zip(first, sizes, strict=True))
