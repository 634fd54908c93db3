"""One process over the harness with faults: every fault switched on in turn, and what the checks say of it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from compare.diff import WORSE, Row
from rust_harness.plants.table import Fault
from tests.plan import Check

SWITCH = "TENFERRO_PLANT"
PATIENCE = 50
"""Checks that are asked after the first drift, for one that gets worse; without any drift, all are asked."""

Examined = Callable[[Check], Row]

MEETING: Mapping[str, Callable[[Check], bool]] = {
    "wide": lambda check: (check.got.width or 1) > 1,
    "again": lambda check: check.name == "second-answer",
}
"""Which checks can meet a fault that is there for several threads only, or in a second call only."""


@dataclass(frozen=True)
class Caught:
    """How a fault came out: `regressed`, `drift` or `missed`, by which check, after how many were asked."""

    fault: Fault
    how: str
    by: str = ""
    before: str = ""
    after: str = ""
    asked: int = 0


@contextmanager
def planted(switch: str) -> Iterator[None]:
    """Switch a fault on; the harness reads the variable anew at every operation."""
    os.environ[SWITCH] = switch
    try:
        yield
    finally:
        del os.environ[SWITCH]


def ordered(fault: Fault, checks: list[Check]) -> list[Check]:
    """The checks nearest to the fault first: those whose case has a word of it, then its families', then all others.

    Before all of them come the checks that can meet the fault at all, where it is one of several threads or of a second
    call. Among equals those of a first answer against a reference come first: they are enough for most faults.
    """
    when = fault.switch.split()[-1]
    site = fault.switch.split()[0].lower().removesuffix("_read")
    words = {word for word in re.split(r"[^a-z0-9]+", site) if len(word) > 2}

    def distance(check: Check) -> tuple[bool, bool, bool, bool]:
        meets = when not in MEETING or MEETING[when](check)
        named = words.intersection(re.split(r"[^a-z0-9]+", check.got.case.partition("/")[2]))
        return not meets, not named, check.family not in fault.families, check.name != "agreement"

    return sorted(checks, key=distance)


def trial(fault: Fault, checks: Iterable[Check], examined: Examined, clean: dict[str, Row]) -> Caught:
    """Ask check after check until one gets worse; moved bits are remembered, should none do.

    clean: rows without any fault, filled as they are needed.
    """
    moved: tuple[Row, Row] | None = None
    asked = since = 0
    for check in checks:
        if moved and since == PATIENCE:
            break
        asked, since = asked + 1, since + 1
        if check.id not in clean:
            clean[check.id] = examined(check)
        before, after = clean[check.id], under(fault.switch, check, examined)
        if worse(before, after):
            return Caught(fault, "regressed", check.id, _told(before), _told(after), asked)
        if before.answer != after.answer and moved is None:
            moved, since = (before, after), 0
    if moved:
        return Caught(fault, "drift", moved[0].id, _told(moved[0]), _told(moved[1]), asked)
    return Caught(fault, "missed", asked=asked)


def under(switch: str, check: Check, examined: Examined) -> Row:
    """What the check says while the fault is on."""
    with planted(switch):
        return examined(check)


def worse(before: Row, after: Row) -> bool:
    """Whether the verdict got worse."""
    return WORSE.index(after.outcome) > WORSE.index(before.outcome)


def _told(one: Row) -> str:
    return one.outcome if one.max_ulp is None else f"{one.outcome}, {one.max_ulp} ulp"
