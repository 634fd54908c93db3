"""Turns on the machine: an answer of one thread shares it, an answer of several has it to itself.

tenferro's threads wait for one another by spinning: where another process takes a processor away meanwhile, a second
becomes minutes (measured: the traced TRG at width 2, 0.8 s alone, over 120 s beside four busy processes on two cores).
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path


def path() -> Path:
    """The file whose lock is the turn: one a user and machine, so that two runs at once take turns as well."""
    return Path(tempfile.gettempdir()) / f"tenferro-conformance-{os.getuid()}.turn"


@contextlib.contextmanager
def turn(width: int | None) -> Iterator[None]:
    """Hold the machine for an answer of that many threads; waits while others hold it in a way that excludes this."""
    door, room = _files(os.getpid())
    fcntl.flock(door, fcntl.LOCK_EX)  # whoever waits for the room waits in the door, so that nobody slips past
    try:
        fcntl.flock(room, fcntl.LOCK_EX if (width or 1) > 1 else fcntl.LOCK_SH)
    finally:
        fcntl.flock(door, fcntl.LOCK_UN)
    try:
        yield
    finally:
        fcntl.flock(room, fcntl.LOCK_UN)


@cache
def _files(process: int) -> tuple[int, int]:
    """The locks' own open files in each process: a lock goes with the opening, which a fork would share."""
    door, room = (os.open(f"{path()}{end}", os.O_CREAT | os.O_RDWR, 0o600) for end in ("-door", ""))
    return door, room
