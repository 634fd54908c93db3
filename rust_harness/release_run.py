"""One run of the checks over the harness on PYTHONPATH, in a fresh process: records, raw answers, times.

`python -m rust_harness.release_run --records FILE [--raw FILE] [--references FILE] [--pick REGEX] [--widths 1,2]
[--part I/N] [--slow]` examines checks; with `--clock` it reads names of tenferro's answers, a line each, and says how
many seconds each takes.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from compare import tolerances
from compare.record import RecordError, Writer
from references import lookup
from references.ask import Asker
from references.question import Question
from references.run import cache_folder
from rust_harness.release_store import Ask, Store, asking, reference_context
from tests import known, lines
from tests.examine import Examiner
from tests.plan import Check, plan

ROOT = Path(__file__).parent.parent
PROGRESS_SECONDS = 20.0


def picked(pattern: str = "", widths: tuple[int, ...] = (), part: str = "0/1", *, slow: bool = False) -> list[Check]:
    """The checks whose id the pattern is found in; at these widths each, where given; one part of N, case by case.

    slow: with the cases that run only where asked for.
    """
    place, _, parts = part.partition("/")
    wanted = re.compile(pattern)
    found = (check for check in _at(plan(), widths) if wanted.search(check.id) and (slow or not _slow(check)))
    return [check for check in found if zlib.crc32(check.got.case.encode()) % int(parts) == int(place)]


def _slow(check: Check) -> bool:
    return lookup(check.got.case).slow


def _at(checks: Iterable[Check], widths: tuple[int, ...]) -> Iterator[Check]:
    """Every check at every width asked for, whatever width it has; without any given, as it is."""
    seen: set[str] = set()
    for check in checks:
        for width in widths or (check.got.width or 1,):
            moved = replace(check, got=replace(check.got, width=width)) if widths else check
            if moved.id not in seen:
                seen.add(moved.id)
                yield moved


def examine(
    checks: Iterable[Check], ask: Ask, writer: Writer, *, run: str, release: str, raw: Store | None = None
) -> None:
    """Examine checks and write their records; the answers that the checks are about go into `raw`, where given."""
    table = tolerances.load(ROOT / "tolerances.toml")
    entries = known.load(ROOT / "tests" / "known.toml", release=release)
    examiner = Examiner(ask, table, entries)
    for check in progress(list(checks), f"release: tenferro {release}", "checks"):
        examined = examiner(check)
        writer.write({**lines.of_check(examined), "run": run})
        if raw is not None:
            raw.put(check.got, examined.answers["tenferro"])


def progress[T](items: Sequence[T], what: str, of: str) -> Iterator[T]:
    """The items, and now and then a line on the error stream that says how far they are."""
    told = time.monotonic()
    for done, item in enumerate(items):
        if time.monotonic() - told > PROGRESS_SECONDS:
            told = time.monotonic()
            print(f"{what}: {done} of {len(items)} {of}", file=sys.stderr, flush=True)
        yield item


def first_answers(checks: Iterable[Check]) -> dict[str, Question]:
    """Tenferro's first answers that the checks are about, by name."""
    return {check.got.key: check.got for check in checks if check.got.protocol == "first"}


def clock(questions: Mapping[str, Question], ask: Ask, names: Iterable[str], out: TextIO) -> None:
    """Tell the names of the answers there are; then, for each name that comes in, the seconds of that answer."""
    print(json.dumps(list(questions)), file=out, flush=True)
    for name in names:
        answer = ask(questions[name.strip()])
        print(answer.seconds if answer.outcome == "ok" else math.nan, file=out, flush=True)


def deaths(asker: Asker) -> dict[str, str]:
    """Answers after which tenferro's process ended, or among others only, each with what happened; told as they are."""
    for one in asker.incidents:
        print(f"release: {one.text}", file=sys.stderr)
    return {one.question.key: one.text for one in asker.incidents if one.question.side == "tenferro"}


def deaths_file(records: Path) -> Path:
    """Where the deaths of a run are kept, beside its records."""
    return records.with_suffix(".deaths.json")


def references_store(path: Path | None = None) -> Store:
    """Where answers of references are kept."""
    sources = [*(ROOT / "references").rglob("*.py"), *(ROOT / "references").rglob("*.toml")]
    return Store(path or cache_folder() / "references.sqlite", context=reference_context(sources))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m rust_harness.release_run", description=__doc__)
    parser.add_argument("--records", type=Path)
    parser.add_argument("--raw", type=Path)
    parser.add_argument("--references", type=Path)
    parser.add_argument("--clock", action="store_true")
    parser.add_argument("--pick", default="")
    parser.add_argument("--widths", default="")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--no-isolation", action="store_true")
    return parser


def main(arguments: list[str]) -> int:
    """0 when all was asked, whatever the answers; 2 with one line where it could not be."""
    options = _parser().parse_args(arguments)
    widths = tuple(int(width) for width in options.widths.split(",") if width)
    checks = picked(options.pick, widths, options.part, slow=options.slow)
    try:
        header = lines.of_run({"pick": options.pick, "widths": options.widths, "part": options.part})
        _run(options, checks, header)
    except (RecordError, known.KnownError, tolerances.TolerancesError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 2
    return 0


def _run(options: argparse.Namespace, checks: list[Check], header: dict[str, object]) -> None:
    started, run = time.monotonic(), str(header["run"])
    if options.clock:
        with Asker(answerer="references.run.answer_anew") as asker:
            clock(first_answers(checks), asker.ask, sys.stdin, sys.stdout)
        return
    with Asker(isolate=not options.no_isolation) as asker:
        if options.records:
            raw = Store(options.raw, context="raw") if options.raw else None
            ask = asking(asker.ask, references=references_store(options.references))
            with Writer(options.records, header) as writer:
                release = str(header["tenferro"]["tenferro"])  # type: ignore[index]
                examine(checks, ask, writer, run=run, release=release, raw=raw)
            if raw:
                raw.close()
            deaths_file(options.records).write_text(json.dumps(deaths(asker), indent=1))
    print(f"release: {len(checks)} checks in {time.monotonic() - started:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
