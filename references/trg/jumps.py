"""The jump on both sides: its place, its excess, its height and the singular values that cross there."""

from collections.abc import Callable, Sequence

from . import published
from .jump import BRACKET, Jump, Point, find
from .report import Section, Table, Verdict
from .sides import Side

Progress = Callable[[str], None]
AROUND, WIDTH, PIECE = 0.44, 1e-5, 5e-7
PLACE_ERROR, EXCESS_ERROR = 1e-9, 0.01
"""How far the place may be from the published one, and what part the excess may differ by."""


def betas() -> list[float]:
    """β = 0.44 ± 1e-5 in pieces of 5e-7, the published bracket among them."""
    count = round(WIDTH / PIECE)
    return [round(AROUND + i * PIECE, 10) for i in range(-count, count + 1)]


def section(sides: Sequence[Side], progress: Progress) -> Section:
    """The jump of every side; sides[0] is JAX."""
    tables, verdicts, series = [], [], {}
    for side in sides:
        progress(f"the jump, {side.name}: {len(betas())} β against the slope, then bisection")
        found = find(side, betas(), progress=progress)
        if found is None:
            verdicts.append(Verdict(f"the jump of {side.name}", False, "lnZ/N is smooth"))
            continue
        tables += [_table(side, found), _singular_values(side, found)]
        verdicts += _verdicts(side, found)
        series[side.name] = [side(beta) for beta in betas()]
    return Section("jump", tuple(tables), tuple(verdicts), {"betas": betas(), "sides": series})


def _table(side: Side, jump: Jump) -> Table:
    known = published.trg()["jump"]
    rows = (
        ("between", f"{jump.below.beta!r}", f"{known['beta_star'][0]!r}"),
        ("and", f"{jump.above.beta!r}", f"{known['beta_star'][1]!r}"),
        ("excess over the slope in the bracket", f"{jump.excess:.4e}", f"{known['excess_in_bracket']:.3e}"),
        ("height between the two floats", f"{jump.height:.3e}", f"{known['height']:.3e}"),
    )
    note = "the height between neighbouring floats is rounding's, and depends on the platform"
    return Table(f"The jump, {side.name}", ("", "here", "published"), rows, note)


def _singular_values(side: Side, jump: Jump) -> Table:
    """The last kept and the first dropped singular value of the last two steps, on both sides of the jump."""
    k, steps = side.plan.chi, side.plan.steps
    rows = []
    for label, at in (("below", jump.below), ("above", jump.above)):
        values = side.spectra(at.beta)
        for step in (steps - 2, steps - 1):
            kept, dropped = values[step][k - 1], values[step][k]
            rows.append((label, str(step), f"{kept:.12e}", f"{dropped:.12e}", f"{1 - dropped / kept:.1e}"))
    return Table(
        f"Singular values {k} and {k + 1}, {side.name}", ("", "step", f"s{k}", f"s{k + 1}", "relative gap"), tuple(rows)
    )


def _verdicts(side: Side, jump: Jump) -> list[Verdict]:
    known = published.trg()["jump"]
    place = abs(_middle(jump.below, jump.above) - known["beta_star"][0])
    part = abs(jump.excess / known["excess_in_bracket"] - 1)
    return [
        Verdict(f"the jump of {side.name} is in the published bracket", jump.piece == BRACKET, f"{jump.piece}"),
        Verdict(f"its place is the published one within {PLACE_ERROR:g}", place <= PLACE_ERROR, f"{place:.1e} away"),
        Verdict(f"its excess is the published one within {EXCESS_ERROR:.0%}", part <= EXCESS_ERROR, f"{part:.2%} off"),
    ]


def _middle(below: Point, above: Point) -> float:
    return (below.beta + above.beta) / 2
