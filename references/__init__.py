"""All cases of all families. Importing this starts no backend."""

from __future__ import annotations

import functools
import importlib
import os

from references.case import Case, CaseError

FAMILIES = (
    "transforms",
    "dtype",
    "elementwise",
    "comparison",
    "activation",
    "reduction",
    "complex",
    "layout",
    "indexing",
    "contraction",
    "eager",
    "programs",
    "threads",
    "trg",
)
"""The modules that hold cases; each has a tuple `CASES`. TENFERRO_CONFORMANCE_FAMILIES names others instead, with dots
and commas: the suite's own tests plant theirs there."""


def _modules() -> list[str]:
    named = os.environ.get("TENFERRO_CONFORMANCE_FAMILIES")
    return named.split(",") if named else [f"references.{family}" for family in FAMILIES]


@functools.cache
def cases() -> tuple[Case, ...]:
    """Every case, in the order of FAMILIES. Raises CaseError where two share an id."""
    found: dict[str, Case] = {}
    for module in _modules():
        for case in importlib.import_module(module).CASES:
            if case.id in found:
                raise CaseError(f"case {case.id}: the id is taken twice; rename one")
            found[case.id] = case
    return tuple(found.values())


@functools.cache
def _by_id() -> dict[str, Case]:
    return {case.id: case for case in cases()}


def lookup(case_id: str) -> Case:
    """The case of that id. Raises CaseError, naming near ids, where there is none."""
    try:
        return _by_id()[case_id]
    except KeyError:
        family = case_id.partition("/")[0]
        near = [name for name in _by_id() if name.startswith(f"{family}/")]
        raise CaseError(f"no case {case_id!r}; family {family!r} has: {', '.join(near) or 'none'}") from None
