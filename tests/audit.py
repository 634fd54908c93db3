"""What must hold of a whole run: every collected check reported, every prediction met, every tolerance used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from compare.tolerances import Tolerances
from references import lookup
from tests.known import Known
from tests.plan import Check, plan

SHOWN = 20
"""How many missing ids are named; the count is always told."""


@dataclass(frozen=True)
class Predictions:
    """The entries of known.toml that hold for this release, and the tolerances checks are judged by."""

    known: tuple[Known, ...]
    tolerances: Tolerances


def complaints(collected: set[str], records: Mapping[str, Mapping[str, Any]], predictions: Predictions) -> list[str]:
    """One line for each thing that does not hold; an empty list lets the run's own verdict stand."""
    return [
        *_missing(collected - set(records)),
        *_unmet(records, predictions.known),
        *_idle(records, predictions.tolerances),
    ]


def _missing(ids: set[str]) -> Iterable[str]:
    if not ids:
        return
    named = sorted(ids)[:SHOWN]
    rest = f"\n  … and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    yield f"{len(ids)} collected checks were not reported:\n  " + "\n  ".join(named) + rest


def _unmet(records: Mapping[str, Mapping[str, Any]], known: tuple[Known, ...]) -> Iterable[str]:
    """Entries all of whose possible checks ran and none of which met any: they describe nothing any more."""
    everything, reported = sorted(check.id for check in plan()), records.keys()
    for entry in known:
        possible = set(entry.among(everything))
        if not possible:
            yield f"known.toml: {entry.check!r} covers no check; mend the pattern or remove the entry"
        elif possible <= reported and not any(_met(records.get(one), entry) for one in possible):
            yield f"known.toml: {entry.check!r} predicted {entry.outcome} and none came; remove the entry"


def _met(record: Mapping[str, Any] | None, entry: Known) -> bool:
    return record is not None and record["outcome"] == entry.outcome


def _idle(records: Mapping[str, Mapping[str, Any]], tolerances: Tolerances) -> Iterable[str]:
    """Categories whose cases were all selected and none of which used them."""
    used = {str(record["category"]) for record in records.values()}
    for category in tolerances.unused(_whole_groups(set(records)), used):
        yield f"tolerances.toml: category {category!r} was used by none of its checks, all of which ran; remove it"


def _whole_groups(reported: set[str]) -> set[str]:
    """The families, the categories that cases name and the properties, all of whose checks were reported."""
    groups: dict[str, set[str]] = {}
    for check in plan():
        for name in {group_of(check), check.name}:
            groups.setdefault(name, set()).add(check.id)
    return {name for name, ids in groups.items() if ids <= reported}


def group_of(check: Check) -> str:
    """The key a check's tolerance is looked up by: the case's category, or its family."""
    case = lookup(check.got.case)
    return case.category or case.family
