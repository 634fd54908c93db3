"""Traced, eager and concrete give the same bits."""

import pytest

from tests.examine import Examine
from tests.plan import Check, checks


@pytest.mark.parametrize("check", checks("surfaces"), ids=str)
def test_surfaces_agree(check: Check, examine: Examine) -> None:
    examine(check)
