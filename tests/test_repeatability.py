"""At another width an answer stays within the tolerance; asked again at the same width it has the same bits."""

import pytest

from tests.examine import Examine
from tests.plan import Check, checks


@pytest.mark.parametrize("check", checks("widths"), ids=str)
def test_widths_agree(check: Check, examine: Examine) -> None:
    examine(check)


@pytest.mark.parametrize("check", checks("run-twice"), ids=str)
def test_runs_agree(check: Check, examine: Examine) -> None:
    examine(check)
