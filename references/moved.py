"""Protocol "moved-k": a question asked at inputs moved by 2^-k times the case's tangents, for Taylor remainders."""

from __future__ import annotations

from dataclasses import replace

from references import material
from references.case import Case
from references.material import Material
from references.question import Question

PREFIX = "moved-"


def moved(case: Case, question: Question, asked: Material) -> Material:
    """The material with its active inputs moved as the protocol says; as it is under any other protocol.

    Tangents, cotangents and inputs without derivatives stay. Raises ValueError for a step that is no whole number.
    """
    if not question.protocol.startswith(PREFIX):
        return asked
    step = 2.0 ** -int(question.protocol.removeprefix(PREFIX))
    pushed = material.make(case, transform="jvp", dtype=question.dtype, ordinal=0, outputs=lambda _: [])
    steps = {name: asked.inputs[name] + step * tangent for name, tangent in pushed.tangents.items()}
    return replace(asked, inputs={**asked.inputs, **steps})
