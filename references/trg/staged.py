"""Eager TRG in tenferro with its derivative, one graph a step.

One graph for all steps is not possible: the time of its transform grows exponentially with the steps. So every step
starts on a fresh leaf, and the backward pass hands the cotangent from leaf to leaf.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import steps_tenferro as trg
from .plan import DEFAULT, Plan

Array = np.ndarray[Any, np.dtype[np.float64]]
Runtime = Any
Tensor = Any


@dataclass(frozen=True)
class Link:
    """One step's graph: the leaf T_i, what it became, ln‖T_i‖ and its weight in lnZ/N."""

    leaf: Tensor
    image: Tensor
    log_norm: Tensor
    weight: float


Pull = Callable[[Runtime, Link, Tensor], Tensor]
"""The cotangent of a link's leaf, from that of its image."""


def per_step_vjp(runtime: Runtime, link: Link, cotangent: Tensor) -> Tensor:
    """Two VJPs, one through T_{i+1} and one through ln‖T_i‖, added."""
    (through,) = runtime.vjp([link.image], [link.leaf], [cotangent])
    (norm,) = runtime.vjp([link.log_norm], [link.leaf], [runtime.constant(np.float64(link.weight))])
    return through + norm


def scalar_proxy(runtime: Runtime, link: Link, cotangent: Tensor) -> Tensor:
    """One `backward` of the scalar ⟨T_{i+1}, ct⟩ + w·ln‖T_i‖."""
    proxy = (link.image * cotangent).reduce_sum(None) + link.log_norm.scale_real(link.weight)
    proxy.backward()
    return runtime.constant(link.leaf.grad().numpy())


def run(
    runtime: Runtime,
    beta: float,
    *,
    plan: Plan = DEFAULT,
    pull: Pull = per_step_vjp,
    contract: trg.Contraction = trg.four_operands,
) -> tuple[Array, Array]:
    """(lnZ/N, its derivative) at β, both rank 0 and f64."""
    variable = runtime.variable(np.float64(beta))
    first = trg.initial(variable)
    links, last = forward(runtime, first, plan=plan, contract=contract)
    trace = trg.log_trace(last)
    total = added(*(link.weight * float(link.log_norm.numpy()) for link in links), float(trace.numpy()) / plan.sites)
    (cotangent,) = runtime.vjp([trace], [last], [runtime.constant(np.float64(1 / plan.sites))])
    for link in reversed(links):
        cotangent = pull(runtime, link, cotangent)
    (gradient,) = runtime.vjp([first], [variable], [cotangent])
    return np.asarray(total), gradient.numpy()


def forward(runtime: Runtime, first: Tensor, *, plan: Plan, contract: trg.Contraction) -> tuple[list[Link], Tensor]:
    """Every step on a leaf of its own, and the last tensor as a leaf."""
    links, leaf = [], _leaf(runtime, first)
    for index, k in enumerate(plan.ranks):
        image, log_norm = trg.step(leaf, k=k, contract=contract)
        links.append(Link(leaf, image, log_norm, plan.weight(index) / plan.sites))
        leaf = _leaf(runtime, image)
    return links, leaf


def added(*terms: float) -> float:
    """Left to right, one rounding each: Python's own `sum` compensates, which no other language does."""
    total = 0.0
    for term in terms:
        total += term
    return total


def _leaf(runtime: Runtime, tensor: Tensor) -> Tensor:
    """A variable with the tensor's data and none of its history."""
    return runtime.variable(tensor)
