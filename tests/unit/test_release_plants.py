"""The faults themselves: enough of them, each switched somewhere, and called caught only where a check shows it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from compare.diff import Row
from references.question import Question
from rust_harness.plants import trial
from rust_harness.plants.edits import Edit, sites
from rust_harness.plants.planting import MODULE, apply
from rust_harness.plants.rules import rules
from rust_harness.plants.sweeping import SPREAD, sweep
from rust_harness.plants.table import FAULTS, SWEEP_SITES, SWEEP_SIZES, Fault
from rust_harness.release_source import BuildError
from tests.plan import Check

EDITED = "\n".join(edit.replacement for edit in (*sites(), *rules()))
RULES = set(re.findall(r'plant::on\("([^"]+)"\)', EDITED))


def _ways() -> set[str]:
    """What plant.rs can do to an element."""
    return set(re.findall(r'^\s+"(\w+)" =>', MODULE.read_text(), re.MULTILINE)) | {"swap"}


def test_there_are_thirty_faults_of_every_kind() -> None:
    assert len(FAULTS) >= 30
    assert len({fault.name for fault in FAULTS}) == len({fault.switch for fault in FAULTS}) == len(FAULTS)
    assert {fault.kind for fault in FAULTS} >= {
        "wholesale", "kernel", "derivative rule", "indexing", "svd", "einsum", "width", "surface", "second call",
    }  # fmt: skip
    assert min(float(size) for fault in FAULTS for size in re.findall(r"\d+e-\d+", fault.switch)) <= 1e-14


def test_every_rule_has_a_fault_and_every_fault_a_switch() -> None:
    named = {fault.switch for fault in FAULTS if fault.kind == "derivative rule"}
    assert named == RULES
    for fault in FAULTS:
        site, *how = fault.switch.split()
        assert site in RULES or how[0] in _ways(), fault
        assert site in RULES or _is_site(site), fault
    assert all(_is_site(site) for site in SWEEP_SITES)


def _is_site(site: str) -> bool:
    """A name that stands in an edit, one of a surface, or a method that the engine delegates."""
    name = site.partition(".")[0]
    return f'"{name}"' in EDITED or f'"{name.partition("-")[0]}"' in EDITED or name.endswith("_read")


@pytest.mark.parametrize("times", [0, 2])
def test_an_anchor_that_does_not_stand_there_once_is_an_error(tmp_path: Path, times: int) -> None:
    file = tmp_path / "lib.rs"
    file.write_text("let x = 1;\n" * times)
    with pytest.raises(BuildError, match=f"stands there {times} times and not 1"):
        apply(Edit("tenferro-cpu", "lib.rs", "let x = 1;", "let x = 2;"), file)


def test_an_edit_replaces_its_anchor_alone(tmp_path: Path) -> None:
    file = tmp_path / "lib.rs"
    file.write_text("a\nlet x = 1;\nb\n")
    apply(Edit("tenferro-cpu", "lib.rs", "let x = 1;", "let x = 2;"), file)
    assert file.read_text() == "a\nlet x = 2;\nb\n"


def check(case: str) -> Check:
    question = Question(case, "tenferro", "value", "f64", "traced", 1)
    return Check("agreement", "jax", question, None)


NEAR, OTHER, FAR = check("linalg/a"), check("linalg/b"), check("einsum/c")
FAULT = Fault("f", "kernel", "exp_read scale 1e-3", ("linalg",))
CHECKS = trial.ordered(FAULT, [FAR, NEAR, OTHER])


def examined(faulty: dict[str, Row]) -> Callable[[Check], Row]:
    """Rows that differ only while the fault's switch is on."""

    def answer(one: Check) -> Row:
        on = os.environ.get(trial.SWITCH) == FAULT.switch
        return faulty.get(one.id, Row(one.id, "match", answer="a")) if on else Row(one.id, "match", answer="a")

    return answer


def test_checks_of_the_faults_family_come_first() -> None:
    assert CHECKS == [NEAR, OTHER, FAR]


def test_a_check_that_gets_worse_catches_the_fault_and_ends_the_search() -> None:
    found = trial.trial(FAULT, CHECKS, examined({NEAR.id: Row(NEAR.id, "mismatch", 9, answer="b")}), {})
    assert (found.how, found.by, found.after, found.asked) == ("regressed", NEAR.id, "mismatch, 9 ulp", 1)
    assert trial.SWITCH not in os.environ


def test_a_worse_check_counts_more_than_an_earlier_drift() -> None:
    drift, worse = Row(NEAR.id, "match", answer="b"), Row(OTHER.id, "crash")
    found = trial.trial(FAULT, CHECKS, examined({NEAR.id: drift, OTHER.id: worse}), {})
    assert (found.how, found.by) == ("regressed", OTHER.id)


