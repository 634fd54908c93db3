"""A comparison as Markdown: the comment under a pull request, the text of an issue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from compare.changes import grid, told, verdict
from compare.diff import KINDS, Difference

LIMIT: Final = 65_000
"""Characters that GitHub takes in a comment or an issue, less a margin."""

LISTED: Final = (50, 20, 5, 1)
"""How many changes of a kind are listed: the most with which the text stays below the limit."""

MEANING: Final = {
    "regressed": "verdict got worse",
    "died": "its process ended after the answer, or only after others",
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
    """The verdict, what there is to know besides, the table, and each kind of change folded away; at most LIMIT long.

    notes: lines on what did not compile, which operations came or went, that there is no baseline.
    """
    head = [f"## {title or f'{found.head} against {found.base}'}", f"**{verdict(found)}**"]
    if notes:
        head.append("\n".join(f"- {note}" for note in notes))
    if found.changes:
        head.append(_table(grid(found)))
    texts = ("\n\n".join([*head, *_sections(found, listed)]) + "\n" for listed in LISTED)
    return next((text for text in texts if len(text) <= LIMIT), shortened("\n\n".join(head)))


def shortened(text: str) -> str:
    """The text as far as a comment or an issue holds it."""
    return text if len(text) <= LIMIT else f"{text[:LIMIT]}\n\n… cut here; the whole is in the run's artifacts.\n"


def _table(lines: list[list[str]]) -> str:
    rule = ["---", *("--:" for _ in lines[0][1:])]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], rule, *lines[1:]))


def _sections(found: Difference, listed: int) -> Iterator[str]:
    for kind in KINDS:
        changes = found.of(kind)
        if not changes:
            continue
        lines = [f"- {_code(told(change))}" for change in changes[:listed]]
        if len(changes) > listed:
            lines.append(f"- … and {len(changes) - listed} more")
        summary = f"{len(changes)} {kind}: {MEANING[kind]}"
        yield f"<details><summary>{summary}</summary>\n\n" + "\n".join(lines) + "\n\n</details>"


def _code(text: str) -> str:
    """Text as code, whatever is in it."""
    fence = "``" if "`" in text else "`"
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"
