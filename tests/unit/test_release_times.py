"""Times of two releases, asked in turn, and measured once more where they differ."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import pytest

from compare.pace import Times
from references.question import Answer, Question
from rust_harness import release_run, release_times
from rust_harness.release_side import Side
from rust_harness.release_source import BuildError, Source
from rust_harness.release_times import Clock, affordable, paced, turns


class Told:
    """A clock that says what it was told to, round by round; all of them write down who was asked."""

    def __init__(self, name: str, seconds: list[float], asked: list[str]) -> None:
        self.name, self.rest, self.asked = name, iter(seconds), asked

    def seconds(self, key: str) -> float:
        self.asked.append(self.name)
        return next(self.rest)


def both(base: list[float], head: list[float]) -> tuple[list[Any], list[str]]:
    asked: list[str] = []
    return [Told("b", base, asked), Told("h", head, asked)], asked


def test_each_release_goes_first_in_every_other_round_after_one_to_warm_up() -> None:
    clocks, asked = both([9e-3, 1e-3, 2e-3, 3e-3], [8e-3, 4e-3, 5e-3, 6e-3])
    assert turns(clocks, "x::w1::", 3, short=True) == Times([1e-3, 2e-3, 3e-3], [4e-3, 5e-3, 6e-3])
    assert "".join(asked) == "bhbhhbbh"


@pytest.mark.parametrize(("short", "rounds"), [(True, 3), (False, 5)])
def test_a_long_answer_is_asked_less_often(short: bool, rounds: int) -> None:
    clocks, _ = both([1.0] * 9, [2.0] * 9)
    assert turns(clocks, "x::w2::", 5, short=short) == Times([1.0] * rounds, [2.0] * rounds)


@pytest.mark.parametrize("place", [0, 2])
def test_an_answer_that_fails_has_no_time(place: int) -> None:
    head = [1e-3] * 6
    head[place] = math.nan
    assert turns(both([1e-3] * 6, head)[0], "x::w1::", 5, short=True) is None


def test_what_differs_most_is_measured_again_as_far_as_there_is_time() -> None:
    times = {str(n): Times([1.0], [1.0]) for n in range(10)}
    found = affordable(list(times), times)
    assert found == [str(n) for n in range(len(found))]
    assert 0 < len(found) < 10


def test_only_what_differs_is_measured_again_and_the_rest_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    first = {f"{n}::w1::": Times([1e-3] * 5, [1e-3] * 5) for n in range(200)}
    first |= {"slow": Times([1e-3] * 5, [2e-3] * 5), "long": Times([90.0] * 5, [180.0] * 5)}
    asked: list[Any] = []

    def measured(*_: Side, only: Any = None, **options: Any) -> dict[str, Times]:
        asked.append((only, options["rounds"]))
        return first if only is None else {key: Times([1e-3] * 15, [2e-3] * 15) for key in only}

    monkeypatch.setattr(release_times, "measured", measured)
    monkeypatch.setattr(release_times, "candidates", lambda _: ["slow", "long"])
    side = Side(Source("x", "0.8.0"), Path(), frozenset())
    changes, told = paced(side, side, pick="")
    assert [(one.kind, one.id) for one in changes] == [("slower", "slow")]
    assert asked == [(None, release_times.FIRST), (frozenset({"slow"}), release_times.AGAIN)]
    assert [line.partition(" ")[0] for line in told] == ["1"]


def test_a_clock_tells_its_names_and_then_seconds() -> None:
    questions = {
        name: Question(f"a/{name}", "tenferro", "value", "f64", "eager", 1) for name in ("one", "two", "three")
    }
    answers = {"a/one": Answer("ok", seconds=0.5), "a/two": Answer("crash", seconds=9.0)}
    out = io.StringIO()
    release_run.clock(questions, lambda question: answers[question.case], ["one\n", "two\n"], out)
    names, *seconds = out.getvalue().splitlines()
    assert json.loads(names) == ["one", "two", "three"]
    assert seconds == ["0.5", "nan"]


def test_a_process_over_the_harness_tells_times(tmp_path: Path) -> None:
    """A folder without a harness in it leaves the installed one."""
    side = Side(Source("0.8.0", "0.8.0"), tmp_path, frozenset())
    with Clock(side, pick=r"^elementwise/sin-ordinary::agreement::jax::eager::value::f64::w1$", part="0/1") as clock:
        assert clock.keys == ["elementwise/sin-ordinary::eager::value::f64::w1::first"]
        assert 0 < clock.seconds(clock.keys[0]) < 60


def test_a_process_that_ends_is_told(tmp_path: Path) -> None:
    (tmp_path / "tenferro_harness.py").write_text("raise ImportError('no such symbol')")
    with pytest.raises(BuildError, match="the process that times broken ended"):
        Clock(Side(Source("broken", "0.8.0"), tmp_path, frozenset()), pick="^elementwise/sin-ordinary", part="0/1")
