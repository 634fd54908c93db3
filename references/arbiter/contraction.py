"""Contractions: einsum, and what can be written as one, as sums of products of two operands at a time."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from references.arbiter import folds
from references.arbiter.core import Core, RefusedError, changed, constant, moved, promoted
from references.arbiter.graph import FILL, FLOATING, Index, Node
from references.arbiter.indexing import Indexing
from references.arbiter.reduction import rows
from references.arbiter.rows import Contract, Fold

Labels = tuple[str, ...]
Operand = tuple[Node, Labels]


class Contraction(Indexing):
    """matmul, dot_general, tensordot, einsum."""

    def matmul(self, other: Any) -> Self:
        """The product of two matrices."""
        right = self._lift(other)
        if self.ndim != 2 or len(right.shape) != 2:
            raise RefusedError("matmul takes two matrices")
        return self.einsum("ij,jk->ik", self, self._of(right))

    __matmul__ = matmul

    def __rmatmul__(self, other: Any) -> Self:
        """The product with a NumPy array on the left."""
        return self._of(self._lift(other)).matmul(self)

    def dot_general(
        self,
        other: Any,
        lhs_contracting_dims: Sequence[int],
        rhs_contracting_dims: Sequence[int],
        lhs_batch_dims: Sequence[int] = (),
        rhs_batch_dims: Sequence[int] = (),
    ) -> Self:
        """Result axes: free ones of the left, free ones of the right, batch ones last."""
        right = self._lift(other)
        left_labels = [f"l{i}" for i in range(self.ndim)]
        right_labels = [f"r{i}" for i in range(len(right.shape))]
        paired = [
            *zip(lhs_contracting_dims, rhs_contracting_dims, strict=True),
            *zip(lhs_batch_dims, rhs_batch_dims, strict=True),
        ]
        for i, j in paired:
            right_labels[j] = left_labels[i]
        used = {left_labels[i] for i, _ in paired}
        free = [label for label in (*left_labels, *right_labels) if label not in used]
        output = (*free, *(left_labels[i] for i in lhs_batch_dims))
        return self._contracted([(self.node, tuple(left_labels)), (right, tuple(right_labels))], output)

    def dot_general_with_conj(
        self,
        other: Any,
        lhs_contracting_dims: Sequence[int],
        rhs_contracting_dims: Sequence[int],
        lhs_batch_dims: Sequence[int] = (),
        rhs_batch_dims: Sequence[int] = (),
        lhs_conj: bool = False,
        rhs_conj: bool = False,
    ) -> Self:
        """dot_general of conjugates."""
        right = self._of(self._lift(other))
        left, right = self.conj() if lhs_conj else self, right.conj() if rhs_conj else right
        return left.dot_general(right, lhs_contracting_dims, rhs_contracting_dims, lhs_batch_dims, rhs_batch_dims)

    def tensordot(self, other: Any, axes: Any) -> Self:
        """The last n axes with the first n, or pairs of axes; negative ones count from the end."""
        right = self._lift(other)
        if isinstance(axes, int):
            left_axes, right_axes = list(range(self.ndim - axes, self.ndim)), list(range(axes))
        else:
            left_axes, right_axes = [i % self.ndim for i in axes[0]], [i % len(right.shape) for i in axes[1]]
        return self.dot_general(self._of(right), left_axes, right_axes)

    def einsum(self, subscripts: str, *tensors: Any) -> Self:
        """Einstein summation with an explicit arrow (the harness's free function)."""
        nodes = [t.node if isinstance(t, Core) else constant(t) for t in tensors]
        operands, output = _parsed(subscripts, nodes)
        return self._contracted(operands, output)

    def _contracted(self, operands: Sequence[Operand], output: Labels) -> Self:
        dtype = functools.reduce(promoted, (node.dtype for node, _ in operands))
        if dtype not in FLOATING:
            raise RefusedError(f"a contraction of {dtype}")
        ready = [_distinct(changed(node, dtype), labels) for node, labels in operands]
        found, labels = ready[0]
        for i, (node, other) in enumerate(ready[1:], 2):
            later = {label for _, rest in ready[i:] for label in rest} | set(output)
            found, labels = _product((found, labels), (node, other), later)
        found, labels = _summed((found, labels), set(output))
        return self._of(_arranged(found, labels, output))


def _parsed(subscripts: str, nodes: Sequence[Node]) -> tuple[list[Operand], Labels]:
    left, arrow, right = subscripts.replace("(", "").replace(")", "").partition("->")
    terms = left.split(",")
    if not arrow or len(terms) != len(nodes):
        raise RefusedError(f"einsum {subscripts!r} of {len(nodes)} tensors")
    spare = max((len(node.shape) - len(t.replace("...", "")) for t, node in zip(terms, nodes, strict=True)), default=0)
    operands = [(node, _labels(t, len(node.shape), spare)) for t, node in zip(terms, nodes, strict=True)]
    return _broadcast(operands), _labels(right, len(right.replace("...", "")) + spare, spare)


def _labels(term: str, rank: int, spare: int) -> Labels:
    """One label an axis; an ellipsis stands for the last of `spare` numbered ones."""
    before, dots, after = term.partition("...")
    count = rank - len(before) - len(after) if dots else 0
    if not dots and len(term) != rank:
        raise RefusedError(f"einsum term {term!r} of a tensor of rank {rank}")
    return (*before, *(f"...{i}" for i in range(spare - count, spare)), *after)


def _broadcast(operands: list[Operand]) -> list[Operand]:
    """Extents of 1 repeated to what the label has elsewhere."""
    extents: dict[str, int] = {}
    for node, labels in operands:
        for label, n in zip(labels, node.shape, strict=True):
            extents[label] = max(extents.get(label, n), n) if n else 0
    return [(_repeated(node, labels, extents), labels) for node, labels in operands]


def _repeated(node: Node, labels: Labels, extents: dict[str, int]) -> Node:
    shape = tuple(extents[label] for label in labels)
    if shape == node.shape:
        return node
    try:
        return moved(node, lambda grid: np.broadcast_to(grid, shape))
    except ValueError as error:
        raise RefusedError(str(error)) from None


def _distinct(node: Node, labels: Labels) -> Operand:
    """Diagonals taken where a label repeats."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            a = labels.index(label)
            b = labels.index(label, a + 1)
            node = moved(node, functools.partial(_diagonal, a=a, b=b))
            labels = (*labels[:b], *labels[b + 1 :])
    return node, labels


def _diagonal(grid: Index, *, a: int, b: int) -> Index:
    return np.moveaxis(np.diagonal(grid, axis1=a, axis2=b), -1, a)


def _summed(operand: Operand, kept: set[str]) -> Operand:
    """Labels that nothing else needs, summed out."""
    node, labels = operand
    gone = [axis for axis, label in enumerate(labels) if label not in kept]
    if not gone:
        return operand
    shape, table = rows(np.arange(node.size, dtype=np.int64).reshape(node.shape), gone)
    return Fold(shape, node.dtype, folds.sum_row, node, table), tuple(label for label in labels if label in kept)


def _product(left: Operand, right: Operand, later: set[str]) -> Operand:
    """Σ over the labels both have and nothing later needs."""
    left = _summed(left, later | set(right[1]))
    right = _summed(right, later | set(left[1]))
    shared = [label for label in left[1] if label in right[1]]
    contracted = [label for label in shared if label not in later]
    batch = [label for label in shared if label in later]
    free = [[label for label in labels if label not in shared] for _, labels in (left, right)]
    tables = [_table(operand, batch, own, contracted) for operand, own in zip((left, right), free, strict=True)]
    extents = dict(zip(left[1], left[0].shape, strict=True)) | dict(zip(right[1], right[0].shape, strict=True))
    labels = (*free[0], *free[1], *batch)
    shape = tuple(extents[label] for label in labels)
    return Contract(shape, left[0].dtype, left[0], right[0], tables[0], tables[1], folds.products), labels


def _table(operand: Operand, batch: list[str], free: list[str], contracted: list[str]) -> Index:
    """Flat indices as (batch, free, contracted)."""
    node, labels = operand
    grid = np.arange(node.size, dtype=np.int64).reshape(node.shape)
    groups = (batch, free, contracted)
    order = [labels.index(label) for group in groups for label in group]
    extents = [int(np.prod([node.shape[labels.index(label)] for label in g], dtype=np.int64)) for g in groups]
    return grid.transpose(order).reshape(extents)


def _arranged(node: Node, labels: Labels, output: Labels) -> Node:
    """Axes in the order of the output; a repeated output label is a diagonal in zeros."""
    distinct = tuple(dict.fromkeys(output))
    order = [labels.index(label) for label in distinct]
    ordered = node if order == list(range(len(order))) else moved(node, lambda grid: grid.transpose(order))
    return ordered if distinct == output else moved(ordered, lambda grid: _embedded(grid, distinct, output))


def _embedded(grid: Index, distinct: Labels, output: Labels) -> Index:
    shape = tuple(grid.shape[distinct.index(label)] for label in output)
    table = np.full(shape, FILL, dtype=np.int64)
    places = np.indices(grid.shape)
    table[tuple(places[distinct.index(label)] for label in output)] = grid
    return table
