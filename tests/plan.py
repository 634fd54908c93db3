"""Which checks there are: property × answer × reference, for every case of every family."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from references import cases
from references.case import SURFACES, TRANSFORMS, Case, Staged
from references.question import Question
from tests import consistency, selection

DERIVATIVES = ("vjp", "jvp", "grad", "hvp")


@dataclass(frozen=True)
class Check:
    """One answer of tenferro held against one reference.

    name: the property (agreement, surfaces, …). reference: a library asked live, `published-<key>`, or tenferro itself
    (`traced`, `w1`, `run1`). expected: what the reference is asked; None for published figures, which the case holds.
    """

    name: str
    reference: str
    got: Question
    expected: Question | None

    @functools.cached_property
    def id(self) -> str:
        """family/case::property::reference::surface::transform::dtype::w1; never depends on release or result."""
        q = self.got
        return "::".join((q.case, self.name, self.reference, *_where(q)))

    @property
    def family(self) -> str:
        """The part of the id before the slash."""
        return self.got.case.partition("/")[0]

    def __str__(self) -> str:
        return self.id


def _where(question: Question) -> tuple[str, ...]:
    assert question.surface is not None, question
    return question.surface, question.transform, question.dtype, f"w{question.width}"


@functools.cache
def plan() -> tuple[Check, ...]:
    """Every check, case by case: answers of a case are asked for together, so each is asked for once."""
    return tuple(check for case in cases() for check in _checks(case))


def checks(wanted: str, *, transforms: tuple[str, ...] = TRANSFORMS) -> list[Check]:
    """The checks of one property, of some transforms, that -k may select, in the order of `plan`."""
    of_property = (check for check in plan() if check.name == wanted and check.got.transform in transforms)
    return [check for check in of_property if selection.may_select(check.id)]


def _checks(case: Case) -> Iterator[Check]:
    for got in _questions(case):
        if case.refuses:
            yield from (Check("refusal", name, got, _ask(got, name)) for name in _answering(case, got))
        else:
            yield from (check for check in _properties(case, got) if check.name in case.properties)


def _properties(case: Case, got: Question) -> Iterator[Check]:
    """One answer's checks of every property."""
    yield from _agreement(case, got)
    yield from _second(case, got)
    yield from _widths(case, got)
    yield from _run_twice(case, got)
    yield from _surfaces(case, got)
    yield from (Check(name, side, got, got) for name, side in consistency.of(case, got))


def _questions(case: Case) -> Iterator[Question]:
    for dtype in case.dtypes:
        for surface in (name for name in SURFACES if name in case.surfaces):
            for transform in case.transforms_on(surface, dtype):
                for width in case.widths:
                    yield Question(case.id, "tenferro", transform, dtype, surface, width)


def _ask(got: Question, side: str, *, protocol: str = "first") -> Question:
    """The same question put to a reference, which has no surface and no width."""
    return replace(got, side=side, surface=None, width=None, protocol=protocol)


def _answering(case: Case, got: Question) -> Iterator[str]:
    """NumPy and SciPy have no derivatives."""
    return (name for name in case.asked if name != "numpy" or got.transform == "value")


def _agreement(case: Case, got: Question) -> Iterator[Check]:
    for name in _answering(case, got):
        yield Check("agreement", name, got, _ask(got, name))
    for key, figures in case.published.items():
        if got.transform in figures:
            yield Check("agreement", f"published-{key}", got, None)


def _second(case: Case, got: Question) -> Iterator[Check]:
    """A staged program holds its own runtime and is asked once."""
    if isinstance(case.tenferro, Staged) or got.width != case.widths[0]:
        return
    for name in _answering(case, got):
        if name != "jax-nojit":
            yield Check("second-answer", name, replace(got, protocol="second"), _ask(got, name, protocol="second"))


def _widths(case: Case, got: Question) -> Iterator[Check]:
    first = case.widths[0]
    if got.width != first:
        yield Check("widths", f"w{first}", got, replace(got, width=first))


def _run_twice(case: Case, got: Question) -> Iterator[Check]:
    """Asked of several threads, which are what could move bits between two runs; of a staged program at every width,
    since it is asked no second question."""
    if got.width != case.widths[0] or (len(case.widths) > 1 and isinstance(case.tenferro, Staged)):
        yield Check("run-twice", "run1", replace(got, protocol="again"), got)


def _surfaces(case: Case, got: Question) -> Iterator[Check]:
    first = next(name for name in SURFACES if name in case.surfaces)
    if got.surface != first and got.width == case.widths[0] and got.transform in case.transforms_on(first, got.dtype):
        yield Check("surfaces", first, got, replace(got, surface=first))
