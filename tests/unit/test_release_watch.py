"""The daily look: which version counts as new, and one issue a release, opened once and updated after."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from pathlib import Path

import pytest

from rust_harness import release_watch
from rust_harness.release_watch import WatchError, main, newer, newest, tell, title


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Programs that stand in for cargo and gh, first on PATH."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def program(tools: Path, name: str, body: str) -> None:
    (tools / name).write_text(f"#!/bin/sh\n{body}\n")
    (tools / name).chmod(0o755)


@pytest.mark.parametrize(
    ("told", "version"),
    [
        ("version: 0.9.0", "0.9.0"),
        ("version: 0.9.0 (latest 0.12.0)", "0.12.0"),
        ("a\nversion: 1.0.0-rc.1\nb", "1.0.0-rc.1"),
    ],
)
def test_the_newest_version_is_what_cargo_tells(tools: Path, told: str, version: str) -> None:
    program(tools, "cargo", f"printf '{told}\\n'")
    assert newest() == version


@pytest.mark.parametrize("body", ["echo nothing", "echo offline >&2; exit 101"])
def test_a_registry_that_does_not_answer_is_an_error(tools: Path, body: str) -> None:
    program(tools, "cargo", body)
    with pytest.raises(WatchError, match=r"cargo"):
        newest()


def test_versions_are_ordered_by_number_and_release_candidates_come_first() -> None:
    order = ["0.8.0", "0.8.1", "0.9.0", "0.10.0-rc.1", "0.10.0", "1.0.0"]
    assert all(newer(b, a) and not newer(a, b) for a, b in pairwise(order))
    assert not newer("0.9.0", "0.9.0")


def _issue(number: int, release: str, state: str) -> dict[str, object]:
    return {"number": number, "title": title(release), "state": state}


GH = 'echo "$@" >> "{log}"; if [ "$2" = list ]; then cat "{issues}"; else cat > "{body}"; echo https://x/issues/7; fi'


def _gh(tools: Path, issues: list[dict[str, object]]) -> tuple[Path, Path]:
    log, body, listed = tools / "log", tools / "body", tools / "issues"
    listed.write_text(json.dumps(issues))
    program(tools, "gh", GH.format(log=log, body=body, issues=listed))
    return log, body


@pytest.mark.parametrize(
    ("known", "issues", "told"),
    [
        (["0.8.0"], [], "0.9.0\n"),
        (["0.8.0"], [("0.9.0", "OPEN")], "0.9.0\n"),
        (["0.8.0"], [("0.9.0", "CLOSED")], "\n"),
        (["0.8.0"], [("0.8.0", "CLOSED")], "0.9.0\n"),
        (["0.8.0", "0.9.0"], [], "\n"),
    ],
)
def test_a_release_is_due_until_it_is_known_or_its_issue_closed(
    known: list[str],
    issues: list[tuple[str, str]],
    told: str,
    tools: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program(tools, "cargo", "echo 'version: 0.9.0'")
    _gh(tools, [_issue(7, release, state) for release, state in issues])
    monkeypatch.setattr(release_watch, "known", lambda: known)
    assert (main(["due"]), capsys.readouterr().out) == (0, told)


def test_a_closed_issue_stays_closed_and_no_second_one_is_opened(tools: Path) -> None:
    log, _ = _gh(tools, [_issue(12, "0.9.0", "CLOSED")])
    assert tell("0.9.0", "again") == "issue 12 is closed and stays so"
    assert len(log.read_text().splitlines()) == 1


def test_a_release_without_an_issue_gets_one(tools: Path) -> None:
    log, body = _gh(tools, [_issue(3, "0.8.0", "OPEN")])
    assert tell("0.9.0", "## report\n") == "https://x/issues/7"
    assert body.read_text() == "## report\n"
    assert log.read_text().splitlines()[1] == f"issue create --title {title('0.9.0')} --body-file -"


def test_an_open_issue_is_updated_and_no_second_one_opened(tools: Path) -> None:
    log, body = _gh(tools, [_issue(12, "0.9.0", "OPEN"), _issue(13, "0.9.0", "CLOSED"), _issue(3, "0.8.0", "OPEN")])
    assert tell("0.9.0", "again") == "updated issue 12"
    assert body.read_text() == "again"
    assert log.read_text().splitlines()[1] == "issue edit 12 --body-file -"
    assert "create" not in log.read_text()


def test_a_report_too_long_for_an_issue_is_cut(tools: Path) -> None:
    _, body = _gh(tools, [])
    tell("0.9.0", "x" * 200_000)
    assert "cut here" in body.read_text()
    assert len(body.read_text()) < 65_536


def test_bad_words_and_a_failing_client_are_one_line(
    tools: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program(tools, "gh", "echo 'no token' >&2; exit 4")
    report = tmp_path / "report.md"
    report.write_text("x")
    assert main(["tell", "0.9.0", str(report)]) == 2
    assert main(["tell", "0.9.0", str(tmp_path / "absent.md")]) == 2
    assert main(["what"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["watch"] * 3
    assert "no token" in lines[0]