def test_moved_bits_alone_are_a_drift_after_so_many_checks_more(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {NEAR.id: Row(NEAR.id, "match", answer="b"), FAR.id: Row(FAR.id, "crash")}
    monkeypatch.setattr(trial, "PATIENCE", 1)
    found = trial.trial(FAULT, CHECKS, examined(rows), {})
    assert (found.how, found.by, found.asked) == ("drift", NEAR.id, 2)


def test_cases_with_a_word_of_the_fault_come_before_its_family() -> None:
    named = check("transforms/exp-tall")
    assert trial.ordered(FAULT, [FAR, NEAR, named])[0] == named


def test_a_fault_that_its_family_does_not_show_is_looked_for_everywhere() -> None:
    found = trial.trial(FAULT, CHECKS, examined({FAR.id: Row(FAR.id, "error")}), {})
    assert (found.how, found.by, found.asked) == ("regressed", FAR.id, 3)


def test_a_fault_that_no_check_shows_is_missed() -> None:
    found = trial.trial(FAULT, CHECKS, examined({}), {})
    assert (found.how, found.by, found.asked) == ("missed", "", 3)


def perturbed(said: Callable[[Check, float], Row], *, by: tuple[Check, ...]) -> Callable[[Check], Row]:
    """What checks say of a perturbation of that size at the site `dot`, which the answers of `by` come by."""

    def answer(one: Check) -> Row:
        how, *rest = os.environ.get(trial.SWITCH, "").split()
        if how == "visits":
            Path(*rest).write_text("dot\ndot\n" if one in by else "")
        return said(one, float(rest[1]) if how == "dot" and one in by else 0.0)

    return answer


def test_a_sweep_finds_the_size_from_which_on_all_is_caught() -> None:
    def said(_: Check, size: float) -> Row:
        return Row("", "mismatch" if size > 3e-12 else "match", answer=str(size > 3e-15))

    found = sweep([NEAR, OTHER, FAR], perturbed(said, by=(NEAR, OTHER)))
    assert found.smallest("regressed") == 1e-11
    assert found.smallest("moved") == 1e-14
    assert {one.check for one in found.trials} == {NEAR.id, OTHER.id}
    assert len(found.trials) == 2 * len(SWEEP_SIZES)
    assert set(found.unseen) == set(SWEEP_SITES) - {"dot"}
    assert found.smallest("moved", share=1.01) is None


def test_a_sweep_leaves_out_what_cannot_get_worse_and_what_does_not_depend_on_the_site() -> None:
    def said(one: Check, size: float) -> Row:
        return Row(
            "", "mismatch" if one is OTHER else "match", int(size * 2e16), answer="a" if one is FAR else str(size)
        )

    found = sweep([NEAR, OTHER, FAR], perturbed(said, by=(NEAR, OTHER, FAR)))
    assert {one.check for one in found.trials} == {NEAR.id}
    assert found.smallest("regressed") is None
    assert found.cancelled == 0


def test_a_sweep_leaves_out_and_counts_what_cancels_the_perturbation() -> None:
    def said(one: Check, size: float) -> Row:
        return Row("", "match", int(size * 2e16) if one is NEAR else 40, answer=str(size))

    found = sweep([NEAR, OTHER], perturbed(said, by=(NEAR, OTHER)))
    assert {one.check for one in found.trials} == {NEAR.id}
    assert found.cancelled == 1


def test_a_sweep_draws_some_of_many_checks_and_the_same_every_time() -> None:
    many = tuple(check(f"linalg/{number}") for number in range(10 * SPREAD))
    answer = perturbed(lambda _, size: Row("", "match", int(size * 2e16), answer=str(size)), by=many)
    first, second = sweep(many, answer), sweep(many, answer)
    assert first == second
    assert len({one.check for one in first.trials}) == SPREAD


def test_checks_that_can_meet_a_fault_of_two_threads_or_of_a_second_call_come_first() -> None:
    wide = replace(FAR, got=replace(FAR.got, width=2))
    again = replace(FAR, name="second-answer")
    of_threads, of_calls = (replace(FAULT, switch=f"{FAULT.switch} {when}") for when in ("wide", "again"))
    assert trial.ordered(of_threads, [NEAR, again, wide])[0] == wide
    assert trial.ordered(of_calls, [NEAR, wide, again])[0] == again


def test_a_fault_of_operations_that_no_family_asks_of_waits_for_one() -> None:
    assert replace(FAULT, families=("no-such-family",)).waits
    assert not replace(FAULT, families=("no-such-family", "elementwise")).waits
    assert {family for fault in FAULTS if fault.waits for family in fault.families} <= {"linalg", "einsum", "fft"}
