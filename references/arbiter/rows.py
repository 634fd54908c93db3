"""Nodes that make one element of many: folds and contractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from references.arbiter.graph import Array, Index, Mask, Node, Source

if TYPE_CHECKING:
    from references.arbiter.run import Run


@dataclass(eq=False)
class Fold(Node):
    """Each element folds a row of `arg`: `rows` has shape (elements, terms). fold(run, node, values) -> scalar."""

    fold: Callable[[Run, Fold, Index, list[Any]], Any]
    arg: Node
    rows: Index

    @property
    def parents(self) -> Sequence[Node]:
        """The node folded."""
        return (self.arg,)

    at_once: Callable[[Array], Any] | None = None
    """A way to fold a row of stored numbers as a NumPy array; it gives None where it cannot."""

    def compute(self, run: Run, wanted: Index) -> list[Any]:
        """Each distinct source element once, then row by row."""
        rows = self.rows[wanted]
        if self.at_once and isinstance(self.arg, Source) and not run.noisy and not run.seeds.names:
            stored = self.arg.array.reshape(-1)
            found = [self.at_once(stored[row]) for row in rows]
            if not any(x is None for x in found):
                return found
        sources, back = np.unique(rows, return_inverse=True)
        values = run.operands(self.arg, sources)
        positions = back.reshape(rows.shape)
        return [self._row(run, row, position, values) for row, position in zip(rows, positions, strict=True)]

    def _row(self, run: Run, row: Index, positions: Index, values: list[Any]) -> Any:
        run.breathe()
        return self.fold(run, self, row, [values[i] for i in positions.tolist()])

    def reached(self, run: Run) -> Mask:
        """Where any term is."""
        marks = run.reached(self.arg)
        return marks[self.rows].any(axis=1) if self.rows.size else np.zeros(self.size, dtype=np.bool_)


@dataclass(eq=False)
class Contract(Node):
    """Sums of products: element (f, g, b) is Σ_k left[b, f, k] · right[b, g, k]; tables (batch, free, contracted)."""

    left: Node
    right: Node
    left_table: Index
    right_table: Index
    products: Callable[[Run, Contract, list[Any], list[Any]], Any]

    @property
    def parents(self) -> Sequence[Node]:
        """Both factors."""
        return (self.left, self.right)

    def compute(self, run: Run, wanted: Index) -> list[Any]:
        """Rows of both factors, each element once."""
        batches, lefts, rights = self.left_table.shape[0], self.left_table.shape[1], self.right_table.shape[1]
        f, rest = np.divmod(wanted, rights * batches)
        g, b = np.divmod(rest, batches)
        assert lefts * rights * batches == self.size
        rows = [
            self._fetch(run, self.left, self.left_table[b, f]),
            self._fetch(run, self.right, self.right_table[b, g]),
        ]
        return [self._pair(run, x, y) for x, y in zip(*rows, strict=True)]

    def _pair(self, run: Run, x: list[Any], y: list[Any]) -> Any:
        run.breathe()
        return self.products(run, self, x, y)

    @staticmethod
    def _fetch(run: Run, node: Node, rows: Index) -> list[list[Any]]:
        sources, back = np.unique(rows, return_inverse=True)
        values = run.operands(node, sources)
        return [[values[i] for i in row] for row in back.reshape(rows.shape).tolist()]

    def reached(self, run: Run) -> Mask:
        """Where any factor of any product is."""
        left = run.reached(self.left)[self.left_table].any(axis=2)
        right = run.reached(self.right)[self.right_table].any(axis=2)
        found: Mask = (left[:, :, None] | right[:, None, :]).transpose(1, 2, 0).reshape(-1)
        return found
