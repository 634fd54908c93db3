"""Singular values that a step keeps, in tenferro: where they cross the next ones, and where they are exactly 0."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import staged
from . import steps_tenferro as trg
from .plan import DEFAULT, Plan

Array = np.ndarray[Any, np.dtype[np.float64]]
Runtime = Any
ORDERS = ((2, 1, 0, 3), (3, 2, 1, 0))


@dataclass(frozen=True)
class Unrestricted:
    """A run of `steps` steps without the structural rank: is its derivative NaN, is a kept singular value 0."""

    beta: float
    steps: int
    nan: bool
    zero: bool


def spectra(runtime: Runtime, beta: float, *, plan: Plan = DEFAULT) -> list[Array]:
    """All singular values of the first cut of every step, largest first."""
    return [_values(link.leaf, ORDERS[0]) for link in _links(runtime, beta, plan)]


def unrestricted(runtime: Runtime, beta: float, *, steps: int) -> list[Unrestricted]:
    """Runs of 1 to `steps` steps at β with k = min(D², χ) from the first step on."""
    plan = Plan(steps=steps, capped=False)
    zeros = _zeros(runtime, beta, plan)
    return [Unrestricted(beta, n, _is_nan(runtime, beta, n), any(zeros[:n])) for n in range(1, steps + 1)]


def _links(runtime: Runtime, beta: float, plan: Plan) -> list[staged.Link]:
    first = trg.initial(runtime.constant(np.float64(beta)))
    return staged.forward(runtime, first, plan=plan, contract=trg.four_operands)[0]


def _values(t: Any, order: tuple[int, ...]) -> Array:
    """The singular values of T/‖T‖, cut along one diagonal, by the operations of the step itself."""
    found: Array = trg.decompose(trg.matricise(trg.normalise(t)[0], order))[1].numpy()
    return found


def _zeros(runtime: Runtime, beta: float, plan: Plan) -> list[bool]:
    """Whether each step keeps a singular value of exactly 0 in either cut."""
    links = _links(runtime, beta, plan)
    return [
        any((_values(link.leaf, order)[:k] == 0).any() for order in ORDERS)
        for link, k in zip(links, plan.ranks, strict=True)
    ]


def _is_nan(runtime: Runtime, beta: float, steps: int) -> bool:
    return bool(np.isnan(staged.run(runtime, beta, plan=Plan(steps=steps, capped=False))[1]))
