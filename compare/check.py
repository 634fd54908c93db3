"""compare_arrays: two answers measured, judged, and the judging put to the test on the same arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from compare.control import Limits, Trial, hexes, try_out
from compare.judge import Allowed, Verdict, bound_of, judge
from compare.measure import Array, Distance, MeasureError, dtype_name, measure
from compare.tolerances import Tolerance

_RANK: Final = ("match", "error", "mismatch")


@dataclass(frozen=True, slots=True)
class Judged:
    """One array's distance and the verdict on it."""

    name: str
    distance: Distance
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Place:
    """The element that decided: array, flat index in C order, both values as hex (a complex one: two)."""

    array: str
    at: int
    ref: str
    got: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What comparing two answers came to: match, mismatch, or error (it proves nothing; a control was not caught).

    worst: the array whose distance, bound and slack are given; place: the element in it. n, bitwise_equal and max_ulp
    are those of all arrays. control: the trials of the negative control, each of which has to be caught.
    """

    outcome: str
    reason: str
    category: str
    worst: str | None = None
    distance: Distance | None = None
    bound: float | None = None
    slack: float | None = None
    broken: tuple[str, ...] = ()
    place: Place | None = None
    n: int = 0
    bitwise_equal: int = 0
    max_ulp: int = 0
    arrays: tuple[Judged, ...] = ()
    control: tuple[Trial, ...] = ()


def compare_arrays(
    ref: Mapping[str, Array],
    got: Mapping[str, Array],
    *,
    tolerance: Tolerance,
    scale: Mapping[str, Array] | None = None,
    terms: int | None = None,
) -> Comparison:
    """Compare arrays by name; every array has its own max|ref| and bound, the worst one speaks for the check.

    scale: by name, the shape of the array, for categories that need one (Σ|terms| of a sum, the unit of a supplied
    bound). terms: how many terms the longest sum has, or the size of the matrix whose singular values these are.
    What cannot be measured (a dtype that tenferro has not, a scale that is no bound) is an error that says so.
    """
    try:
        return _compare(ref, got, tolerance, scale or {}, terms or 1)
    except MeasureError as error:
        return Comparison(outcome="error", reason=str(error), category=tolerance.category, broken=("measure",))


def _compare(
    ref: Mapping[str, Array], got: Mapping[str, Array], tolerance: Tolerance, scale: Mapping[str, Array], terms: int
) -> Comparison:
    if set(ref) != set(got):
        return Comparison(outcome="mismatch", reason=_names(ref, got), category=tolerance.category, broken=("names",))
    if not ref:
        reason = "vacuous: there is no array to compare"
        return Comparison(outcome="error", reason=reason, category=tolerance.category, broken=("vacuous",))
    pairs = [_pair(name, ref[name], got[name], tolerance, scale.get(name), terms) for name in ref]
    judged = tuple(pair.judged(pair.got) for pair in pairs)
    trials = tuple(trial for pair, one in zip(pairs, judged, strict=True) for trial in pair.control(one))
    return _whole(pairs, judged, trials, tolerance)


def _names(ref: Mapping[str, Array], got: Mapping[str, Array]) -> str:
    missing, extra = sorted(set(ref) - set(got)), sorted(set(got) - set(ref))
    return "; ".join(f"{what}: {', '.join(names)}" for what, names in (("missing", missing), ("extra", extra)) if names)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two arrays of one name with all that judging them takes."""

    name: str
    ref: Array
    got: Array
    tolerance: Tolerance
    terms: int
    allowance: Array | None
    allowed: Allowed | None

    def judged(self, got: Array) -> Judged:
        """`got`, or what the control made of it, measured and judged."""
        distance = measure(self.ref, got, allowance=self.allowance)
        return Judged(self.name, distance, judge(distance, self.tolerance, terms=self.terms, allowed=self.allowed))

    def control(self, judged: Judged) -> tuple[Trial, ...]:
        """The trials, on the answer itself where it matches, else on the reference."""
        if not judged.distance.comparable:
            return ()
        bound = bound_of(self.tolerance, float(judged.distance.max_ref), self.terms)
        limits = Limits(bound if self.allowance is None else self.allowance, self.tolerance.ulps)
        base = self.got if judged.verdict.outcome == "match" else self.ref
        return try_out(self.name, self.ref, base, limits, lambda got: self.judged(got).verdict)


