"""How tenferro is known to differ, as a page for a newcomer: `python -m tests.known_page`.

It is made of known.toml and of what the cases' own `raises` predict: nothing stands here that the suite does not check.
"""

from __future__ import annotations

import argparse
import signal
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from references import cases
from rust_harness.builder import pinned_release
from rust_harness.release_source import VERSION
from tests.known import Known, KnownError, load
from tests.plan import Check, plan

HERE = Path(__file__).parent
WIDTH = 100

CHAPTERS = {
    "policy": (
        "Choices",
        "tenferro does this on purpose. Whoever comes from JAX, PyTorch or NumPy has to know it.",
    ),
    "bug": ("Faults", "tenferro's answer is wrong, or missing where there is one. The right value stands beside it."),
    "reference": ("Not tenferro", "Here JAX or PyTorch is wrong and tenferro is right."),
}


@dataclass(frozen=True)
class Entry:
    """One sentence with all that it holds for."""

    why: str
    right: str
    issue: str
    families: tuple[str, ...]
    checks: int
    outcomes: tuple[str, ...]


def entries(known: Sequence[Known], checks: Sequence[Check]) -> Iterator[Entry]:
    """Entries of one kind, those of one sentence and one right value together, in the order of the file."""
    by_id = {check.id: check for check in checks}
    ordered = sorted(by_id)
    grouped: dict[tuple[str, str], list[Known]] = {}
    for one in known:
        grouped.setdefault((one.why, one.right), []).append(one)
    for (why, right), rows in grouped.items():
        met = [by_id[check_id] for check_id in dict.fromkeys(one for row in rows for one in row.among(ordered))]
        families = tuple(dict.fromkeys(check.family for check in met))
        outcomes = tuple(dict.fromkeys(row.outcome for row in rows))
        yield Entry(why, right, next((row.issue for row in rows if row.issue), ""), families, len(met), outcomes)


def predicted_by_cases() -> list[Known]:
    """What cases say of themselves, as entries: a refusal with the case's own sentence."""
    return [
        Known(f"{case.id}::*", outcome, "policy", case.why)
        for case in cases()
        for outcome in dict.fromkeys(case.raises.values())
    ]


def page(known: Sequence[Known], checks: Sequence[Check], *, release: str) -> Iterator[str]:
    """The page, Markdown, line by line."""
    yield f"# How tenferro {release} differs\n"
    yield from _wrapped(
        f"Of {len(checks)} checks, these are the differences that the suite knows and predicts, one by one. An entry "
        "whose difference does not come any more fails the run, so none is out of date."
    )
    for kind, (title, lead) in CHAPTERS.items():
        listed = list(entries([one for one in known if one.kind == kind], checks))
        yield f"\n## {title} ({len(listed)})\n"
        yield from _wrapped(lead)
        for entry in listed:
            yield from _entry(entry)


def _entry(entry: Entry) -> Iterator[str]:
    where = ", ".join(entry.families) or "no family selected"
    yield ""
    yield from _wrapped(entry.why, bullet="- ")
    if entry.right:
        yield from _wrapped(f"Right: {entry.right}", bullet="  ")
    yield from _wrapped(f"({where}: {entry.checks} checks, {' or '.join(entry.outcomes)})", bullet="  ")
    if entry.issue:
        yield f"  {entry.issue}"


def _wrapped(text: str, *, bullet: str = "") -> Iterable[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=bullet, subsequent_indent=" " * len(bullet))


def main(arguments: list[str] | None = None) -> int:
    """Print the page; 2 where known.toml cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m tests.known_page", description="How tenferro is known to differ.")
    parser.add_argument(
        "--tenferro", default=pinned_release(), help="the release that the page is of (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    if not VERSION.fullmatch(options.tenferro):
        print(f"known: {options.tenferro!r} is no release: write it as 0.8.0", file=sys.stderr)
        return 2
    try:
        known = [*load(HERE / "known.toml", release=options.tenferro), *predicted_by_cases()]
    except KnownError as error:
        print(f"known: {error}", file=sys.stderr)
        return 2
    print("\n".join(page(known, plan(), release=options.tenferro)))
    return 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):  # `| head` is no error
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
