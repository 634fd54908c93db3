"""Who is wrong: each side's distance from the truth, judged by its bounds, and what excuses it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from flint import arb, ctx

from references.arbiter.cplx import Pair
from references.arbiter.decide import FIRST_BITS, GRADIENTS, Budget, Element, Truth, decide
from references.arbiter.distance import error, parts_of, right, size, ulps
from references.arbiter.question import Place, Question, evaluate, seeds
from references.arbiter.rounding import BITS
from references.arbiter.run import BudgetError, Run
from references.arbiter.sample import SAMPLE, Sides, sample
from references.arbiter.special import ball, finite
from references.dtypes import name_of

NEVER = 4
"""A side within so many ulps of the truth is never blamed."""


@dataclass(frozen=True)
class Limits:
    """What a side may be off by: `bound` absolutely (by result, a number or one for each element), and in ulps.

    signs: whether a zero of the other sign is wrong.
    """

    bound: Mapping[str, Any]
    ulps: float | None = None
    signs: bool = False

    def at(self, place: Place) -> float:
        """The absolute bound of an element."""
        bound = np.asarray(self.bound[place[0]])
        return float(bound.reshape(-1)[place[1]] if bound.ndim else bound)


@dataclass(frozen=True)
class Finding:
    """One element: the truth, each side's ulps from it and whether it is rounded correctly, and who is beyond bounds.

    blamed: beyond and not excused. excuse: "" or "convention" or "ill-conditioned", with `why` (the convention's name)
    and the condition: the error a good float program may have, in ε of the value.
    """

    element: Element
    ulps: Mapping[str, float]
    right: Mapping[str, bool]
    blamed: frozenset[str] = frozenset()
    excuse: str = ""
    why: str = ""
    condition: float | None = None


@dataclass(frozen=True)
class Ruling:
    """What a check's elements come to. label: culprits, convention, ill-conditioned, both-close or undecided."""

    label: str
    culprits: frozenset[str]
    findings: tuple[Finding, ...]
    undecided: tuple[Element, ...] = ()
    seconds: float = 0.0
    right: Mapping[str, int] = field(default_factory=dict)

    @property
    def worst(self) -> Finding | None:
        """The finding that decided: the first blamed or excused, else the first."""
        told = [f for f in self.findings if f.blamed] or [f for f in self.findings if f.excuse]
        return next(iter(told or self.findings), None)

    def record(self) -> dict[str, Any]:
        """As JSON."""
        worst = self.worst
        reasons = sorted({element.reason for element in self.undecided})
        return {
            "label": self.label,
            "culprits": sorted(self.culprits),
            "elements": len(self.findings) + len(self.undecided),
            "decided": len(self.findings),
            "right": dict(self.right),
            "undecided": reasons,
            "worst": None if worst is None else _recorded(worst),
            "seconds": round(self.seconds, 6),
        }


def _recorded(finding: Finding) -> dict[str, Any]:
    name, index = finding.element.place
    return {
        "array": name,
        "at": index,
        "exact": " ".join(map(_hex, parts_of(finding.element.value))),
        "ulps": {side: u if math.isfinite(u) else None for side, u in finding.ulps.items()},
        "right": dict(finding.right),
        "blamed": sorted(finding.blamed),
        "excuse": finding.excuse,
        "why": finding.why,
        "condition": finding.condition if finding.condition is None or math.isfinite(finding.condition) else None,
    }


def _hex(x: Any) -> str:
    return float(x).hex() if isinstance(x, np.floating) else str(x)


def noise(question: Question, places: Sequence[Place], *, seconds: float = 5.0) -> list[Any]:
    """Enclosures of what a good float program may answer: every operation two units in the last place off."""
    held, ctx.prec = ctx.prec, FIRST_BITS
    try:
        run = Run(seeds(question, places), time.monotonic() + seconds, noisy=True)
        return evaluate(question, run, places)
    except BudgetError:
        return [None] * len(places)
    finally:
        ctx.prec = held


def radius(enclosure: Any, element: Element) -> float:
    """The largest distance of a noisy enclosure from the truth; 0 where there is none, inf where it says nothing."""
    parts = (enclosure.re, enclosure.im) if type(enclosure) is Pair else (enclosure,)
    truths = parts_of(element.value)
    if len(parts) != len(truths) or not all(map(finite, parts)) or not all(map(np.isfinite, truths)):
        return 0.0
    gaps = [abs(ball(x) - arb(float(t))).abs_upper() for x, t in zip(parts, truths, strict=True)]
    return max(float(gap) for gap in gaps)


def culprits(question: Question, truth: Truth, sides: Sides, limits: Limits) -> Ruling:
    """The ruling on elements whose truth is known (or undecided)."""
    started = time.monotonic()
    found = [_finding(question, element, sides, limits) for element in truth.decided]
    beyond = [i for i, finding in enumerate(found) if finding.blamed]
    foreign = {side: _foreign(question, truth, sides, side) for side in sides} if beyond else {}
    noises = noise(question, [found[i].element.place for i in beyond]) if beyond else []
    for i, enclosure in zip(beyond, noises, strict=True):
        found[i] = _excused(question, found[i], sides, enclosure, foreign)
    undecided = tuple(element for element in truth.elements if element.value is None)
    blamed = frozenset().union(*(finding.blamed for finding in found))
    label = _label(blamed, found, undecided)
    right_ = {side: sum(finding.right[side] for finding in found) for side in sides}
    return Ruling(label, blamed, tuple(found), undecided, truth.seconds + time.monotonic() - started, right_)


def _label(blamed: frozenset[str], found: Sequence[Finding], undecided: Sequence[Element]) -> str:
    if blamed:
        return "culprits"
    for excuse in ("convention", "ill-conditioned"):
        if any(finding.excuse == excuse for finding in found):
            return excuse
    return "undecided" if undecided else "both-close"


def _value(sides: Sides, side: str, place: Place) -> Any:
    return np.asarray(sides[side][place[0]]).reshape(-1)[place[1]]


def _finding(question: Question, element: Element, sides: Sides, limits: Limits) -> Finding:
    dtype = question.dtype(element.place[0])
    values = {side: _value(sides, side, element.place) for side in sides}
    distances = {side: ulps(element, value, dtype) for side, value in values.items()}
    exact = {side: right(element, value) for side, value in values.items()}
    blamed = frozenset(
        side for side, value in values.items() if _beyond(element, value, distances[side], exact[side], limits, dtype)
    )
    return Finding(element, distances, exact, blamed)


def _beyond(element: Element, value: Any, distance: float, exact: bool, limits: Limits, dtype: str) -> bool:
    if value.dtype != element.value.dtype:
        return True
    if exact:
        return False
    if dtype not in BITS:
        return True
    if error(element, value) == 0:
        return limits.signs
    if distance <= NEVER:
        return False
    over_ulps = limits.ulps is not None and distance > limits.ulps
    return over_ulps or error(element, value) > limits.at(element.place)


def _foreign(question: Question, truth: Truth, sides: Sides, side: str) -> frozenset[str]:
    """The conventions of a gradient that a side does not have: it differs from them somewhere."""
    found: set[str] = set()
    for element in truth.decided:
        value, dtype = _value(sides, side, element.place), question.dtype(element.place[0])
        for name in set(GRADIENTS) - found:
            other = element.others.get(name)
            if other is not None and ulps(Element(element.place, other), value, dtype) > NEVER:
                found.add(name)
    return frozenset(found)


def _excused(
    question: Question, finding: Finding, sides: Sides, enclosure: Any, foreign: Mapping[str, frozenset[str]]
) -> Finding:
    """Conventions first; then errors that every float program of good quality may have."""
    element, blamed = finding.element, set(finding.blamed)
    dtype = question.dtype(element.place[0])
    names = {side: "the sign of a zero" for side in blamed if error(element, _value(sides, side, element.place)) == 0}
    for side in blamed - set(names):
        names[side] = _convention(element, _value(sides, side, element.place), dtype, foreign[side])
    named = {side: name for side, name in names.items() if name}
    blamed -= set(named)
    reach = radius(enclosure, element) if enclosure is not None else 0.0
    known = size(element)
    condition = reach / known * 2.0 ** (BITS[dtype] - 1) if dtype in BITS and 0 < known < math.inf else math.inf
    ill = {side for side in blamed if error(element, _value(sides, side, element.place)) <= reach}
    blamed -= ill
    excuse = "convention" if named else "ill-conditioned" if ill else ""
    why = ", ".join(sorted(set(named.values()))) if named else ""
    return Finding(element, finding.ulps, finding.right, frozenset(blamed), excuse, why, condition)


def _convention(element: Element, value: Any, dtype: str, foreign: frozenset[str]) -> str:
    """The name of another convention whose value this is, of those that are not foreign to the side."""
    if value.dtype != element.value.dtype:
        return _promotion(element, value)
    for name, other in element.others.items():
        if other is None or name in foreign:
            continue
        stand_in = Element(element.place, other)
        if ulps(stand_in, value, dtype) <= NEVER:
            return name
    return ""


def _promotion(element: Element, value: Any) -> str:
    """The same number in another dtype: libraries promote differently."""
    if value.dtype.kind not in "fc" or value.dtype.kind != element.value.dtype.kind:
        return ""
    with np.errstate(all="ignore"):
        narrow = element.value.astype(value.dtype)
    return (
        f"a result of dtype {value.dtype}"
        if ulps(Element(element.place, narrow), value, name_of(value)) <= NEVER
        else ""
    )


def arbitrate(
    question: Question,
    sides: Sides,
    limits: Limits,
    *,
    worst: Place | None = None,
    limit: int = SAMPLE,
    budget: Budget | None = None,
) -> Ruling:
    """Truth and ruling at the worst element and a sample of the differing ones.

    A side that lacks a result others have, or has one of another size, is a culprit without further question.
    """
    given = {name for arrays in sides.values() for name in arrays}
    sizes = {name: size for name, size in question.sizes.items() if name in given}
    unfit = {side for side, arrays in sides.items() if any(np.size(arrays.get(n, ())) != k for n, k in sizes.items())}
    fit = {side: arrays for side, arrays in sides.items() if side not in unfit}
    places = sample(fit, worst, limit=limit) if len(fit) > 1 else [] if worst is None or not fit else [worst]
    ruling = culprits(question, decide(question, places, budget=budget), fit, limits)
    if not unfit:
        return ruling
    return replace(ruling, label="culprits", culprits=ruling.culprits | unfit)
