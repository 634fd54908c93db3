"""The arbiter: a case's own program over exact tensors, decided to the correctly rounded float.

`ask` runs the program, `decide` raises the precision of ball arithmetic until every float is pinned, `culprits` says
which sides are wrong and by how much. What cannot be decided says so and why; nothing is guessed.
"""

from __future__ import annotations

from references.arbiter.culprits import Finding, Limits, Ruling, arbitrate, culprits
from references.arbiter.decide import Budget, Element, Truth, decide
from references.arbiter.of_case import question_of
from references.arbiter.question import Place, Question, ask
from references.arbiter.sample import sample
from references.arbiter.tensor import Exact

__all__ = [
    "Budget",
    "Element",
    "Exact",
    "Finding",
    "Limits",
    "Place",
    "Question",
    "Ruling",
    "Truth",
    "arbitrate",
    "ask",
    "culprits",
    "decide",
    "question_of",
    "sample",
]
