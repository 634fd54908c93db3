"""Planted faults: three sides near the truth, some made wrong; the arbiter has to name exactly those.

The expected label comes from the errors after planting, counted here anew with NumPy's spacing and extended precision.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from references import cases
from references.arbiter import Budget, Limits, Place, Question, Ruling, arbitrate, decide
from references.arbiter.of_case import question_of
from references.ask import Asker
from references.case import Case
from references.dtypes import COMPLEXES, DIFFERENTIABLE, NUMPY
from references.question import Question as Asking

Array = np.ndarray[Any, np.dtype[Any]]
SIDES = ("tenferro", "jax", "torch")
PLACES = 24
LARGEST = 20_000
SCALED = {"f32": 5.4e-6, "c64": 5.4e-6, "f64": 1e-14, "c128": 1e-14}
WHOLESALE = ("doubled", "negated", "zeroed", "nan", "infinite", "shifted", "permuted")
ULPS_BOUNDED = ("elementwise", "comparison")
"""Families of single operations, whose values bound ulps here: no error of theirs is one of conditioning."""


@dataclass(frozen=True)
class Asked:
    """A question with the truth at a few places of it."""

    id: str
    question: Question
    places: tuple[Place, ...]
    truth: Mapping[str, Array]
    limits: Limits


def _limits(question: Question, truth: Mapping[str, Array], *, bounded: bool) -> Limits:
    bound = {}
    for name, array in truth.items():
        finite = np.abs(array[np.isfinite(array)])
        bound[name] = SCALED[question.dtype(name)] * max(1.0, float(finite.max(initial=0)))
    return Limits(bound, 64.0 if bounded else None)


@functools.cache
def asked(case: Case, transform: str, dtype: str, most: int = PLACES) -> Asked | None:
    """The question at `most` places, or None where fewer than two elements are decided floats."""
    question = question_of(case, transform=transform, dtype=dtype)
    everywhere = [place for place in question.places() if question.outputs and question.dtype(place[0]) in SCALED]
    chosen = everywhere[:: max(1, len(everywhere) // most)]
    elements = [e for e in decide(question, chosen, budget=Budget(seconds=2)).elements if e.value is not None]
    elements = [e for e in elements if e.value == e.value and not any(e.unsigned) and not e.reason]
    if len(elements) < 2:
        return None
    arrays: dict[str, Array] = {}
    for element in elements:
        name, index = element.place
        size = question.inputs[name].size if name in question.inputs else question.outputs[int(name[3:])].size
        arrays.setdefault(name, np.zeros(size, NUMPY[question.dtype(name)]))[index] = element.value
    bounded = case.family in ULPS_BOUNDED and transform == "value"
    limits = _limits(question, arrays, bounded=bounded)
    return Asked(f"{case.id} {transform} {dtype}", question, tuple(e.place for e in elements), arrays, limits)


def _questions(count: int, most: int = PLACES) -> list[Asked]:
    """Questions of every family, cases and transforms evenly, dtypes in turn."""
    rng = np.random.default_rng(5)
    found: list[Asked] = []
    pool = [c for c in cases() if not c.slow]
    families = sorted({case.family for case in pool})
    queues = {f: [c for c in pool if c.family == f] for f in families}
    for queue in queues.values():
        rng.shuffle(queue)
    while len(found) < count and any(queues.values()):
        for family in families:
            if queues[family] and (one := _one(queues[family].pop(), rng, most)):
                found.append(one)
    return found


def _one(case: Case, rng: np.random.Generator, most: int) -> Asked | None:
    dtypes = [dtype for dtype in case.dtypes if dtype in DIFFERENTIABLE]
    if not dtypes or any(len(np.shape(i)) and np.size(i) > LARGEST for i in _drawn(case, dtypes[0])):
        return None
    dtype = dtypes[int(rng.integers(len(dtypes)))]
    transform = case.transforms[int(rng.integers(len(case.transforms)))]
    return asked(case, transform, dtype, most)


def _drawn(case: Case, dtype: str) -> list[Array]:
    return [source.draw(f"{case.id}/{name}", dtype, 0) for name, source in case.inputs.items()]


def _stepped(array: Array, steps: Array) -> Array:
    """Each element moved by whole numbers of ulps; of complex ones the larger part."""
    if np.iscomplexobj(array):
        larger = np.maximum(abs(array.real), abs(array.imag))
        return np.asarray(array + steps * _ulp(larger)).astype(array.dtype)
    return np.asarray(array + steps * _ulp(np.abs(array))).astype(array.dtype)


def _ulp(size: Array) -> Array:
    """The gap below a positive float: NumPy's spacing overflows at the largest."""
    return np.where(size > 0, size - np.nextafter(size, np.zeros_like(size)), np.spacing(np.zeros_like(size)))


