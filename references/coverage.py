"""Which operations of a release are asked, of which dtype, on which surface: `python -m references.coverage`.

Operations and surfaces are read from the release's own sources, less what exclusions.toml gives a reason for. A cell is
operation × surface × dtype by value, and × vjp, jvp, hvp for floats and complex numbers on traced and eager. It is
covered where a case's program calls the operation there and what comes out, the derivative itself for a derivative, is
not empty and not all the same, or where tenferro refuses it by a typed error. With records, only what a run compared
counts.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import re
import signal
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from references import cases, material, run
from references.case import DERIVATIVES, Case, Staged
from references.dtypes import ALL, DIFFERENTIABLE
from references.lazy import th
from references.question import Question
from references.watched import Watched, bare, free_functions
from rust_harness.builder import pinned_release

EXCLUSIONS = Path(__file__).with_name("exclusions.toml")
WITH_ENGINE = re.compile(r"pub fn (\w+)(?:<[^>(]*>)?\([^)]*&mut dyn [\w:]*Engine\b")
COMPARED = ("match", "mismatch")


@dataclass(frozen=True, order=True)
class Cell:
    """One operation of one dtype on one surface, by value or for a derivative."""

    operation: str
    surface: str
    dtype: str
    transform: str

    def __str__(self) -> str:
        return f"{self.operation} {self.surface} {self.transform} {self.dtype}"


@dataclass(frozen=True)
class Asked:
    """What one case does on one surface with one dtype: the operations it calls, and which transforms show anything."""

    case: Case
    surface: str
    dtype: str
    operations: frozenset[str]
    refused: bool
    shown: frozenset[str] = frozenset()


@cache
def _rules() -> dict[str, Any]:
    return tomllib.loads(EXCLUSIONS.read_text())


def cells(methods: Mapping[str, Iterable[str]]) -> set[Cell]:
    """The cells of a release, whose public methods are given by type."""
    made = set()
    for surface, types in _rules()["surfaces"].items():
        names = {name for kind in types for name in methods.get(kind, ()) if not _excluded(kind, name)}
        made |= {cell for name in names for cell in _cells(name, surface)}
    return made


def _excluded(kind: str, name: str) -> bool:
    rows = [row for row in _rules()["exclude"] if row.get("type") == kind]
    return any(fnmatch.fnmatch(name, pattern) for row in rows for pattern in row["methods"])


def _cells(operation: str, surface: str) -> Iterator[Cell]:
    left_out = {t for row in _rules()["exclude"] if row.get("operation") == operation for t in row["transforms"]}
    for dtype in ALL:
        yield Cell(operation, surface, dtype, "value")
        if dtype in DIFFERENTIABLE and surface != "concrete":
            yield from (Cell(operation, surface, dtype, t) for t in DERIVATIVES if t not in left_out)


def watch() -> Iterator[Asked]:
    """Every case's program, run by value with watched tensors on each surface and dtype of the case."""
    runtime = th.Runtime(th.Engine(1))
    with free_functions():
        for case in cases():
            if isinstance(case.tenferro, Staged) or case.slow:
                continue
            for dtype in case.dtypes:
                for surface in case.surfaces:
                    yield from _asked(case, surface, dtype, runtime)


def _asked(case: Case, surface: str, dtype: str, runtime: Any) -> Iterator[Asked]:
    leaf = {"traced": runtime.attached, "eager": runtime.constant, "concrete": runtime.concrete}[surface]
    arrays = material.make(case, transform="value", dtype=dtype, ordinal=0, outputs=lambda _: []).inputs
    calls: list[str] = []
    assert not isinstance(case.tenferro, Staged), case.id
    try:
        outputs = material.as_outputs(case.tenferro(*(Watched(leaf(array), calls) for array in arrays.values())))
        shown = {"value"} if any(_shows(np.asarray(bare(output).numpy())) for output in outputs) else set()
    except th.TenferroError as error:
        if calls and _typed(case, error):
            yield Asked(case, surface, dtype, frozenset(calls[-1:]), refused=True)
        return
    if not case.refuses:
        shown |= {
            name
            for name in case.transforms_on(surface, dtype)
            if name != "value" and _bends(case, surface, dtype, name)
        }
        yield Asked(case, surface, dtype, frozenset(calls), refused=False, shown=frozenset(shown))


