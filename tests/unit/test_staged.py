"""A staged program runs once for value and gradient, and anew once its runs are forgotten."""

from __future__ import annotations

import numpy as np
import pytest

from references import cases, run
from references.case import Staged
from references.question import Question

CASE = next(case for case in cases() if isinstance(case.tenferro, Staged))


def test_a_staged_run_serves_both_transforms_until_it_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []

    def staged(case: object, inputs: object, *, width: int) -> dict[str, dict[str, np.ndarray]]:
        runs.append(width)
        return {"value": {"out0": np.ones(1)}, "grad": {"beta": np.ones(1)}}

    monkeypatch.setattr("references.run_tenferro.staged", staged)
    run.forget()
    for transform in ("value", "grad"):
        assert run.answer(Question(CASE.id, "tenferro", transform, "f64", "eager", 1)).outcome == "ok"
    assert runs == [1]
    run.forget()
    run.answer(Question(CASE.id, "tenferro", "value", "f64", "eager", 1))
    assert runs == [1, 1]
    run.forget()
