"""The second answer: a runtime that was asked once gives the right answer to other values of the same shape."""

import pytest

from tests.examine import Examine
from tests.plan import Check, checks


@pytest.mark.parametrize("check", checks("second-answer"), ids=str)
def test_second_answer_is_right(check: Check, examine: Examine) -> None:
    examine(check)
