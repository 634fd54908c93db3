"""What tenferro refuses, it refuses by a typed error that says why."""

import pytest

from tests.examine import Examine
from tests.plan import Check, checks


@pytest.mark.parametrize("check", checks("refusal"), ids=str)
def test_refusal_says_why(check: Check, examine: Examine) -> None:
    examine(check)
