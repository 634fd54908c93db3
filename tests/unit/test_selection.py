"""What -k drops in any case is left out early, and nothing else is."""

from collections.abc import Iterator

import pytest

from tests import selection
from tests.plan import plan

TRG = "trg/beta-0.30::agreement::jax::eager::grad::f64::w1"
EXP = "elementwise/exp::agreement::jax::eager::value::f64::w2"


@pytest.fixture(autouse=True)
def _widened() -> Iterator[None]:
    yield
    selection.narrow("")


@pytest.mark.parametrize(
    "expression", ["trg", "trg and w1", "TRG and grad", "beta-0.30 and w1", "trg/beta and f64", "trg\tand\tw1"]
)
def test_words_that_all_must_hold_leave_the_rest_out(expression: str) -> None:
    selection.narrow(expression)
    assert selection.may_select(TRG)
    assert not selection.may_select(EXP)


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "trg or exp",
        "not trg",
        "trg and not w1",
        "(trg)",
        "trg and (w1)",
        "not (trg)",
        "None",
        "slow",
        "values.py",
        "test_value_agrees[trg",
        "trg and w1]",
    ],
)
def test_anything_else_is_left_to_pytest(expression: str) -> None:
    selection.narrow(expression)
    assert selection.may_select(TRG)
    assert selection.may_select(EXP)


@pytest.mark.parametrize("expression", ["agree", "tests", "test_value_agrees", "parametrize", "derivative"])
def test_a_name_that_tests_have_beside_the_id_is_no_reason(expression: str) -> None:
    selection.narrow(expression)
    assert all(selection.may_select(check.id) for check in plan()[::500])