def _near(one: Asked, rng: np.random.Generator) -> dict[str, dict[str, Array]]:
    """All sides within two ulps of the truth, as good libraries are."""
    sides: dict[str, dict[str, Array]] = {}
    for side in SIDES:
        sides[side] = {name: array.copy() for name, array in one.truth.items()}
        for name, index in one.places:
            moved = _stepped(one.truth[name][index : index + 1], rng.integers(-2, 3, 1).astype(np.float64))
            if np.isfinite(moved).all():
                sides[side][name][index] = moved[0]
    return sides


def _plant(one: Asked, sides: dict[str, dict[str, Array]], side: str, kind: str, rng: np.random.Generator) -> None:
    """Make one side wrong, at one of the places or at all."""
    name, index = one.places[int(rng.integers(len(one.places)))]
    array = sides[side][name]
    if kind in ("few ulps", "ulps"):
        low, high = (5, 40) if kind == "few ulps" else (80, 2000)
        array[index] = _stepped(array[index : index + 1], np.array([float(rng.integers(low, high))]))[0]
    elif kind == "relative":
        large = max(1.0, float(abs(array[index]))) if np.isfinite(array[index]) else 1.0
        array[index] -= array.dtype.type(large * SCALED[one.question.dtype(name)] * 1000)
    elif kind == "conjugated":
        for key, at in one.places:
            sides[side][key][at] = np.conj(one.truth[key][at])
    else:
        _wholesale(one, sides[side], kind)


def _wholesale(one: Asked, side: dict[str, Array], kind: str) -> None:
    for name in side:
        at = [index for other, index in one.places if other == name]
        values = side[name][at]
        with np.errstate(all="ignore"):
            side[name][at] = _made_wrong(values, kind)


def _made_wrong(v: Array, kind: str) -> Array:
    changed: dict[str, Any] = {
        "doubled": 2 * v,
        "negated": -v,
        "zeroed": 0 * np.where(np.isfinite(v), v, 0),
        "nan": v * np.nan,
        "infinite": np.full_like(v, np.inf),
        "shifted": v + np.asarray(0.25, v.dtype),
        "permuted": np.roll(v, 1),
    }
    return np.asarray(changed[kind])


def _errors(one: Asked, side: Mapping[str, Array], place: Place) -> tuple[float, float]:
    """|side − truth| and its ulps, by NumPy; inf where one is finite and the other not."""
    truth, got = one.truth[place[0]][place[1]], side[place[0]][place[1]]
    pairs = ((truth.real, got.real), (truth.imag, got.imag)) if np.iscomplexobj(truth) else ((truth, got),)
    found = [_part_error(t, g) for t, g in pairs]
    largest = max((abs(t) for t, _ in pairs if np.isfinite(t)), default=np.float64(0))
    above = np.spacing(largest) if np.isfinite(np.spacing(largest)) else 0  # at a power of two the wider gap
    return max(found), float(np.longdouble(max(found)) / max(_ulp(np.asarray(largest))[()], above))


def _part_error(truth: Any, got: Any) -> float:
    if np.isfinite(truth) and np.isfinite(got):
        return float(abs(np.longdouble(truth) - np.longdouble(got)))
    return 0.0 if truth == got or (truth != truth and got != got) else np.inf


def _guilty(one: Asked, sides: Mapping[str, Mapping[str, Array]]) -> frozenset[str]:
    """The sides beyond their bounds at some place, more than 4 ulps off."""
    found = set()
    for side in sides:
        for place in one.places:
            error, ulps = _errors(one, sides[side], place)
            limit = one.limits.ulps if one.limits.ulps is not None else np.inf
            if ulps > 4 and (error > one.limits.bound[place[0]] or ulps > limit):
                found.add(side)
    return frozenset(found)


def _plants(questions: list[Asked]) -> Iterator[tuple[str, Asked, dict[str, dict[str, Array]], str]]:
    """(name, question, sides, expected label) for every plant."""
    rng = np.random.default_rng(17)
    kinds = ("near", "few ulps", "relative", "two", *WHOLESALE)
    for number, one in enumerate(questions):
        chosen = ["near", "two", kinds[1 + number % 2], WHOLESALE[number % len(WHOLESALE)]]
        chosen += ["ulps"] if one.limits.ulps is not None else []
        if one.question.transform in ("vjp", "hvp") and _any_complex(one):
            chosen.append("conjugated")
        for kind in chosen:
            sides = _near(one, rng)
            victims = rng.permutation(SIDES)[: {"near": 0, "two": 2}.get(kind, 1)].tolist()
            for i, side in enumerate(victims):
                _plant(one, sides, side, ("relative", "doubled")[i] if kind == "two" else kind, rng)
            expected = "convention" if kind == "conjugated" and _guilty(one, sides) else ""
            yield f"{one.id}: {kind} {victims}", one, sides, expected


