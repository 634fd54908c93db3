"""Slower and faster are told only beyond the noise that the same runs show."""

from __future__ import annotations

import random

from compare.diff import Change
from compare.pace import Times, paces


def noisy(scale: float, *, seed: int, spread: float = 0.05, rounds: int = 3) -> list[float]:
    source = random.Random(seed)
    return [scale * (1 + spread * source.uniform(-1, 1)) for _ in range(rounds)]


def test_the_same_speed_says_nothing() -> None:
    times = {str(n): Times(noisy(1e-3, seed=n), noisy(1e-3, seed=n + 10_000)) for n in range(5_000)}
    assert list(paces(times)) == []


def test_a_factor_beyond_the_noise_is_told_with_its_spread() -> None:
    times = {str(n): Times(noisy(1e-3, seed=n), noisy(1e-3, seed=n + 1)) for n in range(50)}
    times["slow"] = Times([1e-3, 1e-3, 1e-3], [2e-3, 2.2e-3, 1.9e-3])
    times["fast"] = Times([2e-3, 2e-3, 2e-3], [1e-3, 1e-3, 1e-3])
    assert sorted(paces(times), key=lambda one: one.kind) == [
        Change("faster", "fast", "2 ms", "1 ms", "×0.50 (0.50–0.50 in 3 rounds)"),
        Change("slower", "slow", "1 ms", "2 ms", "×2.00 (1.90–2.20 in 3 rounds)"),
    ]


def test_an_answer_that_is_noisy_itself_says_nothing() -> None:
    times = {str(n): Times(noisy(1e-3, seed=n), noisy(1e-3, seed=n + 1)) for n in range(200)}
    times["wild"] = Times([1e-3, 4e-3, 1e-3], [2e-3, 2e-3, 4e-3])
    times["held up"] = Times([1.42e-3, 1.41e-3, 1.42e-3], [1.5e-3, 85e-3, 86e-3])
    assert list(paces(times)) == []


def test_a_noisy_machine_raises_the_bar_for_all() -> None:
    times = {str(n): Times(noisy(1e-3, seed=n, spread=0.6), noisy(1e-3, seed=n + 1, spread=0.6)) for n in range(200)}
    times["steady"] = Times([1e-3, 1e-3, 1e-3], [1.3e-3, 1.3e-3, 1.3e-3])
    assert "steady" not in {change.id for change in paces(times)}


def test_too_few_rounds_and_times_of_zero_are_left_out() -> None:
    assert list(paces({"a": Times([1, 1], [9, 9]), "b": Times([0, 1, 1], [9, 9, 9])})) == []
