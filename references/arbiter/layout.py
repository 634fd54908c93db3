"""Moving elements about: shapes, axes, slices, padding, diagonals. Element order is column-major, as tenferro's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from references.arbiter.core import Core, RefusedError, changed, promoted
from references.arbiter.elementwise import Elementwise
from references.arbiter.graph import FILL, Index, Move, Node


class Layout(Elementwise):
    """Structural operations."""

    def reshape(self, shape: Sequence[int]) -> Self:
        """The same elements, in column-major order, in another shape."""
        return self._moved(lambda grid: grid.reshape(tuple(shape), order="F"))

    def transpose(self, perm: Sequence[int]) -> Self:
        """Axis i of the result is axis perm[i]."""
        return self._moved(lambda grid: grid.transpose(tuple(perm)))

    def broadcast_in_dim(self, shape: Sequence[int], dims: Sequence[int]) -> Self:
        """Axis i becomes axis dims[i] of `shape`; the others repeat."""
        placed = [1] * len(shape)
        for extent, dim in zip(self.shape, dims, strict=True):
            placed[dim] = extent
        order = np.argsort(dims, kind="stable").tolist()
        return self._moved(lambda grid: np.broadcast_to(grid.transpose(order).reshape(placed), tuple(shape)))

    def reverse(self, axes: Sequence[int]) -> Self:
        """Backwards along axes."""
        return self._moved(lambda grid: np.flip(grid, tuple(axes)))

    def slice(self, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int] | None = None) -> Self:
        """x[start:limit:stride] of every axis."""
        steps = strides or [1] * len(starts)
        places = tuple(slice(*place) for place in zip(starts, limits, steps, strict=True))
        return self._moved(lambda grid: grid[places])

    def slice_axis(self, axis: int, start: int, stop: int) -> Self:
        """x[start:stop] of one axis."""
        return self._moved(lambda grid: grid.take(np.arange(start, stop), axis))

    def pad(
        self,
        edge_padding_low: Sequence[int],
        edge_padding_high: Sequence[int],
        interior_padding: Sequence[int] | None = None,
    ) -> Self:
        """Zeros around and between elements; negative edges crop."""
        gaps = interior_padding or [0] * self.ndim
        return self._moved(lambda grid: _padded(grid, edge_padding_low, edge_padding_high, gaps))

    def tril(self, k: int = 0) -> Self:
        """Zero above the k-th diagonal of axes 0 and 1."""
        return self._moved(lambda grid: _triangle(grid, _below(grid, k)))

    def triu(self, k: int = 0) -> Self:
        """Zero below the k-th diagonal of axes 0 and 1."""
        return self._moved(lambda grid: _triangle(grid, ~_below(grid, k - 1)))

    def extract_diag(self, axis_a: int, axis_b: int) -> Self:
        """The diagonal of two axes, in the place of axis_a."""
        return self._moved(lambda grid: _diagonal(grid, axis_a, axis_b))

    def embed_diag(self, axis_a: int, axis_b: int) -> Self:
        """A new axis axis_b tied to axis_a, zeros elsewhere."""
        return self._moved(lambda grid: _embedded(grid, axis_a, axis_b))

    def _joined(self, tensors: Sequence[Any], axis: int, *, fresh: bool) -> Self:
        nodes = [t.node if isinstance(t, Core) else self._lift(np.asarray(t)) for t in tensors]
        dtype = nodes[0].dtype
        for node in nodes[1:]:
            dtype = promoted(dtype, node.dtype)
        return self._of(joined([changed(node, dtype) for node in nodes], axis, fresh=fresh))

    def concatenate(self, tensors: Sequence[Any], axis: int) -> Self:
        """Tensors one after the other along an axis (the harness's free function)."""
        return self._joined(tensors, axis, fresh=False)

    def stack(self, tensors: Sequence[Any], dim: int) -> Self:
        """Tensors along a new axis (the harness's free function)."""
        return self._joined(tensors, dim, fresh=True)


def joined(nodes: Sequence[Node], axis: int, *, fresh: bool) -> Node:
    """Nodes of one dtype joined along an axis, a new one if `fresh`."""
    grids, start = [], 0
    for node in nodes:
        grids.append(start + np.arange(node.size, dtype=np.int64).reshape(node.shape))
        start += node.size
    try:
        table = np.stack(grids, axis) if fresh else np.concatenate(grids, axis)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    return Move(table.shape, nodes[0].dtype, tuple(nodes), table.reshape(-1))


def _padded(grid: Index, low: Sequence[int], high: Sequence[int], interior: Sequence[int]) -> Index:
    for axis in range(grid.ndim):
        grid = np.moveaxis(_padded_axis(np.moveaxis(grid, axis, 0), low[axis], high[axis], interior[axis]), 0, axis)
    return grid


def _padded_axis(grid: Index, low: int, high: int, interior: int) -> Index:
    length = len(grid) + interior * max(len(grid) - 1, 0)
    spaced = np.full((max(length, 0), *grid.shape[1:]), FILL, dtype=np.int64)
    spaced[:: interior + 1] = grid
    before = np.full((max(low, 0), *grid.shape[1:]), FILL, dtype=np.int64)
    after = np.full((max(high, 0), *grid.shape[1:]), FILL, dtype=np.int64)
    cropped = spaced[max(-low, 0) : length - max(-high, 0)]
    return np.concatenate([before, cropped, after])


def _below(grid: Index, k: int) -> Any:
    """Which places of axes 0 and 1 are on or below the k-th diagonal, for any k of 64 bits and beyond."""
    rows, columns = grid.shape[:2]
    return np.tri(rows, columns, max(-rows, min(k, columns)), dtype=bool)


def _triangle(grid: Index, kept: Any) -> Index:
    return np.where(kept.reshape(kept.shape + (1,) * (grid.ndim - 2)), grid, FILL)


def _diagonal(grid: Index, axis_a: int, axis_b: int) -> Index:
    place = axis_a - (axis_b < axis_a)
    return np.moveaxis(np.diagonal(grid, axis1=axis_a, axis2=axis_b), -1, place)


def _embedded(grid: Index, axis_a: int, axis_b: int) -> Index:
    first = axis_a + (axis_b <= axis_a)
    spread = np.expand_dims(grid, axis_b)
    extent = grid.shape[axis_a]
    places = np.arange(extent)
    shape = [1] * spread.ndim
    shape[first] = extent
    along = places.reshape(shape)
    shape[first], shape[axis_b] = 1, extent
    return np.where(along == places.reshape(shape), spread, FILL)
