"""Which operations a case's program asks of tenferro: its tensors run as ever, and each call is written down."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

FREE = ("concatenate", "stack", "where_select", "einsum")
"""Functions of several tensors, which are no methods."""

OPERATORS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "mod": "rem",
    "pow": "pow",
    "matmul": "matmul",
}


class Watched:
    """A tensor of the harness that notes every method called on it, and on what comes of it."""

    def __init__(self, tensor: Any, calls: list[str]) -> None:
        self.tensor, self.calls = tensor, calls

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.tensor, name)
        return _noting(name, found, self.calls) if callable(found) else found

    def __neg__(self) -> Any:
        return _noting("neg", self.tensor.__neg__, self.calls)()

    def __abs__(self) -> Any:
        return _noting("abs", self.tensor.__abs__, self.calls)()


def _operator(python: str, operation: str) -> None:
    """Python looks operators up on the class, never through __getattr__."""

    def forward(self: Watched, other: Any) -> Any:
        return _noting(operation, getattr(self.tensor, f"__{python}__"), self.calls)(other)

    def reflected(self: Watched, other: Any) -> Any:
        return _noting(operation, getattr(self.tensor, f"__r{python}__"), self.calls)(other)

    setattr(Watched, f"__{python}__", forward)
    setattr(Watched, f"__r{python}__", reflected)


for _python, _operation in OPERATORS.items():
    _operator(_python, _operation)


def _noting(name: str, function: Callable[..., Any], calls: list[str]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        calls.append(name)
        plain = {key: bare(value) for key, value in named.items()}
        return _watch(function(*map(bare, arguments), **plain), calls)

    return call


def bare(value: Any) -> Any:
    """The harness's own object, inside lists and tuples too."""
    if isinstance(value, list | tuple):
        return type(value)(map(bare, value))
    return value.tensor if isinstance(value, Watched) else value


def _watch(result: Any, calls: list[str]) -> Any:
    if isinstance(result, list | tuple):
        return type(result)(_watch(each, calls) for each in result)
    return Watched(result, calls) if type(result).__name__ in ("Traced", "Eager", "Concrete") else result


@contextmanager
def free_functions() -> Iterator[None]:
    """The harness's free functions take watched tensors and note themselves, while this lasts."""
    harness = importlib.import_module("tenferro_harness")
    kept = {name: getattr(harness, name) for name in FREE}
    for name, function in kept.items():
        setattr(harness, name, _free(name, function))
    try:
        yield
    finally:
        for name, function in kept.items():
            setattr(harness, name, function)


def _free(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        calls = _calls(arguments)
        if calls is None:
            return function(*arguments)
        calls.append(name)
        return _watch(function(*map(bare, arguments)), calls)

    return call


def _calls(arguments: Sequence[Any]) -> list[str] | None:
    """The notes of the first watched tensor among the arguments; None where none is watched."""
    flat = [each for value in arguments for each in (value if isinstance(value, list | tuple) else (value,))]
    return next((each.calls for each in flat if isinstance(each, Watched)), None)
