"""Derivatives against themselves: the adjoint identity, and the order of Taylor remainders."""

import pytest

from tests.consistency import PROPERTIES
from tests.examine import Examine
from tests.plan import Check, checks


@pytest.mark.parametrize("check", [check for name in PROPERTIES for check in checks(name)], ids=str)
def test_derivative_is_consistent(check: Check, examine: Examine) -> None:
    examine(check)
