"""Operations whose shapes tenferro knows only at run time: here every extent is a number from the start."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from references.arbiter.contraction import Contraction
from references.arbiter.core import Core, RefusedError, constant
from references.arbiter.run import Run, Seeds
from references.arbiter.special import Special, Undecided


class Extent(int):
    """The harness's SymDim as the number it stands for; arithmetic on it stays one."""

    def __add__(self, other: int) -> Extent:
        """A sum."""
        return Extent(int(self) + other)

    def __sub__(self, other: int) -> Extent:
        """A difference."""
        return Extent(int(self) - other)

    def __rsub__(self, other: int) -> Extent:
        """A difference from a number."""
        return Extent(other - int(self))

    def __mul__(self, other: int) -> Extent:
        """A product."""
        return Extent(int(self) * other)

    def __floordiv__(self, other: int) -> Extent:
        """A quotient, rounded down."""
        return Extent(int(self) // other)

    def __rfloordiv__(self, other: int) -> Extent:
        """A quotient of a number, rounded down."""
        return Extent(other // int(self))

    __radd__ = __add__
    __rmul__ = __mul__

    def min(self, other: int) -> Extent:
        """The smaller."""
        return Extent(min(int(self), other))

    def max(self, other: int) -> Extent:
        """The larger."""
        return Extent(max(int(self), other))


class Dynamic(Contraction):
    """Shape queries, and operations that take their results."""

    def sym_size(self, axis: int) -> Extent:
        """An extent."""
        return Extent(self.shape[axis])

    axis_sym_dim = sym_size

    def sym_shape(self) -> list[Extent]:
        """All extents."""
        return [Extent(n) for n in self.shape]

    def reshape_sym(self, shape: Sequence[int]) -> Self:
        """As reshape."""
        return self.reshape(shape)

    def broadcast_in_dim_sym(self, shape: Sequence[int], dims: Sequence[int], shape_refs: Sequence[Any]) -> Self:
        """As broadcast_in_dim; `shape_refs` only lend their extents."""
        del shape_refs
        return self.broadcast_in_dim(shape, dims)

    def shape_of(self, axis: int) -> Self:
        """An extent as an f64 of rank 0."""
        return self._of(constant(float(self.shape[axis])))

    def pad_to_match(self, reference: Any, axis: int) -> Self:
        """Zeros after the elements of an axis, up to the extent of a reference."""
        missing = (reference.shape if isinstance(reference, Core) else np.shape(reference))[axis] - self.shape[axis]
        return self.pad([0] * self.ndim, [missing if i == axis else 0 for i in range(self.ndim)])

    def dynamic_truncate(self, size: Any, axis: int) -> Self:
        """The first elements of an axis; the size is a scalar tensor, rounded half away from 0 and clamped."""
        (given,) = Run(Seeds(), float("inf")).get(self._lift(size), np.zeros(1, dtype=np.int64))
        return self.slice_axis(axis, 0, min(max(_rounded(given), 0), self.shape[axis]))

    def slice_builder(self, selections: Sequence[tuple[Any, ...]]) -> Self:
        """Selections (axis, start, stop[, step]) or (axis, positions), one after the other."""
        found = self
        for axis, *places in selections:
            positions = list(range(*places)) if isinstance(places[0], int) else list(places[0])
            found = found.index_select(axis, positions)
        return found


def _rounded(size: Any) -> int:
    if isinstance(size, int):
        return size
    if isinstance(size, Special) and size.zero:
        return 0
    if isinstance(size, Undecided | Special) or not size.is_exact():
        raise RefusedError(f"a size of {size}")
    return int(math.copysign(math.floor(abs(float(size)) + 0.5), float(size)))
