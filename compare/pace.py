"""Which answers got slower or faster, from two releases asked in turn, beyond what the same times call noise."""

from __future__ import annotations

import math
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
    """The seconds one answer took, round by round, with both releases in each round, one or the other first in turn."""

    base: Sequence[float]
    head: Sequence[float]

    @property
    def ratios(self) -> list[float]:
        """Head over base, round by round."""
        return [after / before for before, after in zip(self.base, self.head, strict=True)]

    @property
    def ratio(self) -> float:
        """Of the least times: noise only ever adds, and the least of a few has the least of it."""
        return min(self.head) / min(self.base)

    @property
    def noise(self) -> float:
        """How far a release is from itself: the log-ratio of the least times of its two halves, the larger of both."""
        return max(_apart(*_halves(side)) for side in (self.base, self.head))

    @property
    def unrest(self) -> float:
        """The same of both releases together: what no difference between them can make."""
        (one, other), (third, fourth) = _halves(self.base), _halves(self.head)
        return _apart([*one, *third], [*other, *fourth])

    def differs(self, floor: float) -> bool:
        """Whether the releases differ by more than the floor (a log-ratio) and more than each differs from itself."""
        return abs(math.log(self.ratio)) > max(floor, self.noise)

    def agreed(self, way: bool) -> bool:
        """Whether nearly every round says slower (True), or faster."""
        return sum((ratio > 1) is way for ratio in self.ratios) >= AGREED * len(self.ratios)


def usable(times: Mapping[str, Times]) -> dict[str, Times]:
    """Those with enough rounds, none of them of no time."""
    return {key: one for key, one in times.items() if len(one.base) >= ROUNDS and min(*one.base, *one.head) > 0}


def _halves(side: Sequence[float]) -> tuple[list[float], list[float]]:
    """Rounds 0, 1, 4, 5, … and 2, 3, 6, 7, …: a release goes first in every other round, so in as many of each half."""
    halves: tuple[list[float], list[float]] = ([], [])
    for number, seconds in enumerate(side):
        halves[number // 2 % 2].append(seconds)
    return halves


def _apart(one: Sequence[float], other: Sequence[float]) -> float:
    return abs(math.log(min(one) / min(other)))


def wide(key: str) -> bool:
    """Whether an answer is one of several threads: those are many times as noisy."""
    return "::w1::" not in key


def floors(times: Mapping[str, Times]) -> dict[bool, float]:
    """The log-ratio that has to be passed, by whether an answer is of several threads: what all but one in a hundred of
    them stay below where nothing differs."""
    found: dict[bool, list[float]] = {False: [], True: []}
    for key, one in usable(times).items():
        found[wide(key)].append(one.unrest)
    return {kind: max(math.log(LEAST), _all_but_one_in_a_hundred(unrest)) for kind, unrest in found.items()}


def _all_but_one_in_a_hundred(found: Sequence[float]) -> float:
    return sorted(found)[(len(found) - 1) * 99 // 100] if found else 0.0


def candidates(times: Mapping[str, Times]) -> list[str]:
    """Answers to measure once more, the widest apart first: of thousands of answers some differ by chance."""
    least = floors(times)
    found = {key: one for key, one in usable(times).items() if one.differs(least[wide(key)])}
    return sorted(found, key=lambda key: -abs(math.log(found[key].ratio)))


def paces(first: Mapping[str, Times], again: Mapping[str, Times]) -> Iterator[Change]:
    """Candidates of a first measurement that a second one, of more rounds and in fresh processes, confirms."""
    least = floors(first)
    for key, one in usable(again).items():
        way = one.ratio > 1
        if (first[key].ratio > 1) is way and one.differs(least[wide(key)]) and one.agreed(way):
            yield Change("slower" if way else "faster", key, _seconds(one.base), _seconds(one.head), _spread(one))


def _seconds(side: Sequence[float]) -> str:
    return f"{min(side) * 1e3:.3g} ms"


def _spread(one: Times) -> str:
    return f"×{one.ratio:.2f} ({min(one.ratios):.2f}–{max(one.ratios):.2f} in {len(one.ratios)} rounds)"
