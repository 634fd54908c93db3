"""The two identities find a derivative that is wrong, and let a right one pass."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from compare import tolerances
from references import material
from references.case import Case
from references.inputs import uniform
from references.moved import moved
from references.question import Answer, Question
from tests import consistency

TOLERANCES = tolerances.load(Path(__file__).parents[2] / "tolerances.toml")
CASE = Case(
    id="elementwise/planted",
    why="A sine whose derivatives are computed here.",
    inputs={"x": uniform(50, low=0.2, high=1.3)},
    jax=lambda x: x,
    tenferro=lambda x: x,
)


def _answers(question: Question, *, first: float = 1.0, second: float = 1.0, pushed: float = 1.0) -> Answer:
    """What tenferro would say of sin, with planted factors in its derivatives."""
    like = [np.zeros(50)]
    asked = material.make(CASE, transform=question.transform, dtype="f64", ordinal=0, outputs=lambda _: like)
    asked = moved(CASE, question, asked)
    x = asked.inputs["x"]
    if question.transform == "value":
        return Answer("ok", {"out0": np.sin(x)})
    if question.transform == "jvp":
        return Answer("ok", {"out0": pushed * np.cos(x) * asked.tangents["x"]})
    pulled = asked.cotangents[0]
    if question.transform == "vjp":
        return Answer("ok", {"x": first * np.cos(x) * pulled})
    return Answer("ok", {"x": second * -np.sin(x) * pulled * asked.tangents["x"]})


def _outcome(name: str, transform: str, **planted: float) -> str:
    got = Question(CASE.id, "tenferro", transform, "f64", "eager", 1)
    found = consistency.compared(name, CASE, got, lambda question: _answers(question, **planted), TOLERANCES)
    return found.outcome


@pytest.mark.parametrize(("name", "transform"), [("adjoint", "vjp"), ("taylor", "jvp"), ("taylor", "hvp")])
def test_right_derivatives_match(name: str, transform: str) -> None:
    assert _outcome(name, transform) == "match"


def test_a_vjp_that_is_not_the_transpose_of_the_jvp_is_found() -> None:
    assert _outcome("adjoint", "vjp", first=1 + 1e-12) == "mismatch"


@pytest.mark.parametrize("error", [1e-4, -1e-5])
def test_a_first_derivative_that_is_wrong_alike_in_both_modes_is_found(error: float) -> None:
    assert _outcome("adjoint", "vjp", first=1 + error, pushed=1 + error) == "match"
    assert _outcome("taylor", "jvp", first=1 + error, pushed=1 + error) == "mismatch"


def test_a_wrong_second_derivative_is_found() -> None:
    assert _outcome("taylor", "hvp", second=1.001) == "mismatch"


def test_a_nan_in_a_derivative_is_a_mismatch_and_not_an_error_of_the_suite() -> None:
    assert _outcome("adjoint", "vjp", pushed=float("nan")) == "mismatch"


def test_an_answer_that_failed_is_handed_on() -> None:
    got = Question(CASE.id, "tenferro", "vjp", "f64", "eager", 1)
    found = consistency.compared("adjoint", CASE, got, lambda _: Answer("error", detail="planted"), TOLERANCES)
    assert found.outcome == "error"


def test_a_case_at_kinks_is_not_asked() -> None:
    got = Question(CASE.id, "tenferro", "vjp", "f64", "eager", 1)
    assert list(consistency.of(CASE, got)) == [("adjoint", "jvp")]
    kinked = Case(id="elementwise/abs-at-zero", why="A kink.", inputs=CASE.inputs, jax=abs, tenferro=abs)
    assert not list(consistency.of(kinked, got))
