"""An answerer that tells of the process it runs in, and leaves things behind in it."""

import ctypes
import importlib
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from references.question import Answer, Question, Stage
from tests.unit import faults

ANSWERER = f"{__name__}.answer"
STARTED: list[str] = []
LEFT: list[object] = []


def start(side: str) -> None:
    STARTED.append(side)


def answer(question: Question, stage: Stage) -> Answer:
    """`probe/pid` is answered by what its name says; all others as by the planted faults, unless a trap was left."""
    kind, _, name = question.case.partition("/")
    if kind == "probe":
        return stages(stage) if name == "stages" else PROBES[name]()
    if "trap" in LEFT:
        os.abort()
    return faults.answer(question, stage)


def told(**numbers: float) -> Answer:
    return Answer("ok", {name: np.array(number) for name, number in numbers.items()})


def pid() -> Answer:
    return told(pid=os.getpid())


def state() -> Answer:
    """What a new servant holds: threads, libraries imported before the answerer asks, backends of JAX."""
    libraries = sum(name in sys.modules for name in ("numpy", "scipy", "jax", "torch"))
    backends = importlib.import_module("jax._src.xla_bridge")._backends
    threads = len([*Path("/proc/self/task").iterdir()])
    return told(threads=threads, libraries=libraries, backends=len(backends), starts=len(STARTED))


def arrays() -> Answer:
    return Answer(
        "ok",
        {
            "million": np.arange(1e6),
            "scalar": np.array(1j),
            "empty": np.zeros((0, 3), bool),
            "turned": np.arange(6, dtype=np.int32).reshape(2, 3).T,
        },
    )


def refusal() -> Answer:
    return Answer("unsupported", detail="no such", inactive=("x",), inputs="h")


def die_later() -> Answer:
    """A thread left behind ends the process when the answer has long been given."""

    def die() -> None:
        time.sleep(0.3)
        ctypes.string_at(0)

    threading.Thread(target=die, daemon=True).start()
    return pid()


def leave_a_trap() -> Answer:
    LEFT.append("trap")
    return pid()


def keep_memory() -> Answer:
    LEFT.append(np.ones(60 << 17))
    return pid()


def stages(stage: Stage) -> Answer:
    """Two seconds of compiling and two of running, none of them idle."""
    for name in ("compile", "run"):
        stage(name)
        until = time.monotonic() + 2
        while time.monotonic() < until:
            pass
    return told(done=1.0)


def slow() -> Answer:
    """When it began and when it ended, half a second apart."""
    began = time.monotonic()
    time.sleep(0.5)
    return told(began=began, ended=time.monotonic())


def close_everything() -> Answer:
    os.closerange(3, 1 << 10)
    time.sleep(60)
    return pid()


PROBES: dict[str, Callable[[], Answer]] = {
    "pid": pid,
    "state": state,
    "arrays": arrays,
    "refusal": refusal,
    "die-later": die_later,
    "leave-a-trap": leave_a_trap,
    "keep-memory": keep_memory,
    "slow": slow,
    "close-everything": close_everything,
}
