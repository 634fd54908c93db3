"""Values: tenferro's outputs against each reference's."""

import pytest

from tests.examine import Examine
from tests.plan import Check, checks


@pytest.mark.parametrize("check", checks("agreement", transforms=("value",)), ids=str)
def test_value_agrees(check: Check, examine: Examine) -> None:
    examine(check)
