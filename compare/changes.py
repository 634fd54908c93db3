"""What a person or a program reads of a comparison: a table for the terminal, JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from compare.diff import KINDS, Change, Difference

SHOWN: Final = 20
"""How many changes of a kind are listed; the count is always told."""

ALL: Final = "all"


def verdict(found: Difference) -> str:
    """The one line that says how the second run stands to the first."""
    word = "regressed" if found.failed else "not regressed"
    told = ", ".join(f"{found.counts[kind]} {kind}" for kind in KINDS if found.counts[kind]) or "nothing differs"
    return (
        f"{found.head} against {found.base}: {word}; {told} ({found.checks} checks of {found.answers} answers joined)"
    )


def grid(found: Difference) -> list[list[str]]:
    """Families by kinds of change, with a row of sums; the first row and column are the names. Kinds without any are
    left out."""
    kinds = [kind for kind in KINDS if found.counts[kind]]
    families = sorted({change.family for change in found.changes})
    body = [[family, *_counts(found, kinds, family)] for family in families]
    return [["family", *kinds], *body, [ALL, *_counts(found, kinds, ALL)]]


def _counts(found: Difference, kinds: list[str], family: str) -> list[str]:
    members = [change for change in found.changes if family in (ALL, change.family)]
    return [str(sum(change.kind == kind for change in members)) for kind in kinds]


def terminal(found: Difference) -> str:
    """The verdict, the table, and the changes themselves as far as there is room."""
    if not found.changes:
        return verdict(found)
    table = grid(found)
    widths = [max(len(line[place]) for line in table) for place in range(len(table[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]
    return "\n".join([*lines, "", *_listed(found), verdict(found)])


def _listed(found: Difference) -> Iterator[str]:
    for kind in KINDS:
        changes = found.of(kind)
        yield from (f"{kind}  {told(change)}" for change in changes[:SHOWN])
        if len(changes) > SHOWN:
            yield f"{kind}  … and {len(changes) - SHOWN} more"
        if changes:
            yield ""


def told(change: Change) -> str:
    """One change in one line."""
    step = " → ".join(part for part in (change.before, change.after) if part)
    detail = change.detail.partition("\n")[0]
    return f"{change.id}: {step}{f' ({detail})' if detail else ''}"


def json_lines(found: Difference, *, about: Mapping[str, Any] | None = None) -> str:
    """A line on the comparison, then one line a change."""
    counts = {kind: found.counts[kind] for kind in KINDS}
    first = {
        "kind": "comparison",
        "base": found.base,
        "head": found.head,
        "regressed": found.failed,
        "checks": found.checks,
        "answers": found.answers,
        "counts": counts,
        **(about or {}),
    }
    lines = [first, *(asdict(change) for change in found.changes)]
    return "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines)
