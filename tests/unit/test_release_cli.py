"""The command: exit codes, one line for what cannot be done, every output of one comparison."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compare.diff import Row, Run, difference
from compare.header import header
from compare.record import Writer, line
from rust_harness import release, release_side
from rust_harness.release import built_or_not, main
from rust_harness.release_compile import Failure
from rust_harness.release_pins import committed
from rust_harness.release_side import Side
from rust_harness.release_source import BuildError, Source

CHECK = "elementwise/sin::agreement::jax::traced::value::f64::w1"
FAMILIES = ["elementwise", "linalg"]


def records(file: Path, outcome: str, *, families: list[str] | None = None, **fields: Any) -> Path:
    tenferro = {"tenferro": "0.8.0", "families": FAMILIES if families is None else families, "cpu_features": ["avx2"]}
    told = header(tenferro=tenferro, options={}, run="r", toolchain="rustc 1.96.0")
    with Writer(file, told) as writer:
        writer.write(line(run="r", id=CHECK, outcome=outcome, red=outcome != "match", **fields))
    return file


def test_the_exit_code_says_regressed_or_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = records(tmp_path / "good.jsonl", "match"), records(tmp_path / "bad.jsonl", "mismatch")
    assert [main(["diff", str(base), str(head)]) for base, head in ((good, good), (good, bad), (bad, good))] == [
        0,
        1,
        0,
    ]
    told = capsys.readouterr().out
    assert "bad.jsonl against good.jsonl: regressed; 1 regressed" in told
    assert "good.jsonl against bad.jsonl: not regressed; 1 fixed" in told


def test_one_comparison_is_written_in_every_form(tmp_path: Path) -> None:
    good, bad = records(tmp_path / "good.jsonl", "match"), records(tmp_path / "bad.jsonl", "crash")
    files = {name: tmp_path / f"out.{name}" for name in ("markdown", "junit", "json")}
    options = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    assert main(["diff", str(good), str(bad), *options]) == 1
    assert CHECK in files["markdown"].read_text()
    assert 'failures="1"' in files["junit"].read_text()
    assert [json.loads(one)["kind"] for one in files["json"].read_text().splitlines()] == ["comparison", "regressed"]


def test_a_family_that_is_not_compiled_in_is_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = records(tmp_path / "good.jsonl", "match")
    lost = "AttributeError: 'Traced' object has no attribute 'sin'"
    part = records(tmp_path / "part.jsonl", "error", families=["linalg"], detail=lost)
    assert main(["diff", str(good), str(part)]) == 1
    assert "1 build" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nonsense"], "'nonsense' is no version"),
        (["0.7.1"], "unsupported"),
        (["0.8.0", "0.6.0"], "tenferro 0.6.0 has another API"),
        (["diff", "absent.jsonl", "absent.jsonl"], "absent.jsonl: "),
        (["lock", "nonsense"], "'nonsense' is no version"),
        (["baseline", "0.5.0"], "unsupported"),
        (["aa", "nonsense"], "'nonsense' is no version"),
        (["lock"], "usage: "),
    ],
    ids=" ".join,
)
def test_what_cannot_be_done_is_one_line(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert told in lines[0]


def test_without_a_baseline_of_this_platform_it_says_so_before_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(release_side, "side", lambda source: Side(source, tmp_path, frozenset(FAMILIES)))
    monkeypatch.setattr(release_side, "told", lambda side: {"cpu_features": ["avx2"]})
    monkeypatch.setattr(release_side, "examined", lambda *_, **__: pytest.fail("it ran"))
    monkeypatch.setattr(release.baseline, "FOLDER", tmp_path / "none")  # type: ignore[attr-defined]
    assert main(["0.9.0", "0.8.0", "--stored"]) == 2
    assert "no baseline of 0.8.0 for linux" in capsys.readouterr().err.replace("darwin", "linux")


def test_nothing_that_compiles_has_no_platform_to_find_a_baseline_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failure = Failure("the harness itself", "error: x", ("y",))
    monkeypatch.setattr(release_side, "side", lambda source: Side(source, None, frozenset(), (failure,)))
    assert main(["0.9.0", "0.8.0", "--stored"]) == 2
    assert "error: x (missing: y)" in capsys.readouterr().err


def test_a_harness_tells_what_it_is_and_one_that_cannot_be_imported_why(tmp_path: Path) -> None:
    one = Side(Source("0.8.0", "0.8.0"), tmp_path, frozenset(FAMILIES))
    assert release_side.told(one)["tenferro"] == "0.8.0"
    (tmp_path / "tenferro_harness.py").write_text("raise ImportError('no such symbol')")
    with pytest.raises(BuildError, match="no such symbol"):
        release_side.told(one)


def test_a_release_of_which_nothing_compiles_is_build_throughout() -> None:
    base = Run("0.8.0", {CHECK: Row(CHECK, "match", answer="a")})
    side = Side(Source("0.99.0", "0.99.0"), None, frozenset(), (Failure("the harness itself", "error: x", ("y",)),))
    head = built_or_not(base, Run("0.99.0", {}), side)
    found = difference(base, head)
    assert [change.kind for change in found.changes] == ["build"]
    assert found.changes[0].detail == "the harness itself: error: x (missing: y)"
    assert found.failed


def test_a_release_of_which_nothing_compiles_is_red_in_every_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failure = Failure("the harness itself", "error: x", ("y",))

    def side(wanted: Source) -> Side:
        return (
            Side(wanted, tmp_path, frozenset())
            if wanted.release == "0.9.0"
            else Side(wanted, None, frozenset(), (failure,))
        )

    def examined(one: Side, *_: Any, **__: Any) -> Run:
        return Run(one.source.name, {CHECK: Row(CHECK, "match", answer="a")} if one.site else {}, partial=not one.site)

    monkeypatch.setattr(release_side, "side", side)
    monkeypatch.setattr(release_side, "examined", examined)
    monkeypatch.setattr(release.builder, "doubts", lambda _: [])  # type: ignore[attr-defined]
    monkeypatch.setattr(release, "_operations", lambda *_: [])
    xml = tmp_path / "report.xml"
    assert main(["0.99.0", "--junit", str(xml)]) == 1
    assert "0.99.0 against 0.9.0: regressed; 1 build" in capsys.readouterr().out
    assert 'errors="1"' in xml.read_text()


@pytest.mark.parametrize("words", [["lock"], ["baseline"]])
def test_a_tree_has_no_lock_file_and_no_baseline_of_its_own(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crate = tmp_path / "tenferro-runtime"
    crate.mkdir()
    (crate / "Cargo.toml").write_text('[package]\nname = "tenferro-runtime"\nversion = "0.9.0"\n')
    before = committed(Source("0.9.0", "0.9.0")).read_bytes()
    assert main([*words, str(tmp_path)]) == 2
    assert "is a source tree" in capsys.readouterr().err
    assert committed(Source("0.9.0", "0.9.0")).read_bytes() == before


def test_two_releases_have_their_harness_in_two_places(tmp_path: Path) -> None:
    paths = [release_side.environment(tmp_path / name)["PYTHONPATH"].split(":") for name in ("a", "b")]
    assert [path[0] for path in paths] == [str(tmp_path / "a"), str(tmp_path / "b")]
    assert paths[0][1:] == paths[1][1:]


def test_a_baseline_is_made_of_a_runs_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(release.baseline, "FOLDER", tmp_path / "baselines")  # type: ignore[attr-defined]
    file = records(tmp_path / "run.jsonl", "match")
    assert main(["baseline", "0.8.0", "--records", str(file)]) == 2
    assert "a baseline is of a whole run" in capsys.readouterr().err
    monkeypatch.setattr(release, "picked", list)
    assert main(["baseline", "0.8.0", "--records", str(file)]) == 0
    (made,) = (tmp_path / "baselines" / "0.8.0").iterdir()
    assert main(["diff", str(made), str(file)]) == 0
    assert "nothing differs (1 checks" in capsys.readouterr().out
    assert main(["baseline", "0.9.0", "--records", str(file)]) == 2
    assert "a run over tenferro 0.8.0, not over 0.9.0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["0.8.0", "-k", "("], "is no regular expression"),
        (["0.8.0", "--markdown", "/nowhere/at/all.md"], "name a file that can be written"),
        (["0.8.0", "--json", "."], "name a file that can be written"),
        (["aa", "-k", "("], "is no regular expression"),
    ],
)
def test_what_would_fail_at_the_end_is_known_at_the_start(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["aa", "--times", "0"], ["aa", "--times", "-2"], ["0.8.0", "--rounds", "-1"], ["0.8.0", "--rounds", "2"]]
)
def test_numbers_that_compare_nothing_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "argument --" in capsys.readouterr().err
