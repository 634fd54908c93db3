"""Watching an answer from outside: time by stage, progress, memory."""

import time

import psutil

from references.servants import memory
from references.servants.limits import Limits

TICK_SECONDS = 0.05
# A process whose threads all wait still wakes now and then: less than this share of a processor is no progress.
_IDLE_SHARE = 0.01


class OverdueError(Exception):
    """An answer passed a limit: outcome and detail of the Answer it becomes."""

    def __init__(self, outcome: str, detail: str) -> None:
        """An Answer's two fields."""
        super().__init__(detail)
        self.outcome, self.detail = outcome, detail


class Watch:
    """Limits of one answer of a process that held `held` bytes before it was asked."""

    def __init__(self, process: psutil.Process, limits: Limits, *, stage: str, held: int) -> None:
        """Start the clocks, in the given stage."""
        self._process, self._limits, self._held = process, limits, held
        self._stage, self._spent = stage, {"compile": 0.0, "run": 0.0}
        self._seen = self._moved = time.monotonic()
        self._used = 0.0

    def passed(self, stage: str) -> None:
        """The answer tells that its work passed on to another stage, which is progress."""
        self._spend()
        self._stage, self._moved = ("compile" if stage == "compile" else "run"), self._seen

    def check(self) -> None:
        """Look at the process, at most once a tick. Errors: OverdueError."""
        if time.monotonic() - self._seen < TICK_SECONDS:
            return
        self._spend()
        try:
            self._check_memory()
            self._check_progress()
        except psutil.NoSuchProcess:
            return  # dead: its pipe says so, too
        self._check_time()

    def _spend(self) -> None:
        now = time.monotonic()
        self._spent[self._stage] += now - self._seen
        self._seen = now

    def _check_memory(self) -> None:
        grown = memory.held(self._process.pid) - self._held
        if grown > self._limits.memory_mib << 20:
            raise OverdueError("crash", memory.exceeded(self._limits.memory_mib))

    def _check_progress(self) -> None:
        times = self._process.cpu_times()
        used = times.user + times.system
        if used - self._used > _IDLE_SHARE * self._limits.idle_seconds:
            self._used, self._moved = used, self._seen
        elif self._seen - self._moved > self._limits.idle_seconds:
            raise OverdueError(
                "timeout", f"hang: no progress for {self._limits.idle_seconds:g} s (stage {self._stage})"
            )

    def _check_time(self) -> None:
        limits = {"compile": self._limits.compile_seconds, "run": self._limits.answer_seconds}
        if self._spent[self._stage] > limits[self._stage]:
            raise OverdueError("timeout", f"over time: {limits[self._stage]:g} s (stage {self._stage})")
