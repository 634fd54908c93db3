"""A death is named from exit code and last output, the same way on every run."""

import signal

import pytest

from references.servants import death

REPORT = (
    'Fatal Python error: Aborted\n\nCurrent thread 0x1 (most recent call first):\n  File "/x/y/a.py", line 3 in f\n'
)


@pytest.mark.parametrize(
    ("code", "written", "told"),
    [
        (None, "", "closed its pipe without answering"),
        (0, "", "exited with code 0 without answering"),
        (255, "", "exited with code 255 without answering"),
        (-signal.SIGFPE, "", "SIGFPE"),
        (-40, "", "signal 40"),
        (-signal.SIGKILL, "", "SIGKILL from outside, perhaps for memory"),
        (-signal.SIGSEGV, "", "SIGSEGV (stack overflow)"),
        (-signal.SIGSEGV, REPORT, "SIGSEGV in f (a.py)"),
        (-signal.SIGABRT, REPORT, "SIGABRT (abort) in f (a.py)"),
        (-signal.SIGABRT, 'File "/x/b.py", line 1 in g\n' + REPORT, "SIGABRT (abort) in f (a.py)"),
        (-signal.SIGABRT, "terminate called\n  what():  no\n", "SIGABRT (abort) — what(): no"),
        (-signal.SIGABRT, "  what():  std::bad_alloc\n" + REPORT, "memory limit 8 MiB exceeded"),
        (-signal.SIGABRT, "memory allocation of 9 bytes failed\n", "memory limit 8 MiB exceeded"),
        (-signal.SIGSEGV, "out of memory\n" + REPORT, "SIGSEGV in f (a.py)"),
        (
            -signal.SIGABRT,
            "panicked at a.rs:1:2:\nold\n\nthread 'x' panicked at /u/.cargo/registry/src/i-1/t-0.8.0/b.rs:3:4:\nnew\n",
            "SIGABRT (abort) — panicked at t-0.8.0/b.rs:3:4: new",
        ),
    ],
)
def test_a_death_is_named(code: int | None, written: str, told: str) -> None:
    assert death.cause(code, written, memory_mib=8) == told
