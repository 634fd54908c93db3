"""What the arbiter does not decide it says, with the reason, and within its budget."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest

from references.arbiter import Budget, Limits, arbitrate, ask, culprits, decide
from tests.unit.arbiter_helpers import reasons, truth, value

ONE = np.ones(1)


def test_a_zero_by_cancellation_has_a_value_and_no_sign() -> None:
    """sin² + cos² − 1 is 0: no precision shows more than that it is below every float."""
    (element,) = truth(lambda x: x.sin() * x.sin() + x.cos() * x.cos() - 1.0, ONE).elements
    assert (element.value, element.unsigned) == (0.0, (True, True))


def test_a_zero_by_cancellation_of_stored_numbers_is_plus_zero() -> None:
    (element,) = truth(lambda x: x - x, ONE).elements
    assert (math.copysign(1, element.value), element.unsigned) == (1.0, (False, False))


def test_the_larger_of_two_zeros_has_no_sign() -> None:
    (element,) = truth(lambda x, y: x.maximum(y), np.array([0.0]), np.array([-0.0])).elements
    assert element.unsigned == (True, True)


def test_division_by_a_zero_of_unknown_sign() -> None:
    assert reasons(lambda x: 1.0 / (x.sin() * 0.0 - x.sin() * 0.0).maximum(-0.0), ONE) == {"the sign of a zero decides"}


def test_a_singularity_at_an_exact_zero_by_cancellation_exhausts_the_precision() -> None:
    (why,) = reasons(lambda x: (x.sin() * x.sin() + x.cos() * x.cos() - 1.0).log(), ONE)
    assert why.startswith("not pinned at 4096 bits")


def test_a_tie_of_an_inexact_intermediate_exhausts_the_precision() -> None:
    """exp(log m) is m, and m is half way between two f32."""
    m = np.array([1.0 + 2.0**-24])
    (why,) = reasons(lambda x: x.log().exp().cast("f32"), m)
    assert why.startswith("not pinned at 4096 bits")


@pytest.mark.parametrize(
    "program",
    [
        lambda x: (x.sin() * x.sin() + x.cos() * x.cos()).compare(1.0, "ge"),
        lambda x: (x.exp().log() - x).sign(),
        lambda x: (x.exp().log()).cast("i64"),
        lambda x: x.exp().log().rem(1.0),
        lambda x: x.exp().log().compare(x, "eq").where_select(x, -x),
        lambda x: (x.exp().log() - x).cast("bool"),
    ],
)
def test_branches_on_inexact_intermediates(program: object) -> None:
    assert reasons(program, ONE) == {"a branch on an inexact intermediate"}  # type: ignore[arg-type]


def test_a_branch_no_rounding_can_change_is_decided() -> None:
    x = np.array([0.5, 2.0])
    assert value(lambda a: a.exp().compare(2.0, "gt"), x).tolist() == [False, True]
    assert value(lambda a: (a.exp() - 2.0).sign(), x).tolist() == [-1.0, 1.0]
    (element,) = truth(lambda a: (a * a - 2.0).abs().sqrt().compare(1e-9, "lt"), np.array([math.sqrt(2)])).elements
    assert element.value is None, "4e-16 under the root is all rounding in a float program"


def test_an_index_that_is_not_decided() -> None:
    m = np.arange(4.0)
    why = reasons(lambda x, i: x.take_along_axis(i.exp().log().cast("i64"), 0), m, ONE)
    assert why == {"an index that is not decided"}


@pytest.mark.parametrize(
    ("program", "operation"),
    [
        (lambda x: x.svd()[1], "svd"),
        (lambda x: x.sin().fft([0]), "fft"),
        (lambda x: x.cholesky(), "cholesky"),
    ],
)
def test_an_operation_it_lacks(program: object, operation: str) -> None:
    assert reasons(program, np.ones((2, 2))) == {f"an operation it lacks: {operation}"}  # type: ignore[arg-type]


def test_a_free_function_it_lacks() -> None:
    def program(x: object) -> object:
        import tenferro_harness as th

        return getattr(th, "convolve")(x)  # noqa: B009 - the harness has none either

    assert reasons(program, ONE) == {"an operation it lacks: convolve"}


def test_the_derivative_of_rem() -> None:
    asked = {"transform": "vjp", "wrt": ("x0",), "cotangents": [ONE]}
    assert reasons(lambda x: x % 0.3, ONE, **asked) == {"an operation it lacks: the derivative of rem"}


def test_a_program_that_leaves_the_tensors() -> None:
    (why,) = reasons(lambda x: x.numpy() + 1, ONE)
    assert why == "an operation it lacks: numpy"
    (why,) = reasons(lambda x: float(x), ONE)
    assert why.startswith("the program over exact tensors: TypeError")
    (why,) = reasons(lambda x: x.where_select(x, x), ONE)
    assert "a condition of dtype f64" in why
    (why,) = reasons(lambda x: x @ x, ONE)
    assert why.startswith("the program over exact tensors: RefusedError")


def test_a_rounding_to_f32_on_the_way_to_f64() -> None:
    x = np.ones(1, np.float32)
    assert reasons(lambda a: a.sin().cast("f64"), x) == {"a rounding to f32 on the way to f64"}
    assert reasons(lambda a: a.cast("f64").sin(), x) == set()
    asked = {"transform": "vjp", "wrt": ("x0",), "cotangents": [ONE]}
    why = reasons(lambda a: a.cast("f32").cast("f64"), np.ones(1), **asked)
    assert why == {"a derivative rounded to f32 on the way to f64"}


def test_softmax_of_nothing_is_a_convention() -> None:
    elements = truth(lambda x: x.softmax(0), np.full(2, -np.inf)).elements
    assert [element.value for element in elements] == [0.0, 0.0]
    assert np.isnan(elements[0].others["NaN (JAX, PyTorch)"])
    assert reasons(lambda x: x.softmax(0) + 1.0, np.full(2, -np.inf)) == {"softmax of a slice that is all -inf"}


def test_a_negative_index_is_a_convention_that_may_be_computed_with() -> None:
    x, i = np.array([1.0, 2.0, 3.0]), np.array([0, -1])
    elements = truth(lambda a: a.take_along_axis(i, 0), x).elements
    assert [element.value for element in elements] == [1.0, 1.0]
    assert elements[1].others["from the end (NumPy, jnp)"] == 3.0
    assert not elements[0].others
    assert value(lambda a: a.take_along_axis(i, 0).reduce_sum(None), x)[0] == 2.0
    question = ask(lambda a: a.take_along_axis(i, 0), {"x": x})
    sides = {"tenferro": {"out0": np.array([1.0, 1.0])}, "jax": {"out0": np.array([1.0, 3.0])}}
    ruling = arbitrate(question, sides, Limits({"out0": 0.0}))
    assert (ruling.label, ruling.culprits) == ("convention", frozenset())


def test_a_cast_that_has_no_integer() -> None:
    assert reasons(lambda x: x.cast("i32"), np.array([np.nan, np.inf, 3e9])) == {
        "no integer of the dtype is the truncated value"
    }
    assert reasons(lambda x: x / 0, np.array([1], np.int64)) == {
        "integer division by zero, or a negative integer power"
    }


def _long(a: Any) -> Any:
    for _ in range(40):
        a = a.gelu().sin().exp()
    return a


@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_the_budget_ends_a_decision(seconds: float) -> None:
    x = np.linspace(1, 2, 60_000)
    started = time.process_time()
    found = decide(ask(_long, {"x": x}), budget=Budget(seconds=seconds))
    assert time.process_time() - started < seconds + 5
    assert {element.reason for element in found.elements if element.value is None} == {
        f"the budget of {seconds:g} s is spent"
    }


def test_undecided_elements_blame_nobody() -> None:
    question = ask(lambda x: x.svd(), {"x": ONE})
    sides = {"a": {"out0": np.array([1.0])}, "b": {"out0": np.array([2.0])}}
    ruling = culprits(question, decide(question, [("out0", 0)]), sides, Limits({"out0": 0.0}))
    assert (ruling.label, ruling.culprits) == ("undecided", frozenset())
    assert ruling.record()["undecided"] == ["an operation it lacks: svd"]


def test_a_sample_starts_with_the_worst_element() -> None:
    x = np.arange(100.0)
    sides = {"a": {"out0": np.sin(x)}, "b": {"out0": np.sin(x) + 1e-9}}
    ruling = arbitrate(ask(lambda a: a.sin(), {"x": x}), sides, Limits({"out0": 1e-12}), worst=("out0", 41), limit=8)
    assert ruling.findings[0].element.place == ("out0", 41)
    assert 5 <= len(ruling.findings) <= 8
    assert ruling.culprits == {"b"}


def test_a_side_of_another_size_is_a_culprit() -> None:
    x = np.arange(4.0)
    sides = {"a": {"out0": np.sin(x)}, "b": {"out0": np.sin(x[:3])}, "c": {"out1": np.sin(x)}}
    ruling = arbitrate(ask(lambda a: a.sin(), {"x": x}), sides, Limits({"out0": 1e-12}), worst=("out0", 2))
    assert (ruling.label, ruling.culprits) == ("culprits", frozenset({"b", "c"}))
    assert ruling.record()["right"]["a"] == 1


def test_empty_results_ask_nothing() -> None:
    x = np.zeros((0, 3))
    sides = {"a": {"out0": x}, "b": {"out0": x}}
    assert arbitrate(ask(lambda a: a.sin(), {"x": x}), sides, Limits({"out0": 0.0})).label == "both-close"


def test_the_sign_of_a_zero_where_it_is_judged_is_a_convention() -> None:
    x = np.array([-0.0, 1.0])
    question = ask(lambda a: a.sin(), {"x": x})
    sides = {"a": {"out0": np.sin(x)}, "b": {"out0": np.abs(np.sin(x))}}
    judged = arbitrate(question, sides, Limits({"out0": 1e-12}, signs=True))
    assert (judged.label, judged.culprits) == ("convention", frozenset())
    assert judged.worst is not None
    assert judged.worst.why == "the sign of a zero"
    assert arbitrate(question, sides, Limits({"out0": 1e-12})).label == "both-close"
