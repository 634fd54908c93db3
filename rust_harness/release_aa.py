"""A release against itself: in fresh processes, again and again, no verdict may flip and no bit may move."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from compare.changes import terminal
from compare.diff import difference
from rust_harness.release_side import examined, side
from rust_harness.release_source import Source

WIDTHS = "1,2"


def against_itself(source: Source, folder: Path, *, times: int, pick: str = "") -> int:
    """Examine every check at both widths `times` over, each time anew; 1 where anything differs from the last time."""
    one = side(source)
    runs = [examined(one, folder / str(number), pick=pick, widths=WIDTHS) for number in range(times)]
    found = [difference(before, after) for before, after in pairwise(runs)]
    for number, comparison in enumerate(found, start=1):
        if comparison.changes:
            print(f"run {number} and run {number + 1}:\n{terminal(comparison)}")
    flips = sum(change.kind != "drift" for comparison in found for change in comparison.changes)
    drifts = sum(comparison.counts["drift"] for comparison in found)
    checks = len(runs[0].rows)
    print(f"A/A of {source.name}: {times} runs of {checks} checks at widths {WIDTHS}: {flips} flips, {drifts} drifts")
    return int(bool(flips or drifts or not checks))
