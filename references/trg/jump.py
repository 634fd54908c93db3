"""The jump of lnZ/N where the last kept singular value and the first dropped one cross.

Elsewhere lnZ/N rises by its AD slope. A scan finds the interval that rises by more, and bisection the two neighbouring
floats between which it does.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .differences import ValueAndGradient

BRACKET = (0.4400025, 0.4400030)
"""Where the publication gives the excess."""

SMOOTH = 1e-12
"""What a piece without a jump rises beyond its slope at most."""

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Point:
    """lnZ/N and its derivative at one β."""

    beta: float
    value: float
    slope: float


@dataclass(frozen=True)
class Jump:
    """below, above: neighbouring floats. excess: rise beyond the slope over the scanned piece that holds the jump."""

    piece: tuple[float, float]
    excess: float
    below: Point
    above: Point

    @property
    def height(self) -> float:
        """The rise from one float to the next."""
        return self.above.value - self.below.value


def excess(left: Point, right: Point) -> float:
    """The rise of the value beyond the mean of both slopes: O(width³) where no jump is."""
    return right.value - left.value - (right.beta - left.beta) * (left.slope + right.slope) / 2


def scan(run: ValueAndGradient, betas: Sequence[float]) -> tuple[Point, Point] | None:
    """The piece between neighbours of `betas` with the largest excess; None where none exceeds `SMOOTH`."""
    points = [point(run, beta) for beta in betas]
    left, right = max(pairwise(points), key=lambda pair: abs(excess(*pair)))
    return (left, right) if abs(excess(left, right)) > SMOOTH else None


def find(run: ValueAndGradient, betas: Sequence[float], *, progress: Progress = lambda _: None) -> Jump | None:
    """The largest jump over `betas`, ascending; None where lnZ/N is smooth."""
    piece = scan(run, betas)
    if piece is None:
        return None
    left, right = piece
    progress(f"an excess of {excess(left, right):.3e} between {left.beta!r} and {right.beta!r}")
    for below, above in bisect(run, left, right):
        progress(f"between {below.beta!r} and {above.beta!r}")
    return Jump((left.beta, right.beta), excess(left, right), below, above)


def bisect(run: ValueAndGradient, left: Point, right: Point) -> Iterator[tuple[Point, Point]]:
    """Ever smaller pieces with the larger excess, down to neighbouring floats."""
    yield left, right
    while math.nextafter(left.beta, math.inf) < right.beta:
        middle = point(run, left.beta + (right.beta - left.beta) / 2)
        in_left = abs(excess(left, middle)) > abs(excess(middle, right))
        left, right = (left, middle) if in_left else (middle, right)
        yield left, right


def point(run: ValueAndGradient, beta: float) -> Point:
    """The run at β as a point."""
    value, slope = run(beta)
    return Point(beta, float(value), float(slope))
