"""Both sides of the comparison as functions of β, each run kept, since several tables ask for the same β."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from references.lazy import Lazy, th
from references.run import start
from references.run_tenferro import engine
from references.servants.turns import turn

from . import kept, programs
from .plan import DEFAULT, Plan

jax = Lazy("references.trg.steps_jax")
Pair = tuple[float, float]
Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Side:
    """One library at one plan: `fresh` runs it; calling the side runs it once a β."""

    name: str
    plan: Plan
    fresh: Callable[[float], Pair]
    spectra: Callable[[float], list[Array]]
    memory: dict[float, Pair] = field(default_factory=dict)

    def __call__(self, beta: float) -> Pair:
        """(lnZ/N, its derivative) at β."""
        if beta not in self.memory:
            self.memory[beta] = self.fresh(beta)
        return self.memory[beta]


def jax_side(plan: Plan = DEFAULT, *, layout: str = "F") -> Side:
    """JAX under jit, compiled programs kept as the suite keeps them."""
    start("jax")
    run = jax.value_and_gradient(plan, layout)
    singular = jax.spectra(plan)
    return Side("JAX", plan, lambda beta: _floats(run(beta)), lambda beta: [np.asarray(s) for s in singular(beta)[1]])


def tenferro_side(plan: Plan = DEFAULT, *, width: int = 1) -> Side:
    """tenferro eager, per-step VJP; every run in a runtime of its own, all on one engine, made when first needed."""

    def run(beta: float) -> Pair:
        with turn(width):
            return _floats(programs.eager(th.Runtime(engine(width)), beta, plan=plan))

    def spectra(beta: float) -> list[Array]:
        with turn(width):
            return kept.spectra(th.Runtime(engine(width)), beta, plan=plan)

    return Side(f"tenferro w{width}", plan, run, spectra)


def _floats(pair: tuple[Any, Any]) -> Pair:
    return float(pair[0]), float(pair[1])
