"""Reductions over axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from flint import arb

from references.arbiter import folds, long
from references.arbiter.core import RefusedError
from references.arbiter.cplx import Pair
from references.arbiter.graph import COMPLEX, FLOATING, Each, Index
from references.arbiter.kernels import arithmetic
from references.arbiter.layout import Layout
from references.arbiter.rows import Fold
from references.arbiter.special import PZERO


def rows(grid: Index, axes: Sequence[int]) -> tuple[tuple[int, ...], Index]:
    """The shape without `axes`, and one row of flat indices for each of its elements."""
    kept = [axis for axis in range(grid.ndim) if axis not in axes]
    shape = tuple(grid.shape[axis] for axis in kept)
    terms = int(np.prod([grid.shape[axis] for axis in axes], dtype=np.int64))
    return shape, grid.transpose([*kept, *axes]).reshape(int(np.prod(shape, dtype=np.int64)), terms)


class Reduction(Layout):
    """Reductions; axes None means all, an empty list none."""

    def _axes(self, axes: Sequence[int] | None) -> list[int]:
        chosen = list(range(self.ndim)) if axes is None else list(axes)
        if len(set(chosen)) != len(chosen) or not set(chosen) <= set(range(self.ndim)):
            raise RefusedError(f"axes {chosen} of rank {self.ndim}")
        return chosen

    def _fold(self, fold: folds.Row, axes: Sequence[int] | None, *, exact: bool = False) -> Self:
        if self.dtype == "bool":
            raise RefusedError("a reduction of bools")
        grid = np.arange(self.node.size, dtype=np.int64).reshape(self.shape)
        shape, table = rows(grid, self._axes(axes))
        node = Fold(shape, self.dtype, fold, self.node, table, exact=exact or self.dtype not in FLOATING)
        if fold is folds.sum_row and self.dtype in ("f32", "f64") and table.shape[1] >= long.LONG:
            node.at_once = long.summed
        return self._of(node)

    def reduce_sum(self, axes: Sequence[int] | None = None) -> Self:
        """Σ; integers wrap."""
        return self if axes is not None and not len(axes) else self._fold(folds.sum_row, axes)

    def reduce_prod(self, axes: Sequence[int] | None = None) -> Self:
        """Π; integers wrap."""
        return self if axes is not None and not len(axes) else self._fold(folds.product_row, axes)

    def reduce_sum_squares(self, axes: Sequence[int] | None = None) -> Self:
        """Σ x²."""
        return self.mul(self).reduce_sum(axes)

    def _require_some(self, axes: Sequence[int] | None) -> None:
        if self.dtype in COMPLEX or any(self.shape[axis] == 0 for axis in self._axes(axes)):
            raise RefusedError("complex numbers have no order, and nothing has no largest")

    def reduce_max(self, axes: Sequence[int] | None = None) -> Self:
        """The largest; NaN passes."""
        self._require_some(axes)
        return self._fold(folds.extremum_row(largest=True), axes, exact=True)

    def reduce_min(self, axes: Sequence[int] | None = None) -> Self:
        """The smallest; NaN passes."""
        self._require_some(axes)
        return self._fold(folds.extremum_row(largest=False), axes, exact=True)

    def reduce_mean(self, axes: Sequence[int] | None = None) -> Self:
        """Σ/n."""
        if self.dtype not in FLOATING:
            raise RefusedError(f"the mean of {self.dtype}")
        count = int(np.prod([self.shape[axis] for axis in self._axes(axes)], dtype=np.int64))
        return self.reduce_sum(axes)._over(count)

    def _over(self, count: int) -> Self:
        """Divided by a whole number, exactly."""
        pairs = self.dtype in COMPLEX
        plain, jets = arithmetic("div", pairs=pairs)
        divisor = Pair(arb(count), PZERO) if pairs else arb(count)
        node = Each(self.shape, self.dtype, lambda x: plain(x, divisor), (self.node,), lambda x: jets(x, divisor), True)
        return self._of(node)
