"""One process over the harness with faults: every fault switched on in turn, and what the checks say of it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from compare.diff import WORSE, Row
from rust_harness.plants.table import SWEEP_SITES, SWEEP_SIZES, Fault
from tests.plan import Check

SWITCH = "TENFERRO_PLANT"
SPREAD = 24
"""Checks that a site's perturbations are tried on, spread evenly over those that see it."""

PATIENCE = 50
"""Checks that are asked after the first drift, for one that gets worse; without any drift, all are asked."""

LOUD = 1e-3
"""A perturbation that every check which sees it must notice as a change of bits."""

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


@dataclass(frozen=True)
class Swept:
    """The sizes of a relative perturbation, each with the share of trials it was caught in, and how many there were.

    unseen: sites that no check sees, where nothing could be tried.
    """

    regressed: Mapping[float, float]
    moved: Mapping[float, float]
    trials: int
    unseen: tuple[str, ...] = ()

    def smallest(self, shares: Mapping[float, float], share: float = 0.99) -> float | None:
        """The smallest size from which on every size is caught in that share of trials."""
        enough = [size for size in sorted(shares) if all(shares[one] >= share for one in shares if one >= size)]
        return enough[0] if enough else None


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
        before, after = clean[check.id], _with(fault.switch, check, examined)
        if WORSE.index(after.outcome) > WORSE.index(before.outcome):
            return Caught(fault, "regressed", check.id, _told(before), _told(after), asked)
        if before.answer != after.answer and moved is None:
            moved, since = (before, after), 0
    if moved:
        return Caught(fault, "drift", moved[0].id, _told(moved[0]), _told(moved[1]), asked)
    return Caught(fault, "missed", asked=asked)


def _with(switch: str, check: Check, examined: Examined) -> Row:
    with planted(switch):
        return examined(check)


def _told(one: Row) -> str:
    return one.outcome if one.max_ulp is None else f"{one.outcome}, {one.max_ulp} ulp"


def sweep(checks: list[Check], examined: Examined) -> Swept:
    """Perturb every element that comes by a site by a relative size, site by site, size by size.

    A trial is a site, a size, and a check that sees the site.
    """
    clean = {check.id: examined(check) for check in checks}
    seen = {site: _seeing(site, checks, examined, clean) for site in SWEEP_SITES}
    pairs = [(site, check) for site, found in seen.items() for check in found]
    regressed, moved = {}, {}
    for size in SWEEP_SIZES:
        rows = [(clean[check.id], _with(f"{site} scale {size}", check, examined)) for site, check in pairs]
        regressed[size] = _share(WORSE.index(after.outcome) > WORSE.index(before.outcome) for before, after in rows)
        moved[size] = _share(after.answer != before.answer for before, after in rows)
    unseen = tuple(site for site, found in seen.items() if not found)
    return Swept(regressed, moved, len(pairs) * len(SWEEP_SIZES), unseen)


def _seeing(site: str, checks: list[Check], examined: Examined, clean: Mapping[str, Row]) -> list[Check]:
    """Checks whose answer a loud perturbation at the site moves, a few of them."""
    switch = f"{site} scale {LOUD}"
    found = [check for check in checks if _with(switch, check, examined).answer != clean[check.id].answer]
    return found[:: -(-len(found) // SPREAD)] if found else []


def _share(caught: Iterable[bool]) -> float:
    found = list(caught)
    return sum(found) / len(found) if found else 0.0
