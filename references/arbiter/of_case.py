"""The question of a case: its program over the inputs, tangents and cotangents that every side is asked with."""

from __future__ import annotations

from typing import Any

import numpy as np

from references import material
from references.arbiter.graph import Array
from references.arbiter.question import Question, ask
from references.case import Case, Staged
from references.dtypes import NUMPY


def question_of(case: Case, *, transform: str, dtype: str, ordinal: int = 0) -> Question:
    """What the arbiter is asked of a case; `refused` says why where it cannot follow the program."""
    if isinstance(case.tenferro, Staged):
        return _refused(case, transform, dtype, ordinal, "a program that stages its own derivative")
    if case.observe is not None and transform == "value":
        return _refused(case, transform, dtype, ordinal, "values observed by NumPy")
    program = case.tenferro
    found: list[Question] = []

    def outputs(inputs: dict[str, Array]) -> list[Array]:
        found.append(ask(program, inputs))
        return [np.zeros(node.shape, NUMPY[node.dtype]) for node in found[-1].outputs] or [np.zeros(())]

    asked = material.make(case, transform=transform, dtype=dtype, ordinal=ordinal, outputs=outputs)
    if found and found[-1].refused:
        return Question((), transform, asked.inputs, asked.wrt, refused=found[-1].refused)
    rest: dict[str, Any] = {"wrt": asked.wrt, "tangents": asked.tangents, "cotangents": asked.cotangents}
    return ask(program, asked.inputs, transform=transform, **rest)


def _refused(case: Case, transform: str, dtype: str, ordinal: int, why: str) -> Question:
    inputs = material.make(case, transform="value", dtype=dtype, ordinal=ordinal, outputs=lambda _: []).inputs
    return Question((), transform, inputs, case.active(dtype), refused=why)
