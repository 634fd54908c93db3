"""Every operation is asked at two widths, and the table says of each whether its bits moved, at which size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compare import record, widths
from references import cases, coverage
from references.case import DERIVATIVES

OWN = {case.id.partition("/")[2]: case for case in cases() if case.family == "widths"}


def test_every_operation_of_the_release_is_asked_at_two_widths_on_its_surfaces() -> None:
    cells = coverage.cells(coverage.release_methods("0.8.0"))
    for operation in {cell.operation for cell in cells}:
        case = OWN[operation.replace("_", "-")]
        assert {cell.surface for cell in cells if cell.operation == operation} <= set(case.surfaces)
        derived = {cell.transform for cell in cells if cell.operation == operation} & set(DERIVATIVES)
        assert derived <= set(case.transforms)
        assert case.widths == (1, 2)
        assert "widths" in case.properties


def test_each_case_calls_its_operation() -> None:
    asked = [one for one in coverage.watch() if one.case.family == "widths"]
    for name, case in OWN.items():
        calls = [one.operations for one in asked if one.case is case]
        assert len(calls) >= len(case.surfaces)
        assert all(name.replace("-", "_") in found for found in calls), name


def line(case: str, moved: str = "", *, outcome: str = "match", transform: str = "value") -> dict[str, Any]:
    """A record of one width against another; `moved`: the array whose bits did."""
    names = ("out0", "out1") if transform == "value" else ("x-small", "x-large")
    answers = {"reference": dict.fromkeys(names, "00"), "tenferro": {n: "11" if n == moved else "00" for n in names}}
    return {
        "id": f"{case}::widths::w1::traced::{transform}::f64::w2",
        "outcome": outcome,
        "answers": answers,
        "totals": {"n": 9, "bitwise_equal": 9 - bool(moved), "max_ulp": int(bool(moved))},
    }


def test_the_table_tells_sizes_apart_and_what_is_not_asked() -> None:
    found = [line("widths/sin"), line("widths/sum", "out1"), line("widths/sum", "x-small", transform="vjp")]
    rows = {row.split()[0]: row.split()[1:] for row in widths.table(found).splitlines()}
    assert rows["sin"] == ["=", "=", *["–"] * 6]
    assert rows["sum"] == ["=", "moves", "moves", "=", *["–"] * 4]


def test_what_failed_is_no_equality_and_the_worst_of_all_dtypes_is_told() -> None:
    found = [line("widths/sin"), line("widths/sin", outcome="error"), line("widths/cos"), line("widths/cos", "out0")]
    rows = {row.split()[0]: row.split()[1:3] for row in widths.table(found).splitlines()}
    assert rows["sin"] == ["fails", "fails"]
    assert rows["cos"] == ["moves", "="]


def test_moves_are_listed_of_every_family_with_how_many_and_how_far() -> None:
    *_, last = widths.told([line("widths/sin"), line("threads/sum", "out0")])
    assert last == "threads/sum::widths::w1::traced::value::f64::w2: 1 of 9 elements, up to 1 ulp"


def test_what_failed_is_listed_whatever_its_family_and_a_cut_file_is_told() -> None:
    lines = list(widths.told([line("threads/sum", outcome="timeout"), line("widths/sin")], truncated=True))
    assert "threads/sum::widths::w1::traced::value::f64::w2: timeout" in lines
    assert any("cut short" in text for text in lines)
    assert "2 checks of two widths, bits moved in 0, 1 failed" in lines


def test_an_answer_without_arrays_is_no_equality() -> None:
    nothing = {**line("widths/sin"), "answers": {"reference": {}, "tenferro": {}}}
    assert "fails" in widths.table([nothing])


@pytest.mark.parametrize("change", [{"id": "a/b::widths::x"}, {"answers": {}}, {"totals": {"n": 3}}])
def test_a_record_that_no_run_wrote_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(record.RecordError, match="no run writes such a record"):
        widths.checks([{**line("widths/sin"), **change}])


@pytest.mark.parametrize("text", ["", "{}\n", "no json\n"])
def test_records_that_are_none_are_refused_in_a_line(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(text)
    assert widths.main([str(path)]) == 2
    assert capsys.readouterr().err.startswith("widths: ")


def test_a_run_without_widths_says_how_to_make_one() -> None:
    other = {**line("widths/sin"), "id": "transforms/sin::agreement::jax::traced::value::f64::w1"}
    with pytest.raises(record.RecordError, match="nox -s widths"):
        list(widths.told([other]))
