"""The page of known differences: each sentence once, with its right value and the checks it speaks of."""

from __future__ import annotations

import pytest

from references.question import Question
from tests import known_page
from tests.known import Known, KnownError
from tests.plan import Check

PLANTED = [
    Known("planted/a::*", "mismatch", "policy", "One way.", right="Either."),
    Known("planted/b::*", "error", "policy", "One way.", right="Either.", issue="https://example.org/7"),
    Known("planted/b::*", "error", "bug", "A fault.", right="42."),
]


def check(case: str) -> Check:
    return Check("agreement", "numpy", Question(case, "tenferro", "value", "f64", "eager", 1), None)


CHECKS = [check("planted/a"), check("planted/b"), check("other/c")]


def test_one_sentence_stands_once_with_all_its_checks() -> None:
    (entry,) = known_page.entries(PLANTED[:2], CHECKS)
    assert (entry.checks, entry.families, entry.outcomes) == (2, ("planted",), ("mismatch", "error"))
    assert entry.issue == "https://example.org/7"


def test_the_page_has_its_chapters_with_counts_and_right_values() -> None:
    lines = list(known_page.page(PLANTED, CHECKS, release="0.8.0"))
    assert [line.strip() for line in lines if "## " in line] == [
        "## Choices (1)",
        "## Faults (1)",
        "## Not tenferro (0)",
    ]
    assert "  Right: 42." in lines
    assert "- A fault." in lines


def test_the_projects_own_page_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert known_page.main([]) == 0
    page = capsys.readouterr().out
    assert page.startswith("# How tenferro")
    assert "no family selected" not in page


def test_a_malformed_file_is_told_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KnownError("known.toml: entry '?': 'why' is missing")

    monkeypatch.setattr(known_page, "load", broken)
    assert known_page.main([]) == 2
    assert capsys.readouterr().err == "known: known.toml: entry '?': 'why' is missing\n"
