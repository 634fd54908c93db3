"""The store of answers: references are asked once, tenferro always, and nothing that a machine did is kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from references.question import Answer, Question
from rust_harness.release_store import Store, asking, reference_context

JAX = Question("elementwise/sin", "jax", "value", "f64")
OURS = Question("elementwise/sin", "tenferro", "value", "f64", "traced", 1)


class Counting:
    """Answers with how often it was asked before."""

    def __init__(self, outcome: str = "ok") -> None:
        self.outcome, self.asked = outcome, 0

    def __call__(self, question: Question) -> Answer:
        self.asked += 1
        return Answer(self.outcome, {"out0": np.array([self.asked, -0.0, np.nan])}, inputs="i")


def test_a_reference_is_asked_once_for_all_releases(tmp_path: Path) -> None:
    asked = Counting()
    answers = [
        asking(asked, references=Store(tmp_path / "r.sqlite", context="c"))(JAX).arrays["out0"].tobytes()
        for _ in range(3)
    ]
    assert asked.asked == 1
    assert len(set(answers)) == 1


def test_tenferro_is_asked_each_time(tmp_path: Path) -> None:
    asked = Counting()
    ask = asking(asked, references=Store(tmp_path / "r.sqlite", context="c"))
    assert [ask(OURS).arrays["out0"][0] for _ in range(2)] == [1.0, 2.0]


def test_what_is_put_twice_is_kept_as_it_was_last(tmp_path: Path) -> None:
    raw = Store(tmp_path / "raw.sqlite", context="raw")
    for number in (1.0, 2.0):
        raw.put(OURS, Answer("ok", {"out0": np.array([number])}))
    assert [(name, answer.arrays["out0"][0]) for name, answer in raw.items()] == [(repr(OURS), 2.0)]


def test_another_context_is_another_question(tmp_path: Path) -> None:
    asked = Counting()
    for context in ("jax 1", "jax 2"):
        asking(asked, references=Store(tmp_path / "r.sqlite", context=context))(JAX)
    assert asked.asked == 2


def test_a_crash_and_a_timeout_are_asked_for_again(tmp_path: Path) -> None:
    for outcome, times in (("crash", 2), ("timeout", 2), ("error", 1), ("unsupported", 1)):
        asked = Counting(outcome)
        for _ in range(2):
            asking(asked, references=Store(tmp_path / f"{outcome}.sqlite", context="c"))(JAX)
        assert asked.asked == times, outcome


def test_the_context_follows_the_sources_of_the_cases(tmp_path: Path) -> None:
    file = tmp_path / "linalg.py"
    file.write_text("one")
    before = reference_context([file])
    assert reference_context([file]) == before
    file.write_text("two")
    assert reference_context([file]) != before
