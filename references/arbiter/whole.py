"""Integers of a fixed width (wrapping) and bools, exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from references.arbiter.special import Undecided

WIDTH = {"i32": 32, "i64": 64}
NO_INTEGER = Undecided("integer division by zero, or a negative integer power")


def wrapped(value: int, dtype: str) -> int:
    """Two's complement in the width of `dtype`."""
    half = 1 << (WIDTH[dtype] - 1)
    return (value + half) % (2 * half) - half


def _divided(x: int, y: int) -> Any:
    """Truncated towards zero."""
    if y == 0:
        return NO_INTEGER
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _rest(x: int, y: int) -> Any:
    """With the sign of the dividend."""
    if y == 0:
        return NO_INTEGER
    return abs(x) % abs(y) * (1 if x >= 0 else -1)


def _raised(modulus: int) -> Callable[[int, int], Any]:
    return lambda x, y: pow(x, y, modulus) if y >= 0 else NO_INTEGER


def operation(name: str, dtype: str) -> Callable[..., Any]:
    """The named integer operation, wrapped to `dtype`; undecided operands pass."""
    plain: dict[str, Callable[..., Any]] = {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y,
        "div": _divided,
        "rem": _rest,
        "pow": _raised(1 << WIDTH[dtype]),
        "neg": lambda x: -x,
        "abs": abs,
        "sign": lambda x: (x > 0) - (x < 0),
        "maximum": max,
        "minimum": min,
    }
    chosen = plain[name]

    def applied(*operands: Any) -> Any:
        stuck = next((x for x in operands if isinstance(x, Undecided)), None)
        found = stuck if stuck is not None else chosen(*operands)
        return found if isinstance(found, Undecided) else wrapped(found, dtype)

    return applied
