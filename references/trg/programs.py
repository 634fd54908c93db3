"""What a case asks of tenferro: functions of a runtime and β that bring their own derivative."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from references.lazy import Lazy
from references.run_tenferro import engine

from . import kept, staged, traced_staged, whole_graph
from . import steps_tenferro as trg
from .differences import difference
from .plan import DEFAULT, Plan

Array = np.ndarray[Any, np.dtype[np.float64]]
Pair = tuple[Any, Any]
Runtime = Any
native = Lazy("tenferro_harness._native")

UNRESTRICTED_STEPS = 4


def eager(runtime: Runtime, beta: Any, *, plan: Plan = DEFAULT) -> Pair:
    """lnZ/N and its derivative, eager, two VJPs a step: the main program."""
    return staged.run(runtime, float(beta), plan=plan)


def proxy(runtime: Runtime, beta: Any) -> Pair:
    """The same with one `backward` of a scalar a step."""
    return staged.run(runtime, float(beta), pull=staged.scalar_proxy)


def chain(runtime: Runtime, beta: Any) -> Pair:
    """The same with the contraction as a chain of pairs."""
    return staged.run(runtime, float(beta), contract=trg.chain)


def traced(runtime: Runtime, beta: Any) -> Pair:
    """The same by prepared programs, one a shape."""
    return traced_staged.Programs(runtime).run(float(beta))


def whole(runtime: Runtime, beta: Any) -> Pair:
    """The same by one traced graph of all steps and its derivative program."""
    return whole_graph.run(runtime, float(beta))


def rust(runtime: Runtime, beta: Any, *, plan: Plan = DEFAULT) -> Pair:
    """The main program as one call into Rust, on an engine of the runtime's width."""
    value, gradient = native.trg(engine(runtime.width), float(beta), list(plan.ranks))
    return np.float64(value), np.float64(gradient)


def differences(runtime: Runtime, betas: Iterable[Any], *, h: float, plan: Plan = DEFAULT) -> Pair:
    """c at every β by central difference of the main program's derivative; no derivative of its own."""
    run = partial(eager, runtime, plan=plan)
    return np.array([difference(run, float(beta), h=h).c for beta in betas]), ()


def rust_minus_eager(runtime: Runtime, betas: Iterable[Any]) -> Pair:
    """Value and derivative whole in Rust, less those over the binding: (β, 2), 0 where they are bitwise equal."""
    pairs = [np.subtract(rust(runtime, beta), eager(runtime, beta)) for beta in betas]
    return np.array(pairs), ()


def nan_without_kept_zero(runtime: Runtime, betas: Iterable[Any]) -> Pair:
    """(β, steps): 0 where the unrestricted derivative is NaN exactly if a kept singular value is exactly 0."""
    rows = [kept.unrestricted(runtime, float(beta), steps=UNRESTRICTED_STEPS) for beta in betas]
    return np.array([[float(row.nan != row.zero) for row in of_beta] for of_beta in rows]), ()
