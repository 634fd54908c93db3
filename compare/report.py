"""What a person reads: the table at the end of a run, and the text of a check that failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

type Record = Mapping[str, Any]

COLUMNS: Final = (
    "family", "checks", "match", "mismatch", "error", "unsupported", "crash", "timeout", "known", "red", "worst slack",
    "max ulp", "bitwise",
)  # fmt: skip


def table(records: Iterable[Record]) -> str:
    """One row per family, in alphabetical order, and one for all.

    A check that came out as predicted is counted as known, any other by its outcome; known ones have no part in worst
    slack, max ulp and the share of elements that are bitwise equal.
    """
    families: dict[str, list[Record]] = {}
    for record in records:
        families.setdefault(record["id"].partition("/")[0], []).append(record)
    rows = [_row(name, families[name]) for name in sorted(families)]
    if len(rows) > 1:
        rows.append(_row("all", [record for members in families.values() for record in members]))
    return align([COLUMNS, *rows])


def kinds(records: Iterable[Record]) -> str:
    """How many checks came out as predicted, by the kind of the prediction; empty where none did."""
    counts = Counter(record["known"] for record in records if _met(record))
    return "known: " + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) if counts else ""


PAIRS: Final = ("surfaces", "widths", "run-twice")
"""Properties that hold one answer of tenferro against another."""


def pairs(records: Iterable[Record]) -> str:
    """How many pairs of tenferro's own answers were compared, and are bit for bit the same; empty where none were."""
    compared: dict[str, list[bool]] = {name: [] for name in PAIRS}
    for record in records:
        name, totals = record["id"].split("::")[1], record["totals"]
        if name in compared and totals:
            compared[name].append(totals["bitwise_equal"] == totals["n"])
    told = [f"{name} {sum(same)} of {len(same)}" for name, same in compared.items() if same]
    return "pairs of tenferro's answers, bit for bit the same: " + ", ".join(told) if told else ""


def _row(name: str, records: list[Record]) -> tuple[str, ...]:
    own = [record for record in records if not _met(record)]
    outcomes = [record["outcome"] for record in own]
    counts = [outcomes.count(outcome) for outcome in COLUMNS[2:8]]
    known, red = len(records) - len(own), sum(record["red"] for record in records)
    return (name, *map(str, (len(records), *counts, known, red)), *_figures(own))


def _met(record: Record) -> bool:
    """Whether the check was predicted to end as it did."""
    return record["known"] is not None and not record["red"]


def _figures(records: list[Record]) -> tuple[str, str, str]:
    slacks = [record["slack"] for record in records if record["slack"] is not None]
    totals = [record["totals"] for record in records if record["totals"]]
    n = sum(total["n"] for total in totals)
    return (
        f"{min(slacks):.3g}" if slacks else "–",
        str(max(total["max_ulp"] for total in totals)) if totals else "–",
        f"{sum(total['bitwise_equal'] for total in totals) / n:.1%}" if n else "–",
    )


def align(rows: Sequence[tuple[str, ...]]) -> str:
    """Columns as wide as they need, the first to the left, figures to the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    )


def failure(record: Record, nodeid: str) -> str:
    """The id, what is wrong, both values to the last bit, the figures, and the command that repeats the check alone."""
    lines = [
        f"{record['id']}: {_ending(record)}",
        *(f"  {text}" for text in (record["reason"], record["detail"]) if text),
        *_values(record),
        *_distance(record),
        f'  again: python -m pytest "{nodeid}"',
    ]
    return "\n".join(dict.fromkeys(lines))


def _ending(record: Record) -> str:
    side = f" of {record['side']}" if record["side"] else ""
    known = f", predicted as {record['known']} to end otherwise" if record["known"] is not None else ""
    return f"{record['outcome']}{side}{known}"


def _values(record: Record) -> Iterable[str]:
    if worst := record["worst"]:
        yield f"  {worst['array']}[{worst['at']}]: reference {_read(worst['ref'])}"
        yield f"  {worst['array']}[{worst['at']}]: tenferro  {_read(worst['got'])}"


def _read(value: str) -> str:
    """Hex, and the same in decimal."""
    return f"{value} = {' '.join(_decimal(part) for part in value.split())}"


def _decimal(value: str) -> str:
    return repr(float.fromhex(value)) if "." in value or "n" in value else str(int(value, 16))


def _number(value: str | int) -> str:
    return f"{float.fromhex(value):.4g}" if isinstance(value, str) else str(value)


def _distance(record: Record) -> Iterable[str]:
    found = record["distance"]
    if found is None:
        return
    yield (
        f"  {record['array']}: n {found['n']} · max|ref| {_number(found['max_ref'])} · max|diff|"
        f" {_number(found['max_diff'])} · bound {_number(record['bound'])} ({record['category']}) · bitwise equal"
        f" {found['bitwise_equal']} · max ulp {found['max_ulp']}, 99 % up to {found['p99_ulp']}"
    )
