"""Planted faults, two processes asking at once: every one is named, and no innocent question pays for it."""

import itertools
import random
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from references.question import Answer
from references.servants.limits import Limits
from tests.unit.faults import FAULTS, ask_all

LIMIT = Limits(answer_seconds=2.5, compile_seconds=5.0, idle_seconds=0.7, memory_mib=64)
ROUNDS = 4
MEMORY = ("crash", "memory limit 64 MiB exceeded")
OVER_TIME = ("timeout", "over time: 2.5 s (stage run)")
HANG = ("timeout", "hang: no progress for 0.7 s (stage run)")
EXIT = ("crash", "exited with code 0 without answering")
SLOW = {
    "loop-with-gil": OVER_TIME,
    "loop-without-gil": OVER_TIME,
    "compile-for-good": ("timeout", "over time: 5 s (stage compile)"),
    "loop-in-python": OVER_TIME,
    "hang-with-gil": HANG,
    "hang-without-gil": HANG,
    "deadlock": HANG,
    "exit-of-c": EXIT,  # runs the destructors of every library
}
QUICK = {
    "abort": ("crash", "SIGABRT (abort) in <lambda> (faults.py)"),
    "abort-in-thread": ("crash", "SIGABRT (abort)"),
    "segfault": ("crash", "SIGSEGV in string_at"),
    "segfault-in-thread": ("crash", "SIGSEGV in string_at"),
    "segfault-in-native-thread": ("crash", "SIGSEGV"),
    "sigfpe": ("crash", "SIGFPE"),
    "divide-integers": ("crash", "SIGFPE in divide_integers (faults.py)"),
    "stack-overflow": ("crash", "SIGSEGV (stack overflow)"),
    "stack-overflow-in-thread": ("crash", "SIGSEGV (stack overflow)"),
    "killed": ("crash", "SIGKILL from outside"),
    "memory": MEMORY,
    "memory-shared": MEMORY,
    "memory-at-once": MEMORY,
    "memory-torch": MEMORY,
    "memory-abort": MEMORY,
    "exit": EXIT,
    "exit-3": ("crash", "exited with code 3 without answering"),
    "exit-at-once": EXIT,
    "panic": ("error", "Panic: index out of bounds"),
    "panic-in-thread": (
        "crash",
        "SIGABRT (abort) in panic_and_abort (faults.py) — panicked at some-1.0/src/a.rs:1:2: no way out",
    ),
    "check-failed": (
        "crash",
        "SIGABRT (abort) in abort_by_check (faults.py) — Check failed: buffer_.IsConcrete()",
    ),
    "unpicklable": ("error", "UnpicklableError: holds a lock"),
    "unprintable": ("error", "UnprintableError: its text raises ValueError"),
    "interrupt": ("error", "KeyboardInterrupt: not typed"),
    "no-number": ("error", "TypeError: out0 holds lock, not numbers"),
    "no-answer": ("error", "TypeError: the answer is a lock, not an Answer"),
    "flood-and-die": ("crash", "SIGABRT (abort) in flood_and_die (faults.py)"),
}
HARMLESS = {"flood": ("ok", ""), "compile-long": ("ok", "")}
EXPECTED = SLOW | QUICK | HARMLESS


def test_every_planted_fault_is_expected() -> None:
    assert EXPECTED.keys() == FAULTS.keys()


@pytest.mark.timeout(300)
def test_faults_are_named_and_neighbours_live() -> None:
    plans = [_plan(worker) for worker in (0, 1)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as workers:
        results = list(workers.map(ask_all, plans, [LIMIT, LIMIT]))
    planted = 0
    for plan, (answers, incidents) in zip(plans, results, strict=True):
        assert incidents == []
        assert [_wrong(*pair) for pair in zip(plan, answers, strict=True) if _wrong(*pair)] == []
        planted += sum(EXPECTED.get(case.removeprefix("fault/"), ("ok",))[0] != "ok" for case in plan)
    assert planted >= 200


def _plan(worker: int) -> list[str]:
    """Each fault between innocent questions; every quick one ROUNDS times, the slow ones by one of the workers."""
    names = [*QUICK] * ROUNDS + [*SLOW][worker::2] + [*HARMLESS]
    random.Random(worker).shuffle(names)
    innocents = (f"innocent/{number}" for number in itertools.count())
    return [case for name in names for case in (next(innocents), f"fault/{name}")] + [next(innocents), next(innocents)]


def _wrong(case: str, answer: Answer) -> str:
    kind, _, name = case.partition("/")
    outcome, detail = ("ok", "") if kind == "innocent" else EXPECTED[name]
    value = [float(name if kind == "innocent" else -1)] if outcome == "ok" else None
    found = answer.arrays["out0"].tolist() if answer.arrays else None
    right = answer.outcome == outcome and answer.detail.startswith(detail) and found == value
    return "" if right else f"{case}: {answer}"
