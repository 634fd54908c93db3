"""Traced TRG in tenferro: one compiled and prepared program a shape (D, k), reused over steps and over β."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import steps_tenferro as trg
from .plan import DEFAULT, Plan

Array = np.ndarray[Any, np.dtype[np.float64]]
Shape = tuple[int, int]
Runtime = Any
Tensor = Any


@dataclass(frozen=True)
class Compiled:
    """A program and the program of its vjp, which takes the inputs, then one cotangent an output."""

    forward: Any
    backward: Any

    @property
    def operations(self) -> tuple[int, int]:
        """How many operations each of the two graphs has."""
        return len(self.forward.operations()), len(self.backward.operations())


@dataclass(frozen=True)
class Programs:
    """The programs of a runtime, made when first needed."""

    runtime: Runtime
    contract: trg.Contraction = trg.chain
    steps: dict[Shape, Compiled] = field(default_factory=dict)
    ends: dict[str, Compiled] = field(default_factory=dict)

    def run(self, beta: float, *, plan: Plan = DEFAULT) -> tuple[Array, Array]:
        """(lnZ/N, its derivative) at β, both rank 0 and f64."""
        start = self.initial()
        (t,) = start.forward.run([np.float64(beta)])
        tensors, total = [], 0.0
        for index, shape in enumerate(plan.bonds):
            tensors.append(t)
            t, log_norm = self.step(shape).forward.run([t])
            total += plan.weight(index) / plan.sites * float(log_norm)
        trace = self.trace(plan.ranks[-1])
        (log_trace,) = trace.forward.run([t])
        (cotangent,) = trace.backward.run([t, np.float64(1 / plan.sites)])
        for index in reversed(range(plan.steps)):
            weight = np.float64(plan.weight(index) / plan.sites)
            (cotangent,) = self.step(plan.bonds[index]).backward.run([tensors[index], cotangent, weight])
        (gradient,) = start.backward.run([np.float64(beta), cotangent])
        return np.asarray(total + float(log_trace) / plan.sites), gradient

    def step(self, shape: Shape) -> Compiled:
        """T ↦ (T', ln‖T‖) for one (D, k)."""
        if shape not in self.steps:
            t = self.runtime.placeholder([shape[0]] * 4, "f64")
            self.steps[shape] = self._compiled(trg.step(t, k=shape[1], contract=self.contract), t)
        return self.steps[shape]

    def initial(self) -> Compiled:
        """β ↦ T of one site."""
        if "initial" not in self.ends:
            beta = self.runtime.placeholder([], "f64")
            self.ends["initial"] = self._compiled((trg.initial(beta),), beta)
        return self.ends["initial"]

    def trace(self, bond: int) -> Compiled:
        """T ↦ ln of its trace."""
        if f"trace {bond}" not in self.ends:
            t = self.runtime.placeholder([bond] * 4, "f64")
            self.ends[f"trace {bond}"] = self._compiled((trg.log_trace(t),), t)
        return self.ends[f"trace {bond}"]

    def _compiled(self, outputs: tuple[Tensor, ...], placeholder: Tensor) -> Compiled:
        forward = self.runtime.compile(list(outputs), [placeholder])
        compiled = Compiled(forward, forward.vjp())
        for program in (compiled.forward, compiled.backward):
            program.prepare()
        return compiled
