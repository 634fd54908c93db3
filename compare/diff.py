"""Two runs joined check by check: what got worse, what got better, and which answers moved without either.

A run is a file of records, or a stored baseline. The join is by id; no value of either run is an expectation of the
other. Words: `fixed`, `regressed`, `changed` (another failure, not a worse one), `build` (the operation's family did
not compile), `inputs` (the question itself differs), `new`, `gone`; by answer: `died` (its process ended after it),
`drift`, `slower`, `faster`.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

KINDS: Final = ("regressed", "died", "build", "fixed", "changed", "drift", "slower", "faster", "inputs", "new", "gone")
WORSE: Final = ("match", "unsupported", "error", "mismatch", "timeout", "crash")
"""From best to worst: a wrong number that looks right is worse than an error that says so."""

FAILING: Final = ("regressed", "died", "build")
PROTOCOLS: Final = {"second-answer": "second", "run-twice": "again"}
MISSING: Final = re.compile(r"AttributeError: .*has no attribute")


@dataclass(frozen=True)
class Row:
    """What the join needs of a check.

    answer: hash of tenferro's arrays, empty where it gave none. inputs: hash of what it was asked.
    max_ulp, equal: the distance to the reference in ulps, and elements bitwise equal of how many; None where nothing
    was compared. side: whose outcome it is, where not tenferro's. unbuilt: there was nothing to ask, since it did not
    compile.
    """

    id: str
    outcome: str
    max_ulp: int | None = None
    equal: tuple[int, int] | None = None
    answer: str = ""
    inputs: str = ""
    detail: str = ""
    side: str = ""
    unbuilt: bool = False

    @property
    def answer_key(self) -> str:
        """The answer a check is about: case::surface::transform::dtype::width::protocol."""
        case, prop, _, *where = self.id.split("::")
        return "::".join((case, *where, PROTOCOLS.get(prop, "first")))


@dataclass(frozen=True)
class Run:
    """A run to be joined: its rows by id, and its name.

    partial: whether families of its harness do not compile. died: answers after which, or among others only, tenferro's
    process ended, each with what happened; no row tells of them.
    """

    name: str
    rows: Mapping[str, Row]
    partial: bool = False
    died: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """One thing that differs. id: the check's, or the answer's for drift and times. before, after: in a few words."""

    kind: str
    id: str
    before: str = ""
    after: str = ""
    detail: str = ""

    @property
    def family(self) -> str:
        """The part of the id before the slash."""
        return self.id.partition("/")[0]


@dataclass(frozen=True)
class Difference:
    """What joining two runs found; changes by kind, then by id. checks: how many ids both runs have."""

    base: str
    head: str
    changes: tuple[Change, ...]
    checks: int
    answers: int

    def of(self, kind: str) -> list[Change]:
        """The changes of one kind."""
        return [change for change in self.changes if change.kind == kind]

    @property
    def counts(self) -> Counter[str]:
        """How many changes there are of each kind."""
        return Counter(change.kind for change in self.changes)

    @property
    def failed(self) -> bool:
        """Whether the second run is worse than the first."""
        return any(change.kind in FAILING for change in self.changes)


def row(record: Mapping[str, Any]) -> Row:
    """The row of a check's record."""
    totals = record["totals"]
    hashes = record["answers"].get("tenferro", {})
    return Row(
        id=record["id"],
        outcome=record["outcome"],
        max_ulp=totals["max_ulp"] if totals else None,
        equal=(totals["bitwise_equal"], totals["n"]) if totals else None,
        answer=fold(hashes),
        inputs=record["inputs"].get("tenferro", ""),
        detail=record["detail"] or record["reason"],
        side=record["side"],
    )


def fold(hashes: Mapping[str, str]) -> str:
    """One hash, 8 bytes as hex, of an answer's arrays by name; empty where there are none."""
    text = "|".join(f"{name}={value}" for name, value in sorted(hashes.items()))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest() if hashes else ""


def rows(records: Iterable[Mapping[str, Any]]) -> dict[str, Row]:
    """Rows by id."""
    return {record["id"]: row(record) for record in records}


def difference(base: Run, head: Run, *, times: Iterable[Change] = ()) -> Difference:
    """Join two runs; `times` are the changes in speed, found by asking both in turn."""
    both = [check for check in base.rows if check in head.rows]
    changes = [
        *(change for check in both if (change := _change(base.rows[check], head.rows[check], head.partial))),
        *drifts(base.rows, head.rows),
        *(Change("died", answer, after=text) for answer, text in head.died.items() if answer not in base.died),
        *(Change("new", check, after=one.outcome) for check, one in head.rows.items() if check not in base.rows),
        *(Change("gone", check, before=one.outcome) for check, one in base.rows.items() if check not in head.rows),
        *times,
    ]
    ordered = sorted(changes, key=lambda change: (KINDS.index(change.kind), change.id))
    answers = {base.rows[check].answer_key for check in both}
    return Difference(base.name, head.name, tuple(ordered), len(both), len(answers))


def _change(before: Row, after: Row, partial: bool) -> Change | None:
    """What became of one check; None where its verdict stands."""
    if before.inputs and after.inputs and before.inputs != after.inputs:
        return Change("inputs", after.id, before.inputs, after.inputs)
    if before.outcome == after.outcome:
        return None
    return Change(_kind(before, after, partial), after.id, _told(before), _told(after), after.detail)


def _kind(before: Row, after: Row, partial: bool) -> str:
    if after.outcome == "match":
        return "fixed"
    if after.unbuilt or (partial and MISSING.search(after.detail)):
        return "build"
    return "regressed" if WORSE.index(after.outcome) > WORSE.index(before.outcome) else "changed"


def _told(one: Row) -> str:
    side = "" if one.side in ("", "tenferro") else f" of {one.side}"
    ulps = "" if one.max_ulp is None else f", {one.max_ulp} ulp"
    return f"{one.outcome}{side}{ulps}"


def drifts(base: Mapping[str, Row], head: Mapping[str, Row]) -> Iterator[Change]:
    """Answers whose bits moved, each once, whatever became of their checks; those asked something else are left out."""
    moved: dict[str, list[tuple[Row, Row]]] = {}
    for check, before in base.items():
        after = head.get(check)
        if after and before.answer and after.answer and before.answer != after.answer and same_inputs(before, after):
            moved.setdefault(before.answer_key, []).append((before, after))
    for key, pairs in moved.items():
        before, after = (_worst([pair[place] for pair in pairs]) for place in (0, 1))
        yield Change("drift", key, _distance(before), _distance(after), _verdicts(pairs))


def same_inputs(before: Row, after: Row) -> bool:
    """Whether both were asked the same, as far as both say."""
    return not (before.inputs and after.inputs) or before.inputs == after.inputs


def _worst(found: list[Row]) -> Row:
    return max(found, key=lambda one: -1 if one.max_ulp is None else one.max_ulp)


def _distance(one: Row) -> str:
    if one.max_ulp is None:
        return "not compared"
    equal = f", {one.equal[0]}/{one.equal[1]} bitwise" if one.equal else ""
    return f"{one.max_ulp} ulp{equal}"


def _verdicts(pairs: list[tuple[Row, Row]]) -> str:
    """Says so where the verdict changed too; empty for a drift inside the tolerance."""
    return "" if all(before.outcome == after.outcome for before, after in pairs) else "the verdict changed too"
