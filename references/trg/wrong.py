"""What must go wrong, and does: each failure is a fact about a library or about the algorithm."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from references.lazy import Lazy, th

from . import kept, steps_tenferro, whole_graph
from .plan import BETAS
from .report import Section, Table, Verdict

jax = Lazy("references.trg.steps_jax")
Progress = Callable[[str], None]
Runtime = Any
UNRESTRICTED_STEPS, BUILT_IN_STEPS, GRAPH_STEPS = 4, 6, 3
BUILT_IN_FAILS_AT = 5
GROWTH = 4.0
"""By what each step multiplies the time of an exponential transform, at least."""


def section(progress: Progress) -> Section:
    """All of it."""
    runtime = th.Runtime(th.Engine(1))
    parts = (unrestricted, built_in_rule, refused_slice, exponential)
    found = [part(runtime, progress) for part in parts]
    return Section("wrong", tuple(table for table, _ in found), tuple(verdict for _, verdict in found))


def unrestricted(runtime: Runtime, progress: Progress) -> tuple[Table, Verdict]:
    """Without the structural rank the derivative is NaN exactly when a kept singular value is exactly 0."""
    progress("the unrestricted schedule")
    runs = [run for beta in BETAS for run in kept.unrestricted(runtime, beta, steps=UNRESTRICTED_STEPS)]
    rows = tuple((f"{r.beta:g}", str(r.steps), _yes(r.nan), _yes(r.zero)) for r in runs)
    table = Table(
        "Unrestricted schedule k = min(D², χ)", ("β", "steps", "derivative is NaN", "a kept value is 0"), rows
    )
    nans = ", ".join(f"β = {r.beta:g} after {r.steps}" for r in runs if r.nan)
    statement = "the derivative is NaN exactly when a kept singular value is exactly 0"
    return table, Verdict(statement, all(r.nan == r.zero for r in runs), f"NaN at {nans or 'none'}")


def built_in_rule(runtime: Runtime, progress: Progress) -> tuple[Table, Verdict]:
    """JAX's own SVD rule on this chain."""
    found = []
    for steps in range(1, BUILT_IN_STEPS + 1):
        progress(f"JAX's own SVD rule, {steps} steps")
        found.append((steps, [jax.built_in_gradient(steps, beta) for beta in BETAS]))
    rows = tuple((str(steps), *(f"{x:.6f}" for x in numbers)) for steps, numbers in found)
    table = Table("Derivative by JAX's own SVD rule", ("steps", *(f"β = {beta:g}" for beta in BETAS)), rows)
    first = next((steps for steps, numbers in found if any(map(math.isnan, numbers))), None)
    statement = f"JAX's own SVD rule gives NaN from step {BUILT_IN_FAILS_AT}"
    return table, Verdict(statement, first == BUILT_IN_FAILS_AT, f"the first NaN comes with {first} steps")


def refused_slice(runtime: Runtime, progress: Progress) -> tuple[Table, Verdict]:
    """Slices of SVD outputs whose extents are still min(m, m)."""
    progress("the derivative through a slice of SVD outputs")
    texts = {name: refusal(runtime, name) for name in ("eager", "traced")}
    rows = tuple((name, text or "answered with a derivative") for name, text in texts.items())
    table = Table("Derivative through a slice of SVD outputs without the reshape", ("surface", "tenferro says"), rows)
    return table, Verdict("it is refused", all(texts.values()), "Unsupported on both surfaces")


def refusal(runtime: Runtime, surface: str) -> str:
    """tenferro's text for the derivative of a step that slices without the reshape; empty where it gives one."""
    point = np.arange(16.0).reshape(2, 2, 2, 2) + 1
    t = runtime.variable(point) if surface == "eager" else runtime.attached(point)
    image, _ = steps_tenferro.step(t, k=2, concrete=False)
    try:
        runtime.grad(image.reduce_sum(None), [t])
    except th.Unsupported as error:
        return str(error)
    return ""


def exponential(runtime: Runtime, progress: Progress) -> tuple[Table, Verdict]:
    """One graph for several steps, by the two ways tenferro offers."""
    progress("the whole graph, 1 to 3 steps")
    rows = [whole_graph.growth(runtime, steps) for steps in range(1, GRAPH_STEPS + 1)]
    columns = ("steps", "forward", "grad: operations", "ms", "vjp_program: operations", "ms")
    note = "the derivative program of the compiled graph does not grow so: it is a variant of its own"
    cells = tuple(
        (str(r.steps), str(r.forward), str(r.grad), _ms(r.grad_seconds), str(r.program), _ms(r.program_seconds))
        for r in rows
    )
    factors = _factors([r.grad_seconds for r in rows])
    statement = f"each step multiplies the time of a traced grad by {GROWTH:g} or more"
    figures = ", ".join(f"× {factor:.1f}" for factor in factors)
    return Table("One graph for all steps: its derivative", columns, cells, note), Verdict(
        statement, min(factors) >= GROWTH, figures
    )


def _factors(seconds: Sequence[float]) -> list[float]:
    return [after / before for before, after in pairwise(seconds)]


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.2f}"


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"