def _pair(name: str, ref: Array, got: Array, tolerance: Tolerance, scale: Array | None, terms: int) -> _Pair:
    own = tolerance.at(dtype_name(ref))
    if not own.needs_scale or ref.shape != got.shape or dtype_name(got) != own.dtype:
        return _Pair(name, ref, got, own, terms, None, None)
    if scale is None or scale.shape != ref.shape:
        shape = "none" if scale is None else f"one of shape {scale.shape}"
        raise MeasureError(f"category {own.category} needs a scale for {name}, of shape {ref.shape}: there is {shape}")
    sizes = np.abs(scale).astype(np.float64)
    allowance = _allowance(own, ref, sizes, terms)
    largest = float(sizes.max(initial=0.0)) if own.sums else _max_finite(ref)
    return _Pair(name, ref, got, own, terms, allowance, Allowed(largest, float(allowance.max(initial=0.0))))


def _allowance(tolerance: Tolerance, ref: Array, scale: Array, terms: int) -> Array:
    """The allowed error of every element: what the case supplies, or the larger of the rule's and that of a sum."""
    if tolerance.rule == "supplied":
        return scale * tolerance.scaled
    rounding: Array = max(4.0, math.sqrt(terms)) * tolerance.epsilon * scale
    return np.maximum(rounding, bound_of(tolerance, _max_finite(ref), terms))


def _max_finite(ref: Array) -> float:
    """max|ref| over its finite elements, over parts where complex."""
    parts = np.stack([ref.real, ref.imag]) if np.iscomplexobj(ref) else ref
    return float(np.abs(parts[np.isfinite(parts)]).max(initial=0.0))


def _whole(pairs: list[_Pair], judged: tuple[Judged, ...], trials: tuple[Trial, ...], rule: Tolerance) -> Comparison:
    """All arrays as one: an empty array beside others proves nothing and spoils nothing."""
    n = sum(one.distance.n for one in judged)
    counted = [one for one in judged if one.distance.n or not one.distance.comparable or not n]
    worst = max(counted, key=_badness)
    verdict = worst.verdict
    outcome, reason, broken = verdict.outcome, verdict.reason, verdict.broken
    if outcome == "match" and (missed := [trial for trial in trials if not trial.caught]):
        outcome, reason, broken = "error", f"the negative control was not caught: {missed[0]}", ("control",)
    return Comparison(
        outcome=outcome,
        reason=reason,
        category=rule.category,
        worst=worst.name,
        distance=worst.distance,
        bound=verdict.bound,
        slack=verdict.slack,
        broken=broken,
        place=next(_place(pair, worst) for pair in pairs if pair.name == worst.name),
        n=n,
        bitwise_equal=sum(one.distance.bitwise_equal for one in judged),
        max_ulp=max(one.distance.max_ulp for one in judged),
        arrays=judged,
        control=trials,
    )


def _badness(judged: Judged) -> tuple[int, float]:
    slack = judged.verdict.slack
    return _RANK.index(judged.verdict.outcome), -math.inf if slack is None else -slack


def _place(pair: _Pair, judged: Judged) -> Place | None:
    """The element that broke the first rule, else the one that differs most."""
    at = _index(judged.distance, judged.verdict.broken[0] if judged.verdict.broken else "bound")
    return None if at is None else Place(pair.name, at, hexes(pair.ref.flat[at]), hexes(pair.got.flat[at]))


def _index(distance: Distance, rule: str) -> int | None:
    if rule in ("nan", "inf", "zero_sign"):
        at: int | None = getattr(distance, rule).at
        return at
    if rule == "ulps":
        return distance.ulp_at if distance.larger_ulp is None else distance.larger_ulp_at
    return distance.at if distance.excess_at is None else distance.excess_at
