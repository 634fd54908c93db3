"""The tensor's handle: shape, dtype, and how nodes are made from handles, NumPy arrays and Python numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from references.arbiter import kernels, scalars
from references.arbiter.graph import COMPLEX, FLOATING, Array, Each, Index, Move, Node, Ordered, Source
from references.arbiter.scalars import REAL_PART
from references.arbiter.special import Undecided
from references.arbiter.whole import WIDTH
from references.dtypes import NUMPY, name_of


class MissingError(LookupError):
    """An operation the arbiter lacks."""


class RefusedError(ValueError):
    """Arguments no library takes: a wrong axis, shape or dtype."""


def _level(dtype: str) -> int:
    return ("bool", "i32", "i64", "f32", "f64", "c64", "c128").index(dtype)


def promoted(left: str, right: str) -> str:
    """tenferro's lattice: integers with floats give f64, with complex c128; f64 with c64 gives c128."""
    low, high = sorted((left, right), key=_level)
    if low in WIDTH and high in FLOATING:
        return "c128" if high in COMPLEX else "f64"
    return "c128" if (low, high) == ("f64", "c64") else high


def constant(value: Any, dtype: str | None = None) -> Source:
    """A NumPy array (of its own dtype) or a number as a node."""
    array = np.asarray(value, dtype=None if dtype is None else NUMPY[dtype])
    if name_of(array) not in NUMPY:
        raise RefusedError(f"dtype {array.dtype} is none of tenferro's")
    return Source(array.shape, name_of(array), array)


class Core:
    """A tensor of exact values. Its methods have tenferro's names and arguments and build a graph: nothing is computed.

    Raises MissingError for an operation the arbiter lacks, RefusedError for arguments that do not fit.
    """

    __array_ufunc__ = None  # NumPy arrays leave their operators to this class
    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        """A handle of a node."""
        self.node = node

    def __repr__(self) -> str:
        """Dtype and shape."""
        return f"Exact({self.dtype}, {self.shape})"

    def __getattr__(self, name: str) -> Any:
        """Names the operation the arbiter lacks."""
        if name.startswith("_"):
            raise AttributeError(name)
        raise MissingError(name)

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return self.node.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.node.shape)

    @property
    def dtype(self) -> str:
        """The short name of the dtype."""
        return self.node.dtype

    def _of(self, node: Node) -> Self:
        return type(self)(node)

    def _lift(self, other: Any) -> Node:
        if isinstance(other, Core):
            return other.node
        if isinstance(other, (bool, int, float, complex)) and not isinstance(other, np.generic):
            return constant(other, self.dtype)
        return constant(other)

    def _zero(self) -> Node:
        return _spread(constant(0, self.dtype), self.shape)

    def _moved(self, change: Callable[[Index], Any]) -> Self:
        """Elements moved as `change` moves an array of their flat indices."""
        return self._of(moved(self.node, change))

    def _each(self, plain: Any, jets: Any, *, dtype: str | None = None, exact: bool = False) -> Self:
        node = Each(self.shape, dtype or self.dtype, plain, (self.node,), jets, True, exact=exact)
        return self._of(node)

    def _changed(self, dtype: str) -> Self:
        return self._of(changed(self.node, dtype))


def moved(node: Node, change: Callable[[Index], Any]) -> Node:
    """A node whose elements are moved as `change` moves their indices; negative entries are filled with zero."""
    grid = np.arange(node.size, dtype=np.int64).reshape(node.shape)
    table: Array = np.asarray(change(grid), dtype=np.int64)
    return Move(table.shape, node.dtype, (node,), table.reshape(-1))


def _spread(node: Node, shape: tuple[int, ...]) -> Node:
    if node.shape == shape:
        return node
    return moved(node, lambda grid: np.broadcast_to(grid, shape))


def together(*nodes: Node) -> list[Node]:
    """Nodes broadcast to one shape, as NumPy aligns axes."""
    try:
        shape = np.broadcast_shapes(*(node.shape for node in nodes))
    except ValueError as error:
        raise RefusedError(str(error)) from None
    return [_spread(node, shape) for node in nodes]


def changed(node: Node, dtype: str) -> Node:
    """A node in another dtype: rounded where the elements are stored and the dtype is narrower."""
    if node.dtype == dtype:
        return node
    if dtype == "bool" and node.dtype in ("f32", "f64"):
        zero = _spread(constant(0, node.dtype), node.shape)
        return Ordered(node.shape, dtype, _unequal, (node, zero), always=True, exact=True)
    change = scalars.changed(node.dtype, dtype, stored=node.stored)
    parts = REAL_PART.get(node.dtype, ""), REAL_PART.get(dtype, "")
    exact = parts != ("f64", "f32") or node.stored
    passes = node.dtype in FLOATING and dtype in FLOATING
    return Each(node.shape, dtype, change, (node,), change, passes, exact=exact, widens=parts == ("f32", "f64"))


def _unequal(order: int | None, x: Any, _zero: Any) -> Any:
    if order is None:
        return x if isinstance(x, Undecided) else kernels.BRANCH
    return order != 0
