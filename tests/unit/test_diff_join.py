"""Joining two runs: what each pair of rows is called."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compare.diff import Change, Difference, Row, Run, difference
from compare.junit import junit
from tests.plan import plan

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


def test_an_answer_after_which_its_process_died_fails_once() -> None:
    base, head = Run("a", {CHECK: same("match")}), Run("b", {CHECK: same("match")}, died={ANSWER: "SIGSEGV after it"})
    assert difference(base, head).changes == (Change("died", ANSWER, after="SIGSEGV after it"),)
    assert difference(base, head).failed
    assert not difference(replace(base, died=head.died), head).failed
    assert 'errors="1"' in junit(difference(base, head), head.rows)


def test_an_answer_has_one_name_by_its_check_and_by_its_question() -> None:
    assert all(check.got.key == Row(check.id, "match").answer_key for check in plan())
