"""Which answers got slower or faster, from runs of two releases taken in turn, beyond what the same runs call noise."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from compare.diff import Change

LEAST: Final = 1.1
"""A ratio nearer to 1 than this is never reported, however quiet the machine."""

ROUNDS: Final = 3
"""Fewer interleaved rounds than this say nothing about noise."""


@dataclass(frozen=True)
class Times:
    """The seconds one answer took, round by round, with both releases in each round."""

    base: Sequence[float]
    head: Sequence[float]

    @property
    def ratios(self) -> list[float]:
        """Head over base, round by round."""
        return [after / before for before, after in zip(self.base, self.head, strict=True)]

    @property
    def ratio(self) -> float:
        """The median of the ratios."""
        return statistics.median(self.ratios)

    @property
    def least(self) -> float:
        """The smallest log-ratio of a round, in the median's direction; below 0 where a round says the opposite."""
        way = 1 if self.ratio > 1 else -1
        return min(way * math.log(ratio) for ratio in self.ratios)

    @property
    def noise(self) -> float:
        """The widest log-ratio between two rounds of the same release."""
        return max(abs(math.log(b / a)) for side in (self.base, self.head) for a in side for b in side)


def paces(times: Mapping[str, Times]) -> Iterator[Change]:
    """Answers whose releases differ by more than the same release differs from itself, for this answer and in general.

    The general noise is what all but one in a hundred answers stay below.
    """
    measured = {key: one for key, one in times.items() if len(one.base) >= ROUNDS and min(*one.base, *one.head) > 0}
    floor = max(math.log(LEAST), _general(one.noise for one in measured.values()))
    for key, one in measured.items():
        if abs(math.log(one.ratio)) > max(floor, one.noise) and one.least > floor:
            kind = "slower" if one.ratio > 1 else "faster"
            yield Change(kind, key, _seconds(one.base), _seconds(one.head), _spread(one))


def _general(noises: Iterable[float]) -> float:
    """The noise that one answer in a hundred passes."""
    found = sorted(noises)
    return found[(len(found) - 1) * 99 // 100] if found else 0.0


def _seconds(side: Sequence[float]) -> str:
    return f"{statistics.median(side) * 1e3:.3g} ms"


def _spread(one: Times) -> str:
    return f"×{one.ratio:.2f} ({min(one.ratios):.2f}–{max(one.ratios):.2f} in {len(one.ratios)} rounds)"
