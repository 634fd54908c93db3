"""One evaluation of a graph at one precision: what is computed is remembered, what is not asked for is not done."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import acb, arb

from references.arbiter.cplx import Pair, enclosed
from references.arbiter.graph import COMPLEX, FLOATING, Array, Index, Mask, Node
from references.arbiter.jet import Jet, value
from references.arbiter.real import order
from references.arbiter.rounding import BITS
from references.arbiter.special import Convention, Special, Undecided, ball, finite


class BudgetError(Exception):
    """The time given to an arbitration is over."""


@dataclass(frozen=True)
class Seeds:
    """What is differentiated: tangents by input, and columns: by input, flat index → ids of its directions.

    A complex element has two directions, along 1 and along i.
    """

    names: frozenset[str | None] = frozenset()
    tangents: Mapping[str, Array] = field(default_factory=dict)
    columns: Mapping[str, Mapping[int, tuple[int, ...]]] = field(default_factory=dict)

    def seeded(self, name: str | None, wanted: Index, values: list[Any]) -> list[Any]:
        """Values of an input with their directions."""
        assert name is not None
        tangents = self.tangents[name].reshape(-1)[wanted].tolist() if name in self.tangents else [0] * len(values)
        columns = self.columns.get(name, {})
        return [
            _with_directions(v, tangent, columns.get(i, ()))
            for v, tangent, i in zip(values, tangents, wanted.tolist(), strict=True)
        ]

    def marked(self, name: str | None, size: int) -> Mask:
        """Which elements of an input have a direction."""
        found = np.zeros(size, dtype=np.bool_)
        if name in self.tangents:
            found |= self.tangents[str(name)].reshape(-1) != 0
        found[list(self.columns.get(str(name), {}))] = True
        return found


def _with_directions(v: Any, tangent: Any, ids: tuple[int, ...]) -> Any:
    if not ids and tangent == 0:
        return v
    if type(v) is Pair:
        along = {i: acb(*unit) for i, unit in zip(ids, ((1, 0), (0, 1)), strict=False)}
        return Jet(v, acb(tangent.real, tangent.imag) if tangent != 0 else None, along, {})
    return Jet(v, arb(tangent) if tangent != 0 else None, {i: arb(1) for i in ids}, {})


class Run:
    """Values of nodes at the working precision of `flint.ctx`. noisy: every rounding a float program may do is added.

    The noisy run encloses what a float program of good quality may hold: it tells which branches are safe, and how ill
    conditioned the evaluation is.
    """

    def __init__(self, seeds: Seeds, deadline: float, *, noisy: bool = False) -> None:
        """deadline: on the monotonic clock."""
        self.seeds, self.deadline, self.noisy = seeds, deadline, noisy
        self._held: dict[Node, tuple[Index, list[Any], dict[int, Any]]] = {}
        self._reached: dict[Node, Mask] = {}
        self._conventional: set[Node] = set()
        self._noise: Run | None = None
        self._still: Run | None = None

    def breathe(self) -> None:
        """Raise BudgetError when time is over."""
        if time.monotonic() > self.deadline:
            raise BudgetError

    def get(self, node: Node, wanted: Index) -> list[Any]:
        """Scalars (jets, where differentiated) of a node at flat indices, which are distinct."""
        held = self._held.get(node)
        if held is not None and held[0] is wanted:
            return held[1]
        known = held[2] if held is not None else {}
        missing = wanted if not known else np.array([i for i in wanted.tolist() if i not in known], dtype=np.int64)
        if missing.size:
            self.breathe()
            known.update(zip(missing.tolist(), self._computed(node, missing), strict=True))
        values = [known[i] for i in wanted.tolist()]
        self._held[node] = (wanted, values, known)
        return values

    def operands(self, node: Node, wanted: Index) -> list[Any]:
        """As `get`, for an operation: what libraries define differently has no successor to compute."""
        values = self.get(node, wanted)
        if node not in self._conventional:
            return values
        return [x.onward if type(x) is Convention else x for x in values]

    def _computed(self, node: Node, wanted: Index) -> list[Any]:
        values = node.compute(self, wanted)
        self.breathe()  # on the way up too: the way down asks before anything has taken time
        if any(type(x) is Convention for x in values):
            self._conventional.add(node)
        if self.noisy and not node.exact and node.dtype in FLOATING:
            return [blurred(x, node.dtype) for x in values]
        return values

    def reached(self, node: Node) -> Mask:
        """Which elements of a node depend on what is differentiated."""
        if node not in self._reached:
            self._reached[node] = node.reached(self)
        return self._reached[node]

    def noise(self) -> Run:
        """The noisy run beside this one, without directions."""
        if self.noisy:
            return self
        if self._noise is None:
            self._noise = Run(Seeds(), self.deadline, noisy=True)
        return self._noise

    def still(self) -> Run:
        """The same run without directions: for constants taken from values, as the shift of a softmax."""
        if not self.seeds.names:
            return self
        if self._still is None:
            self._still = Run(Seeds(), self.deadline, noisy=self.noisy)
        return self._still

    def orders(self, left: Node, right: Node, wanted: Index) -> list[int | None]:
        """How elements compare (−1, 0, 1; 2 with NaN), None where a float program may see it otherwise."""
        run = self if left.stored and right.stored else self.noise()
        pairs = zip(run.get(left, wanted), run.get(right, wanted), strict=True)
        return [_ordered(value(x), value(y)) for x, y in pairs]


def _ordered(x: Any, y: Any) -> int | None:
    if isinstance(x, Undecided) or isinstance(y, Undecided):
        return None
    if isinstance(x, int) and isinstance(y, int):
        return (x > y) - (x < y)
    return order(x, y)


def _spread(bits: int) -> Any:
    return arb(1, arb(2) ** (2 - bits))


SPREAD = {dtype: _spread(bits) for dtype, bits in BITS.items()}
UNDERFLOW = {"f32": arb(0, arb(2) ** -149), "f64": arb(0, arb(2) ** -1074)}
UNDERFLOW |= {"c64": UNDERFLOW["f32"], "c128": UNDERFLOW["f64"]}


def blurred(x: Any, dtype: str) -> Any:
    """A result with the error of a float operation: two units in the last place, or the least subnormal."""
    if type(x) is Jet:
        return x.each(lambda c: c * SPREAD[dtype], blurred(x.a, dtype))
    if dtype in COMPLEX:
        return _blurred_pair(x, dtype)
    return x * SPREAD[dtype] + UNDERFLOW[dtype] if type(x) is arb else x


def _blurred_pair(z: Any, dtype: str) -> Any:
    if type(z) is not Pair or not (finite(z.re) and finite(z.im)):
        return z
    size = arb(0, enclosed(z).abs_upper()) * arb(2) ** (2 - BITS[dtype]) + UNDERFLOW[dtype]
    parts = [x if type(x) is Special and x.zero and not x.soft else ball(x) + size for x in (z.re, z.im)]
    return Pair(*parts)
