"""Which answers got slower or faster, from two releases asked in turn, beyond what the same times call noise."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from compare.diff import Change

LEAST: Final = 1.1
"""A ratio nearer to 1 than this is never reported, however quiet the machine."""

ROUNDS: Final = 3
"""Fewer rounds than this say nothing about noise."""

AGREED: Final = 0.9
"""The share of the rounds of a second measurement that has to point the same way."""


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
    def noise(self) -> float:
        """How far a release is from itself: the log-ratio of the medians of its even and its odd rounds, the larger."""
        halves = ((side[::2], side[1::2]) for side in (self.base, self.head))
        return max(abs(math.log(statistics.median(even) / statistics.median(odd))) for even, odd in halves)

    def differs(self, floor: float) -> bool:
        """Whether the releases differ by more than the floor (a log-ratio) and more than each differs from itself."""
        return abs(math.log(self.ratio)) > max(floor, self.noise)

    def agreed(self, way: bool) -> bool:
        """Whether nearly every round says slower (True), or faster."""
        return sum((ratio > 1) is way for ratio in self.ratios) >= AGREED * len(self.ratios)


def usable(times: Mapping[str, Times]) -> dict[str, Times]:
    """Those with enough rounds, none of them of no time."""
    return {key: one for key, one in times.items() if len(one.base) >= ROUNDS and min(*one.base, *one.head) > 0}


def floor(times: Mapping[str, Times]) -> float:
    """The log-ratio that has to be passed: what all but one in a hundred answers stay below against themselves."""
    noises = sorted(one.noise for one in usable(times).values())
    return max(math.log(LEAST), noises[(len(noises) - 1) * 99 // 100] if noises else 0.0)


def candidates(times: Mapping[str, Times]) -> list[str]:
    """Answers to measure once more, the widest apart first: of thousands of answers some differ by chance."""
    least = floor(times)
    found = {key: one for key, one in usable(times).items() if one.differs(least)}
    return sorted(found, key=lambda key: -abs(math.log(found[key].ratio)))


def paces(first: Mapping[str, Times], again: Mapping[str, Times]) -> Iterator[Change]:
    """Candidates of a first measurement that a second one, of more rounds and in fresh processes, confirms."""
    least = floor(first)
    for key, one in usable(again).items():
        way = one.ratio > 1
        if (first[key].ratio > 1) is way and one.differs(least) and one.agreed(way):
            yield Change("slower" if way else "faster", key, _seconds(one.base), _seconds(one.head), _spread(one))


def _seconds(side: Sequence[float]) -> str:
    return f"{statistics.median(side) * 1e3:.3g} ms"


def _spread(one: Times) -> str:
    return f"×{one.ratio:.2f} ({min(one.ratios):.2f}–{max(one.ratios):.2f} in {len(one.ratios)} rounds)"
