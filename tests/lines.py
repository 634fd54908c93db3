"""A run and its checks in the record's words."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compare import header, record
from references import FAMILIES_VARIABLE
from references.question import Answer
from tests.examine import Examined

SAME = ("versions", "cpu", "tenferro", "toolchain")
"""What two halves of one run must have in common."""


def of_run(options: Mapping[str, Any]) -> dict[str, Any]:
    """The line of this run. tenferro's own words come from the harness; importing it starts no engine."""
    return header.header(tenferro=harness(), options=options)


SUITE = ("references/**/*.py", "compare/**/*.py", "tests/*.py", "tests/known.toml", "tolerances.toml", "conftest.py")
"""The files a verdict may depend on."""


def suite_hash(root: Path, limits: object = None) -> str:
    """Sixteen hex digits over the suite's own files, limits and families: a resumed run must judge as the first did."""
    digest = hashlib.blake2b(os.environ.get(FAMILIES_VARIABLE, "").encode(), digest_size=8)
    for path in sorted(path for pattern in SUITE for path in root.glob(pattern)):
        digest.update(f"{path.relative_to(root).as_posix()}:".encode() + path.read_bytes())
    digest.update(repr(limits).encode())
    return digest.hexdigest()


def harness() -> dict[str, Any]:
    """What the installed harness says it is. Raises RecordError where there is none."""
    try:
        import tenferro_harness
    except ImportError as error:
        raise record.RecordError(
            f"the harness is not installed ({error}); run: python -m nox -s conformance"
        ) from error
    return dict(tenferro_harness.build_info())


def previous(path: Path, run: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The checks an interrupted run has done. Raises RecordError where it was another kind of run."""
    found = record.read(path)
    for name, earlier in found.runs.items():
        if earlier["options"].get("suite") != run["options"]["suite"]:
            raise record.RecordError(f"{path}: the suite's own files changed since run {name}; start a new run instead")
        for key in SAME:
            if earlier[key] != run[key]:
                raise record.RecordError(f"{path}: run {name} had another {key} than this one; start a new run instead")
    return {check_id: dict(line) for check_id, line in found.checks.items()}


def of_check(examined: Examined) -> dict[str, Any]:
    """The line of a check; the ledger adds the run's name."""
    answers: Mapping[str, Answer] = examined.answers
    return record.line(
        run="",
        id=examined.check.id,
        outcome=examined.outcome,
        red=examined.red,
        known=examined.known.kind if examined.known else None,
        side=examined.side,
        detail=examined.detail,
        comparison=examined.comparison,
        category=examined.category,
        inputs={side: answer.inputs for side, answer in answers.items()},
        answers={side: _hashes(answer) for side, answer in answers.items()},
        seconds={side: answer.seconds for side, answer in answers.items()},
        inactive=answers["tenferro"].inactive,
        arbiter=examined.arbiter,
    )


def _hashes(answer: Answer) -> dict[str, str]:
    return {name: record.array_hash(array) for name, array in answer.arrays.items()}
