"""A release against itself: in fresh processes, again and again, no verdict may flip and no bit may move."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from compare.changes import terminal
from compare.diff import Difference, difference
from rust_harness.release_side import examined, side
from rust_harness.release_source import Source

WIDTHS = "1,2"


def against_itself(source: Source, folder: Path, *, times: int, pick: str = "") -> int:
    """Examine every check at both widths, and `times` over once more, each time anew.

    Returns 1 where anything differs from the time before, or where there was nothing to examine.
    """
    one = side(source)
    runs = (examined(one, folder / str(number), pick=pick, widths=WIDTHS) for number in range(times + 1))
    found = list(_told(difference(before, after) for before, after in pairwise(runs)))
    drifts = sum(comparison.counts["drift"] for comparison in found)
    flips = sum(map(_flips, found))
    checks = min(comparison.checks for comparison in found)
    print(f"A/A of {source.name}: {times} times {checks} checks at widths {WIDTHS}: {flips} flips, {drifts} drifts")
    return int(bool(flips or drifts or not checks))


def _told(comparisons: Iterator[Difference]) -> Iterator[Difference]:
    """The comparisons, each told as it is found: one takes minutes."""
    for number, comparison in enumerate(comparisons, start=1):
        drifts = comparison.counts["drift"]
        print(f"time {number}: {comparison.checks} checks, {_flips(comparison)} flips, {drifts} drifts", flush=True)
        if comparison.changes:
            print(terminal(comparison), flush=True)
        yield comparison


def _flips(comparison: Difference) -> int:
    """Changes of a verdict, checks that are new or gone, questions that differ."""
    return len(comparison.changes) - comparison.counts["drift"]
