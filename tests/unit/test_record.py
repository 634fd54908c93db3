"""Records: strict JSON that the published schema describes, whole after a loss at any moment, refused when not."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from compare import header, record
from compare.check import compare_arrays
from compare.tolerances import Tolerance

TOLERANCE = Tolerance(
    category="test", reason="A test.", dtype="f64", rule="scaled", factors={"f64": 1e-14, "f32": 5.4e-6}, ulps=64
)
RUN = header.header(
    tenferro={"version": "0.8.0", "features": ["avx2"]}, options={"k": "trg"}, run="r1", toolchain="rustc 1.95.0"
)
SCHEMA = json.loads(record.SCHEMA.read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())


def check(name: str = "sin", **more: Any) -> dict[str, Any]:
    """A record of something compared, or, told another outcome, of something that was not."""
    given: dict[str, Any] = {"run": "r1", "outcome": "match", "red": False, **more}
    return record.line(id=f"elementwise/{name}::agreement::jax::traced::value::f64::w1", **given)


def compared(ref: Any, got: Any, **more: Any) -> dict[str, Any]:
    comparison = compare_arrays({"out0": np.asarray(ref)}, {"out0": np.asarray(got)}, tolerance=TOLERANCE)
    return check(comparison=comparison, **{"outcome": comparison.outcome, **more})


def strict(line: Mapping[str, Any]) -> Any:
    """What a strict reader makes of a line."""

    def refuse(token: str) -> Any:
        raise AssertionError(token)

    return json.loads(json.dumps(line, allow_nan=False), parse_constant=refuse)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_schema_names_every_field_as_required() -> None:
    for kind, line in (("run", RUN), ("check", check())):
        assert set(SCHEMA["$defs"][kind]["required"]) == set(SCHEMA["$defs"][kind]["properties"]) == set(line)
    distance = compared([1.0], [1.0])["distance"]
    assert (
        set(SCHEMA["$defs"]["distance"]["required"]) == set(SCHEMA["$defs"]["distance"]["properties"]) == set(distance)
    )


LINES: dict[str, Mapping[str, Any]] = {
    "run": RUN,
    "match": compared([1.0, 2.0], [1.0, np.nextafter(2.0, 3)]),
    "nothing differs": compared([1.0], [1.0]),
    "mismatch": compared([1.0, -2.0], [1.0, 2.0], red=True, side="tenferro"),
    "nan": compared([1.0, math.nan, math.inf], [1.0, 2.0, -math.inf], red=True),
    "overflow": compared([1.7976931348623157e308], [-1.7976931348623157e308], red=True),
    "complex": compared([1 + 2j, -0.0 + 1j], [1 + 2.5j, 0.0 + 1j], red=True),
    "integers": compared([1, -(2**63)], [1, 2**63 - 1], red=True),
    "bools": compared([True, False], [True, True], known="policy"),
    "shape": compared(np.ones((2, 3)), np.ones(6), red=True),
    "no axes": compared(1.5, 1.5),
    "nothing compared": compared(np.ones(0), np.ones(0), red=True),
    "a dtype of others": compared(np.ones(2, np.float16), np.ones(2, np.float16), red=True),
    "names": check(comparison=compare_arrays({"x": np.ones(1)}, {}, tolerance=TOLERANCE), outcome="mismatch", red=True),
    "crash": check(outcome="crash", red=True, detail="SIGFPE", side="torch", category="elementwise"),
    "refused": check(outcome="unsupported", known="policy", detail="no such dtype"),
    "answers": check(
        inputs={"tenferro": "00ff", "reference": ""},
        answers={"tenferro": {"out0": record.array_hash(np.ones(3))}, "reference": {}},
        seconds={"tenferro": 0.25, "reference": 0.0},
        inactive=("x",),
        arbiter={"verdict": "tenferro"},
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_every_kind_of_line_is_strict_json_and_valid(name: str) -> None:
    assert list(VALIDATOR.iter_errors(strict(LINES[name]))) == []


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("run", {"versions": {}}),
        ("run", {"more": 1}),
        ("match", {"outcome": "fine"}),
        ("match", {"id": "elementwise/sin"}),
        ("match", {"bound": 1e-14}),
        ("match", {"slack": -1.0}),
        ("match", {"control": [{"rule": "bound"}]}),
        ("match", {"kind": "remark"}),
        ("match", {"distance": {}}),
    ],
)
def test_the_schema_refuses_what_is_no_record(name: str, change: Mapping[str, Any]) -> None:
    assert not VALIDATOR.is_valid({**strict(LINES[name]), **change})


@pytest.mark.parametrize("field", sorted(set(check()) - {"kind"}))
def test_the_schema_and_the_reader_miss_every_field(tmp_path: Path, field: str) -> None:
    less = {key: value for key, value in strict(LINES["match"]).items() if key != field}
    assert not VALIDATOR.is_valid(less)
    path = tmp_path / "records.jsonl"
    path.write_text(f"{json.dumps(RUN)}\n{json.dumps(less)}\n")
    with pytest.raises(record.RecordError, match=rf"line 2: '{field}' is missing"):
        record.read(path)


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from(["float64", "float32", "complex128", "int64", "bool"]))
def test_whatever_was_compared_can_be_recorded(data: st.DataObject, dtype: str) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    ref, got = (data.draw(hnp.arrays(dtype, shape)) for _ in range(2))
    assert list(VALIDATOR.iter_errors(strict(compared(ref, got)))) == []


def test_floats_keep_their_last_bit() -> None:
    line = compared([0.1], [0.1 + 2e-17 + 1.5e-16])
    assert float.fromhex(line["worst"]["got"]) == 0.1 + 2e-17 + 1.5e-16
    assert float.fromhex(line["distance"]["max_ref"]) == 0.1
    assert float.fromhex(line["bound"]) == 1e-14


def test_the_control_is_told() -> None:
    trials = LINES["match"]["control"]
    assert [(trial["rule"], trial["caught"]) for trial in trials] == [("bound", True), ("bound", True), ("ulps", True)]


# Hashes.


def test_a_hash_is_of_dtype_shape_and_elements() -> None:
    array = np.arange(6.0).reshape(2, 3)
    others = (
        array + 1,
        array.reshape(3, 2),
        array.astype(np.float32),
        array.ravel(),
        np.where(array == 0, -0.0, array),
    )
    hashes = [record.array_hash(one) for one in (array, *others)]
    assert len(set(hashes)) == 6
    assert all(len(one) == 16 for one in hashes)


def test_a_hash_does_not_see_how_an_array_lies_in_memory() -> None:
    array = np.arange(6.0).reshape(2, 3)
    others = (np.asfortranarray(array), array.astype(">f8"), np.repeat(array, 2, axis=1)[:, ::2])
    assert {record.array_hash(one) for one in others} == {record.array_hash(array)}
    assert record.array_hash(np.array(1.0)) != record.array_hash(np.array([1.0]))


# Files.


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "results" / "records.jsonl"
    with record.Writer(path, RUN) as writer:
        for name in ("sin", "cos"):
            writer.write(check(name))
    found = record.read(path)
    assert (dict(found.runs), found.truncated) == ({"r1": RUN}, False)
    assert list(found.checks.values()) == [check("sin"), check("cos")]


def test_every_line_is_in_the_file_once_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    writer = record.Writer(path, RUN)
    for number in range(3):
        writer.write(check(f"a{number}"))
        assert len(record.read(path).checks) == number + 1
    writer.close()
    writer.close()


def test_nan_is_never_written(tmp_path: Path) -> None:
    with (
        record.Writer(tmp_path / "records.jsonl", RUN) as writer,
        pytest.raises(ValueError, match="not JSON compliant"),
    ):
        writer.write({**check(), "slack": math.nan})


def test_a_file_cut_at_any_byte_gives_back_its_whole_records(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with record.Writer(path, RUN) as writer:
        for number in range(3):
            writer.write(check(f"a{number}"))
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for length in range(first, len(whole), 7):
        path.write_bytes(whole[:length])
        found = record.read(path)
        assert len(found.checks) == whole[:length].count(b"\n") - 1
        assert found.truncated == (whole[length - 1 : length] != b"\n")


def test_going_on_cuts_an_unfinished_line_and_tells_of_the_new_run(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with record.Writer(path, RUN) as writer:
        writer.write(check("sin"))
        writer.write(check("cos"))
    path.write_bytes(path.read_bytes()[:-10])
    with record.Writer(path, {**RUN, "run": "r2"}, append=True) as writer:
        writer.write({**check("cos"), "run": "r2"})
    found = record.read(path)
    assert (list(found.runs), found.truncated) == (["r1", "r2"], False)
    assert [line["run"] for line in found.checks.values()] == ["r1", "r2"]


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    record.Writer(path, RUN).close()
    with pytest.raises(record.RecordError, match="exists already"):
        record.Writer(path, RUN)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(record.RecordError, match="name a file that can be written"):
        record.Writer(tmp_path / "file" / "records.jsonl", RUN)


GOOD = (json.dumps(RUN), json.dumps(check()))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((), "holds no run"),
        ((GOOD[1],), "line 1: no line before it tells of run 'r1'"),
        ((GOOD[0], GOOD[1], GOOD[1]), "line 3: a second record of elementwise/sin"),
        ((GOOD[0], "{"), "line 2: not strict JSON"),
        ((GOOD[0], ""), "line 2: not strict JSON"),
        ((GOOD[0], GOOD[1].replace('"slack": null', '"slack": NaN')), "line 2: not strict JSON: NaN is no JSON number"),
        ((GOOD[0], "[]"), "line 2: no record"),
        ((GOOD[0], '{"kind": "remark"}'), "line 2: no record"),
        ((GOOD[0], GOOD[1].replace('"outcome": "match"', '"outcome": "fine"')), "line 2: outcome 'fine' is none of"),
    ],
)
def test_what_is_no_file_of_records_is_refused_by_line(tmp_path: Path, lines: tuple[str, ...], words: str) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(record.RecordError) as caught:
        record.read(path)
    assert str(caught.value).startswith(str(path))
    assert words in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(record.RecordError, match="No such file"):
        record.read(tmp_path / "nowhere.jsonl")


# The run.


def test_a_run_tells_what_its_results_may_depend_on() -> None:
    assert RUN["versions"]["numpy"] == np.__version__
    assert RUN["versions"]["python"].count(".") == 2
    assert (RUN["tenferro"]["version"], RUN["options"], RUN["toolchain"]) == ("0.8.0", {"k": "trg"}, "rustc 1.95.0")
    assert RUN["cpu"]["count"] >= 1


def test_every_run_has_a_name_of_its_own() -> None:
    names = {header.header(tenferro={}, options={}, toolchain="none")["run"] for _ in range(10)}
    assert len(names) == 10


def test_a_package_that_is_not_installed_is_null(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(header, "PACKAGES", ("numpy", "no-such-package-anywhere"))
    assert header.versions()["no-such-package-anywhere"] is None


def test_a_comparison_of_other_arrays_is_another_record() -> None:
    tolerance = replace(TOLERANCE, ulps=None)
    one = compare_arrays({"x": np.ones(2)}, {"x": np.ones(2) + 1e-15}, tolerance=tolerance)
    assert (check(comparison=one)["slack"], check(comparison=one)["array"]) == (one.slack, "x")


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("run", {"options": []}),
        ("check", {"totals": "x"}),
        ("check", {"red": "no"}),
        ("check", {"run": ["a"]}),
        ("check", {"outcome": "mismatch", "red": False, "known": None}),
    ],
)
def test_what_a_run_did_not_write_is_refused(tmp_path: Path, kind: str, change: dict[str, Any]) -> None:
    path = tmp_path / "records.jsonl"
    with record.Writer(path, RUN) as writer:
        writer.write(check())
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    lines[("run", "check").index(kind)].update(change)
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    with pytest.raises(record.RecordError, match="did not write that"):
        record.read(path)


def test_one_run_at_a_time_writes_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with record.Writer(path, RUN), pytest.raises(record.RecordError, match="another run is writing"):
        record.Writer(path, RUN, append=True)
    record.Writer(path, RUN, append=True).close()
