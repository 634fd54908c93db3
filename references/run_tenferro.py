"""A question answered by tenferro through the harness, on one surface, at one width, in a runtime of its own."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from references.case import Case, Staged
from references.inputs import Array
from references.lazy import th
from references.material import Arrays, Material, as_outputs, named


@functools.cache
def engine(width: int) -> Any:
    """The engine of a thread width; shared, since a new one costs milliseconds and holds no answers."""
    return th.Engine(width)


def program(case: Case, *, surface: str, width: int) -> Any:
    """The case's program on one surface in a fresh runtime: asked twice, it answers from the same caches."""
    assert not isinstance(case.tenferro, Staged), case.id
    return th.Asked(case.tenferro, surface=surface, engine=engine(width))


def outputs(case: Case, inputs: Arrays, *, surface: str, width: int) -> list[Array]:
    """Outputs whose shapes and dtypes cotangents follow, from a runtime that is thrown away."""
    return list(program(case, surface=surface, width=width).value(inputs))


def ask(asked: Any, transform: str, material: Material) -> Arrays:
    """Outputs by name (value, jvp) or gradients by input (vjp, grad, hvp)."""
    inputs, wrt = material.inputs, list(material.wrt)
    if transform == "value":
        return named(asked.value(inputs))
    if transform == "jvp":
        return named(asked.jvp(inputs, wrt, material.tangents))
    if transform == "grad":
        return dict(asked.grad(inputs, wrt))
    if transform == "vjp":
        return dict(asked.vjp(inputs, wrt, material.cotangents))
    return dict(asked.hvp(inputs, wrt, material.tangents, material.cotangents))


def staged(case: Case, inputs: Arrays, *, width: int) -> dict[str, Arrays]:
    """Value and gradient of a program that stages its own derivative, from one run in a fresh runtime."""
    assert isinstance(case.tenferro, Staged), case.id
    value, gradient = case.tenferro.program(th.Runtime(engine(width)), *inputs.values())
    gradients = dict(zip(inputs, map(np.asarray, as_outputs(gradient)), strict=False))
    return {"value": named(as_outputs(value)), "grad": gradients}
