"""Who is wrong where two sides differ: the arbiter's ruling on a check, for its record."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from compare.check import Comparison
from compare.tolerances import Tolerance
from references import arbiter, lookup
from references.arbiter.question import Place
from references.arbiter.question import Question as Exact
from references.case import SURFACES
from references.question import Answer
from tests.plan import Check

WHEN = ("differing", "mismatches", "none")
"""Which checks are arbitrated: every one that is not equal to the last bit, those that do not match, none."""

BUDGET = arbiter.Budget(bits=2048, seconds=1.0)
"""What a ruling may take; an element that needs more is undecided."""


def ruling(
    check: Check, comparison: Comparison, tolerance: Tolerance, answers: Mapping[str, Answer], *, when: str
) -> dict[str, Any] | None:
    """The record of a ruling; None where nothing was asked.

    answers: by "tenferro" and "reference". What is compared to the last bit has no bound a side could be beyond.
    """
    differs = comparison.bitwise_equal < comparison.n and not (tolerance.exact and check.reference in SURFACES)
    if when == "none" or not differs or (when == "mismatches" and comparison.outcome != "mismatch"):
        return None
    sides = {"tenferro": answers["tenferro"].arrays, check.reference: answers["reference"].arrays}
    limits = arbiter.Limits(_bounds(comparison), tolerance.ulps, tolerance.sign_of_zero)
    try:
        question = _exact(check.got.case, check.got.transform, check.got.dtype, int(check.got.protocol == "second"))
        return arbiter.arbitrate(question, sides, limits, worst=_worst(comparison), budget=BUDGET).record()
    except Exception as error:  # a fault of the arbiter is told, and takes no check's outcome along
        return {"label": "undecided", "undecided": [f"the arbiter failed: {type(error).__name__}: {error}"]}


@functools.lru_cache(maxsize=64)
def _exact(case: str, transform: str, dtype: str, ordinal: int) -> Exact:
    return arbiter.question_of(lookup(case), transform=transform, dtype=dtype, ordinal=ordinal)


def _bounds(comparison: Comparison) -> dict[str, float]:
    return {one.name: one.verdict.bound for one in comparison.arrays}


def _worst(comparison: Comparison) -> Place | None:
    return None if comparison.place is None else (comparison.place.array, comparison.place.at)
