"""The class a case's program runs with, and the harness's free functions for it."""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from references.arbiter.core import Core, MissingError, constant
from references.arbiter.dynamic import Dynamic
from references.arbiter.graph import Array, Source
from references.dtypes import name_of

HARNESS = "tenferro_harness"


class Exact(Dynamic):
    """A tensor of exact values with the methods of the harness's tensors."""

    __slots__ = ()


def source(name: str, array: Array) -> Exact:
    """An input."""
    return Exact(Source(array.shape, name_of(array), array, name))


def _handle(tensors: Sequence[Any]) -> Exact:
    return next(t for t in tensors if isinstance(t, Exact))


def einsum(subscripts: str, *tensors: Any) -> Exact:
    """The free function of the harness."""
    return _handle(tensors).einsum(subscripts, *tensors)


def concatenate(tensors: Sequence[Any], axis: int) -> Exact:
    """The free function of the harness."""
    return _handle(tensors).concatenate(tensors, axis)


def stack(tensors: Sequence[Any], dim: int) -> Exact:
    """The free function of the harness."""
    return _handle(tensors).stack(tensors, dim)


def where_select(condition: Any, on_true: Any, on_false: Any) -> Exact:
    """The free function of the harness; any of the three may be a NumPy array."""
    held = condition if isinstance(condition, Core) else Exact(constant(condition))
    return Exact(held.node).where_select(on_true, on_false)


FREE: dict[str, Callable[..., Any]] = {
    "einsum": einsum,
    "concatenate": concatenate,
    "stack": stack,
    "where_select": where_select,
}


class _Harness(types.ModuleType):
    """The harness's name while a program runs over exact tensors: its free functions, and nothing else."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingError(name)


@contextlib.contextmanager
def free_functions() -> Iterator[None]:
    """Programs find `th.einsum` and its like through the module's name: for a moment it means the arbiter's."""
    held = sys.modules.get(HARNESS)
    ours = _Harness(HARNESS)
    ours.__dict__.update(FREE)
    sys.modules[HARNESS] = ours
    try:
        yield
    finally:
        if held is None:
            del sys.modules[HARNESS]
        else:
            sys.modules[HARNESS] = held
