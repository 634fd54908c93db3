"""Derivatives: vjp, jvp, grad and hvp against each reference's."""

import pytest

from tests.examine import Examine
from tests.plan import DERIVATIVES, Check, checks


@pytest.mark.parametrize("check", checks("agreement", transforms=DERIVATIVES), ids=str)
def test_derivative_agrees(check: Check, examine: Examine) -> None:
    examine(check)
