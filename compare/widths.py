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
PARTS: Final = 7
"""Parts of a check's id."""

SAME, MOVED, FAILED, UNASKED = "=", "moves", "fails", "–"


def checks(records: Iterable[Record]) -> list[Record]:
    """The checks of one width against another. Raises RecordError for a record that no run wrote."""
    found = [record for record in records if record["id"].split("::")[1:2] == ["widths"]]
    for record in found:
        whole = len(record["id"].split("::")) == PARTS and {"reference", "tenferro"} <= set(record["answers"])
        totals = record["totals"]
        if not whole or (totals and not {"n", "bitwise_equal", "max_ulp"} <= set(totals)):
            raise RecordError(f"{record['id']}: no run writes such a record: take the file as a run left it")
    return found


def size_of(name: str) -> str:
    """The size an array of the family belongs to: the first output is the small one's, a gradient has its input's."""
    if name.startswith("out"):
        return "small" if name == "out0" else "large"
    return name.rpartition("-")[2].rstrip("0123456789")


def moved_arrays(record: Record) -> set[str]:
    """The arrays whose bits are not the same at both widths."""
    one, other = record["answers"]["reference"], record["answers"]["tenferro"]
    return {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}


def failed(record: Record) -> bool:
    """Whether there is nothing to tell of bits: an answer is missing, or beyond the tolerance."""
    return record["outcome"] != "match" or not record["answers"]["reference"]


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
    if failed(record):
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
        if not failed(record) and moved_arrays(record):
            totals = record["totals"]
            count = totals["n"] - totals["bitwise_equal"]
            yield f"{record['id']}: {count} of {totals['n']} elements, up to {totals['max_ulp']} ulp"


def told(records: Iterable[Record], *, truncated: bool = False) -> Iterator[str]:
    """The whole page. Raises RecordError where no width was compared with another."""
    found = checks(records)
    if not found:
        raise RecordError("no check of two widths among these records; make some with: nox -s widths")
    own = [record for record in found if record["id"].startswith(f"{FAMILY}/")]
    if own:
        yield table(own)
        yield f"{SAME} the same bits on every surface and in every dtype asked; {UNASKED} not asked in this run"
        yield f"{MOVED}: other bits, within the tolerance; {FAILED}: no answer, or one beyond the tolerance"
    if truncated:
        yield "the last line of the records is cut short: the run did not come to its end"
    listed, lost = sorted(moves(found)), [f"{one['id']}: {one['outcome']}" for one in found if failed(one)]
    yield f"{len(found)} checks of two widths, bits moved in {len(listed)}, {len(lost)} failed"
    yield from (*sorted(lost), *listed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 where a width fails, 2 where the records cannot be read or hold no width."""
    parser = argparse.ArgumentParser(prog="python -m compare.widths", description=__doc__.partition("\n")[0])
    parser.add_argument("records", type=Path, metavar="RECORDS", help="records of a run")
    options = parser.parse_args(arguments)
    try:
        found = read(options.records)
        print("\n".join(told(found.checks.values(), truncated=found.truncated)), flush=True)
    except (RecordError, OSError) as error:
        print(f"widths: {error}", file=sys.stderr)
        return 2
    return int(any(map(failed, checks(found.checks.values()))))


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):  # `| head` is no error
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
