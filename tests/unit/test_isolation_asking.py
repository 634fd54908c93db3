"""Asking: which process answers, what it starts from, and what is made of a death that no question caused."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from references.ask import Asker
from references.question import Answer, Question
from references.servants import keeper
from references.servants.limits import Limits
from tests.unit.probes import ANSWERER

LIMIT = Limits(answer_seconds=20, compile_seconds=60, idle_seconds=10, memory_mib=256)


def question(case: str, side: str = "numpy") -> Question:
    return Question(case, side, "value", "f64")


@pytest.fixture
def asker() -> Iterator[Asker]:
    with Asker(limit=LIMIT, answerer=ANSWERER) as made:
        yield made


def number(answer: Answer) -> float:
    assert answer.outcome == "ok", answer
    (array,) = answer.arrays.values()
    return float(array.item())


def test_a_side_is_answered_by_one_servant(asker: Asker) -> None:
    pids = {side: number(asker.ask(question("probe/pid", side))) for side in ("jax", "torch", "numpy", "tenferro")}
    assert len({*pids.values(), os.getpid()}) == 5
    assert number(asker.ask(question("probe/pid", "jax"))) == pids["jax"]
    assert number(asker.ask(question("probe/pid", "jax-nojit"))) == pids["jax"]
    assert number(asker.ask(question("probe/pid", "jax-x32"))) not in pids.values()  # a process of its own


def test_a_servant_has_the_imports_and_nothing_running(asker: Asker) -> None:
    """A fork keeps one thread, so that whatever started another before it would be broken."""
    for side in ("jax", "torch"):
        found = asker.ask(question("probe/state", side)).arrays
        assert {name: array.tolist() for name, array in found.items()} == {
            "threads": 1,
            "libraries": 4,
            "backends": 0,
            "starts": 1,
        }


def test_a_servant_is_replaced_after_its_death(asker: Asker) -> None:
    before = number(asker.ask(question("probe/pid")))
    assert asker.ask(question("fault/abort")).outcome == "crash"
    after = number(asker.ask(question("probe/pid")))
    assert after != before
    assert asker.ask(question("fault/panic")).outcome == "error"
    assert number(asker.ask(question("probe/pid"))) == after


def test_a_death_between_questions_is_an_incident(asker: Asker) -> None:
    psutil.Process(int(number(asker.ask(question("probe/die-later"))))).wait(30)
    assert number(asker.ask(question("innocent/5"))) == 5
    (incident,) = asker.incidents
    assert "probe/die-later" in incident.text
    assert "SIGSEGV" in incident.text


def test_what_an_answer_left_behind_falls_on_no_other(asker: Asker) -> None:
    asker.ask(question("probe/leave-a-trap"))
    assert number(asker.ask(question("innocent/6"))) == 6
    (incident,) = asker.incidents
    assert "innocent/6" in incident.text
    assert "SIGABRT" in incident.text


def test_a_servant_that_closes_its_pipe_is_gone(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "BURIAL_SECONDS", 0.2)
    servant = int(number(asker.ask(question("probe/pid"))))
    answer = asker.ask(question("probe/close-everything"))
    assert (answer.outcome, answer.detail) == ("crash", "closed its pipe without answering")
    assert not psutil.pid_exists(servant)
    assert number(asker.ask(question("innocent/9"))) == 9


def test_memory_kept_over_many_answers_ends_the_servant_in_peace(asker: Asker) -> None:
    pids = [number(asker.ask(question("probe/keep-memory"))) for _ in range(6)]
    assert len({*pids[:5]}) == 1
    assert pids[5] != pids[4]
    assert asker.incidents == []


def test_an_array_arrives_as_it_was(asker: Asker) -> None:
    arrays = asker.ask(question("probe/arrays")).arrays
    assert {name: (array.dtype.str, array.shape) for name, array in arrays.items()} == {
        "million": ("<f8", (1_000_000,)),
        "scalar": ("<c16", ()),
        "empty": ("|b1", (0, 3)),
        "turned": ("<i4", (3, 2)),
    }
    assert arrays["turned"].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert arrays["million"][-1] == 999_999


def test_a_refusal_passes_as_it_is(asker: Asker) -> None:
    answer = asker.ask(question("probe/refusal"))
    assert (answer.outcome, answer.detail, answer.inactive, answer.inputs) == ("unsupported", "no such", ("x",), "h")


def test_an_answerer_that_is_missing_is_an_error() -> None:
    with Asker(limit=LIMIT, answerer="tests.unit.nowhere.answer") as asker:
        answer = asker.ask(question("innocent/1"))
    assert (answer.outcome, answer.detail) == ("error", "ModuleNotFoundError: No module named 'tests.unit.nowhere'")


@pytest.mark.parametrize(
    ("case", "outcome", "detail"),
    [
        ("innocent/4", "ok", ""),
        ("fault/panic", "error", "Panic: index out of bounds"),
        ("fault/no-number", "error", "TypeError: out0 holds lock, not numbers"),
        ("fault/exit", "crash", "exited with code 0 without answering"),
    ],
)
def test_without_isolation_this_process_answers_alike(case: str, outcome: str, detail: str) -> None:
    with Asker(isolate=False, answerer=ANSWERER) as asker:
        assert number(asker.ask(question("probe/pid"))) == os.getpid()
        answer = asker.ask(question(case))
    assert (answer.outcome, answer.detail) == (outcome, detail)


def test_a_library_that_cannot_be_imported_stops_no_other(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise OSError('libcudart.so: no such file')")
    (tmp_path / "jax.py").write_text("import no_such_module")
    program = (
        "from references.ask import Asker\n"
        "from tests.unit.test_isolation_asking import ANSWERER, LIMIT, number, question\n"
        "with Asker(limit=LIMIT, answerer=ANSWERER) as asker:\n"
        "    print(number(asker.ask(question('innocent/8'))), asker.ask(question('fault/divide-integers')).detail)\n"
    )
    paths = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True
    )
    assert done.stdout == "8.0 OSError: libcudart.so: no such file\n", done.stderr
