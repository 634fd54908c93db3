"""χ = 24 at β = 0.44: no crossing nearby, and an error several times smaller than with χ = 16."""

from collections.abc import Callable

from . import bounds, onsager, published
from .differences import difference
from .plan import DEFAULT, Plan
from .report import Section, Table, Verdict, small, within
from .sides import Side, jax_side, tenferro_side

Progress = Callable[[str], None]
PLAN, BETA, H = Plan(chi=24), 0.44, 1e-6
RATIO_DIGIT = 0.05
"""The published ratios have one decimal."""


def section(progress: Progress, *, width: int = 1) -> Section:
    """lnZ/N, u and c with χ = 24 on both sides, the publication's, and the error ratios to χ = 16."""
    progress("χ = 24: JAX compiles")
    sides = jax_side(PLAN), tenferro_side(PLAN, width=width)
    for side in sides:
        progress(f"χ = 24: {side.name}, lnZ/N, u and c")
        difference(side, BETA, h=H)
    jax, tenferro = (_quantities(side) for side in sides)
    known = published.trg()["chi24"]
    rows = tuple(
        (name, repr(a), repr(b), repr(known[name]), small(b - a), small(b - exact))
        for name, a, b, exact in zip(("lnz", "u", "c"), jax, tenferro, onsager.exact(BETA).all, strict=True)
    )
    columns = ("", sides[0].name, sides[1].name, "published", "tenferro − JAX", "tenferro − Onsager")
    table = Table("χ = 24, β = 0.44", columns, rows)
    return Section(
        "chi-24", (table, _ratios(tenferro, width)[0]), (*_verdicts(jax, tenferro), *_ratios(tenferro, width)[1])
    )


def _quantities(side: Side) -> tuple[float, float, float]:
    value, slope = side(BETA)
    return value, -slope, difference(side, BETA, h=H).c


def _verdicts(jax: tuple[float, float, float], tenferro: tuple[float, float, float]) -> list[Verdict]:
    allowed = (bounds.factor("trg.value"), bounds.factor("trg.grad"), bounds.c(BETA, H))
    known = published.trg()["chi24"]
    pairs = list(zip(("lnz", "u", "c"), jax, tenferro, allowed, strict=True))
    return [
        *(within(f"χ = 24, {name}, tenferro − JAX", [b - a], [bound]) for name, a, b, bound in pairs),
        *(within(f"χ = 24, {name}, tenferro − published", [b - known[name]], [bound]) for name, _, b, bound in pairs),
    ]


def _ratios(tenferro: tuple[float, float, float], width: int) -> tuple[Table, list[Verdict]]:
    """How many times larger the error of χ = 16 is, against the published 8.5 and 5.8."""
    value, slope = tenferro_side(DEFAULT, width=width)(BETA)
    exact = onsager.exact(BETA)
    found = {"u": (-slope - exact.u) / (tenferro[1] - exact.u), "lnz": (value - exact.lnz) / (tenferro[0] - exact.lnz)}
    known = {name: published.error_ratio(name, BETA) for name in found}
    rows = tuple((name, f"{found[name]:.3f}", f"{known[name]:.3f}") for name in found)
    verdicts = [
        Verdict(
            f"error ratio χ = 16 : 24 of {name}", abs(found[name] - known[name]) <= RATIO_DIGIT, f"{found[name]:.2f}"
        )
        for name in found
    ]
    return Table("Error of χ = 16 ÷ error of χ = 24", ("", "here", "published"), rows), verdicts
