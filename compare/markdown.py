"""A comparison as Markdown: the comment under a pull request, the text of an issue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from compare.changes import grid, told, verdict
from compare.diff import KINDS, Difference

LISTED: Final = 50
"""Changes of a kind that are listed; GitHub takes no more than 65 536 characters."""

MEANING: Final = {
    "regressed": "verdict got worse",
    "build": "family does not compile",
    "fixed": "now a match",
    "changed": "another failure, not a worse one",
    "drift": "bits moved, by answer",
    "slower": "beyond the noise of the same run",
    "faster": "beyond the noise of the same run",
    "inputs": "asked something else",
    "new": "only in the second run",
    "gone": "only in the first run",
}


def markdown(found: Difference, *, notes: Sequence[str] = (), title: str = "") -> str:
    """The verdict, what there is to know besides, the table, and each kind of change folded away.

    notes: lines on what did not compile, which operations came or went, that there is no baseline.
    """
    parts = [f"## {title or f'{found.head} against {found.base}'}", f"**{verdict(found)}**"]
    if notes:
        parts.append("\n".join(f"- {note}" for note in notes))
    if found.changes:
        parts += [_table(grid(found)), *_sections(found)]
    return "\n\n".join(parts) + "\n"


def _table(lines: list[list[str]]) -> str:
    rule = ["---", *("--:" for _ in lines[0][1:])]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], rule, *lines[1:]))


def _sections(found: Difference) -> Iterator[str]:
    for kind in KINDS:
        changes = found.of(kind)
        if not changes:
            continue
        listed = [f"- {_code(told(change))}" for change in changes[:LISTED]]
        if len(changes) > LISTED:
            listed.append(f"- … and {len(changes) - LISTED} more")
        summary = f"{len(changes)} {kind}: {MEANING[kind]}"
        yield f"<details><summary>{summary}</summary>\n\n" + "\n".join(listed) + "\n\n</details>"


def _code(text: str) -> str:
    """Text as code, whatever is in it."""
    fence = "``" if "`" in text else "`"
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"
