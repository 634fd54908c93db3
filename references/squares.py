"""Derivatives of operations that move numbers: asked of the operation behind a square, so that none is constant.

A move is linear: its own second derivative is zero whatever it does. Behind x², every derivative shows where each
number went. Inputs, tangents and cotangents are small positive integers: all sums are exact in any order, and none
is a zero whose sign the order decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from references.case import DERIVATIVES, Case, Program
from references.dtypes import DIFFERENTIABLE
from references.inputs import Input, integers

WHOLE = {"*": integers(1, low=1, high=9)}
"""Small positive integers for every tangent or cotangent."""


def with_derivatives(cases: Iterable[Case]) -> Iterator[Case]:
    """Each case by value, and behind squares for its derivatives where a dtype of it has any."""
    for case in cases:
        yield replace(case, transforms=("value",))
        asked = tuple(name for name in case.transforms if name in DERIVATIVES)
        smooth = tuple(name for name in case.dtypes if name in DIFFERENTIABLE)
        if asked and smooth:
            yield _squared(case, asked, smooth)


def _squared(case: Case, transforms: tuple[str, ...], dtypes: tuple[str, ...]) -> Case:
    active = tuple(name for name, source in case.inputs.items() if source.dtype is None)
    programs: dict[str, Any] = {
        name: _behind(program, tuple(source.dtype is None for source in case.inputs.values()))
        for name in ("tenferro", "jax", "torch")
        if (program := getattr(case, name))
    }
    return replace(
        case,
        id=f"{case.id}-of-squares",
        inputs={name: _small(source) if name in active else source for name, source in case.inputs.items()},
        transforms=transforms,
        dtypes=dtypes,
        tangents=WHOLE,
        cotangents=WHOLE,
        numpy=None,
        **programs,
    )


def _behind(program: Program, square: tuple[bool, ...]) -> Program:
    return lambda *arrays: program(*(x * x if each else x for x, each in zip(arrays, square, strict=True)))


def _small(source: Input) -> Input:
    return replace(integers(*source.shape, low=1, high=9), view=source.view)
