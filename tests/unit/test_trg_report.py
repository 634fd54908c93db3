"""Verdicts, tables and the page."""

import math
from html.parser import HTMLParser

import pytest

from references.trg import page, plots
from references.trg.report import Section, Table, Verdict, text, within


def test_a_difference_beyond_its_bound_does_not_hold() -> None:
    assert not within("x", [1e-15, 2e-11], [1e-11, 1e-11]).holds


def test_a_difference_at_its_bound_holds() -> None:
    assert within("x", [1e-15, -1e-11], [1e-11, 1e-11]).holds


@pytest.mark.parametrize("differences", [[math.nan, 0.0], [0.0, math.nan]])
def test_nan_does_not_hold_and_is_the_worst(differences: list[float]) -> None:
    verdict = within("x", differences, [1.0, 1.0])
    assert not verdict.holds
    assert "nan" in verdict.figures


def section() -> Section:
    """A section with text that HTML would take for its own."""
    table = Table("a < b", ("β", "x"), (("0.3", "1"), ("0.44", "22")), "a note & more")
    return Section("c", (table,), (Verdict("holds", True, "1 < 2"), Verdict("does not", False, "2 > 1")))


def test_text_aligns_columns_and_says_mismatch() -> None:
    lines = text(section()).splitlines()
    assert lines[2:4] == ["  0.3    1", "  0.44  22"]
    assert any(line.startswith("  MISMATCH  does not") for line in lines)


class Tags(HTMLParser):
    """Collects what a page consists of and whether its tags close."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "path", "use", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()


def test_page_is_escaped_closed_and_self_contained() -> None:
    made = page.render([section()], subtitle="<live>")
    tags = Tags()
    tags.feed(made)
    assert tags.open == []
    assert "a &lt; b" in made
    assert "&lt;live&gt;" in made
    assert tags.seen.count("tr") == 3
    assert not [address for address in tags.addresses if not address.startswith("#")]
    assert "1 of 2 statements hold" in made


def test_plots_are_svg_with_their_series() -> None:
    names = ["first way", "second way"]
    drawn = plots.variants({"names": names, "seconds": [(0.5, 0.6), (0.7, 0.8)]})
    assert drawn.startswith("<svg")
    assert all(name in drawn for name in names)
