"""The same numbers by other ways, their times side by side from interleaved runs."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from references.lazy import th

from . import bounds, programs, traced_staged
from .plan import DEFAULT
from .report import Section, Table, Verdict, small, within
from .sides import jax_side

Progress = Callable[[str], None]
Pair = tuple[float, float]
BETA = 0.44


@dataclass(frozen=True)
class Variant:
    """A way to lnZ/N and its derivative; `run` holds whatever may be reused between runs."""

    name: str
    run: Callable[[float], Any]

    def __call__(self, beta: float) -> Pair:
        """The pair as floats."""
        value, slope = self.run(beta)
        return float(value), float(slope)


@dataclass(frozen=True)
class Timed:
    """A variant's pair and the seconds of its runs, the first of them apart: it compiles."""

    variant: Variant
    pair: Pair
    first: float
    seconds: tuple[float, ...]


def all_of(width: int) -> tuple[Variant, ...]:
    """Every variant at a width, JAX first; JAX has no width."""
    engine = th.Engine(width)

    def fresh(program: Callable[..., Any]) -> Callable[[float], Any]:
        return lambda beta: program(th.Runtime(engine), beta)

    prepared = traced_staged.Programs(th.Runtime(engine))
    return (
        Variant("JAX, jit", jax_side().fresh),
        Variant("JAX, jit, row-major", jax_side(layout="C").fresh),
        Variant("eager, two VJPs a step", fresh(programs.eager)),
        Variant("eager, scalar proxy, backward", fresh(programs.proxy)),
        Variant("eager, chain of pairs", fresh(programs.chain)),
        Variant("traced, one program a shape", prepared.run),
        Variant("traced, one graph, vjp_program", fresh(programs.whole)),
        Variant("eager, whole in Rust", fresh(programs.rust)),
    )


def measure(variants: Sequence[Variant], *, rounds: int, progress: Progress, beta: float = BETA) -> list[Timed]:
    """Every variant once to warm up, then round after round, so that the machine's moods fall on all alike."""
    first = [_timed(variant, beta, progress) for variant in variants]
    seconds: list[list[float]] = [[] for _ in variants]
    for number in range(rounds):
        progress(f"variants, round {number + 1} of {rounds}")
        for times, variant in zip(seconds, variants, strict=True):
            times.append(_timed(variant, beta)[1])
    return [Timed(v, f[0], f[1], tuple(t)) for v, f, t in zip(variants, first, seconds, strict=True)]


def _timed(variant: Variant, beta: float, progress: Progress = lambda _: None) -> tuple[Pair, float]:
    progress(f"variants, {variant.name}")
    start = time.perf_counter()
    pair = variant(beta)
    return pair, time.perf_counter() - start


def section(progress: Progress, *, width: int = 1, rounds: int = 3) -> Section:
    """All variants at β = 0.44 against JAX."""
    timed = measure(all_of(width), rounds=rounds, progress=progress)
    reference, *others = timed
    rows = tuple(_row(t, reference) for t in timed)
    columns = ("", "lnZ/N − JAX", "derivative − JAX", "first, ms", "then, ms", "published, ms")
    table = Table(f"Variants at β = {BETA}, width {width}", columns, rows, "times of this machine, interleaved")
    verdicts = tuple(v for t in others for v in _verdicts(t, reference))
    series = {"names": [t.variant.name for t in timed], "seconds": [t.seconds for t in timed]}
    return Section("variants", (table, _operations()), (*verdicts, _bitwise(timed)), series)


def _row(timed: Timed, reference: Timed) -> tuple[str, ...]:
    value, slope = (a - b for a, b in zip(timed.pair, reference.pair, strict=True))
    low, high = min(timed.seconds), max(timed.seconds)
    times = f"{1000 * low:.0f} to {1000 * high:.0f}"
    return (
        timed.variant.name,
        small(value),
        small(slope),
        f"{1000 * timed.first:.0f}",
        times,
        _published(timed.variant.name),
    )


def _published(name: str) -> str:
    """The publication's milliseconds at width 1, where it gives them."""
    from .published import trg

    known = trg()["variants"]
    keys = {
        "eager, two VJPs a step": "eager_staged",
        "eager, scalar proxy, backward": "eager_staged_scalar_proxy_backward",
        "eager, chain of pairs": "eager_staged_pairwise_chain",
        "traced, one program a shape": "traced_staged",
    }
    return "{} to {}".format(*known[keys[name]]["w1"]) if name in keys else ""


def _verdicts(timed: Timed, reference: Timed) -> list[Verdict]:
    pairs = zip(("value", "grad"), timed.pair, reference.pair, strict=True)
    return [
        within(f"{timed.variant.name} − JAX, {name}", [a - b], [bounds.factor(f"trg.{name}")]) for name, a, b in pairs
    ]


def _bitwise(timed: Sequence[Timed]) -> Verdict:
    """Python between the operations changes no bit."""
    by_name = {t.variant.name: t.pair for t in timed}
    whole, driven = by_name["eager, whole in Rust"], by_name["eager, two VJPs a step"]
    figures = " and ".join(x.hex() for x in whole)
    return Verdict("whole in Rust and over the binding are bitwise equal", whole == driven, figures)


def _operations() -> Table:
    """Operations of the prepared programs, forward and backward."""
    prepared = traced_staged.Programs(th.Runtime(th.Engine(1)))
    shapes = sorted(set(DEFAULT.bonds))
    counts = [prepared.step(shape).operations for shape in shapes]
    rows = tuple((f"D = {d}, k = {k}", str(f), str(b)) for (d, k), (f, b) in zip(shapes, counts, strict=True))
    return Table("Operations of a traced step", ("program", "forward", "backward"), rows, "published: about 40 and 204")
