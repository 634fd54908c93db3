"""Indexing: index tensors are exact, so each of these is a fixed map of elements. Indices out of range are clamped."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from references.arbiter import folds
from references.arbiter.activation import Activation
from references.arbiter.core import Core, RefusedError, changed, constant
from references.arbiter.graph import LOST, Index, Move, Node
from references.arbiter.layout import joined
from references.arbiter.rows import Fold
from references.arbiter.run import Run, Seeds
from references.arbiter.special import Undecided

WHY = "an index that is not decided"
ABSENT = np.iinfo(np.int64).min


def integers(indices: Any) -> Index:
    """The values of an index tensor; ABSENT where one is not decided."""
    if not isinstance(indices, Core):
        return np.asarray(indices).astype(np.int64)
    node = changed(indices.node, "i64")
    found = Run(Seeds(), float("inf")).get(node, np.arange(node.size, dtype=np.int64))
    return np.array([ABSENT if isinstance(i, Undecided) else i for i in found], dtype=np.int64).reshape(node.shape)


class Indexing(Activation):
    """Gathers, scatters and slices at indices."""

    def _picked(self, table: Index, lost: Any, otherwise: Index | None = None) -> Self:
        """Elements by a table of flat indices; lost where an index is not decided. otherwise: from the end."""
        found = np.where(lost, LOST, table)
        other = None if otherwise is None else np.where(lost, LOST, otherwise).reshape(-1)
        return self._of(Move(found.shape, self.dtype, (self.node,), found.reshape(-1), WHY, other))

    def _grid(self) -> Index:
        return np.arange(self.node.size, dtype=np.int64).reshape(self.shape)

    def take_along_axis(self, indices: Any, axis: int) -> Self:
        """x[…, index, …] for each index; the other extents are equal or 1."""
        asked = integers(indices)
        shape = tuple(n if i == axis else m for i, (n, m) in enumerate(zip(asked.shape, self.shape, strict=True)))
        asked = np.broadcast_to(asked, shape)
        extent = self.shape[axis]
        tables = [
            np.take_along_axis(self._grid(), np.clip(read, 0, max(extent - 1, 0)), axis)
            for read in (asked, _from_end(asked, extent))
        ]
        return self._picked(tables[0], asked == ABSENT, tables[1])

    def index_select(self, axis: int, positions: Sequence[int]) -> Self:
        """Fixed positions along an axis."""
        return self._moved(lambda grid: np.take(grid, list(positions), axis))

    def take_axis(self, axis: int, indices: Sequence[int]) -> Self:
        """As index_select."""
        return self.index_select(axis, indices)

    def take_rows(self, rows: Sequence[int]) -> Self:
        """Positions along axis 0."""
        return self.index_select(0, rows)

    def take_cols(self, cols: Sequence[int]) -> Self:
        """Positions along axis 1."""
        return self.index_select(1, cols)

    def take_block(self, rows: Sequence[int], cols: Sequence[int]) -> Self:
        """Rows and columns."""
        return self.take_rows(rows).take_cols(cols)

    def dynamic_slice(self, starts: Any, sizes: Sequence[int]) -> Self:
        """A window at clamped starts, one entry of `starts` per axis."""
        asked = integers(starts)
        grid, other = self._grid(), _from_end(asked, np.array(self.shape, dtype=np.int64))
        tables = [grid[_window(read, self.shape, sizes)] for read in (asked, other)]
        return self._picked(tables[0], bool((asked == ABSENT).any()), tables[1])

    def dynamic_update_slice(self, update: Any, starts: Any) -> Self:
        """`update` in place of a window at clamped starts."""
        asked, other = integers(starts), self._of(self._lift(update))
        table = self._grid().copy()
        table[_window(asked, self.shape, other.shape)] = self.node.size + other._grid()
        node = Move(self.shape, self.dtype, (self.node, other.node), table.reshape(-1), WHY)
        return self._of(node) if not (asked == ABSENT).any() else self._picked(table, True)

    def gather(
        self,
        indices: Any,
        offset_dims: Sequence[int],
        collapsed_slice_dims: Sequence[int],
        start_index_map: Sequence[int],
        index_vector_dim: int,
        slice_sizes: Sequence[int],
    ) -> Self:
        """StableHLO's gather with clamped starts."""
        starts = _vectors(integers(indices), index_vector_dim)
        batch = starts.shape[:-1]
        windows = [n for axis, n in enumerate(slice_sizes) if axis not in collapsed_slice_dims]
        tables = np.zeros((2, *batch, *windows), dtype=np.int64)
        lost = np.zeros(tables.shape[1:], dtype=np.bool_)
        grid, extents = self._grid(), np.array([self.shape[axis] for axis in start_index_map], dtype=np.int64)
        for place in np.ndindex(*batch):
            for table, read in zip(tables, (starts[place], _from_end(starts[place], extents)), strict=True):
                origin = _origin(read, start_index_map, self.ndim)
                table[place] = grid[_window(origin, self.shape, slice_sizes)].reshape(windows)
            lost[place] = bool((starts[place] == ABSENT).any())
        order = _interleaved(len(batch), list(offset_dims))
        return self._picked(tables[0].transpose(order), lost.transpose(order), tables[1].transpose(order))

    def scatter(
        self,
        indices: Any,
        updates: Any,
        update_window_dims: Sequence[int],
        inserted_window_dims: Sequence[int],
        scatter_dims_to_operand_dims: Sequence[int],
        index_vector_dim: int,
    ) -> Self:
        """StableHLO's scatter, adding, with clamped starts: each element is the sum of itself and its updates."""
        if self.dtype == "bool":
            raise RefusedError("scatter adds, and bools have no sum")
        starts, other = _vectors(integers(indices), index_vector_dim), self._of(self._lift(updates))
        order = _interleaved(starts.ndim - 1, list(update_window_dims))
        grid = other._grid().transpose(np.argsort(order))
        sizes = _window_sizes(grid.shape[starts.ndim - 1 :], inserted_window_dims)
        if (starts == ABSENT).any():
            return self._picked(self._grid(), True)
        added: list[list[int]] = [[] for _ in range(self.node.size)]
        for place in np.ndindex(*starts.shape[:-1]):
            origin = _origin(starts[place], scatter_dims_to_operand_dims, self.ndim)
            targets = self._grid()[_window(origin, self.shape, sizes)].reshape(-1)
            for target, source in zip(targets.tolist(), grid[place].reshape(-1).tolist(), strict=True):
                added[target].append(source)
        return self._of(_accumulated(self.node, other.node, added))


