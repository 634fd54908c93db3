"""A servant: a process that answers one question after another and may die of any."""

import ctypes
import faulthandler
import fcntl
import functools
import os
import resource
import signal
import socket
import sys
from multiprocessing import parent_process
from multiprocessing.connection import Connection

from references.question import Answer, Question
from references.servants import memory, wire
from references.servants.attempt import attempt, failed


def serve(end: socket.socket, output: "Connection[bytes, bytes]", answerer: str, memory_mib: int) -> None:
    """Answer questions from `end` until it closes; standard output and error go to `output`."""
    _settle(output.fileno())
    while True:
        try:
            question = wire.receive(end)
        except EOFError:
            os._exit(0)
        memory.allow(memory_mib)
        answer = _answer(end, answerer, question)
        if answer.outcome == "error" and memory.refused(answer.detail):
            answer = Answer("crash", detail=memory.exceeded(memory_mib), inputs=answer.inputs)
        wire.send(end, ("answer", answer, memory.held(os.getpid())))


def exit_code(error: SystemExit) -> int:
    """The code with which the interpreter ends on that exception."""
    if error.code is None:
        return 0
    return error.code & 0xFF if isinstance(error.code, int) else 1


def _answer(end: socket.socket, answerer: str, question: Question) -> Answer:
    try:
        return attempt(answerer, question, functools.partial(_stage, end))
    except KeyboardInterrupt as error:  # raised by a library, not typed: a servant ignores the terminal's signal
        return failed(error)
    except SystemExit as error:  # leave as asked, but without waiting for threads left behind
        os._exit(exit_code(error))


def _stage(end: socket.socket, stage: str) -> None:
    wire.send(end, ("stage", stage))


def _settle(output: int) -> None:
    """Make this process one that dies alone, tells of what, and does not outlive its asker."""
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable(file=2, all_threads=False)
    if sys.platform == "linux":
        _report_on_own_stack()
        _die_with_asker()


def _die_with_asker() -> None:
    """Have the kernel kill this process when its asker's end of a pipe closes, even in a loop that holds the GIL.

    The parent is the forkserver, so that the signal on a parent's death would not tell.
    """
    asker = parent_process()
    assert asker is not None, "a servant is started by multiprocessing"
    fcntl.fcntl(asker.sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(asker.sentinel, fcntl.F_SETSIG, signal.SIGKILL)
    flags = fcntl.fcntl(asker.sentinel, fcntl.F_GETFL)
    fcntl.fcntl(asker.sentinel, fcntl.F_SETFL, flags | os.O_ASYNC)


class _Stack(ctypes.Structure):
    _fields_ = (("start", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t))


def _report_on_own_stack() -> None:
    """Take faulthandler's second stack away: a segmentation fault without its report then is a stack overflow."""
    disable = _Stack(None, 2, 0)
    ctypes.CDLL(None).sigaltstack(ctypes.byref(disable), None)
