"""lnZ/N and its derivative: agreement with JAX and with the publication, widths, repetition, distance to Onsager."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from . import bounds, onsager, published
from .differences import chosen, difference
from .plan import DEFAULT
from .report import Section, Table, Verdict, small, within
from .sides import Side

Progress = Callable[[str], None]
QUANTITIES = ("value", "grad")
PUBLISHED_KEYS = {"tenferro w1": "w1", "tenferro w8": "w8"}


def section(jax: Side, tenferros: Sequence[Side], betas: Sequence[float], progress: Progress) -> Section:
    """Everything about values and derivatives at `betas`."""
    for beta in betas:
        progress(f"β = {beta}: lnZ/N and derivative, {jax.name} and {len(tenferros)} widths, each width twice")
        for side in (jax, *tenferros):
            side(beta)
    repeated = _repeated(tenferros, betas)
    verdicts = [*_agreement(jax, tenferros, betas), *_widths(tenferros, betas), repeated]
    if jax.plan == DEFAULT:
        verdicts += _published((jax, *tenferros), betas)
    tables = (_numbers((jax, *tenferros), betas), _differences(jax, tenferros, betas))
    return Section("values", tables, tuple(verdicts), _series(jax, tenferros, betas))


def _series(jax: Side, tenferros: Sequence[Side], betas: Sequence[float]) -> dict[str, Any]:
    by_name = {
        name: {side.name: [_apart(side, jax, beta)[i] for beta in betas] for side in tenferros}
        for i, name in enumerate(QUANTITIES)
    }
    return {"betas": list(betas), "allowed": {name: bounds.factor(f"trg.{name}") for name in QUANTITIES}, **by_name}


def _numbers(sides: Sequence[Side], betas: Sequence[float]) -> Table:
    rows = tuple((f"{beta:g}", side.name, *(repr(x) for x in side(beta))) for beta in betas for side in sides)
    return Table("lnZ/N and its derivative", ("β", "side", "lnZ/N", "∂(lnZ/N)/∂β"), rows)


def _differences(jax: Side, tenferros: Sequence[Side], betas: Sequence[float]) -> Table:
    rows = tuple(
        (f"{beta:g}", side.name, *(small(d) for d in _apart(side, jax, beta))) for beta in betas for side in tenferros
    )
    return Table("tenferro − JAX", ("β", "side", "lnZ/N", "∂(lnZ/N)/∂β"), rows)


def _apart(one: Side, other: Side, beta: float) -> tuple[float, float]:
    (value, slope), (value_2, slope_2) = one(beta), other(beta)
    return value - value_2, slope - slope_2


def _judged(statement: str, pairs: Sequence[tuple[float, float]]) -> list[Verdict]:
    return [
        within(f"{statement}, {name}", [pair[i] for pair in pairs], [bounds.factor(f"trg.{name}")] * len(pairs))
        for i, name in enumerate(QUANTITIES)
    ]


def _agreement(jax: Side, tenferros: Sequence[Side], betas: Sequence[float]) -> list[Verdict]:
    return [
        v for side in tenferros for v in _judged(f"{side.name} − {jax.name}", [_apart(side, jax, b) for b in betas])
    ]


def _widths(tenferros: Sequence[Side], betas: Sequence[float]) -> list[Verdict]:
    return [
        v
        for one, other in combinations(tenferros, 2)
        for v in _judged(f"{one.name} − {other.name}", [_apart(one, other, b) for b in betas])
    ]


def _published(sides: Sequence[Side], betas: Sequence[float]) -> list[Verdict]:
    """Every side against the publication's bits: JAX's for all, tenferro's where the width was published."""
    known = [beta for beta in betas if beta in published.betas()]
    verdicts = []
    for side in sides if known else ():
        for key in ("jax", *filter(None, [PUBLISHED_KEYS.get(side.name)])):
            pairs = [_off(side, published.bits(beta, key), beta) for beta in known]
            verdicts += _judged(f"{side.name} − published {key}", pairs)
    return verdicts


def _off(side: Side, figures: dict[str, float], beta: float) -> tuple[float, float]:
    value, slope = side(beta)
    return value - figures["lnz"], slope - figures["grad"]


def _repeated(tenferros: Sequence[Side], betas: Sequence[float]) -> Verdict:
    """The same width asked again, in another runtime."""
    other = [f"{side.name} at β = {beta:g}" for side in tenferros for beta in betas if side.fresh(beta) != side(beta)]
    return Verdict("the same width twice is bitwise equal", not other, ", ".join(other) or "all")


def against_onsager(sides: Sequence[Side], betas: Sequence[float], hs: Sequence[float]) -> Section:
    """The distance to the infinite lattice: a property of truncation and size, reported and never judged."""
    exact = {beta: onsager.exact(beta) for beta in betas}
    found = {(side.name, beta): _quantities(side, beta, hs) for side in sides for beta in betas}
    rows = [
        (f"{beta:g}", name, *(small(x) for x in _less(numbers, exact[beta].all)), *_document(beta, sides[0]))
        for (name, beta), numbers in sorted(found.items(), key=lambda item: item[0][1])
    ]
    columns = ("β", "side", "lnZ/N", "u", "c", "published lnZ/N", "u", "c, h = 1e-5")
    table = Table("side − Onsager", columns, tuple(rows), _sameness(sides, exact, found))
    return Section("onsager", (table,), (), {"betas": list(betas), "exact": exact, "found": found})


def _less(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [a - b for a, b in zip(one, other, strict=True)]


def _document(beta: float, side: Side) -> tuple[str, ...]:
    """The publication's distances, where it has this β and this truncation."""
    if side.plan != DEFAULT or beta not in published.betas():
        return ("", "", "")
    return tuple(small(x) for x in published.minus_onsager(beta))


def _sameness(
    sides: Sequence[Side],
    exact: Mapping[float, onsager.Exact],
    found: Mapping[tuple[str, float], tuple[float, float, float]],
) -> str:
    """How far the sides' distances are apart, in units of the fourth digit, the last one listed."""
    units = []
    for beta, solution in exact.items():
        first, *others = (_less(found[side.name, beta], solution.all) for side in sides)
        units += [_in_units(a, b) for other in others for a, b in zip(first, other, strict=True)]
    return f"never part of a verdict; the sides differ by at most {max(units):.2f} units of the last digit listed"


def _in_units(one: float, other: float) -> float:
    """How far two numbers are apart, in units of the larger one's fourth digit; infinitely, if only one is a number."""
    if one == other or (math.isnan(one) and math.isnan(other)):
        return 0.0
    if not math.isfinite(one - other):
        return math.inf
    return abs(one - other) / float(10.0 ** (math.floor(math.log10(max(abs(one), abs(other)))) - 3))


def _quantities(side: Side, beta: float, hs: Sequence[float]) -> tuple[float, float, float]:
    value, slope = side(beta)
    by_step = [difference(side, beta, h=h) for h in sorted(hs, reverse=True)]
    best = by_step[0]
    for finer in by_step[1:]:
        best = chosen(best, finer)
    return value, -slope, best.c
