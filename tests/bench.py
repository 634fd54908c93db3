"""Checks a second, and what isolation costs: whole runs with and without it, in turn, as ratios with their spread.

`python -m tests.bench [EXPRESSION] [ROUNDS]`; EXPRESSION as pytest's -k takes it (default: transforms or threads or
dtype), ROUNDS counted runs of each kind after one of each that warms the caches.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXPRESSION = "transforms or threads or dtype"
ROUNDS = 3


@dataclass(frozen=True)
class Timed:
    """One run: its wall seconds and how many checks it made."""

    seconds: float
    checks: int


def main(arguments: list[str]) -> int:
    """Print checks a second of each kind, and the ratio pair by pair; 2 where the arguments cannot be meant."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.splitlines()[0])
    parser.add_argument("expression", nargs="?", default=EXPRESSION, help=f"as pytest's -k (default: {EXPRESSION})")
    parser.add_argument("rounds", nargs="?", type=_count, default=ROUNDS, help=f"runs of each kind (default: {ROUNDS})")
    given = parser.parse_args(arguments)
    expression, rounds = given.expression, given.rounds
    for isolated in (True, False):
        _run(expression, isolated=isolated)
    pairs = [(_run(expression, isolated=True), _run(expression, isolated=False)) for _ in range(rounds)]
    for name, runs in zip(("isolated", "in one process"), zip(*pairs, strict=True), strict=True):
        print(
            f"{name}: {_spread([run.checks / run.seconds for run in runs])} checks a second ({runs[0].checks} checks)"
        )
    print(f"isolated ÷ in one process, wall time: {_spread([a.seconds / b.seconds for a, b in pairs])}")
    return 0


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)


def _run(expression: str, *, isolated: bool) -> Timed:
    command = [sys.executable, "-m", "pytest", "--ignore=tests/unit", "-q", "-p", "no:cacheprovider", "-k", expression]
    print(f"running: {expression}, {'isolated' if isolated else 'in one process'}", file=sys.stderr, flush=True)
    started = time.perf_counter()
    done = subprocess.run(
        command if isolated else [*command, "--no-isolation"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    counts = re.findall(r"(\d+) (?:passed|failed|xfailed)", done.stdout.splitlines()[-1] if done.stdout else "")
    if not counts:
        raise SystemExit(f"no checks ran for {expression!r}:\n{done.stdout}{done.stderr}")
    return Timed(time.perf_counter() - started, sum(map(int, counts)))


def _spread(figures: list[float]) -> str:
    return f"{statistics.median(figures):.3g} (from {min(figures):.3g} to {max(figures):.3g})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