def _bends(case: Case, surface: str, dtype: str, transform: str) -> bool:
    """Whether a derivative shows something, tenferro's or else that of what it is compared with: zeros do not."""
    asked = Question(case.id, "tenferro", transform, dtype, surface, 1)
    others = (name for name in case.asked if name != "numpy")
    return _curved(asked) or any(_curved(replace(asked, side=name, surface=None, width=None)) for name in others)


def _curved(question: Question) -> bool:
    try:
        found = run.answer(question).arrays.values()
    except (th.TenferroError, RuntimeError):
        return False  # a fault that a prediction tells of: here the derivative shows nothing
    return any(_shows(array) and bool(array.any()) for array in found)


def _typed(case: Case, error: Exception) -> bool:
    """A refusal of the dtype, by type or by the text its case expects: one of a wrong axis is about no cell."""
    if case.refuses:
        return "dtype" in case.id and bool(re.search(case.refuses, str(error), re.IGNORECASE))
    return isinstance(error, th.Unsupported)


def _shows(array: Any) -> bool:
    """Numbers that are there and, where there are several, differ: an empty or a constant array hides a fault."""
    flat = array.reshape(-1)
    return flat.size == 1 or (flat.size > 1 and bool((flat != flat[0]).any()))


def covered(asked: Iterable[Asked], compared: set[tuple[str, str, str, str]] | None) -> dict[Cell, str]:
    """Each covered cell with the family that covers it. compared: case, surface, transform, dtype of a run's checks."""
    found: dict[Cell, str] = {}
    for one in asked:
        for transform in ("value", *DERIVATIVES) if one.refused else sorted(one.shown):
            key = (one.case.id, one.surface, "value" if one.refused else transform, one.dtype)
            if compared is None or key in compared:
                for name in one.operations:
                    found.setdefault(Cell(name, one.surface, one.dtype, transform), one.case.family)
    return found


def from_records(path: Path) -> set[tuple[str, str, str, str]]:
    """What a run compared, or had refused: case, surface, transform, dtype."""
    found = set()
    for text in path.read_text().splitlines():
        record = json.loads(text)
        if record["kind"] != "check" or record["outcome"] not in COMPARED:
            continue
        case, name, _, surface, transform, dtype, _ = record["id"].split("::")
        if name in ("agreement", "refusal"):
            found.add((case, surface, transform, dtype))
    return found


def release_methods(release: str) -> dict[str, frozenset[str]]:
    """Public methods by type, from the sources of a version or a source tree. Raises BuildError."""
    from rust_harness import release_operations, release_source

    folders = release_operations.crate_folders(release_source.source(release))
    found = dict(release_operations.operations(folders))
    plain = "\n".join(path.read_text() for path in sorted((folders["tenferro-tensor"] / "src").rglob("types*.rs")))
    return {**found, "Tensor": frozenset(WITH_ENGINE.findall(plain))}


def report(wanted: set[Cell], found: Mapping[Cell, str]) -> list[str]:
    """The table by family, then what is not covered, an operation a line."""
    hit = wanted & set(found)
    families = Counter(found[cell] for cell in hit)
    lines = [f"{family:<12} {count:5}" for family, count in families.most_common()]
    lines += [f"{'covered':<12} {len(hit):5} of {len(wanted)}, {len(hit) / len(wanted):.1%}"]
    missing: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for cell in sorted(wanted - hit):
        missing[cell.operation, cell.surface, cell.transform].append(cell.dtype)
    return [*lines, *(f"not asked: {' '.join(key)}: {' '.join(dtypes)}" for key, dtypes in missing.items())]


def main(arguments: list[str] | None = None) -> int:
    """Print the table; 1 where less than the floor of exclusions.toml is covered, 2 on bad input."""
    parser = argparse.ArgumentParser(prog="python -m references.coverage", description=__doc__)
    parser.add_argument(
        "--tenferro", default=pinned_release(), help="the release whose operations are asked for (default: %(default)s)"
    )
    parser.add_argument("--records", type=Path, nargs="+", help="count only what the runs of these records compared")
    options = parser.parse_args(arguments)
    try:
        compared = set().union(*map(from_records, options.records)) if options.records else None
        wanted = cells(release_methods(options.tenferro))
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        print(f"coverage: {error}", file=sys.stderr)
        return 2
    found = covered(watch(), compared)
    print("\n".join(report(wanted, found)))
    share, floor = len(wanted & set(found)) / len(wanted), _rules()["floor"]["share"]
    if share < floor:
        print(f"coverage: {share:.1%} of the cells are covered, below the floor of {floor:.1%} in {EXCLUSIONS.name}")
    return int(share < floor)


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):  # `| head` is no error
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
