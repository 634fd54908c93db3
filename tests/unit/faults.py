"""An answerer that answers, or fails in a planted way: what native code can do to its process."""

import ctypes
import hashlib
import mmap
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from references.ask import Asker, Incident
from references.question import Answer, Question, Stage
from references.servants.limits import Limits

ANSWERER = f"{__name__}.answer"
FLOOD_BYTES = 100 << 20
HUGE = 1 << 40
HOLDING = ctypes.PyDLL(None)  # the C library, called without giving the GIL away
FREEING = ctypes.CDLL(None)  # the same, the GIL free


def answer(question: Question, stage: Stage) -> Answer:
    """`innocent/7` is answered by 7; `fault/abort` aborts, and so on."""
    stage("run")
    kind, _, name = question.case.partition("/")
    if kind == "innocent":
        return number(name)
    return FAULTS[name](stage) or number("-1")


def number(text: str) -> Answer:
    return Answer("ok", {"out0": np.array([float(text)])}, inputs=text)


class Panic(BaseException):
    """What pyo3 makes of a Rust panic: no Exception."""


class UnpicklableError(Exception):
    def __init__(self, lock: object, *, needed: int) -> None:
        super().__init__("holds a lock")
        self.lock, self.needed = lock, needed


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


def throw(error: BaseException) -> NoReturn:
    raise error


def in_thread(fault: Callable[[], object]) -> None:
    thread = threading.Thread(target=fault)
    thread.start()
    thread.join()


def segfault() -> None:
    ctypes.string_at(0)


def segfault_in_native_thread() -> None:
    """The thread is the C library's own, which Python does not know."""
    HOLDING.pthread_create(
        ctypes.byref(ctypes.c_ulong()), None, ctypes.cast(HOLDING.strlen, ctypes.c_void_p), ctypes.c_void_p(None)
    )
    time.sleep(60)


def overflow_stack() -> None:
    """The C library's parser of regular expressions recurses once a bracket."""
    FREEING.regcomp(ctypes.create_string_buffer(1 << 10), b"(" * 1_000_000, 1)


def divide_integers() -> None:
    """PyTorch's own: MIN divided by -1, truncated."""
    import torch

    least = torch.tensor([torch.iinfo(torch.int32).min], dtype=torch.int32)
    torch.div(least, torch.tensor([-1], dtype=torch.int32), rounding_mode="trunc")


def loop_with_gil() -> None:
    re.match("(a+)+$", "a" * 64 + "b")


def loop_without_gil() -> None:
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)


def loop_in_python() -> None:
    while True:
        pass


def fill_memory() -> None:
    held = []
    while True:
        held.append(np.ones(1 << 20))


def fill_shared_memory() -> None:
    """No limit on private pages sees these: only watching from outside does."""
    shared = mmap.mmap(-1, 1 << 32)
    while True:
        shared.write(b"x" * (1 << 20))


def torch_memory() -> None:
    import torch

    torch.empty(HUGE, dtype=torch.float64)


def abort_for_memory() -> None:
    """As Rust does."""
    os.write(2, b"memory allocation of 1099511627776 bytes failed\n")
    os.abort()


def panic_and_abort() -> None:
    """As a Rust panic does that may not unwind."""
    os.write(2, b"\nthread '<unnamed>' (77) panicked at /x/registry/src/index-1/some-1.0/src/a.rs:1:2:\nno way out\n")
    os.abort()


def abort_by_check() -> None:
    """As XLA does."""
    os.write(2, b"F1129 17:19:01.897318    2719 raw_buffer.h:108] Check failed: buffer_.IsConcrete() \n*** stack\n")
    os.abort()


def flood() -> None:
    block = b"x" * 65_535 + b"\n"
    for _ in range(FLOOD_BYTES // len(block) // 2):
        os.write(1, block)
        os.write(2, block)


def flood_and_die() -> None:
    flood()
    os.abort()


def compile_long(stage: Stage) -> None:
    """Slow work, not a hang: longer than an answer may take, within what compiling may."""
    stage("compile")
    end = time.monotonic() + 3.0
    while time.monotonic() < end:
        pass
    stage("run")


def compile_for_good(stage: Stage) -> None:
    stage("compile")
    loop_in_python()


def no_number(array: object) -> Answer:
    return Answer("ok", {"out0": np.array([array], dtype=object)})


def plain(fault: Callable[[], Any]) -> Callable[[Stage], Any]:
    return lambda stage: fault()


FAULTS: dict[str, Callable[[Stage], Any]] = {
    "abort": plain(os.abort),
    "abort-in-thread": plain(lambda: in_thread(os.abort)),
    "segfault": plain(segfault),
    "segfault-in-thread": plain(lambda: in_thread(segfault)),
    "segfault-in-native-thread": plain(segfault_in_native_thread),
    "sigfpe": plain(lambda: signal.raise_signal(signal.SIGFPE)),
    "divide-integers": plain(divide_integers),
    "stack-overflow": plain(overflow_stack),
    "stack-overflow-in-thread": plain(lambda: in_thread(overflow_stack)),
    "killed": plain(lambda: os.kill(os.getpid(), signal.SIGKILL)),
    "loop-with-gil": plain(loop_with_gil),
    "loop-without-gil": plain(loop_without_gil),
    "loop-in-python": plain(loop_in_python),
    "compile-for-good": compile_for_good,
    "hang-with-gil": plain(HOLDING.pause),
    "hang-without-gil": plain(FREEING.pause),
    "deadlock": plain(lambda: threading.Semaphore(0).acquire()),
    "memory": plain(fill_memory),
    "memory-shared": plain(fill_shared_memory),
    "memory-at-once": plain(lambda: np.ones(HUGE)),
    "memory-torch": plain(torch_memory),
    "memory-abort": plain(abort_for_memory),
    "exit": plain(lambda: sys.exit(0)),
    "exit-3": plain(lambda: sys.exit(3)),
    "exit-at-once": plain(lambda: os._exit(0)),
    "exit-of-c": plain(lambda: HOLDING.exit(0)),
    "panic": plain(lambda: throw(Panic("index out of bounds"))),
    "panic-in-thread": plain(panic_and_abort),
    "check-failed": plain(abort_by_check),
    "unpicklable": plain(lambda: throw(UnpicklableError(threading.Lock(), needed=1))),
    "unprintable": plain(lambda: throw(UnprintableError())),
    "interrupt": plain(lambda: throw(KeyboardInterrupt("not typed"))),
    "no-number": plain(lambda: no_number(threading.Lock())),
    "no-answer": plain(lambda: threading.Lock()),
    "flood": plain(flood),
    "flood-and-die": plain(flood_and_die),
    "compile-long": compile_long,
}


def ask_all(cases: Sequence[str], limit: Limits) -> tuple[list[Answer], list[Incident]]:
    """Answers to the cases, in order, of two sides in turn, and the incidents."""
    with Asker(limit=limit, answerer=ANSWERER) as asker:
        answers = [
            asker.ask(Question(case, ("numpy", "torch")[place // 2 % 2], "value", "f64"))
            for place, case in enumerate(cases)
        ]
    return answers, asker.incidents
