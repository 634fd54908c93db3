"""All cases of all families. Importing this starts no backend."""

from __future__ import annotations

import functools
import importlib
import os
import traceback

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
    "widths",
    "trg",
)
"""The modules that hold cases; each has a tuple `CASES`."""
FAMILIES_VARIABLE = "TENFERRO_CONFORMANCE_FAMILIES"
"""The environment variable that names other modules instead, with dots and commas: tests plant theirs there."""


def overridden() -> bool:
    """Whether the cases are others than the suite's own."""
    return bool(os.environ.get(FAMILIES_VARIABLE))


def _modules() -> list[str]:
    named = os.environ.get(FAMILIES_VARIABLE)
    return named.split(",") if named else [f"references.{family}" for family in FAMILIES]


@functools.cache
def cases() -> tuple[Case, ...]:
    """Every case, in the order of FAMILIES. Raises CaseError where two share an id."""
    found: dict[str, Case] = {}
    for module in _modules():
        for case in _cases(module):
            if case.id in found:
                raise CaseError(f"case {case.id}: the id is taken twice; rename one")
            found[case.id] = case
    return tuple(found.values())


def _cases(module: str) -> tuple[Case, ...]:
    """The cases of one module, each of the family the module is named after."""
    try:
        made: tuple[Case, ...] = importlib.import_module(module).CASES
    except CaseError:
        raise
    except Exception as error:  # a slip in a table of cases may raise anything
        raise CaseError(f"{module}: {type(error).__name__}: {error}; {_place(error)}") from error
    for case in made:
        if module == f"references.{case.family}" or not module.startswith("references."):
            continue
        raise CaseError(f"case {case.id}: stands in {module} and its id says {case.family}/; move it or rename it")
    return made


def _place(error: Exception) -> str:
    """The last line of the suite's own that an error came by."""
    if isinstance(error, SyntaxError):
        return f"mend {error.filename}, line {error.lineno}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "references" in frame.filename]
    return f"mend {frames[-1].filename}, line {frames[-1].lineno}" if frames else "mend it"


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
        families = ", ".join(dict.fromkeys(name.partition("/")[0] for name in _by_id()))
        there = f"family {family!r} has: {', '.join(near)}" if near else f"families are: {families}"
        raise CaseError(f"no case {case_id!r}; {there}") from None
