"""The run as one self-contained HTML page: verdicts first, then every table with its plot."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from . import plots
from .report import Section, Table, Verdict

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 3rem; border-top: 1px solid #ddd; padding-top: 1rem; }
table { border-collapse: collapse; margin: .6rem 0 1.4rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { padding: .15rem .8rem; text-align: right; border-bottom: 1px solid #eee; }
th { font-weight: 500; color: #555; }
th:first-child, td:first-child { text-align: left; } .wide { overflow-x: auto; }
.note { color: #666; margin-top: -1rem; } .ok { color: #17692f; } .mismatch { color: #b3261e; font-weight: 600; }
svg { max-width: 100%; height: auto; } ul { padding-left: 1.2rem; }
"""
TITLES = {
    "values": "lnZ/N and its derivative",
    "c": "c by central difference",
    "onsager": "Distance to Onsager",
    "c-by-h": "c by step size",
    "jump": "The jump",
    "scan": "The scan",
    "chi-24": "χ = 24",
    "variants": "Variants",
    "wrong": "What must go wrong",
}


def write(path: Path, sections: Sequence[Section], *, subtitle: str) -> None:
    """Write the page; folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(sections, subtitle=subtitle), encoding="utf-8")


def render(sections: Sequence[Section], *, subtitle: str) -> str:
    """The page as text."""
    verdicts = [verdict for section in sections for verdict in section.verdicts]
    broken = [verdict for verdict in verdicts if not verdict.holds]
    count = f"{len(verdicts) - len(broken)} of {len(verdicts)} statements hold."
    head = f'<p class="{"mismatch" if broken else "ok"}">{count}</p>'
    body = "\n".join(_section(section) for section in sections)
    failing = f"<ul>{''.join(_verdict(v) for v in broken)}</ul>" if broken else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>TRG of the Ising model</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head><body>\n<h1>TRG of the two-dimensional Ising model</h1>\n"
        f"<p>{escape(subtitle)}</p>\n{head}{failing}\n{body}\n</body></html>\n"
    )


def _section(section: Section) -> str:
    plot = plots.OF_SECTION.get(section.name)
    picture = f"<figure>{plot(section.series)}</figure>" if plot and section.series else ""
    tables = "\n".join(_table(table) for table in section.tables)
    verdicts = f"<ul>{''.join(_verdict(v) for v in section.verdicts)}</ul>" if section.verdicts else ""
    return f'<h2 id="{section.name}">{escape(TITLES[section.name])}</h2>\n{picture}\n{tables}\n{verdicts}'


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
    rows = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    caption = f"<caption>{escape(table.title)}</caption>"
    return (
        f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>{note}'
    )


def _verdict(verdict: Verdict) -> str:
    word, kind = ("OK", "ok") if verdict.holds else ("MISMATCH", "mismatch")
    return f'<li><span class="{kind}">{word}</span> {escape(verdict.statement)}: {escape(verdict.figures)}</li>'
