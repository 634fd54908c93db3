"""A release against itself: whatever differs between two times is told and fails, and so does nothing to compare."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from compare.diff import Row, Run
from rust_harness import release_aa
from rust_harness.release_aa import against_itself
from rust_harness.release_side import Side
from rust_harness.release_source import Source

SOURCE = Source("0.8.0", "0.8.0")
FIRST = Row("a/b::agreement::jax::traced::value::f64::w1", "match", answer="a")
WIDE = Row("a/b::agreement::jax::traced::value::f64::w2", "match", answer="a")


def runs(monkeypatch: pytest.MonkeyPatch, found: Iterable[tuple[Row, ...]]) -> list[dict[str, Any]]:
    """Let the runs say these rows, one after the other; the list fills with what each was asked for."""
    asked: list[dict[str, Any]] = []
    rest = iter(found)

    def examined(one: Side, folder: Path, **options: Any) -> Run:
        asked.append({"folder": folder, **options})
        return Run(one.source.name, {row.id: row for row in next(rest)})

    monkeypatch.setattr(release_aa, "side", lambda source: Side(source, None, frozenset()))
    monkeypatch.setattr(release_aa, "examined", examined)
    return asked


def test_the_same_every_time_is_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = runs(monkeypatch, 4 * [(FIRST, WIDE)])
    assert against_itself(SOURCE, tmp_path, times=3, pick="a/") == 0
    assert "A/A of 0.8.0: 3 times 2 checks at widths 1,2: 0 flips, 0 drifts" in capsys.readouterr().out
    assert len({one["folder"] for one in asked}) == len(asked) == 4
    assert all((one["pick"], one["widths"]) == ("a/", "1,2") for one in asked)


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        ((FIRST, Row(WIDE.id, "match", answer="b")), "0 flips, 2 drifts"),
        ((FIRST, Row(WIDE.id, "mismatch", answer="a")), "2 flips, 0 drifts"),
        ((FIRST,), "2 flips, 0 drifts"),
    ],
)
def test_one_time_that_differs_differs_from_both_its_neighbours(
    odd: tuple[Row, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    runs(monkeypatch, [(FIRST, WIDE), odd, (FIRST, WIDE)])
    assert against_itself(SOURCE, tmp_path, times=2) == 1
    out = capsys.readouterr().out
    assert told in out.splitlines()[-1]
    assert "traced::value::f64::w2" in out


def test_nothing_to_compare_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs(monkeypatch, [(), ()])
    assert against_itself(SOURCE, tmp_path, times=1) == 1
