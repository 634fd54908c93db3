"""The one function every answer is asked for through."""

import importlib
from collections.abc import Callable
from types import TracebackType
from typing import Self, cast

from references.question import Answer, Question, Stage

ANSWERER = "references.run.answer"


class Asker:
    """Asks questions and returns answers; answerer is the importable name of `answer(question, stage)`."""

    def __init__(self, *, isolate: bool = True, answerer: str = ANSWERER) -> None:
        if isolate:
            raise NotImplementedError("isolation is not built yet: use isolate=False")
        self._answer = _load(answerer)

    def ask(self, question: Question) -> Answer:
        """Return the answer to one question."""
        return self._answer(question, lambda stage: None)

    def close(self) -> None:
        """End what was started for answering."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _load(name: str) -> Callable[[Question, Stage], Answer]:
    module, _, function = name.rpartition(".")
    return cast(Callable[[Question, Stage], Answer], getattr(importlib.import_module(module), function))
