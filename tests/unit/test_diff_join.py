"""Joining two runs: what each pair of rows is called, and that drift is exactly what moved, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from compare.check import compare_arrays
from compare.diff import Change, Difference, Row, Run, difference, row
from compare.record import array_hash, line
from compare.tolerances import load
from references.question import Answer, Question
from rust_harness.release_store import Store

ROOT = Path(__file__).parents[2]
CHECK = "elementwise/sin::agreement::jax::traced::value::f64::w1"
ANSWER = "elementwise/sin::traced::value::f64::w1::first"


def joined(before: Row, after: Row, *, partial: bool = False) -> Difference:
    return difference(Run("0.8.0", {before.id: before}), Run("0.9.0", {after.id: after}, partial))


def kinds(found: Difference) -> list[str]:
    return [change.kind for change in found.changes]


def same(outcome: str, **fields: object) -> Row:
    return replace(Row(CHECK, outcome, answer="a", inputs="i"), **fields)  # type: ignore[arg-type]


def test_nothing_changes_between_equal_runs() -> None:
    found = joined(same("match"), same("match"))
    assert (found.changes, found.checks, found.answers, found.failed) == ((), 1, 1, False)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("mismatch", "match", "fixed"),
        ("match", "mismatch", "regressed"),
        ("match", "unsupported", "regressed"),
        ("unsupported", "error", "regressed"),
        ("error", "mismatch", "regressed"),
        ("mismatch", "timeout", "regressed"),
        ("timeout", "crash", "regressed"),
        ("crash", "error", "changed"),
        ("mismatch", "error", "changed"),
    ],
)
def test_a_verdict_that_moved_is_named(before: str, after: str, kind: str) -> None:
    found = joined(same(before), same(after))
    assert kinds(found) == [kind]
    assert found.failed == (kind == "regressed")


def test_bits_moved_inside_the_tolerance_are_drift_with_both_distances() -> None:
    before = same("match", max_ulp=1, equal=(99, 100))
    found = joined(before, replace(before, answer="b", max_ulp=3, equal=(97, 100)))
    assert found.changes == (Change("drift", ANSWER, "1 ulp, 99/100 bitwise", "3 ulp, 97/100 bitwise", ""),)
    assert not found.failed


def test_an_answer_of_several_checks_drifts_once_with_its_worst_distances() -> None:
    torch = CHECK.replace("jax", "torch")
    base = {CHECK: same("match", max_ulp=1), torch: replace(same("match", max_ulp=4), id=torch)}
    head = {check: replace(one, answer="b") for check, one in base.items()}
    found = difference(Run("a", base), Run("b", head))
    assert [(change.id, change.before) for change in found.of("drift")] == [(ANSWER, "4 ulp")]
    assert (found.checks, found.answers) == (2, 1)


def test_second_answers_and_repeated_runs_are_answers_of_their_own() -> None:
    keys = {
        Row(f"a/b::{name}::jax::eager::vjp::f32::w2", "match").answer_key for name in ("second-answer", "run-twice")
    }
    assert keys == {"a/b::eager::vjp::f32::w2::second", "a/b::eager::vjp::f32::w2::again"}


def test_a_moved_answer_whose_verdict_changed_is_told_as_both() -> None:
    found = joined(same("match"), same("mismatch", answer="b"))
    assert kinds(found) == ["regressed", "drift"]
    assert found.of("drift")[0].detail == "the verdict changed too"


def test_a_question_that_differs_is_no_drift_and_no_regression() -> None:
    found = joined(same("match"), same("mismatch", answer="b", inputs="other"))
    assert kinds(found) == ["inputs"]
    assert not found.failed


def test_checks_of_one_run_alone_are_new_or_gone() -> None:
    other = CHECK.replace("sin", "cos")
    found = difference(Run("a", {CHECK: same("match")}), Run("b", {other: replace(same("error"), id=other)}))
    assert [(change.kind, change.id) for change in found.changes] == [("new", other), ("gone", CHECK)]
    assert not found.failed


def test_a_missing_operation_of_a_partial_build_is_build() -> None:
    gone = same("error", answer="", detail="AttributeError: 'Traced' object has no attribute 'svd'")
    assert kinds(joined(same("match"), gone, partial=True)) == ["build"]
    assert kinds(joined(same("match"), gone)) == ["regressed"]
    assert joined(same("match"), gone, partial=True).failed


def _record(check: str, got: np.ndarray, ref: np.ndarray) -> dict[str, object]:
    """The record of one check, made as a run makes it."""
    tolerance = load(ROOT / "tolerances.toml").of("elementwise.value", "f64")
    comparison = compare_arrays({"out0": ref}, {"out0": got}, tolerance=tolerance)
    hashes = {side: {"out0": array_hash(array)} for side, array in (("tenferro", got), ("reference", ref))}
    return line(
        run="r",
        id=check,
        outcome=comparison.outcome,
        red=comparison.outcome != "match",
        comparison=comparison,
        inputs={"tenferro": "i", "reference": "i"},
        answers=hashes,
    )


def test_the_drift_list_is_an_independent_bitwise_diff_of_the_raw_answers(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    stores = [Store(tmp_path / f"{name}.sqlite", context="raw") for name in ("base", "head")]
    runs: list[dict[str, Row]] = [{}, {}]
    for number in range(40):
        ref = rng.standard_normal(20)
        check = f"elementwise/case-{number}::agreement::jax::traced::value::f64::w1"
        question = Question(f"elementwise/case-{number}", "tenferro", "value", "f64", "traced", 1)
        for store, rows, got in zip(stores, runs, (ref, _moved(ref, number)), strict=True):
            rows[check] = row(_record(check, got, ref))
            store.put(question, Answer("ok", {"out0": got}))
    found = difference(Run("base", runs[0]), Run("head", runs[1]))
    raw = [dict(store.items()) for store in stores]
    apart = {name for name, answer in raw[0].items() if _bytes(answer) != _bytes(raw[1][name])}
    assert {change.id.partition("::")[0] for change in found.of("drift")} == {_case(name) for name in apart}
    assert len(apart) == 26


def _moved(ref: np.ndarray, number: int) -> np.ndarray:
    """A third as it was, a third with one element an ulp up, a third wrong."""
    got = ref.copy()
    if number % 3 == 1:
        got[number % 20] = np.nextafter(got[number % 20], np.inf)
    if number % 3 == 2:
        got *= 1.5
    return got


def _bytes(answer: Answer) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in answer.arrays.items()}


def _case(question: str) -> str:
    return question.partition("case='")[2].partition("'")[0]