def _any_complex(one: Asked) -> bool:
    return any(one.question.dtype(name) in COMPLEXES for name in one.truth)


def _worst(one: Asked, sides: Mapping[str, Mapping[str, Array]]) -> Place:
    """Where sides differ most, as a check would find it."""

    def gap(place: Place) -> float:
        values = [np.clongdouble(sides[side][place[0]][place[1]]) for side in sides]
        differences = [float(abs(a - b)) for a in values for b in values if a != b]
        return max((np.inf if d != d else d for d in differences), default=0.0)

    return max(one.places, key=gap)


def _ruled(one: Asked, sides: Mapping[str, Mapping[str, Array]]) -> Ruling:
    return arbitrate(one.question, sides, one.limits, worst=_worst(one, sides))


@np.errstate(all="ignore")  # sides near the largest float overflow where they are moved
def test_planted_faults_are_named() -> None:
    questions = _questions(130)
    wrong, total, harmed = [], 0, []
    for name, one, sides, label in _plants(questions):
        ruling, guilty = _ruled(one, sides), _guilty(one, sides)
        total += 1
        expected = (label or ("culprits" if guilty else "both-close"), frozenset() if label else guilty)
        if (ruling.label, ruling.culprits) != expected:
            wrong.append((name, ruling.label, sorted(ruling.culprits), expected))
        for finding in ruling.findings:
            harmed += [(name, s) for s in finding.blamed if _errors(one, sides[s], finding.element.place)[1] <= 4]
    assert len({one.id.split()[0] for one in questions}) >= 100
    assert total >= 500
    assert not harmed
    assert len(wrong) <= total / 100, (len(wrong), total, wrong[:10])


def _answers(one: Asked, asker: Asker) -> dict[str, dict[str, Array]]:
    """What the libraries answer, flat; nothing where one is missing or its arrays are not those of the truth."""
    identity, transform, dtype = one.id.split()
    sides: dict[str, dict[str, Array]] = {}
    for side in SIDES:
        where = {"surface": "traced", "width": 1} if side == "tenferro" else {}
        answer = asker.ask(Asking(identity, side, transform, dtype, **where))  # type: ignore[arg-type]
        arrays = {name: np.asarray(array).reshape(-1).copy() for name, array in answer.arrays.items()}
        if answer.outcome == "ok" and all(arrays[n].dtype == t.dtype for n, t in one.truth.items()):
            sides[side] = {name: arrays[name] for name in one.truth}
    return sides


@pytest.mark.slow
@np.errstate(all="ignore")
def test_faults_planted_into_the_libraries_own_answers_are_named() -> None:
    """The libraries' own faults among them: the expected label is computed from all errors there are."""
    rng = np.random.default_rng(23)
    wrong, total, cases_, harmed, asker = [], 0, set(), [], Asker(isolate=False)
    for one in [q for q in _questions(260, most=LARGEST) if sum(map(len, q.truth.values())) == len(q.places)]:
        answers = _answers(one, asker)
        if len(answers) < 2:
            continue
        cases_.add(one.id.split()[0])
        for kind in ("as they are", "relative", "two", WHOLESALE[total % len(WHOLESALE)]):
            sides = {side: {name: a.copy() for name, a in arrays.items()} for side, arrays in answers.items()}
            victims = rng.permutation(list(sides))[: {"as they are": 0, "two": 2}.get(kind, 1)].tolist()
            for i, side in enumerate(victims):
                _plant(one, sides, side, ("relative", "doubled")[i] if kind == "two" else kind, rng)
            ruling, guilty, total = _ruled(one, sides), _guilty(one, sides), total + 1
            if (ruling.label, ruling.culprits) != ("culprits" if guilty else "both-close", guilty):
                wrong.append((one.id, kind, victims, ruling.label, sorted(ruling.culprits), sorted(guilty)))
            for finding in ruling.findings:
                harmed += [(one.id, s) for s in finding.blamed if _errors(one, sides[s], finding.element.place)[1] <= 4]
    assert len(cases_) >= 100
    assert total >= 400
    assert not harmed
    assert len(wrong) <= total / 100, (len(wrong), total, wrong[:12])
