"""Shorthand of the arbiter's tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from references.arbiter import Budget, Truth, ask, decide
from references.dtypes import NUMPY

Array = np.ndarray[Any, np.dtype[Any]]
PATIENT = Budget(seconds=120.0)


def truth(program: Callable[..., Any], *arrays: Any, **asked: Any) -> Truth:
    """All elements, decided; inputs are named x0, x1, …"""
    return decide(ask(program, named(arrays), **asked), budget=PATIENT)


def named(arrays: Any) -> dict[str, Array]:
    """x0, x1, …"""
    return {f"x{i}": np.asarray(array) for i, array in enumerate(arrays)}


def values(program: Callable[..., Any], *arrays: Any, **asked: Any) -> dict[str, Array]:
    """The decided arrays of a question, by result; every element has to be decided."""
    question = ask(program, named(arrays), **asked)
    found: dict[str, list[Any]] = {}
    for element in decide(question, budget=PATIENT).elements:
        assert element.value is not None, (element.place, element.reason)
        found.setdefault(element.place[0], []).append(element.value)
    return {name: np.array(list_, dtype=NUMPY[question.dtype(name)]) for name, list_ in found.items()}


def value(program: Callable[..., Any], *arrays: Any, **asked: Any) -> Array:
    """The flat array of the only result."""
    (found,) = values(program, *arrays, **asked).values()
    return found


def reasons(program: Callable[..., Any], *arrays: Any, **asked: Any) -> set[str]:
    """Why elements are undecided."""
    return {element.reason for element in truth(program, *arrays, **asked).elements if element.value is None}


def alike(a: Any, b: Any) -> Array:
    """Where two arrays are the same number, zeros of the same sign, or both NaN; complex by parts."""
    a, b = np.asarray(a), np.asarray(b)
    if np.iscomplexobj(a):
        return np.asarray(alike(a.real, b.real) & alike(a.imag, b.imag))
    same = (a == b) & (np.signbit(a) == np.signbit(b)) if a.dtype.kind == "f" else a == b
    return np.asarray(same | ((a != a) & (b != b)))


def assert_alike(got: Array, expected: Array, inputs: Mapping[str, Array]) -> None:
    """Bit for bit; the message shows the first elements that are not."""
    wrong = np.flatnonzero(~alike(got, expected))
    shown = [(*(repr(array[i]) for array in inputs.values()), repr(got[i]), repr(expected[i])) for i in wrong[:5]]
    assert not len(wrong), f"{len(wrong)} of {len(got)} differ, first (inputs, arbiter, second source): {shown}"
