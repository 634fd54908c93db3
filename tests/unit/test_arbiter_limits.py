"""What the arbiter excuses, and how long it takes."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from references.arbiter import Limits, arbitrate, ask, decide
from references.dtypes import NUMPY


@pytest.mark.parametrize("dtype", ["f64", "c128"])
def test_a_side_beyond_its_bound_where_every_float_program_is_is_excused(dtype: str) -> None:
    """(x + 1) − 1 at 1e-13 keeps three digits: an error of that size says nothing of a library."""
    x = np.array([1.234567e-13, 0.5], NUMPY[dtype])
    question = ask(lambda a: (a + 1.0) - 1.0, {"x": x})
    limits = Limits({"out0": 1e-20}, 64.0)
    float_answer = (x + 1) - 1
    ruling = arbitrate(question, {"a": {"out0": float_answer}, "b": {"out0": x}}, limits)
    assert (ruling.label, ruling.culprits) == ("ill-conditioned", frozenset())
    condition = ruling.findings[0].condition
    assert condition is not None
    assert 1e12 < condition < 1e14
    far = arbitrate(question, {"a": {"out0": float_answer + 1e-14}, "b": {"out0": x}}, limits)
    assert far.culprits == {"a"}


def test_a_thousand_elements_are_decided_in_time() -> None:
    """Within 50 ms of processor time, the best of several tries: values and derivatives of a composed function."""
    x = np.random.default_rng(2).normal(size=1000)
    for transform in ("value", "vjp", "jvp", "hvp"):
        asked_: dict[str, Any] = {"wrt": ("x",), "tangents": {"x": x}, "cotangents": [x]}
        question = ask(lambda a: a.sin() * a.cos(), {"x": x}, transform=transform, **asked_)
        tries = []
        for _ in range(5):
            started = time.process_time()
            assert len(decide(question).decided) == 1000
            tries.append(time.process_time() - started)
        assert min(tries) < 0.05, (transform, tries)
