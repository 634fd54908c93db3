"""A comparison as a table, Markdown, JUnit XML and JSON lines: the same changes in each."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

from compare.changes import json_lines, terminal, verdict
from compare.diff import KINDS, Change, Difference, Row
from compare.junit import junit
from compare.markdown import markdown, shortened

SIN, SVD = "elementwise/sin::agreement::jax::traced::value::f64::w1", "linalg/svd::agreement::jax::eager::vjp::f64::w1"
NASTY = "linalg/<a&b>::agreement::jax::eager::vjp::f64::w1"
HEAD = {check: Row(check, "match") for check in (SIN, SVD, NASTY)}


def found(*changes: Change) -> Difference:
    return Difference("0.8.0", "0.9.0", changes, checks=3, answers=2)


CHANGED = found(
    Change("regressed", SVD, "match, 2 ulp", "mismatch, 900 ulp", "max|diff| 1e-9\nsecond line"),
    Change("build", NASTY, "match", "error", "no attribute `svd` \x00"),
    Change("drift", "elementwise/sin::traced::value::f64::w1::first", "1 ulp", "2 ulp"),
)


def test_the_verdict_counts_every_kind() -> None:
    assert verdict(CHANGED) == (
        "0.9.0 against 0.8.0: regressed; 1 regressed, 1 build, 1 drift (3 checks of 2 answers joined)"
    )
    assert verdict(found()).startswith("0.9.0 against 0.8.0: not regressed; nothing differs")


def test_the_table_has_a_row_a_family_and_a_column_a_kind() -> None:
    lines = [re.split(r"\s{2,}", line) for line in terminal(CHANGED).splitlines()]
    assert lines[:4] == [
        ["family", "regressed", "build", "drift"],
        ["elementwise", "0", "0", "1"],
        ["linalg", "1", "1", "0"],
        ["all", "1", "1", "1"],
    ]
    assert f"{SVD}: match, 2 ulp → mismatch, 900 ulp (max|diff| 1e-9)" in terminal(CHANGED)


def test_long_lists_are_cut_and_counted() -> None:
    many = found(*(Change("drift", f"a/b{number}::eager::value::f64::w1::first", "1", "2") for number in range(120)))
    assert "… and 100 more" in terminal(many)
    assert "… and 70 more" in markdown(many)


def test_markdown_lists_fewer_changes_where_a_comment_could_not_hold_them() -> None:
    long = [Change(kind, f"a/b{number}", "1", "2", "x" * 180) for kind in KINDS for number in range(120)]
    assert len(markdown(found(*long))) < 65_536
    assert markdown(found(*long)).count("<details>") == markdown(found(*long)).count("</details>") == len(KINDS)
    assert "… and 100 more" in markdown(found(*long))


def test_markdown_is_cut_where_even_one_change_of_a_kind_is_too_much() -> None:
    text = markdown(CHANGED, notes=["y" * 200_000])
    assert "cut here" in text
    assert len(text) < 65_536
    assert shortened("short") == "short"


def test_markdown_holds_verdict_notes_table_and_folded_lists() -> None:
    text = markdown(CHANGED, notes=["TracedTensor adds fftn"])
    assert text.startswith("## 0.9.0 against 0.8.0\n\n**0.9.0 against 0.8.0: regressed")
    assert "- TracedTensor adds fftn" in text
    assert "| family | regressed | build | drift |" in text
    assert text.count("<details>") == text.count("</details>") == 3
    assert f"- `{SVD}: match, 2 ulp → mismatch, 900 ulp (max|diff| 1e-9)`" in text


def test_markdown_code_survives_backticks() -> None:
    assert f"- `` {NASTY}: match → error (no attribute `svd` \x00) ``" in markdown(CHANGED)


def test_junit_counts_failures_and_errors_and_survives_any_text() -> None:
    root = ElementTree.fromstring(junit(CHANGED, HEAD))
    suites = {suite.get("name"): suite for suite in root}
    assert suites["linalg"].attrib == {"name": "linalg", "tests": "2", "failures": "1", "errors": "1"}
    assert suites["elementwise"].attrib == {"name": "elementwise", "tests": "1", "failures": "0", "errors": "0"}
    failure = suites["linalg"].find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "match, 2 ulp → mismatch, 900 ulp"
    told = suites["elementwise"].findtext("system-out") or ""
    assert told.startswith("drift  elementwise/sin")
    assert len(root.findall("*/testcase")) == 3


def test_json_lines_start_with_the_comparison() -> None:
    first, *changes = map(json.loads, json_lines(CHANGED, about={"notes": []}).splitlines())
    assert first["regressed"] is True
    assert first["counts"] == {**dict.fromkeys(KINDS, 0), "regressed": 1, "build": 1, "drift": 1}
    assert [change["id"] for change in changes] == [change.id for change in CHANGED.changes]
