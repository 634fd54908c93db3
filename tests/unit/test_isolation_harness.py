"""Faults planted at the harness boundary, in Rust, each between innocent questions to tenferro."""

import pytest

from references.ask import Asker
from references.question import Answer, Question
from references.servants.limits import Limits
from tests.unit.harness_faults import ANSWERER

LIMIT = Limits(answer_seconds=2.5, compile_seconds=5.0, idle_seconds=1.0, memory_mib=256)
OVER_TIME = ("timeout", "over time: 2.5 s (stage run)")
EXPECTED = {
    "harness/panic": ("error", "Panicked: a planted panic ("),
    "harness/panic-in-thread": ("error", "Panicked: a planted panic in a thread ("),
    "harness-engine/panic": ("error", "Panicked: a planted panic ("),
    "harness-engine/panic-in-thread": ("error", "Panicked: a planted panic in a thread ("),
    "harness/abort": ("crash", "SIGABRT (abort) in answer (harness_faults.py)"),
    "harness/segfault": ("crash", "SIGSEGV in answer (harness_faults.py)"),
    "harness/stack-overflow": ("crash", "SIGSEGV (stack overflow)"),
    "harness/spin-with-gil": OVER_TIME,
    "harness/spin-without-gil": OVER_TIME,
    "harness/allocate": ("crash", "memory limit 256 MiB exceeded"),
    "harness/no-such": ("error", "ValueError: no fault is called"),
}


def asked(asker: Asker, case: str) -> Answer:
    return asker.ask(Question(case, "tenferro", "value", "f64", surface="eager", width=2))


@pytest.mark.timeout(300)
def test_faults_in_the_harness_are_named_and_neighbours_live() -> None:
    with Asker(limit=LIMIT, answerer=ANSWERER) as asker:
        found = {}
        for number, case in enumerate(EXPECTED):
            assert asked(asker, f"innocent/{number}").arrays["out0"].tolist() == [number]
            found[case] = asked(asker, case)
        assert asked(asker, "innocent/99").arrays["out0"].tolist() == [99]
        assert asker.incidents == []
    wrong = {case: answer for case, answer in found.items() if not _named(answer, *EXPECTED[case])}
    assert wrong == {}


def _named(answer: Answer, outcome: str, detail: str) -> bool:
    return answer.outcome == outcome and answer.detail.startswith(detail)
