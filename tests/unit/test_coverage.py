"""Coverage: cells follow the release, a cell counts where a program showed something, and a loss fails."""

from __future__ import annotations

import json
import operator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from references import coverage
from references.case import Case
from references.coverage import Asked, Cell
from references.inputs import uniform
from references.question import Answer
from references.watched import Watched, bare


def case(**more: Any) -> Case:
    given: dict[str, Any] = {
        "id": "planted/one",
        "why": "Planted.",
        "inputs": {"x": uniform(3)},
        "numpy": lambda x: x,
        "tenferro": lambda x: x.sin(),
    }
    return Case(**{**given, **more})


def test_an_operation_makes_seven_cells_a_surface_and_twelve_of_derivatives() -> None:
    made = coverage.cells({"TracedTensor": {"sin"}, "TensorSessionOpsExt": {"sin"}})
    assert len([cell for cell in made if cell.surface == "traced"]) == 7 + 4 * 3
    assert len([cell for cell in made if cell.surface == "concrete"]) == 7


def test_an_operation_of_a_newer_release_is_missing_by_itself() -> None:
    old, new = coverage.cells({"TracedTensor": {"sin"}}), coverage.cells({"TracedTensor": {"sin", "sinc"}})
    found = dict.fromkeys(old, "elementwise")
    lines = coverage.report(new, found)
    assert "not asked: sinc traced value: bool c128 c64 f32 f64 i32 i64" in lines
    assert any(line.startswith("covered") and f"{len(old)} of {len(new)}" in line for line in lines)


def test_what_is_excluded_has_a_reason_and_makes_no_cell() -> None:
    assert not coverage.cells({"TracedTensor": {"from_vec_col_major", "sym_size"}, "TracedTensorLinalgExt": {"svd"}})
    assert all(row["why"].endswith(".") for row in coverage._rules()["exclude"])


def test_derivatives_that_cannot_be_are_no_cells() -> None:
    assert {cell.transform for cell in coverage.cells({"TracedTensor": {"compare"}})} == {"value"}


@pytest.mark.parametrize(
    ("array", "shows"),
    [([1.0, 2.0], True), ([1.0], True), ([], False), ([2.0, 2.0], False), ([np.nan, np.nan], True), ([0j, 1j], True)],
)
def test_empty_and_constant_arrays_show_nothing(array: list[complex], shows: bool) -> None:
    assert coverage._shows(np.array(array)) is shows


def test_a_case_covers_what_it_shows_and_a_refusal_every_transform() -> None:
    shown = Asked(case(), "eager", "f64", frozenset({"sin"}), refused=False, shown=frozenset({"value", "vjp"}))
    refused = Asked(case(dtypes=("c128",)), "eager", "c128", frozenset({"erf"}), refused=True)
    found = coverage.covered([shown, refused], None)
    assert {cell.transform for cell in found if cell.operation == "sin"} == {"value", "vjp"}
    assert Cell("erf", "eager", "c128", "hvp") in found
    assert set(found.values()) == {"planted"}


def test_only_what_a_run_compared_counts_where_its_records_are_given(tmp_path: Path) -> None:
    records = tmp_path / "run.jsonl"
    ids = {"match": "planted/one::agreement::numpy::eager::value::f64::w1",
           "error": "planted/one::agreement::numpy::eager::jvp::f64::w1"}  # fmt: skip
    rows = [{"kind": "run"}, *({"kind": "check", "outcome": outcome, "id": id} for outcome, id in ids.items())]
    records.write_text("\n".join(map(json.dumps, rows)))
    shown = Asked(case(), "eager", "f64", frozenset({"sin"}), refused=False, shown=frozenset({"value", "jvp"}))
    found = coverage.covered([shown], coverage.from_records(records))
    assert set(found) == {Cell("sin", "eager", "f64", "value")}


def test_a_derivative_of_zeros_alone_covers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def answering(tenferro: list[float], reference: list[float]) -> bool:
        arrays = {"tenferro": tenferro, "jax": reference}
        monkeypatch.setattr("references.run.answer", lambda q: Answer("ok", {"x": np.array(arrays[q.side])}))
        return coverage._bends(case(jax=lambda x: x), "eager", "f64", "vjp")

    assert answering([1.0, 2.0], [0.0, 0.0])
    assert answering([0.0, 0.0], [1.0, 2.0])
    assert not answering([0.0, 0.0], [0.0, 0.0])
    assert not answering([0.0], [0.0])


class Plain:
    """A stand-in for the harness's eager tensor: the watcher knows its classes by name."""

    def __init__(self, value: float) -> None:
        self.value = value

    def plus(self, other: Any) -> Any:
        return type(self)(self.value + getattr(other, "value", other))

    def __add__(self, other: Any) -> Any:
        return self.plus(other)

    def parts(self) -> tuple[Any, Any]:
        return self, self


Eager = type("Eager", (Plain,), {})


def test_a_watched_tensor_notes_methods_operators_and_what_comes_of_them() -> None:
    calls: list[str] = []
    left, right = Watched(Eager(1.0), calls), Watched(Eager(2.0), calls)
    first, _ = operator.add(left, right).parts()
    found = first.plus(other=right)
    assert calls == ["add", "parts", "plus"]
    assert bare([found])[0].value == 5.0


def test_the_cases_reach_the_floor_and_bad_records_are_told_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert coverage.main([]) == 0
    assert "covered" in capsys.readouterr().out
    assert coverage.main(["--records", "missing.jsonl"]) == 2
    assert "missing.jsonl" in capsys.readouterr().err


def test_less_than_the_floor_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(coverage, "watch", lambda: iter(()))
    assert coverage.main([]) == 1
    assert "below the floor" in capsys.readouterr().out
