"""The asker's hold on one servant: start it, ask it, and bury it."""

import contextlib
import os
import select
import time
from multiprocessing import Pipe
from typing import cast

import psutil

from references.question import Answer, Question
from references.servants import death, memory, servant, wire
from references.servants.forkserver import fork
from references.servants.limits import Limits
from references.servants.watch import TICK_SECONDS, OverdueError, Watch

Arrived = Answer | Exception | None
"""What has become of a question: the answer, the way its servant ended, or nothing yet."""

_TAIL_BYTES = 1 << 14
_READ_BYTES = 1 << 20
BURIAL_SECONDS = 5.0


class Keeper:
    """Keeps one servant; `answered` counts its answers."""

    def __init__(self, answerer: str, limits: Limits) -> None:
        """Start a servant that answers with the function of that importable name."""
        self._limits, self.answered = limits, 0
        self._end, theirs = wire.pair()
        self._output, writes = Pipe(duplex=False)
        os.set_blocking(self._output.fileno(), False)
        with theirs, writes:
            self._process = fork(servant.serve, theirs, writes, answerer, limits.memory_mib)
        self._seen = psutil.Process(self._process.pid)
        self._held = self._born = memory.held(self._seen.pid)
        self._poll = select.poll()
        self._poll.register(self._end, select.POLLIN)
        self._poll.register(self._output, select.POLLIN)
        self._tail = b""
        self._beside: Keeper | None = None

    def put(self, question: Question) -> None:
        """Put a question; `take` is to be called next. A servant that is dead already says so there."""
        self._started, self._arrived, self._beside = time.monotonic(), cast(Arrived, None), None
        self._read_output()
        self._tail = b""
        stage = "run" if self.answered else "compile"  # a new servant starts its library first
        self._watch = Watch(self._seen, self._limits, stage=stage, held=self._held)
        with contextlib.suppress(ConnectionError):
            wire.send(self._end, question)

    def take(self, beside: "Keeper | None" = None) -> Answer:
        """The servant's answer, or the crash or timeout that its end is; after one of those the servant is gone.

        beside: another with a question of its own, which is looked after while this one is waited for.
        """
        self._beside = beside
        try:
            return self._exchange()
        except OverdueError as passed:
            self.end()
            return Answer(passed.outcome, detail=passed.detail, seconds=time.monotonic() - self._started)
        except (EOFError, ConnectionError, psutil.NoSuchProcess):
            return Answer("crash", detail=self.bury(), seconds=time.monotonic() - self._started)
        except BaseException:  # interrupted: nobody awaits the answer any more
            self.end()
            raise

    def look(self) -> None:
        """Take note of what the servant has sent and of the limits it passed, without waiting for it."""
        if self._arrived is not None:
            return
        try:
            self._read_output()
            self._receive() if self._sent() else self._watch.check()
        except OverdueError as passed:
            self._process.kill()  # it goes on otherwise until somebody takes the answer
            self._arrived = passed
        except (EOFError, ConnectionError, psutil.NoSuchProcess) as gone:
            self._arrived = gone

    def gone(self) -> bool:
        """Whether the servant died or closed its pipe since its last answer."""
        return self._sent()

    def _sent(self) -> bool:
        """Whether there is something to read, were it the end."""
        only = select.poll()
        only.register(self._end, select.POLLIN)
        return bool(only.poll(0))

    def swollen(self) -> bool:
        """Whether the servant has kept, over all its answers, more memory than one may take."""
        return self._held - self._born > self._limits.memory_mib << 20

    def bury(self) -> str:
        """Take leave of a servant that died by itself; the cause."""
        self._read_output()
        self._process.join(BURIAL_SECONDS)
        code = self._process.exitcode
        self.end()
        return death.cause(code, self._tail.decode(errors="replace"), memory_mib=self._limits.memory_mib)

    def end(self) -> None:
        """End the servant, whatever it does."""
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
        self._process.close()
        self._end.close()
        self._output.close()

    def _exchange(self) -> Answer:
        while self._arrived is None:
            self._receive()
        if isinstance(self._arrived, Exception):
            raise self._arrived
        if self._arrived.outcome == "crash":  # refused memory: it lives, in what state nobody knows
            self.end()
        return self._arrived

    def _receive(self) -> None:
        kind, *told = wire.receive(self._end, self._wait)
        if kind == "answer":
            self._arrived, self._held = told
            self.answered += 1
        else:
            self._watch.passed(*told)

    def _wait(self) -> None:
        """Return when the servant has sent something; meanwhile keep its output flowing and look after it.

        What is there already is not overdue, however long nobody came for it.
        """
        while True:
            ready = {file for file, _ in self._poll.poll(TICK_SECONDS * 1000)}
            if self._output.fileno() in ready:
                self._read_output()
            if self._end.fileno() in ready:
                return
            self._watch.check()
            if self._beside:
                self._beside.look()

    def _read_output(self) -> None:
        """Read what the pipe holds and keep the last of it, so that a flood neither blocks nor fills anything."""
        try:
            read = os.read(self._output.fileno(), _READ_BYTES)
        except BlockingIOError:
            return
        if not read:  # its other end is closed, which poll would tell again and again
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._output)
        self._tail = (self._tail + read)[-_TAIL_BYTES:]
