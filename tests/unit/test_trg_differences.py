"""Central differences, crossings, and the search for a jump, on functions whose answers are known."""

import math
from itertools import pairwise

import pytest

from references.trg import bounds
from references.trg.differences import chosen, crossing, difference
from references.trg.jump import Point, bisect, excess, find

STEP_AT = 0.44000123456789
HEIGHT = 3e-9


def cubic(beta: float) -> tuple[float, float]:
    """β³ and its slope."""
    return beta**3, 3 * beta**2


def broken(beta: float) -> tuple[float, float]:
    """The same with a jump."""
    return beta**3 + (HEIGHT if beta >= STEP_AT else 0.0), 3 * beta**2


def test_difference_of_a_quadratic_slope_is_exact() -> None:
    found = difference(cubic, 0.5, h=2.0**-10)
    assert found.curvature == 3.0
    assert found.c == 0.75


def test_error_is_that_of_the_tolerances() -> None:
    assert difference(cubic, 0.5, h=1e-5).error == pytest.approx(0.25 * 1e-11 / 1e-5, rel=1e-12)
    assert bounds.factor("trg.value") == 1e-14


def kinked(beta: float) -> tuple[float, float]:
    """A slope that jumps at 0.440003, as where singular values cross."""
    return beta**3, 3 * beta**2 + (1e-6 if beta >= 0.440003 else 0.0)


def test_a_smooth_slope_has_no_crossing_and_the_larger_step_is_taken() -> None:
    coarse, fine = (difference(cubic, 0.44, h=h) for h in (1e-5, 1e-6))
    assert not crossing(coarse, fine)
    assert chosen(coarse, fine) is coarse


def test_a_slope_that_jumps_within_the_larger_step_is_a_crossing() -> None:
    coarse, fine = (difference(kinked, 0.44, h=h) for h in (1e-5, 1e-6))
    assert crossing(coarse, fine)
    assert chosen(coarse, fine) is fine


def test_jump_is_found_between_neighbouring_floats() -> None:
    betas = [0.44 + i * 5e-7 for i in range(-4, 8)]
    jump = find(broken, betas)
    assert jump is not None
    assert jump.below.beta < STEP_AT <= jump.above.beta
    assert math.nextafter(jump.below.beta, 1) == jump.above.beta
    assert jump.excess == pytest.approx(HEIGHT, rel=1e-6)
    assert jump.height == pytest.approx(HEIGHT, rel=1e-6)


def test_a_smooth_value_has_no_jump() -> None:
    assert find(cubic, [0.44 + i * 5e-7 for i in range(8)]) is None


def test_bisection_halves_every_piece() -> None:
    left, right = (Point(beta, *broken(beta)) for beta in (0.44, 0.440002))
    pieces = list(bisect(broken, left, right))
    widths = [b.beta - a.beta for a, b in pieces]
    assert all(after < before for before, after in pairwise(widths))
    assert all(excess(a, b) > HEIGHT / 2 for a, b in pieces)
