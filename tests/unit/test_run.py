"""Whole runs, as a person starts them: parallel, cut short, interrupted, resumed, with faults planted everywhere."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.unit import planted_scales
from tests.unit.test_isolation_faults import EXPECTED

ROOT = Path(__file__).parents[2]
LIMITS = "answer_seconds = 12\ncompile_seconds = 60\nidle_seconds = 3\nmemory_mib = 512\n"
SOME = "transforms/two-outputs or transforms/unused-leaf"


def start(*arguments: str, families: str = "", output: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "TENFERRO_CONFORMANCE_FAMILIES": families} if families else None
    command = [sys.executable, "-m", "pytest", "--ignore=tests/unit", "-q", "-p", "no:cacheprovider", *arguments]
    with output.open("wb") as stream:
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=stream, stderr=subprocess.STDOUT)


def run(*arguments: str, families: str = "", folder: Path) -> tuple[int, str]:
    output = folder / f"{time.monotonic_ns()}.txt"
    code = start(*arguments, families=families, output=output).wait()
    return code, output.read_text(errors="replace")


def records(path: Path) -> dict[str, dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return {line["id"]: line for line in lines if line["kind"] == "check"}


def without_times(path: Path) -> dict[str, dict[str, Any]]:
    """The records but for what no two runs share: the run's name, and the seconds things took."""
    return {check_id: timeless(line) for check_id, line in records(path).items()}


def timeless(line: dict[str, Any]) -> dict[str, Any]:
    ruling = line["arbiter"] and {key: value for key, value in line["arbiter"].items() if key != "seconds"}
    return {key: value for key, value in line.items() if key not in ("seconds", "run")} | {"arbiter": ruling}


def table(text: str) -> list[str]:
    return [line for line in text.splitlines() if re.match(r"(family|transforms|all) ", line)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The records and the output of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    _, text = run("-k", SOME, f"--records={folder / 'whole.jsonl'}", folder=folder)
    return folder / "whole.jsonl", text


@pytest.mark.timeout(600)
def test_planted_faults_lose_nothing(tmp_path: Path) -> None:
    """Every check of every planted case is reported and named right; the innocents match; the run is red."""
    limits = tmp_path / "limits.toml"
    limits.write_text(f"[tool.conformance.limits]\n{LIMITS}")
    path = tmp_path / "records.jsonl"
    arguments = ("-n", "2", f"--limits={limits}", f"--records={path}")
    code, text = run(*arguments, families="tests.unit.planted", folder=tmp_path)
    assert code == 1, text
    assert "were not reported" not in text
    found = records(path)
    assert [wrong for line in found.values() if (wrong := misnamed(line))] == []
    assert sum(line["outcome"] != "match" for line in found.values()) >= 200


@pytest.mark.timeout(300)
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_scale_that_fails_is_an_outcome(tmp_path: Path, workers: tuple[str, ...]) -> None:
    path = tmp_path / "records.jsonl"
    code, text = run(*workers, f"--records={path}", families="tests.unit.planted_scales", folder=tmp_path)
    assert code == 1, text
    assert "were not reported" not in text
    found = {check_id.split("/")[1].split("::")[0]: line["outcome"] for check_id, line in records(path).items()}
    assert found == planted_scales.EXPECTED


def misnamed(line: dict[str, Any]) -> str:
    side, _, fault = line["id"].split("::")[0].removeprefix("planted/").partition("-")
    asked = side in ("tenferro", line["id"].split("::")[2])
    outcome = EXPECTED[fault][0] if asked and fault in EXPECTED else "ok"
    expected = "match" if outcome == "ok" else outcome
    blamed = line["side"] if outcome != "ok" else side
    return "" if (line["outcome"], blamed) == (expected, side) else f"{line['id']}: {line['outcome']} {line['detail']}"


@pytest.mark.timeout(300)
def test_parallel_and_plain_runs_give_the_same_records(tmp_path: Path, whole: tuple[Path, str]) -> None:
    path = tmp_path / "parallel.jsonl"
    _, text = run("-k", SOME, "-n", "2", f"--records={path}", folder=tmp_path)
    assert without_times(path)
    assert without_times(path) == without_times(whole[0])
    assert table(text) == table(whole[1])


@pytest.mark.timeout(300)
def test_without_isolation_the_answers_are_the_same(tmp_path: Path, whole: tuple[Path, str]) -> None:
    path = tmp_path / "here.jsonl"
    run("-k", "transforms/two-outputs", "--no-isolation", f"--records={path}", folder=tmp_path)
    here = without_times(path)
    assert here
    assert here == {check_id: line for check_id, line in without_times(whole[0]).items() if check_id in here}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_goes_on_to_the_same_end(
    tmp_path: Path, whole: tuple[Path, str], number: signal.Signals
) -> None:
    cut = tmp_path / "cut.jsonl"
    running = start("-k", SOME, f"--records={cut}", output=tmp_path / "cut.txt")
    wait_for_lines(cut, 9)
    running.send_signal(number)
    assert running.wait() != 0
    done = len(records(cut))
    assert 0 < done < len(records(whole[0]))
    code, resumed = run("-k", SOME, f"--resume={cut}", folder=tmp_path)
    assert code == 0, resumed
    assert without_times(cut) == without_times(whole[0])
    assert table(resumed) == table(whole[1])
    if number != signal.SIGKILL:
        assert "were not reported" in (tmp_path / "cut.txt").read_text()


def wait_for_lines(path: Path, count: int) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        if path.exists() and path.read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.005)
    raise AssertionError(f"{path} never had {count} lines")


def test_a_run_that_stops_at_the_first_failure_names_what_is_missing(tmp_path: Path) -> None:
    arguments = ("-x", f"--records={tmp_path / 'records.jsonl'}", "-k", "jax-abort or jax-exit")
    code, text = run(*arguments, families="tests.unit.planted", folder=tmp_path)
    assert code != 0
    assert "collected checks were not reported" in text
    assert "planted/jax-exit" in text


def test_resuming_another_kind_of_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    run("-k", "transforms/unused-leaf", f"--records={path}", folder=tmp_path)
    path.write_text(path.read_text().replace('"jax":"', '"jax":"9.', 1))
    code, text = run("-k", "transforms/unused-leaf", f"--resume={path}", folder=tmp_path)
    assert code == 4
    assert "another versions" in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("option", "named"),
    [
        ("--resume=nowhere.jsonl", "nowhere.jsonl"),
        ("--limits=nowhere.toml", "nowhere.toml"),
        ("--records=README.md", "README.md"),
        ("--resume=", "--resume names no file"),
    ],
)
def test_bad_options_are_one_clear_line(tmp_path: Path, option: str, named: str) -> None:
    code, text = run(option, "-k", "transforms", folder=tmp_path)
    assert code == 4
    assert named in text
    assert "Traceback" not in text
