"""How long the answers of two releases take, asked in turn: of every answer one release's, then the other's, at once.

Whatever slows the machine down for longer than an answer meets both. What differs is measured once more, in fresh
processes and more rounds, before anybody is told.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from compare.diff import Change
from compare.pace import ROUNDS, Times, candidates, paces, wide
from rust_harness.release_run import progress
from rust_harness.release_side import PARTS, Side, environment
from rust_harness.release_source import BuildError

ROOT = Path(__file__).parent.parent
FIRST = 4
"""Rounds of the first measurement."""

AGAIN = 15
"""Rounds of the second one."""

LONG = 0.05
"""Seconds from which on an answer has no round to warm up, and as few of the first measurement as tell noise."""

SETTLED = 0.003
"""Seconds after which tenferro's threads have stopped spinning for more work: the other release's answer would pay."""

BUDGET = 45.0
"""Seconds that the second measurement may take; what differs least goes without."""


class Clock:
    """A process over one release's harness that says how long an answer takes. keys: the answers it knows."""

    def __init__(self, side: Side, *, pick: str, part: str) -> None:
        """Start it. Raises BuildError where it ends before it is ready."""
        assert side.site is not None, side.source.name
        self._name = side.source.name
        command = [sys.executable, "-m", "rust_harness.release_run", "--clock", "--pick", pick, "--part", part]
        self._process = subprocess.Popen(
            command,
            env=environment(side.site),
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.keys: list[str] = json.loads(self._line())

    def seconds(self, key: str) -> float:
        """The time of one answer; NaN where there is none. Raises BuildError where the process has ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{key}\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # reading says so
        return float(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        if line := self._process.stdout.readline():
            return line
        raise BuildError(f"the process that times {self._name} ended; see above")

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process."""
        self._process.terminate()
        self._process.wait()


def paced(base: Side, head: Side, *, pick: str, rounds: int = FIRST) -> tuple[list[Change], list[str]]:
    """What is slower or faster, and a line on what was not measured again for want of time. Raises BuildError."""
    first = measured(base, head, pick=pick, rounds=rounds)
    found = candidates(first)
    chosen = affordable(found, first)
    again = measured(base, head, pick=pick, rounds=AGAIN, only=frozenset(chosen)) if chosen else {}
    left = len(found) - len(chosen)
    told = f"{left} answers more differ in time in a first measurement, and were not measured again for want of time"
    return list(paces(first, again)), [told] if left else []


def affordable(keys: Sequence[str], times: Mapping[str, Times]) -> list[str]:
    """As many of the keys, from the first on, as can be measured again within the budget."""
    spent, found = 0.0, []
    for key in keys:
        spent += (AGAIN + 1) * (max(times[key].base) + max(times[key].head)) / PARTS
        if spent > BUDGET:
            break
        found.append(key)
    return found


def measured(base: Side, head: Side, *, pick: str, rounds: int, only: frozenset[str] | None = None) -> dict[str, Times]:
    """The times of every answer of both, or of these alone, by name; answers that fail in either are left out."""
    with ThreadPoolExecutor(PARTS) as workers:
        parts = [workers.submit(_part, base, head, pick, f"{part}/{PARTS}", rounds, only) for part in range(PARTS)]
        return {key: times for part in parts for key, times in part.result().items()}


def _part(base: Side, head: Side, pick: str, part: str, rounds: int, only: frozenset[str] | None) -> dict[str, Times]:
    with ExitStack() as stack:
        clocks = [stack.enter_context(Clock(side, pick=pick, part=part)) for side in (base, head)]
        other = set(clocks[1].keys) if only is None else only.intersection(clocks[1].keys)
        shared = [key for key in clocks[0].keys if key in other]
        told = progress(shared, f"release: times, part {part}", "answers")
        found = {key: turns(clocks, key, rounds, short=only is None) for key in told}
    return {key: times for key, times in found.items() if times is not None}


def turns(clocks: Sequence[Clock], key: str, rounds: int, *, short: bool) -> Times | None:
    """One answer of both releases, round by round, each going first in every other round; None where one fails.

    short: a long answer has few rounds. A quick one has a round before, which warms it up and is not counted.
    """
    seconds = [_seconds(clock, key) for clock in clocks]
    if any(math.isnan(one) for one in seconds):
        return None
    long = max(seconds) > LONG
    found = [[one] if long else [] for one in seconds]
    for number in range(len(found[0]), ROUNDS if long and short else rounds):
        for place in _order(number):
            found[place].append(_seconds(clocks[place], key))
    lost = any(math.isnan(one) for side in found for one in side)
    return None if lost else Times(*found)


def _seconds(clock: Clock, key: str) -> float:
    if wide(key):
        time.sleep(SETTLED)
    return clock.seconds(key)


def _order(number: int) -> Iterable[int]:
    return (0, 1) if number % 2 == 0 else (1, 0)
