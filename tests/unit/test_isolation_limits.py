"""Limits come from one table, and a bad one is told in one line."""

from pathlib import Path

import pytest

from references.servants.limits import Limits, LimitsError, load

GOOD = {"answer_seconds": "60", "compile_seconds": "300", "idle_seconds": "30.5", "memory_mib": "4096"}


def written(folder: Path, **changes: str | None) -> Path:
    lines = [f"{key} = {value}" for key, value in (GOOD | changes).items() if value is not None]
    path = folder / "pyproject.toml"
    path.write_text("\n".join(["[tool.conformance.limits]", *lines]))
    return path


def test_limits_are_read(tmp_path: Path) -> None:
    assert load(written(tmp_path)) == Limits(60, 300, 30.5, 4096)


def test_the_projects_own_limits_are_in_order() -> None:
    limits = load()
    assert limits.idle_seconds <= limits.answer_seconds <= limits.compile_seconds


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"idle_seconds": None}, "give exactly answer_seconds, compile_seconds, idle_seconds, memory_mib, not answer"),
        ({"idle_secs": "3"}, "not answer_seconds, compile_seconds, idle_seconds, memory_mib, idle_secs"),
        ({"answer_seconds": "0"}, "answer_seconds = 0 is not a number above 0"),
        ({"answer_seconds": "inf"}, "answer_seconds = inf is not a number above 0"),
        ({"answer_seconds": "nan"}, "answer_seconds = nan is not a number above 0"),
        ({"answer_seconds": "true"}, "answer_seconds = True is not a number above 0"),
        ({"compile_seconds": "'long'"}, "compile_seconds = 'long' is not a number above 0"),
        ({"memory_mib": "0.5"}, "memory_mib = 0.5 is not a whole number above 0"),
        ({"memory_mib": "= 3"}, "pyproject.toml cannot be read"),
    ],
)
def test_bad_limits_are_named(tmp_path: Path, changes: dict[str, str | None], told: str) -> None:
    with pytest.raises(LimitsError) as error:
        load(written(tmp_path, **changes))
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", "[tool]\n", "tool = 3\n", "[tool.conformance]\nlimits = 3\n"])
def test_a_missing_table_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    with pytest.raises(LimitsError, match="limits"):
        load(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(LimitsError, match=r"pyproject\.toml cannot be read"):
        load(tmp_path / "pyproject.toml")
