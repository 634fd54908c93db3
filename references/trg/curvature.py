"""c by central difference of the AD derivative: both step sizes, crossings, the table over h, and the scan over β."""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

from references.lazy import Lazy

from . import bounds, onsager, published
from .differences import BETAS_OF_SCAN, STEPS_OF_TABLE, Difference, chosen, crossing, difference
from .plan import DEFAULT, Plan
from .report import Section, Table, Verdict, small, within
from .sides import Side

jax = Lazy("references.trg.steps_jax")
Progress = Callable[[str], None]
BETAS_OF_TABLE = (0.3, 0.44)
SCAN_H = 1e-6


@cache
def third(plan: Plan, beta: float) -> float:
    """c by JAX's jvp(grad), which has no step size."""
    return float(jax.curvature(plan)(beta))


def section(sides: Sequence[Side], betas: Sequence[float], hs: Sequence[float], progress: Progress) -> Section:
    """c at `betas` with every step of `hs`; sides[0] is JAX."""
    found: dict[tuple[float, float], list[Difference]] = {}
    for beta in betas:
        for h in hs:
            progress(f"β = {beta}: c by difference, h = {h:g}")
            found[beta, h] = [difference(side, beta, h=h) for side in sides]
        progress(f"β = {beta}: c by jvp(grad)")
        third(sides[0].plan, beta)
    verdicts = [_same_c(sides, h, [found[beta, h] for beta in betas]) for h in hs]
    verdicts += [_third(side, i, betas, hs, found) for i, side in enumerate(sides)]
    return Section("c", (_table(sides, found), _crossings(sides, betas, hs, found)), tuple(verdicts))


def _table(sides: Sequence[Side], found: dict[tuple[float, float], list[Difference]]) -> Table:
    rows = []
    for (beta, h), by_side in found.items():
        apart = max(abs(d.c - by_side[0].c) for d in by_side)
        numbers = (f"{d.c:.12f}" for d in by_side)
        plan = sides[0].plan
        rows.append(
            (f"{beta:g}", f"{h:g}", *numbers, f"{third(plan, beta):.12f}", small(apart), small(bounds.c(beta, h)))
        )
    columns = ("β", "h", *(side.name for side in sides), "jvp(grad)", "apart", "allowed")
    return Table("c = β² ∂²(lnZ/N)/∂β² by central difference of the derivative", columns, tuple(rows))


def _same_c(sides: Sequence[Side], h: float, rows: Sequence[Sequence[Difference]]) -> Verdict:
    """The same difference on each side, within β² · 1e-11 / h."""
    pairs = [(d.c - row[0].c, d.error) for row in rows for d in row[1:]]
    names = ", ".join(side.name for side in sides[1:])
    return within(f"c with h = {h:g}, {names} − JAX", [p[0] for p in pairs], [p[1] for p in pairs])


def _third(
    side: Side,
    index: int,
    betas: Sequence[float],
    hs: Sequence[float],
    found: dict[tuple[float, float], list[Difference]],
) -> Verdict:
    """The c reported, with the smaller step where singular values cross within the larger, against jvp(grad)."""
    best = [_chosen([found[beta, h][index] for h in sorted(hs, reverse=True)]) for beta in betas]
    apart = [d.c - third(side.plan, d.beta) for d in best]
    return within(f"c of {side.name} − jvp(grad)", apart, [d.error for d in best])


def _chosen(by_step: Sequence[Difference]) -> Difference:
    best = by_step[0]
    for finer in by_step[1:]:
        best = chosen(best, finer)
    return best


def _crossings(
    sides: Sequence[Side],
    betas: Sequence[float],
    hs: Sequence[float],
    found: dict[tuple[float, float], list[Difference]],
) -> Table:
    """Where two steps disagree by more than their errors: singular values cross within the larger one."""
    ordered = sorted(hs, reverse=True)
    rows = [
        (f"{beta:g}", side.name, f"{coarse:g}", f"{fine:g}", small(abs(a.c - b.c)), small(a.error + b.error))
        for beta in betas
        for coarse, fine in pairwise(ordered)
        for side, a, b in zip(sides, found[beta, coarse], found[beta, fine], strict=True)
        if crossing(a, b)
    ]
    columns = ("β", "side", "h", "smaller h, taken", "apart", "both errors")
    note = "" if rows else "none: every two steps agree within their errors"
    return Table("Level crossings between two steps", columns, tuple(rows), note)


def over_h(sides: Sequence[Side], progress: Progress) -> Section:
    """Central differences of value and gradient for β = 0.3 and 0.44 over h, beside the published ones."""
    known = {(row[0], row[1]): row[2:] for row in published.trg()["finite_difference"]["rows"]}
    rows, series = [], {}
    for beta in BETAS_OF_TABLE:
        for h in STEPS_OF_TABLE:
            progress(f"β = {beta}: differences with h = {h:g}")
            by_side = [difference(side, beta, h=h) for side in sides]
            series[beta, h] = [d.c for d in by_side]
            numbers = [x for d in by_side for x in (f"{d.slope:.12f}", f"{d.curvature:.9f}")]
            rows.append((f"{beta:g}", f"{h:g}", *numbers, *(f"{x:.12g}" for x in known[beta, h])))
    columns = (
        "β",
        "h",
        *(f"{s.name} {q}" for s in sides for q in ("value", "gradient")),
        "published value",
        "gradient",
    )
    table = Table("Central differences over h: of lnZ/N and of its derivative", columns, tuple(rows))
    lines = {beta: third(DEFAULT, beta) for beta in BETAS_OF_TABLE}
    verdicts = tuple(_close(sides, beta, h, series) for beta in BETAS_OF_TABLE for h in STEPS_OF_TABLE)
    return Section("c-by-h", (table,), verdicts, {"c": series, "third": lines, "sides": [s.name for s in sides]})


def _close(sides: Sequence[Side], beta: float, h: float, series: dict[tuple[float, float], list[float]]) -> Verdict:
    first, *others = series[beta, h]
    names = ", ".join(side.name for side in sides[1:])
    bound = bounds.c(beta, h)
    return within(f"c at β = {beta:g}, h = {h:g}, {names} − JAX", [x - first for x in others], [bound] * len(others))


def scan(sides: Sequence[Side], progress: Progress) -> Section:
    """c from β = 0.40 to 0.48 with h = 1e-6: tenferro's difference against JAX's jvp(grad); sides[0] is JAX."""
    rows, pairs = [], []
    for beta in BETAS_OF_SCAN:
        progress(f"β = {beta}: scan")
        got, ref, exact = difference(sides[1], beta, h=SCAN_H), third(DEFAULT, beta), onsager.exact(beta).c
        pairs.append((got.c - ref, got.error))
        rows.append(
            (f"{beta:g}", f"{exact:.6f}", f"{ref:.9f}", f"{got.c:.9f}", small(abs(got.c - ref)), small(got.error))
        )
    seen = published.trg()["scan"]["max_disagreement"]
    note = f"largest disagreement {max(abs(p[0]) for p in pairs):.2e}; published {seen:.0e}"
    columns = ("β", "c exact", "JAX jvp(grad)", f"{sides[1].name} difference", "apart", "allowed")
    verdict = within("c over the scan, difference − jvp(grad)", [p[0] for p in pairs], [p[1] for p in pairs])
    series = {"betas": list(BETAS_OF_SCAN), "c": [(float(r[2]), float(r[3])) for r in rows]}
    return Section("scan", (Table("The scan, h = 1e-6", columns, tuple(rows), note),), (verdict,), series)
