"""The table at the end of a run and the text of a failing check."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from compare import record, report
from compare.check import compare_arrays
from compare.tolerances import Tolerance

TOLERANCE = Tolerance(
    category="test", reason="A test.", dtype="f64", rule="scaled", factors={"f64": 1e-14, "f32": 1e-5}
)


def line(check: str, ref: Any = None, got: Any = None, **more: Any) -> dict[str, Any]:
    comparison = None
    if ref is not None:
        comparison = compare_arrays({"out0": np.asarray(ref)}, {"out0": np.asarray(got)}, tolerance=TOLERANCE)
    outcome = comparison.outcome if comparison else "crash"
    told = {"outcome": outcome, "red": outcome != "match", **more}
    return record.line(run="r1", id=f"{check}::agreement::jax::traced::value::f64::w1", comparison=comparison, **told)


ONE = np.array([1.0, 1.0])
LINES = [
    line("fft/a", ONE, ONE),
    line("fft/b", ONE, ONE + np.array([0, 4.5e-16])),
    line("fft/c", ONE, ONE + 1),
    line("fft/d", ONE, ONE + 5, red=False, known="bug"),
    line("fft/e", ONE, ONE, red=True, known="bug"),
    line("elementwise/f", detail="SIGFPE"),
    line("elementwise/g", outcome="unsupported"),
    line("elementwise/h", outcome="timeout"),
    line("elementwise/i", outcome="error"),
    line("elementwise/j", ONE, ONE),
]


def rows(text: str) -> dict[str, dict[str, str]]:
    """The table by family and column."""
    header, *lines = text.splitlines()
    names = [name.strip() for name in header.replace("worst slack", "slack").replace("max ulp", "ulp").split()]
    return {cells[0]: dict(zip(names, cells, strict=True)) for cells in (line.split() for line in lines)}


def test_every_check_is_counted_once_and_in_its_family() -> None:
    table = rows(report.table(LINES))
    assert list(table) == ["elementwise", "fft", "all"]
    outcomes = ("match", "mismatch", "error", "unsupported", "crash", "timeout", "known")
    assert [table["fft"][name] for name in ("checks", *outcomes, "red")] == [
        "5",
        "3",
        "1",
        "0",
        "0",
        "0",
        "0",
        "1",
        "2",
    ]
    assert [table["elementwise"][name] for name in outcomes] == ["1", "0", "1", "1", "1", "1", "0"]
    for row in table.values():
        assert sum(int(row[name]) for name in outcomes) == int(row["checks"])


def test_the_figures_are_those_of_what_was_not_predicted() -> None:
    table = rows(report.table(LINES))
    assert table["fft"]["bitwise"] == "62.5%"
    assert table["fft"]["slack"] == "1e-14"
    assert table["fft"]["ulp"] == str(2**52)
    assert (table["elementwise"]["slack"], table["elementwise"]["bitwise"]) == ("–", "100.0%")


def test_one_family_has_no_row_for_all() -> None:
    assert list(rows(report.table(LINES[:2]))) == ["fft"]
    assert rows(report.table([])) == {}


def test_columns_are_aligned() -> None:
    assert len({len(row) for row in report.table(LINES).splitlines()}) == 1


def test_a_failure_tells_id_values_figures_and_how_to_repeat_it() -> None:
    text = report.failure(line("fft/a", [1.0, 3.0], [1.0, 3.5], side="tenferro"), "tests/test_values.py::test[a]")
    assert text.splitlines() == [
        "fft/a::agreement::jax::traced::value::f64::w1: mismatch of tenferro",
        "  max|diff| 0.5 at 1 is above 3e-14",
        "  out0[1]: reference 0x1.8000000000000p+1 = 3.0",
        "  out0[1]: tenferro  0x1.c000000000000p+1 = 3.5",
        "  out0: n 2 · max|ref| 3 · max|diff| 0.5 · bound 3e-14 (test) · bitwise equal 1 · max ulp 1125899906842624,"
        " 99 % up to 1125899906842624",
        '  again: python -m pytest "tests/test_values.py::test[a]"',
    ]


@pytest.mark.parametrize(
    ("ref", "got", "words"),
    [
        ([1.0, np.nan], [1.0, 2.0], "reference nan = nan"),
        ([1.0, np.inf], [1.0, 2.0], "reference inf = inf"),
        ([7, -8], [7, 9], "reference -0x8 = -8"),
        ([True, False], [True, True], "tenferro  0x1 = 1"),
        ([1 + 2j], [1 + 3j], "tenferro  0x1.0000000000000p+0 0x1.8000000000000p+1 = 1.0 3.0"),
        (np.ones((2, 2)), np.ones(4), "shape (4,) where the reference has (2, 2)"),
    ],
)
def test_a_failure_shows_any_value(ref: Any, got: Any, words: str) -> None:
    assert words in report.failure(line("fft/a", ref, got), "t")


def test_a_failure_without_a_comparison_tells_the_side_and_its_text() -> None:
    text = report.failure(line("fft/a", side="torch", detail="SIGFPE"), "t")
    assert text.splitlines() == [
        "fft/a::agreement::jax::traced::value::f64::w1: crash of torch",
        "  SIGFPE",
        '  again: python -m pytest "t"',
    ]


def test_a_prediction_that_did_not_come_is_told() -> None:
    assert "match, predicted as bug to end otherwise" in report.failure(LINES[4], "t")


def test_predictions_are_counted_by_kind_and_only_where_they_came() -> None:
    more = [line("fft/k", ONE, ONE + 5, red=False, known=kind) for kind in ("policy", "policy", "reference")]
    assert report.kinds([*LINES, *more]) == "known: 1 bug, 2 policy, 1 reference"
    assert report.kinds([line("fft/a", ONE, ONE)]) == ""


def test_pairs_of_tenferros_own_answers_are_counted_by_property_and_sameness() -> None:
    def pair(name: str, moved: float) -> dict[str, Any]:
        return {**line("fft/a", ONE, ONE + moved), "id": f"fft/a::{name}::traced::eager::value::f64::w1"}

    found = [pair("surfaces", 0), pair("surfaces", 4.5e-16), pair("run-twice", 0), *LINES]
    told = report.pairs(found)
    assert told == "pairs of tenferro's answers, bit for bit the same: surfaces 1 of 2, run-twice 1 of 1"
    assert report.pairs(LINES) == ""
