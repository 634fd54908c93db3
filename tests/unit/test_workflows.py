"""The workflows: valid, and calling only what is there."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EXAMPLE = ROOT / ".github" / "tenferro-pull-request.yml"
TRIGGERS = {"push", "pull_request", "schedule", "workflow_dispatch", "workflow_call"}
EXPRESSION = re.compile(r"\$\{\{.*?\}\}")


def read(path: Path) -> dict[Any, Any]:
    found = yaml.safe_load(path.read_text())
    assert isinstance(found, dict), path
    return found


def triggers(workflow: dict[Any, Any]) -> set[str]:
    """YAML 1.1 reads the key `on` as true."""
    found = workflow[True]
    return {found} if isinstance(found, str) else set(found)


def steps(workflow: dict[Any, Any]) -> Iterator[dict[str, Any]]:
    for job in workflow["jobs"].values():
        yield from job.get("steps", ())


def scripts() -> str:
    return "\n".join(str(step.get("run", "")) for path in WORKFLOWS for step in steps(read(path)))


def test_there_is_a_ci_a_daily_look_and_a_comparison_to_call() -> None:
    found = {path.stem: triggers(read(path)) for path in WORKFLOWS}
    assert found["ci"] == {"push", "pull_request"}
    assert found["release"] == {"schedule", "workflow_dispatch"}
    assert found["compare"] == {"workflow_call"}


def test_ci_runs_on_linux_and_macos() -> None:
    job = read(ROOT / ".github/workflows/ci.yml")["jobs"]["tests"]
    assert {name.partition("-")[0] for name in job["strategy"]["matrix"]["os"]} == {"ubuntu", "macos"}


def test_the_look_is_daily() -> None:
    minute, hour, *rest = read(ROOT / ".github/workflows/release.yml")[True]["schedule"][0]["cron"].split()
    assert minute.isdigit()
    assert hour.isdigit()
    assert rest == ["*", "*", "*"]


@pytest.mark.parametrize("path", [*WORKFLOWS, EXAMPLE], ids=lambda path: path.name)
def test_a_workflow_says_who_runs_what_with_which_rights(path: Path) -> None:
    found = read(path)
    assert set(found) == {"name", True, "permissions", "jobs"} | ({"concurrency"} & set(found))
    assert triggers(found) <= TRIGGERS
    assert "write-all" not in str(found["permissions"])
    for job in found["jobs"].values():
        assert ("uses" in job) != ("runs-on" in job and "steps" in job)
    for step in steps(found):
        assert ("uses" in step) != ("run" in step), step


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_outside_text_reaches_a_shell(path: Path) -> None:
    """Titles and branch names come in by the environment, never pasted into a script."""
    for step in steps(read(path)):
        assert not EXPRESSION.search(str(step.get("run", ""))), step


def test_actions_are_pinned_to_a_major_version() -> None:
    used = [step["uses"] for path in WORKFLOWS for step in steps(read(path)) if "uses" in step]
    assert used
    assert all(re.fullmatch(r"actions/[a-z-]+(/[a-z]+)?@v\d+", name) for name in used), used


def test_sessions_that_are_called_exist() -> None:
    noxfile = (ROOT / "noxfile.py").read_text()
    called = set(re.findall(r"nox -s (\w+)", scripts()))
    assert {"tests", "release"} <= called
    assert called <= set(re.findall(r"^def (\w+)\(session", noxfile, re.MULTILINE))


def test_modules_that_are_called_exist() -> None:
    called = set(re.findall(r"python -m ((?:rust_harness|compare|tests)[\w.]*)", scripts()))
    assert called == {"rust_harness.release_watch"}
    assert all(find_spec(name) for name in called)


def test_options_that_are_passed_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rust_harness.release import main

    monkeypatch.chdir(tmp_path)  # the outputs are opened before anything else is looked at
    for words in re.findall(r"nox -s release -- (.*)", scripts()):
        arguments = [word.strip('"').replace("$", "") for word in words.partition(" 2>")[0].split()]
        assert main(["no-such-release", *arguments[1:]]) == 2  # refused for what it is, not for its options


def test_what_the_workflows_read_is_there() -> None:
    assert (ROOT / ".python-version").exists()
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["conformance"]["tenferro"]


def test_the_workflow_for_tenferro_is_ten_lines_and_calls_one_of_ours() -> None:
    assert len(EXAMPLE.read_text().splitlines()) <= 10
    found = read(EXAMPLE)
    assert triggers(found) == {"pull_request"}
    called = found["jobs"]["conformance"]["uses"].partition("@")[0].split("/", 2)[2]
    assert triggers(read(ROOT / called)) == {"workflow_call"}
    assert found["permissions"] == read(ROOT / called)["permissions"]
