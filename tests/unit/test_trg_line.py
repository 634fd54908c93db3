"""The long parts of the line, each statement of which has to hold; they run where slow tests are asked for."""

import pytest

from references.trg import __main__, options


@pytest.mark.slow
@pytest.mark.parametrize("part", ["jump", "c-by-h"])
def test_every_statement_holds(part: str) -> None:
    (section,) = __main__.run(options.parse(["--part", part]), lambda _: None)
    assert section.verdicts
    assert [verdict for verdict in section.verdicts if not verdict.holds] == []
