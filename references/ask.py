"""The one function every answer is asked for through: in servant processes that may die, or in this one."""

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


class Asker:
    """Asks questions, each of the servant of its side; a servant that ends is replaced at the next question.

    isolate: False answers in this process, where a debugger works and a fatal question is fatal.
    limit: what an answer may take; the project's own limits unless given. answerer: the importable name of
    `answer(question, stage)`, whose module may have `start(side)`, called once a process and side.
    incidents: deaths that no answer tells of, one line each; a run with one is no clean run.
    """

    def __init__(self, *, isolate: bool = True, limit: Limits | None = None, answerer: str = ANSWERER) -> None:
        """Start what imports the libraries; no servant before its first question. Errors: LimitsError."""
        self._isolate, self._answerer = isolate, answerer
        self._keepers: dict[str, Keeper] = {}
        self._last: dict[str, Question] = {}
        self.incidents: list[str] = []
        if isolate:
            self._limits = limit or limits.load()
            forkserver.prepare()

    def ask(self, question: Question) -> Answer:
        """The answer to one question. Every way to fail is an outcome; only an interrupt is an exception."""
        if not self._isolate:
            return self._ask_here(question)
        with turn(question.width):
            return self._ask_servant("jax" if question.side == "jax-nojit" else question.side, question)

    def _ask_servant(self, side: str, question: Question) -> Answer:
        """The answer of the side's servant; of a new one, where an earlier answer may be what this one died of."""
        keeper = self._keeper(side)
        alone = not keeper.answered
        answer = self._ask(side, keeper, question)
        if answer.outcome not in _FATAL or alone:
            return answer
        return self._ask_alone(side, question, answer)

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

    def _ask(self, side: str, keeper: Keeper, question: Question) -> Answer:
        self._keepers[side] = keeper
        self._last[side] = question
        try:
            answer = keeper.ask(question)
        except BaseException:
            del self._keepers[side]
            raise
        if answer.outcome in _FATAL:
            del self._keepers[side]
        return answer

    def _ask_alone(self, side: str, question: Question, first: Answer) -> Answer:
        """Ask again of a new servant: what earlier answers left behind must not fall on this question."""
        answer = self._ask(side, Keeper(self._answerer, self._limits), question)
        if answer.outcome not in _FATAL:
            self.incidents.append(
                f"{question} ended its servant after other answers ({first.detail}), and was answered by a new one"
            )
        return answer

    def _keeper(self, side: str) -> Keeper:
        """The side's servant, if it lives and is not swollen."""
        keeper = self._keepers.pop(side, None)
        if keeper is not None and keeper.gone():
            self.incidents.append(f"the {side} servant died after it answered {self._last[side]}: {keeper.bury()}")
        elif keeper is not None and keeper.swollen():
            keeper.end()
        elif keeper is not None:
            return keeper
        return Keeper(self._answerer, self._limits)
