"""The one function every answer is asked for through: in servant processes that may die, or in this one."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from references.question import Answer, Question
from references.servants import death, forkserver, limits
from references.servants.attempt import attempt
from references.servants.keeper import Keeper
from references.servants.limits import Limits
from references.servants.servant import exit_code
from references.servants.turns import turn

ANSWERER = "references.run.answer"
_FATAL = ("crash", "timeout")


@dataclass(frozen=True)
class Incident:
    """A death that no answer tells of. question: the last one its servant was asked. text: what happened, in a line."""

    question: Question
    text: str


class Asker:
    """Asks questions, each of the servant of its side; a servant that ends is replaced at the next question.

    isolate: False answers in this process, where a debugger works and a fatal question is fatal.
    limit: what an answer may take; the project's own limits unless given. answerer: the importable name of
    `answer(question, stage)`, whose module may have `start(side)`, called once a process and side.
    incidents: deaths that no answer tells of; a run with one is no clean run.
    """

    def __init__(self, *, isolate: bool = True, limit: Limits | None = None, answerer: str = ANSWERER) -> None:
        """Start what imports the libraries; no servant before its first question. Errors: LimitsError."""
        self._isolate, self._answerer = isolate, answerer
        self._keepers: dict[str, Keeper] = {}
        self._last: dict[str, Question] = {}
        self.incidents: list[Incident] = []
        if isolate:
            self._limits = limit or limits.load()
            forkserver.prepare()

    def ask(self, question: Question) -> Answer:
        """The answer to one question. Every way to fail is an outcome; only an interrupt is an exception."""
        if not self._isolate:
            return self._ask_here(question)
        with turn(question.width):
            return self._put(question)()

    def ask_both(self, one: Question, other: Question) -> tuple[Answer, Answer]:
        """The answers to two questions, worked on at the same time where two servants may share the machine."""
        wide = max(one.width or 1, other.width or 1) > 1
        if not self._isolate or wide or _servant(one) == _servant(other):
            return self.ask(one), self.ask(other)
        with turn(1):
            take = self._put(other)
            beside = self._keepers[_servant(other)]
            try:
                first = self._put(one)(beside)
            except BaseException:  # interrupted: nobody takes the other answer any more
                self._keepers.pop(_servant(other)).end()
                raise
            return first, take()

    def _put(self, question: Question) -> Callable[..., Answer]:
        """Put a question to the servant of its side; what is returned takes the answer."""
        side = _servant(question)
        keeper = self._keeper(side)
        keeper.put(question)
        self._keepers[side], self._last[side] = keeper, question
        return functools.partial(self._take, side, keeper, question)

    def close(self) -> None:
        """End every servant."""
        while self._keepers:
            self._keepers.popitem()[1].end()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _ask_here(self, question: Question) -> Answer:
        try:
            return attempt(self._answerer, question, lambda stage: None)
        except SystemExit as error:
            return Answer("crash", detail=death.exited(exit_code(error)))

    def _take(self, side: str, keeper: Keeper, question: Question, beside: Keeper | None = None) -> Answer:
        """The answer, or a new servant's: what earlier answers left behind must not fall on this question."""
        alone = not keeper.answered
        try:
            answer = keeper.take(beside)
        except BaseException:
            del self._keepers[side]
            raise
        if answer.outcome in _FATAL:
            del self._keepers[side]
        return answer if answer.outcome not in _FATAL or alone else self._ask_alone(question, answer, beside)

    def _ask_alone(self, question: Question, first: Answer, beside: Keeper | None) -> Answer:
        answer = self._put(question)(beside)
        if answer.outcome not in _FATAL:
            told = f"{question} ended its servant after other answers ({first.detail}), and was answered by a new one"
            self.incidents.append(Incident(question, told))
        return answer

    def _keeper(self, side: str) -> Keeper:
        """The side's servant, if it lives and is not swollen."""
        keeper = self._keepers.pop(side, None)
        if keeper is not None and keeper.gone():
            last = self._last[side]
            self.incidents.append(Incident(last, f"the {side} servant died after it answered {last}: {keeper.bury()}"))
        elif keeper is not None and keeper.swollen():
            keeper.end()
        elif keeper is not None:
            return keeper
        return Keeper(self._answerer, self._limits)


def _servant(question: Question) -> str:
    """The side whose servant answers: JAX's answers with and without jit."""
    return "jax" if question.side == "jax-nojit" else question.side
