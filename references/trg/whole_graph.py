"""All steps in one traced graph: tenferro has two ways to its derivative, and only one of them scales.

`AdContext::grad` on the traced tensor transforms in a time that grows exponentially with the steps; the derivative
program `AdContext::vjp_program` of the compiled graph has operations, and takes time, in proportion to them.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import steps_tenferro as trg
from .plan import DEFAULT, Plan

Array = np.ndarray[Any, np.dtype[np.float64]]
Runtime = Any
Tensor = Any


@dataclass(frozen=True)
class Growth:
    """What the derivative of a graph of `steps` steps costs by `grad` and by `vjp_program`: operations and seconds."""

    steps: int
    forward: int
    grad: int
    grad_seconds: float
    program: int
    program_seconds: float


def graph(runtime: Runtime, plan: Plan) -> tuple[Tensor, Tensor]:
    """The placeholder β and lnZ/N, traced."""
    beta = runtime.placeholder([], "f64")
    t, terms = trg.initial(beta), []
    for index, k in enumerate(plan.ranks):
        t, log_norm = trg.step(t, k=k)
        terms.append(log_norm.scale_real(plan.weight(index) / plan.sites))
    total = trg.log_trace(t).scale_real(1 / plan.sites)
    for term in reversed(terms):
        total = total + term
    return beta, total


def run(runtime: Runtime, beta: float, *, plan: Plan = DEFAULT) -> tuple[Array, Array]:
    """(lnZ/N, its derivative) at β by one graph of all steps and its derivative program."""
    placeholder, total = graph(runtime, plan)
    forward = runtime.compile([total], [placeholder])
    (value,) = forward.run([np.float64(beta)])
    (gradient,) = forward.vjp().run([np.float64(beta), np.float64(1.0)])
    return value, gradient


def growth(runtime: Runtime, steps: int, *, repeats: int = 3) -> Growth:
    """Both transforms of a graph of so many steps, on a new graph each time; the shortest time of the repeats."""
    made = [_transforms(runtime, Plan(steps=steps)) for _ in range(repeats)]
    forward, grad, _, program, _ = made[0]
    return Growth(steps, forward, grad, min(m[2] for m in made), program, min(m[4] for m in made))


def _transforms(runtime: Runtime, plan: Plan) -> tuple[int, int, float, int, float]:
    """Operations forward, of the grad and of the derivative program, each transform followed by its seconds."""
    beta, total = graph(runtime, plan)
    forward = runtime.compile([total], [beta])
    start = time.perf_counter()
    grad = runtime.grad(total, [beta])
    middle = time.perf_counter()
    program = forward.vjp()
    end = time.perf_counter()
    counts = [len(p.operations()) for p in (forward, runtime.compile(grad, [beta]), program)]
    return counts[0], counts[1], middle - start, counts[2], end - middle
