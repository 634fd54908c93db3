"""What a part of the line found: tables for people, verdicts for the exit code, series for the plots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Table:
    """Rows of text under a title; the first column is left, the others right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Verdict:
    """A statement that has to hold, and the figures it rests on."""

    statement: str
    holds: bool
    figures: str = ""


@dataclass(frozen=True)
class Section:
    """One part of the line. series: numbers for the plots, by name."""

    name: str
    tables: tuple[Table, ...]
    verdicts: tuple[Verdict, ...] = ()
    series: Mapping[str, Any] = field(default_factory=dict)


def text(section: Section) -> str:
    """The section for a terminal."""
    parts = [_table(table) for table in section.tables]
    parts += [f"  {'OK      ' if v.holds else 'MISMATCH'}  {v.statement}: {v.figures}" for v in section.verdicts]
    return "\n".join(parts) + "\n"


def _table(table: Table) -> str:
    lines = [table.columns, *table.rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.columns))]
    body = ["  " + "  ".join(_cells(line, widths)).rstrip() for line in lines]
    return "\n".join([table.title, *body, *([f"  {table.note}"] if table.note else [])])


def _cells(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    first, *others = zip(line, widths, strict=True)
    return [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]


def within(statement: str, differences: Sequence[float], bounds: Sequence[float]) -> Verdict:
    """That every difference stays within its bound; a NaN does not. The figures are the worst one's."""
    pairs = list(zip(map(abs, differences), bounds, strict=True))
    worst = max(pairs, key=lambda pair: pair[0] / pair[1] if pair[0] == pair[0] else float("inf"))
    holds = all(difference <= bound for difference, bound in pairs)
    return Verdict(statement, holds, f"worst {worst[0]:.3e}, allowed {worst[1]:.1e}")


def small(number: float) -> str:
    """A difference, four digits."""
    return f"{number:.3e}"
