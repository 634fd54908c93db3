"""Two real runs, one over a harness whose sine is an ulp off: drift is the bitwise difference of the raw answers."""

from __future__ import annotations

import json
import pickle
import shutil
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from compare.diff import Run, difference
from references.ask import Incident
from references.question import Question
from rust_harness import release_run, release_side
from rust_harness.release_side import Side
from rust_harness.release_source import Source

MOVED = """

_sin = {"Traced": Traced.sin, "Eager": Eager.sin}


def _moved(self):
    return _sin[type(self).__name__](self) * (1 + 2.0**-52)


Traced.sin = Eager.sin = _moved
"""
PICK = r"^elementwise/(sin|cos)-(ordinary|decades)::.*::(f64|c128)::w1$"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Run]]:
    """The folder of both runs and what they found: the harness as it is, then with another sine."""
    import tenferro_harness

    folder = tmp_path_factory.mktemp("raw")
    sides = []
    for name, added in (("base", ""), ("head", MOVED)):
        package = folder / f"site-{name}" / "tenferro_harness"
        shutil.copytree(Path(tenferro_harness.__file__).parent, package)
        with (package / "__init__.py").open("a") as file:
            file.write(added)
        sides.append(Side(Source(name, "0.8.0"), package.parent, frozenset()))
    return folder, [release_side.examined(one, folder / one.source.name, pick=PICK, keep=True) for one in sides]


def raw(folder: Path) -> dict[str, dict[str, bytes]]:
    """The kept answers of a run by name, read with nothing of the comparison's: bytes of every array."""
    found: dict[str, dict[str, bytes]] = {}
    for file in sorted(folder.glob("raw-*.sqlite")):
        with sqlite3.connect(file) as opened:
            for text, packed in opened.execute("SELECT question, answer FROM answers"):
                asked = eval(text, {"Question": Question})  # a question's text is how it is written
                name = (
                    f"{asked.case}::{asked.surface}::{asked.transform}::{asked.dtype}::w{asked.width}::{asked.protocol}"
                )
                found[name] = {key: array.tobytes() for key, array in pickle.loads(packed).arrays.items()}
    return found


def test_the_drift_list_is_an_independent_bitwise_diff_of_the_raw_answers(runs: tuple[Path, list[Run]]) -> None:
    folder, (base, head) = runs
    before, after = raw(folder / "base"), raw(folder / "head")
    moved = {name for name in before if before[name] != after[name]}
    assert before.keys() == after.keys() == {row.answer_key for row in base.rows.values()}
    assert {change.id for change in difference(base, head).of("drift")} == moved
    assert 10 < len(moved) < len(before)
    assert {name.split("::")[1] for name in moved} == {"traced", "eager"}


def test_a_run_against_itself_has_no_drift(runs: tuple[Path, list[Run]]) -> None:
    _, (base, _) = runs
    assert difference(base, base).changes == ()
    assert base.died == {}


def test_deaths_that_no_answer_tells_of_are_kept_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours = Question("a/b", "tenferro", "vjp", "f64", "eager", 2, "second")
    asker: Any = SimpleNamespace(
        incidents=[Incident(ours, "ours died"), Incident(Question("a/b", "jax", "value", "f64"), "JAX died")]
    )
    assert release_run.deaths(asker) == {"a/b::eager::vjp::f64::w2::second": "ours died"}
    assert "ours died" in (told := capsys.readouterr().err)
    assert "JAX died" in told
    file = release_run.deaths_file(tmp_path / "records-0.jsonl")
    assert file == tmp_path / "records-0.deaths.json"
    assert json.dumps(release_run.deaths(asker))
