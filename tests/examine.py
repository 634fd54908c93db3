"""One check examined: both sides asked, compared, judged, and put into the record's words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from compare.check import Comparison, compare_arrays
from compare.tolerances import Tolerances
from references import lookup, material
from references.case import Case
from references.inputs import Array
from references.question import Answer, Question
from tests import arbitration, consistency
from tests.known import Known, foretold
from tests.plan import Check, plan

Ask = Callable[[Question], Answer]
AskBoth = Callable[[Question, Question], tuple[Answer, Answer]]
Examine = Callable[[Check], None]
"""What the fixture of that name gives a test: examine the check, record it, end the test as it came out."""

BITWISE = ("surfaces", "run-twice")
"""Properties that compare tenferro with itself to the last bit."""

TYPED = re.compile(r"(Unsupported|Failed|ValueError|TypeError): ")


@dataclass(frozen=True)
class Examined:
    """A check's outcome with all that the record keeps of it."""

    check: Check
    outcome: str
    detail: str = ""
    side: str = ""
    category: str = ""
    comparison: Comparison | None = None
    answers: Mapping[str, Answer] = field(default_factory=dict)
    known: Known | None = None
    arbiter: Mapping[str, Any] | None = None

    @property
    def red(self) -> bool:
        """Every unpredicted outcome but match, and a predicted one that did not come."""
        return self.outcome != "match" if self.known is None else self.outcome != self.known.outcome


class Answers:
    """Answers of the case at hand, each asked for once; the next case's first question drops them.

    both: how two questions are asked at the same time; one after the other unless given.
    """

    def __init__(self, ask: Ask, both: AskBoth | None = None) -> None:
        self._ask, self._both, self._case = ask, both, ""
        self._kept: dict[Question, Answer] = {}

    def __call__(self, question: Question) -> Answer:
        if question not in self._of_case(question):
            self._kept[question] = self._ask(question)
        return self._kept[question]

    def forget(self) -> None:
        """Drop every answer: the next ones may be of another tenferro."""
        self._kept.clear()

    def foresee(self, one: Question, other: Question) -> None:
        """Ask two questions together if neither is answered yet."""
        if self._both and not {one, other} & self._of_case(one).keys():
            self._kept[one], self._kept[other] = self._both(one, other)

    def _of_case(self, question: Question) -> dict[Question, Answer]:
        if question.case != self._case:
            self._kept.clear()
            self._case = question.case
        return self._kept


class Examiner:
    """Examines checks with one asker, one table of tolerances and the list of what is known to differ."""

    def __init__(
        self,
        ask: Ask,
        tolerances: Tolerances,
        known: tuple[Known, ...],
        *,
        both: AskBoth | None = None,
        arbitrate: str = "mismatches",
    ) -> None:
        self._answers, self._tolerances, self._arbitrate = Answers(ask, both), tolerances, arbitrate
        self._known = foretold(known, (check.id for check in plan()))

    def __call__(self, check: Check) -> Examined:
        """Ask, compare and judge one check; never raises for what a library does."""
        case = lookup(check.got.case)
        if check.expected is not None:
            self._answers.foresee(check.got, check.expected)
        got, expected = self._answers(check.got), self._expected(case, check)
        examined = self._outcome(case, check, got, expected)
        answers = {"tenferro": got, "reference": expected}
        return Examined(**{**vars(examined), "answers": answers, "known": predicted(case, check, self._known)})

    def forget(self) -> None:
        """Ask anew for the answers of the case at hand."""
        self._answers.forget()

    def _expected(self, case: Case, check: Check) -> Answer:
        if check.expected is not None:
            return self._answers(check.expected)
        figures = case.published[check.reference.removeprefix("published-")][check.got.transform]
        named = material.named(figures)
        if check.got.transform not in ("value", "jvp"):
            named = dict(zip(case.active(check.got.dtype), figures, strict=True))
        return Answer("ok", named)

    def _outcome(self, case: Case, check: Check, got: Answer, expected: Answer) -> Examined:
        if check.name == "refusal":
            return refusal(case, check, got, expected)
        if check.name in consistency.PROPERTIES:
            return self._consistent(case, check)
        if expected.outcome != "ok":  # the reference failed, whatever tenferro did
            return Examined(check, expected.outcome, expected.detail, side=check.reference)
        if got.outcome != "ok":
            return Examined(check, got.outcome, got.detail, side="tenferro")
        return self._compared(case, check, got, expected)

    def _consistent(self, case: Case, check: Check) -> Examined:
        found = consistency.compared(check.name, case, check.got, self._answers, self._tolerances)
        if isinstance(found, Answer):
            return Examined(check, found.outcome, found.detail, side="tenferro")
        return Examined(check, found.outcome, side="tenferro", category=found.category, comparison=found)

    def _compared(self, case: Case, check: Check, got: Answer, expected: Answer) -> Examined:
        key = check.name if check.name in BITWISE else f"{case.category or case.family}.{check.got.transform}"
        tolerance = self._tolerances.of(key, check.got.dtype)
        scale = self._scale(case, check) if tolerance.needs_scale else None
        if isinstance(scale, Answer):
            return Examined(check, scale.outcome, scale.detail, side=check.reference)
        comparison = compare_arrays(expected.arrays, got.arrays, tolerance=tolerance, scale=scale, terms=case.terms)
        answers = {"tenferro": got, "reference": expected}
        return Examined(
            check,
            comparison.outcome,
            side="tenferro",
            category=tolerance.category,
            comparison=comparison,
            arbiter=arbitration.ruling(check, comparison, tolerance, answers, when=self._arbitrate),
        )

    def _scale(self, case: Case, check: Check) -> Mapping[str, Array] | Answer:
        """Σ|terms| by output element: the case's own, or the reference asked of magnitudes; or the failure."""
        side, protocol = case.asked[0], "magnitude"
        if case.scale is not None:
            side, protocol = "numpy", "scale-second" if check.got.protocol == "second" else "scale"
        answer = self._answers(Question(case.id, side, check.got.transform, check.got.dtype, protocol=protocol))
        if answer.outcome != "ok":
            return replace(answer, detail=f"no scale: {side} answered {answer.outcome}: {answer.detail}")
        return {name: np.abs(array) for name, array in answer.arrays.items()}


def refusal(case: Case, check: Check, got: Answer, expected: Answer) -> Examined:
    """A match where tenferro refuses by a typed exception whose text means what the case says."""
    beside = f"{check.reference}: {expected.detail or 'answers with a value'}"
    if got.outcome == "ok":
        return Examined(check, "mismatch", f"answered with a value instead of refusing; {beside}", side="tenferro")
    if got.outcome in ("crash", "timeout") or not TYPED.match(got.detail):
        return Examined(check, "error" if got.outcome == "unsupported" else got.outcome, got.detail, side="tenferro")
    meant = re.search(case.refuses, got.detail, re.IGNORECASE)
    text = f"{got.detail} — {beside}"
    return Examined(check, "match" if meant else "mismatch", text, side="tenferro", category="refusal")


def predicted(case: Case, check: Check, known: Mapping[str, Known]) -> Known | None:
    """The entry of known.toml that covers the check, else what the case's `raises` predicts of tenferro."""
    if check.id in known:
        return known[check.id]
    outcome = case.predicted(check.got.surface or "", check.got.dtype)
    return Known(check.id, outcome, "policy", case.why) if outcome else None
