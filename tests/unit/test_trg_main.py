"""The command's exit codes, and that it leaves a page and never a traceback."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from references.trg import __main__ as command
from references.trg.report import Section, Table, Verdict


def yielding(*holds: bool) -> Any:
    """A run of one section with such verdicts."""

    def run(*_: object) -> Iterator[Section]:
        yield Section("c", (Table("t", ("a",), (("1",),)),), tuple(Verdict("v", held, "f") for held in holds))

    return run


@pytest.mark.parametrize(("holds", "code"), [((True, True), 0), ((True, False), 1)])
def test_exit_code_says_whether_every_statement_holds(
    holds: tuple[bool, ...],
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "run", yielding(*holds))
    page = tmp_path / "new" / "page.html"
    assert command.main(["--page", str(page)]) == code
    assert f"{sum(holds)} of 2 statements hold" in capsys.readouterr().out
    assert f"{sum(holds)} of 2 statements hold" in page.read_text()


def test_a_page_that_cannot_be_written_is_known_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*_: object) -> Iterator[Section]:
        pytest.fail("it ran")

    monkeypatch.setattr(command, "run", run)
    (tmp_path / "file").write_text("")
    assert command.main(["--page", str(tmp_path / "file" / "page.html")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code", "named"),
    [(KeyboardInterrupt(), 130, "interrupted"), (ModuleNotFoundError("x", name="tenferro_harness"), 2, "nox -s trg")],
)
def test_what_stops_it_is_one_line(
    error: BaseException,
    code: int,
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(*_: object) -> Iterator[Section]:
        raise error

    monkeypatch.setattr(command, "run", run)
    assert command.main(["--page", str(tmp_path / "page.html")]) == code
    message = capsys.readouterr().err
    assert named in message
    assert message.count("\n") == 1