def _accumulated(node: Node, updates: Node, added: list[list[int]]) -> Node:
    """Each element plus its updates, as a sum of rows padded with an element that is zero."""
    together = joined([_flat(node), _flat(updates), _flat(constant([0], node.dtype))], 0, fresh=False)
    nothing, longest = node.size + updates.size, max(map(len, added), default=0)
    table = [
        [i, *(node.size + j for j in own), *itertools.repeat(nothing, longest - len(own))]
        for i, own in enumerate(added)
    ]
    rows = np.array(table, dtype=np.int64).reshape(node.size, longest + 1)
    return Fold(node.shape, node.dtype, _sum_of_present(nothing), together, rows)


def _sum_of_present(nothing: int) -> folds.Row:
    def applied(run: Run, node: Fold, row: Index, values: list[Any]) -> Any:
        present = [x for i, x in zip(row.tolist(), values, strict=True) if i != nothing]
        return folds.sum_row(run, node, row, present)

    return applied


def _flat(node: Node) -> Node:
    return Move((node.size,), node.dtype, (node,), np.arange(node.size, dtype=np.int64))


def _vectors(indices: Index, vector_dim: int) -> Index:
    """Index vectors along the last axis."""
    return indices[..., None] if vector_dim == indices.ndim else np.moveaxis(indices, vector_dim, -1)


def _from_end(indices: Index, extents: Any) -> Index:
    """Negative indices as NumPy and jnp read them."""
    return np.where((indices < 0) & (indices != ABSENT), indices + extents, indices)


def _origin(vector: Index, axes: Sequence[int], rank: int) -> Index:
    found = np.zeros(rank, dtype=np.int64)
    found[list(axes)] = vector
    return found


def _window(starts: Index, shape: Sequence[int], sizes: Sequence[int]) -> tuple[slice, ...]:
    clamped = [min(max(int(s), 0), n - k) for s, n, k in zip(starts, shape, sizes, strict=True)]
    return tuple(slice(s, s + k) for s, k in zip(clamped, sizes, strict=True))


def _window_sizes(extents: Sequence[int], inserted: Sequence[int]) -> list[int]:
    sizes = list(extents)
    for axis in sorted(inserted):
        sizes.insert(axis, 1)
    return sizes


def _interleaved(batch: int, offsets: list[int]) -> list[int]:
    """The permutation from (batch axes, window axes) to the result, whose axes `offsets` are the window's."""
    rank, batches, windows = batch + len(offsets), iter(range(batch)), iter(range(batch, batch + len(offsets)))
    return [next(windows) if axis in offsets else next(batches) for axis in range(rank)]
