"""The program as a graph of element-wise nodes, index maps, folds and contractions; values are computed on demand.

A node computes the elements it is asked for and no others: `compute(run, wanted)`, wanted being flat row-major indices.
`reached(run)` marks the elements that depend on what is differentiated.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from references.arbiter.cplx import Pair
from references.arbiter.jet import Jet
from references.arbiter.rounding import exact
from references.arbiter.special import Convention, Undecided

if TYPE_CHECKING:
    from references.arbiter.run import Run

Index = np.ndarray[Any, np.dtype[np.int64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]
Array = np.ndarray[Any, np.dtype[Any]]
FILL, LOST = -1, -2
"""Entries of an index map that take no element: a zero, and an index that is not decided."""
COMPLEX = ("c64", "c128")
FLOATING = ("f32", "f64", *COMPLEX)


@dataclass(eq=False)
class Node(ABC):
    """shape and dtype of the result. exact: a float program makes no rounding here. widens: takes f32 to f64."""

    shape: tuple[int, ...]
    dtype: str
    exact: bool = field(default=False, kw_only=True)
    widens: bool = field(default=False, kw_only=True)

    @functools.cached_property
    def stored(self) -> bool:
        """Whether every element is an input (or constant) moved about, so that a float program holds it exactly."""
        return self.exact and all(parent.stored for parent in self.parents)

    @functools.cached_property
    def coarse(self) -> bool:
        """Whether a float program rounds to f32 on the way to f64, where the exact one does not."""
        if self.widens and not all(parent.stored for parent in self.parents):
            return True
        return any(parent.coarse for parent in self.parents)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def parents(self) -> Sequence[Node]:
        """The nodes this one reads."""
        return ()

    @abstractmethod
    def compute(self, run: Run, wanted: Index) -> list[Any]:
        """Scalars at the wanted flat indices."""

    @abstractmethod
    def reached(self, run: Run) -> Mask:
        """Which elements depend on what is differentiated."""


def scalar_of(value: Any, dtype: str) -> Any:
    """The scalar of a stored element: an exact ball, a special value, a pair, a Python int or bool."""
    if dtype in COMPLEX:
        return Pair(exact(value.real), exact(value.imag))
    return exact(value) if dtype in FLOATING else value


@dataclass(eq=False)
class Source(Node):
    """An input (by its name) or a constant."""

    array: Array
    name: str | None = None

    exact: bool = field(default=True, kw_only=True)

    @functools.cached_property
    def stored(self) -> bool:
        """An input is what it is."""
        return True

    def compute(self, run: Run, wanted: Index) -> list[Any]:
        """The stored values, with their directions where the run differentiates."""
        picked = self.array.reshape(-1)[wanted].tolist()
        values = [scalar_of(value, self.dtype) for value in picked]
        return run.seeds.seeded(self.name, wanted, values) if self.name in run.seeds.names else values

    def reached(self, run: Run) -> Mask:
        """The elements that carry a direction."""
        return run.seeds.marked(self.name, self.size)


@dataclass(eq=False)
class Each(Node):
    """One operation on corresponding elements of nodes of one shape."""

    operation: Callable[..., Any]
    args: tuple[Node, ...]
    jets: Callable[..., Any] | None = None
    passes: bool = False
    """Whether a derivative passes; if not, the result is constant."""

    @property
    def parents(self) -> Sequence[Node]:
        """The operands."""
        return self.args

    def compute(self, run: Run, wanted: Index) -> list[Any]:
        """Plain operands by `operation`; where one has directions, by `jets`."""
        columns = [run.operands(arg, wanted) for arg in self.args]
        if not run.seeds.names or not self.reached(run)[wanted].any():
            return list(map(self.operation, *columns))
        assert self.jets is not None
        return [self.jets(*row) for row in zip(*columns, strict=True)]

    def reached(self, run: Run) -> Mask:
        """Wherever an operand is, if derivatives pass."""
        if not self.passes:
            return np.zeros(self.size, dtype=np.bool_)
        found = np.zeros(self.size, dtype=np.bool_)
        for arg in self.args:
            found = found | run.reached(arg)
        return found


def _read_as(clamped: Any, wrapped: Any) -> Convention:
    values = {"clamped (tenferro, lax)": clamped, "from the end (NumPy, jnp)": wrapped}
    return Convention("a negative index", values, passes=True)


@dataclass(eq=False)
class Ordered(Each):
    """An operation that takes how its first two operands compare (−1, 0, 1; 2 with NaN; None undecided) before them.

    always: also where nothing is differentiated (a comparison); else only there (a maximum is continuous).
    """

    always: bool = False
    plain: Callable[..., Any] | None = None

    def compute(self, run: Run, wanted: Index) -> list[Any]:
        """By `operation` with the order, or by `plain` where no branch is taken."""
        columns = [run.operands(arg, wanted) for arg in self.args]
        if self.always or (run.seeds.names and self.reached(run)[wanted].any()):
            orders = run.orders(self.args[0], self.args[1], wanted)
            return [self._branched(*row) for row in zip(orders, *columns, strict=True)]
        assert self.plain is not None
        return list(map(self.plain, *columns))

    def _branched(self, order: int | None, *row: Any) -> Any:
        if self.plain is not None and not any(type(x) is Jet for x in row):
            return self.plain(*row)
        return self.operation(order, *row)


@dataclass(eq=False)
class Constant(Node):
    """Values of a node that a derivative takes as given: what they are does not matter to the result."""

    operation: Callable[[Any], Any]
    arg: Node
    exact: bool = field(default=True, kw_only=True)

    @property
    def parents(self) -> Sequence[Node]:
        """The node read."""
        return (self.arg,)

    def compute(self, run: Run, wanted: Index) -> list[Any]:
        """By the run without directions."""
        return list(map(self.operation, run.still().operands(self.arg, wanted)))

    def reached(self, run: Run) -> Mask:
        """Nowhere."""
        return np.zeros(self.size, dtype=np.bool_)


@dataclass(eq=False)
class Select(Node):
    """Elements of one branch or the other; the branch not taken is not computed."""

    condition: Node
    branches: tuple[Node, Node]
    exact: bool = field(default=True, kw_only=True)

    @property
    def parents(self) -> Sequence[Node]:
        """Condition and branches."""
        return (self.condition, *self.branches)

    def compute(self, run: Run, wanted: Index) -> list[Any]:
        """Where the condition is undecided, so is the element."""
        chosen = run.get(self.condition, wanted)
        found: dict[int, Any] = {i: c for i, c in zip(wanted.tolist(), chosen, strict=True) if isinstance(c, Undecided)}
        for branch, holds in zip(self.branches, (True, False), strict=True):
            there = np.array([i for i, c in zip(wanted.tolist(), chosen, strict=True) if c is holds], dtype=np.int64)
            if there.size:
                found.update(zip(there.tolist(), run.get(branch, there), strict=True))
        return [found[i] for i in wanted.tolist()]

    def reached(self, run: Run) -> Mask:
        """Where either branch is."""
        return run.reached(self.branches[0]) | run.reached(self.branches[1])


@dataclass(eq=False)
class Move(Node):
    """Elements moved about: `table` gives the flat index of each into the concatenated parts, FILL, or LOST."""

    parts: tuple[Node, ...]
    table: Index
    why_lost: str = ""
    otherwise: Index | None = None
    """The table of a library that counts negative indices from the end."""
    exact: bool = field(default=True, kw_only=True)

    @property
    def parents(self) -> Sequence[Node]:
        """The nodes read."""
        return self.parts

    def compute(self, run: Run, wanted: Index) -> list[Any]:
        """The elements; where libraries read an index differently, what each finds there."""
        found = self._fetched(run, self.table[wanted])
        if self.otherwise is None or run.noisy or run.seeds.names:
            return found
        differ = self.table[wanted] != self.otherwise[wanted]
        others = self._fetched(run, self.otherwise[wanted])
        return [_read_as(x, y) if d else x for x, y, d in zip(found, others, differ.tolist(), strict=True)]

    def _fetched(self, run: Run, table: Index) -> list[Any]:
        """Each distinct source element once."""
        sources, back = np.unique(table, return_inverse=True)
        found: list[Any] = []
        outside = int(np.searchsorted(sources, 0))
        for source in sources[:outside].tolist():
            found.append(self._absent(source))
        start = 0
        for part in self.parts:
            inside = sources[(sources >= start) & (sources < start + part.size)] - start
            if inside.size:
                found.extend(run.get(part, inside))
            start += part.size
        return [found[i] for i in back.tolist()]

    def _absent(self, source: int) -> Any:
        if source == LOST:
            return Undecided(self.why_lost)
        zero: Any = False if self.dtype == "bool" else 0 if self.dtype not in FLOATING else 0j
        return scalar_of(0.0 if self.dtype in ("f32", "f64") else zero, self.dtype)

    def reached(self, run: Run) -> Mask:
        """As the sources are."""
        marks = np.concatenate([run.reached(part) for part in self.parts])
        return np.where(self.table >= 0, marks[np.maximum(self.table, 0)] if marks.size else False, False)
