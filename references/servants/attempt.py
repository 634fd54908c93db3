"""One try at an answer, in this process: whatever comes back or escapes becomes an Answer of plain values."""

import functools
import importlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from references.question import Answer, Question, Stage

Answerer = Callable[[Question, Stage], Answer]
_NUMBERS = "biufc"
_TEXT = 2000


def attempt(answerer: str, question: Question, stage: Stage) -> Answer:
    """Answer with the function of that importable name. Errors: SystemExit and KeyboardInterrupt pass."""
    try:
        return _plain(_ready(answerer, question.side)(question, stage))
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:  # a Rust panic is no Exception, and whatever a library raises is its answer
        return failed(error)


@functools.cache
def _ready(answerer: str, side: str) -> Answerer:
    """The named function, after its module's `start(side)`, if it has one, was called."""
    module, _, function = answerer.rpartition(".")
    home = importlib.import_module(module)
    if hasattr(home, "start"):
        home.start(side)
    return cast(Answerer, getattr(home, function))


def failed(error: BaseException) -> Answer:
    """The error an exception is, by type and text; the exception itself need not be picklable or printable."""
    try:
        text = str(error)
    except Exception as unprintable:  # an exception's own __str__ may raise anything
        text = f"its text raises {type(unprintable).__name__}"
    return Answer("error", detail=f"{type(error).__name__}: {text}"[:_TEXT])


def _plain(answer: object) -> Answer:
    """The same answer made of plain values alone, which any process can read."""
    if not isinstance(answer, Answer):
        raise TypeError(f"the answer is a {type(answer).__name__}, not an Answer")
    return replace(
        answer,
        outcome=str(answer.outcome),
        arrays=_numbers(answer.arrays),
        detail=str(answer.detail)[:_TEXT],
        seconds=float(answer.seconds),
        inactive=tuple(map(str, answer.inactive)),
        inputs=str(answer.inputs),
    )


def _numbers(arrays: Mapping[str, Any]) -> dict[str, np.ndarray[Any, np.dtype[Any]]]:
    made = {str(name): np.asarray(array, order="C") for name, array in arrays.items()}
    for name, array in made.items():
        if array.dtype.kind not in _NUMBERS:
            kinds = {type(entry).__name__ for entry in array.flat} or {str(array.dtype)}
            raise TypeError(f"{name} holds {', '.join(sorted(kinds))}, not numbers")
    return made
