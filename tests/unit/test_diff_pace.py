"""Slower and faster are told only beyond the noise that the same times show, and only where measured twice."""

from __future__ import annotations

import math
import random

import pytest

from compare.diff import Change
from compare.pace import Times, candidates, floors, paces


def noisy(scale: float, *, seed: int, spread: float = 0.05, rounds: int = 5) -> list[float]:
    source = random.Random(seed)
    return [scale * (1 + spread * source.uniform(-1, 1)) for _ in range(rounds)]


def quiet(number: int = 200, *, spread: float = 0.05) -> dict[str, Times]:
    """Answers of which both releases take the same time, but for noise."""
    return {
        f"{n}::w1::": Times(noisy(1e-3, seed=n, spread=spread), noisy(1e-3, seed=n + 10_000, spread=spread))
        for n in range(number)
    }


def slower(factor: float, *, rounds: int = 5) -> Times:
    return Times(noisy(1e-3, seed=1, rounds=rounds), noisy(factor * 1e-3, seed=2, rounds=rounds))


def test_the_same_speed_says_nothing() -> None:
    times = quiet(5_000)
    found = candidates(times)
    assert len(found) < 50
    again = {key: Times(noisy(1e-3, seed=n, rounds=15), noisy(1e-3, seed=-n, rounds=15)) for n, key in enumerate(found)}
    assert list(paces(times, again)) == []


def test_a_factor_beyond_the_noise_is_told_with_its_spread() -> None:
    times = quiet() | {"slow::w1::": slower(2), "fast::w1::": slower(0.5), "a little::w1::": slower(1.05)}
    assert candidates(times)[:2] in (["slow::w1::", "fast::w1::"], ["fast::w1::", "slow::w1::"])
    again = {
        "slow::w1::": Times([1e-3, 1e-3, 1e-3], [2e-3, 2.2e-3, 1.9e-3]),
        "fast::w1::": Times([2e-3, 2e-3, 2e-3], [1e-3, 1e-3, 1e-3]),
    }
    assert list(paces(times, again)) == [
        Change("slower", "slow::w1::", "1 ms", "1.9 ms", "×1.90 (1.90–2.20 in 3 rounds)"),
        Change("faster", "fast::w1::", "2 ms", "1 ms", "×0.50 (0.50–0.50 in 3 rounds)"),
    ]


def test_a_quarter_more_is_seen_on_a_quiet_machine() -> None:
    times = quiet() | {"slow::w1::": slower(1.25)}
    assert "slow::w1::" in candidates(times)
    assert [one.id for one in paces(times, {"slow::w1::": slower(1.25, rounds=15)})] == ["slow::w1::"]


@pytest.mark.parametrize(
    "again",
    [
        slower(1.0, rounds=15),
        slower(0.5, rounds=15),
        Times([1e-3] * 15, [1.5e-3] * 12 + [0.9e-3] * 3),
        Times([1e-3, 1e-3, 3e-3, 3e-3] * 4, [2e-3, 2e-3, 6e-3, 6e-3] * 4),
    ],
    ids=["the same", "the opposite", "some rounds deny it", "noisier than the difference"],
)
def test_what_a_second_measurement_denies_is_not_told(again: Times) -> None:
    times = quiet() | {"slow::w1::": slower(1.5)}
    assert list(paces(times, {"slow::w1::": again})) == []


def test_an_answer_that_is_noisy_itself_is_no_candidate() -> None:
    times = quiet() | {"wild::w1::": Times([1e-3, 1e-3, 4e-3, 4e-3, 1e-3], [2e-3, 2e-3, 2e-3, 4e-3, 4e-3])}
    assert "wild::w1::" not in candidates(times)


def test_a_noisy_machine_raises_the_bar_for_all() -> None:
    steady = {"steady::w1::": Times([1e-3] * 5, [1.3e-3] * 5)}
    assert "steady::w1::" in candidates(quiet() | steady)
    assert "steady::w1::" not in candidates(quiet(spread=0.6) | steady)
    assert floors(quiet(spread=0.6))[False] > math.log(1.3) > floors(quiet())[False]


def test_answers_of_several_threads_have_a_bar_of_their_own() -> None:
    noisy_ones = {key.replace("w1", "w2"): one for key, one in quiet(spread=0.9).items()}
    times = quiet() | noisy_ones | {"slow::w1::": slower(1.3), "slow::w2::": slower(1.3)}
    assert "slow::w1::" in candidates(times)
    assert "slow::w2::" not in candidates(times)


def test_going_first_or_second_is_no_noise() -> None:
    first, second = 1e-3, 9e-3
    times = {f"{n}::w1::": Times([first, second] * 4, [second, first] * 4) for n in range(200)}
    assert floors(times)[False] == math.log(1.1)
    assert candidates(times) == []


def test_too_few_rounds_and_times_of_zero_are_left_out() -> None:
    times = {"a": Times([1, 1], [9, 9]), "b": Times([0, 1, 1], [9, 9, 9])}
    assert candidates(times) == []
    assert list(paces(times, times)) == []
