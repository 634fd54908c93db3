"""Which operations move bits with the number of threads: `python -m compare.widths RECORDS`.

Reads the checks of property `widths` out of a run's records. Of the family widths it makes a row an operation and a
column a transform and size; other cases whose bits moved are listed below it.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from compare.record import RecordError, read
from compare.report import align

type Record = Mapping[str, Any]

FAMILY: Final = "widths"
TRANSFORMS: Final = ("value", "vjp", "jvp", "hvp")
SIZES: Final = ("small", "large")
OUTPUTS: Final = {"out0": "small", "out1": "large"}
"""A case of the family asks of the small arrays first, of the large ones second."""

SAME, MOVED, FAILED, UNASKED = "=", "moves", "fails", "–"


def checks(records: Iterable[Record]) -> list[Record]:
    """The checks of one width against another."""
    return [record for record in records if record["id"].split("::")[1] == "widths"]


def size_of(name: str) -> str:
    """The size an array of the family belongs to: an output by its place, a gradient by the name of its input."""
    return OUTPUTS.get(name) or name.rpartition("-")[2]


def moved_arrays(record: Record) -> set[str]:
    """The arrays whose bits are not the same at both widths."""
    one, other = record["answers"]["reference"], record["answers"]["tenferro"]
    return {name for name in one if one[name] != other.get(name)}


def table(found: Sequence[Record]) -> str:
    """A row for each operation, a column for each transform and size."""
    cells: dict[str, dict[tuple[str, str], set[str]]] = defaultdict(lambda: defaultdict(set))
    for record in found:
        case, _, _, _, transform, *_ = record["id"].split("::")
        for size in SIZES:
            cells[case.partition("/")[2]][transform, size].add(_cell(record, size))
    header = ("operation", *(f"{transform} {size}" for transform in TRANSFORMS for size in SIZES))
    return align([header, *((name, *_row(cells[name])) for name in sorted(cells))])


def _cell(record: Record, size: str) -> str:
    if record["outcome"] != "match":
        return FAILED
    return MOVED if any(size_of(name) == size for name in moved_arrays(record)) else SAME


def _row(cells: Mapping[tuple[str, str], set[str]]) -> Iterator[str]:
    """The worst of all surfaces and dtypes."""
    for transform in TRANSFORMS:
        for size in SIZES:
            told = cells.get((transform, size), {UNASKED})
            yield next(word for word in (FAILED, MOVED, SAME, UNASKED) if word in told)


def moves(found: Iterable[Record]) -> Iterator[str]:
    """A line for each check whose bits moved, with how many and how far."""
    for record in found:
        if moved_arrays(record) and (totals := record["totals"]):
            count = totals["n"] - totals["bitwise_equal"]
            yield f"{record['id']}: {count} of {totals['n']} elements, up to {totals['max_ulp']} ulp"


def told(records: Iterable[Record]) -> Iterator[str]:
    """The whole page. Raises RecordError where no width was compared with another."""
    found = checks(records)
    if not found:
        raise RecordError("no check of two widths among these records; make some with: nox -s widths")
    own = [record for record in found if record["id"].startswith(f"{FAMILY}/")]
    if own:
        yield table(own)
        yield f"{SAME} the same bits on every surface, in every dtype asked; {UNASKED} no such derivative"
    listed = sorted(moves(found))
    yield f"{len(found)} checks of two widths, bits moved in {len(listed)}"
    yield from listed


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 2 where the records cannot be read or hold no width."""
    parser = argparse.ArgumentParser(prog="python -m compare.widths", description=__doc__.partition("\n")[0])
    parser.add_argument("records", type=Path, metavar="RECORDS", help="records of a run")
    options = parser.parse_args(arguments)
    try:
        lines = list(told(read(options.records).checks.values()))
    except (RecordError, OSError) as error:
        print(f"widths: {error}", file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):  # `| head` is no error
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
