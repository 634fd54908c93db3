"""One command from a release's name to the list of what changed.

`python -m rust_harness.release HEAD [BASE]` builds both (a version, a folder of sources, or FOLDER@REVISION; BASE is
the newest known release before HEAD unless given), examines every check over both, and says what differs: 0 not
regressed, 1 regressed, 2 not done. `--stored` joins against the committed baseline of BASE instead of running it.
`python -m rust_harness.release aa [RELEASE]` runs one release against itself, `baseline [RELEASE]` writes what it
answers here, `lock RELEASE` resolves afresh, `diff BASE HEAD` joins two files of records.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from compare import baseline, header
from compare.changes import json_lines, terminal
from compare.diff import Change, Difference, Run, difference, rows
from compare.junit import junit
from compare.markdown import markdown
from compare.pace import ROUNDS
from compare.record import RecordError, read
from rust_harness import builder, release_aa, release_side, release_times
from rust_harness.release_operations import changed, crate_folders, operations
from rust_harness.release_pins import LOCKS, checked, committed, manifest_text, previous, resolve
from rust_harness.release_run import picked
from rust_harness.release_side import Side
from rust_harness.release_source import BuildError, Source, source

RESULTS = Path("results")


def main(arguments: list[str]) -> int:
    """The exit code says regressed or not; every way of not getting there is one line and a 2."""
    commands: dict[str, Callable[[list[str]], int]] = {
        "aa": _aa, "baseline": _baseline, "lock": _lock, "diff": _diff,
    }  # fmt: skip
    try:
        if arguments and arguments[0] in commands:
            return commands[arguments[0]](arguments[1:])
        return _release(arguments)
    except (BuildError, RecordError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 2


def _outputs(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="for a pull request or an issue")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="JUnit XML, a test case a check")
    parser.add_argument("--json", type=Path, metavar="FILE", help="JSON lines, one a change")
    return parser


def _several(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)


def _rounds(text: str) -> int:
    if not text.isdecimal() or 0 < int(text) < ROUNDS:
        raise argparse.ArgumentTypeError(f"{text!r}: fewer than {ROUNDS} rounds tell no noise; 0 for no times")
    return int(text)


def _release(arguments: list[str]) -> int:
    parser = _outputs(argparse.ArgumentParser(prog="nox -s release --", description="What a release changes."))
    parser.add_argument("head", help="a version, a folder of sources, or FOLDER@REVISION")
    parser.add_argument("base", nargs="?", help="the same; the newest known release before HEAD unless given")
    parser.add_argument("--stored", action="store_true", help="join against the committed baseline of BASE")
    parser.add_argument("--keep", action="store_true", help="keep the raw answers of both runs")
    parser.add_argument("--slow", action="store_true", help="with the cases that run only where asked for")
    parser.add_argument(
        "--rounds",
        type=_rounds,
        default=release_times.FIRST,
        help=f"rounds of times, {ROUNDS} or more (default: {release_times.FIRST}); 0 for none",
    )
    parser.add_argument("-k", dest="pick", default="", metavar="REGEX", help="only checks whose id it is found in")
    options = parser.parse_args(arguments)
    _writable(options)
    head = source(options.head)
    base = source(options.base or previous(head))
    folder = RESULTS / f"release-{time.strftime('%Y-%m-%dT%H-%M-%S', time.gmtime())}"
    after = release_side.side(head)
    stored = _stored(base.name, after, options.pick) if options.stored else None
    words: dict[str, Any] = {"pick": options.pick, "keep": options.keep, "slow": options.slow}
    run = release_side.examined(after, folder / "head", **words)
    if stored:
        run = built_or_not(stored, run, after)
        return _report(options, difference(stored, run), run, [*_notes(after), *_operations(base, head)])
    before = release_side.side(base)
    first = release_side.examined(before, folder / "base", **words)
    run = built_or_not(first, run, after)
    speed, told = _paced(before, after, options)
    found = difference(first, run, times=speed)
    return _report(options, found, run, [*_notes(before), *_notes(after), *told, *_operations(base, head)])


def built_or_not(base: Run, head: Run, side: Side) -> Run:
    """The second run; where nothing of it compiled, every check of the first one, failed by the compiler's error."""
    if side.site is not None:
        return head
    told = side.failures[0].line
    lost = {
        check: replace(one, outcome="error", detail=told, answer="", unbuilt=True) for check, one in base.rows.items()
    }
    return Run(head.name, lost, partial=True)


def _stored(release: str, head: Side, pick: str) -> Run:
    """The committed baseline of a release for this kind of platform. Raises BuildError where there is none."""
    kind = baseline.platform_kind(header.header(tenferro=release_side.told(head), options={}))
    file = baseline.path(release, kind)
    if not file.exists():
        raise BuildError(
            f"no baseline of {release} for {kind}: run without --stored, or `python -m rust_harness.release baseline"
            f" {release}` on this platform"
        )
    found = baseline.load(file)
    wanted = {check: one for check, one in found.rows.items() if re.search(pick, check)}
    return Run(found.name, wanted)


def _paced(before: Side, after: Side, options: argparse.Namespace) -> tuple[list[Change], list[str]]:
    """What is slower or faster beyond the noise, and what there is to know of that."""
    if before.site is None or after.site is None or not options.rounds:
        return [], []
    return release_times.paced(before, after, pick=options.pick, rounds=options.rounds)


def _notes(side: Side) -> list[str]:
    """What did not compile, and what there is to know of the crates that did."""
    failures = [f"{side.source.name} does not compile: {failure.line}" for failure in side.failures]
    return [*failures, *builder.doubts(side.source)]


def _operations(base: Source, head: Source) -> list[str]:
    """What a release adds and drops, by surface, from the sources of both."""
    found = [operations(crate_folders(one)) for one in (base, head)]
    return changed(*found)


def _writable(options: argparse.Namespace) -> None:
    """Know before anything runs that its outputs can be written and its pattern is one. Raises BuildError."""
    try:
        re.compile(getattr(options, "pick", ""))
    except re.error as error:
        raise BuildError(f"-k {options.pick!r} is no regular expression: {error}") from None
    for name in ("markdown", "junit", "json"):
        if file := getattr(options, name, None):
            try:
                file.open("a").close()
            except OSError as error:
                raise BuildError(f"--{name} {file}: {error.strerror}: name a file that can be written") from None


def _report(options: argparse.Namespace, found: Difference, head: Run, notes: Sequence[str]) -> int:
    if not found.checks and not found.of("build"):
        raise BuildError(f"{found.base} and {found.head} have no check in common: nothing was compared")
    for note in notes:
        print(note)
    print(terminal(found))
    written: dict[str, Callable[[], str]] = {
        "markdown": lambda: markdown(found, notes=notes),
        "junit": lambda: junit(found, head.rows),
        "json": lambda: json_lines(found, about={"notes": list(notes)}),
    }
    for name, text in written.items():
        if file := getattr(options, name):
            file.write_text(text())
    return int(found.failed)


def _diff(arguments: list[str]) -> int:
    parser = _outputs(argparse.ArgumentParser(prog="python -m rust_harness.release diff"))
    parser.add_argument("base", type=Path, help="a file of records, or a baseline")
    parser.add_argument("head", type=Path, help="a file of records")
    options = parser.parse_args(arguments)
    _writable(options)
    base, head = _read(options.base), _read(options.head)
    head = replace(head, partial=bool(_families(options.base) - _families(options.head)))
    return _report(options, difference(base, head), head, [])


def _read(file: Path) -> Run:
    if file.name.endswith(baseline.SUFFIX):
        return baseline.load(file)
    return Run(file.name, rows(read(file).checks.values()))


def _families(file: Path) -> frozenset[str]:
    """The families compiled into the harness that a file of records is of; none are told by a baseline."""
    if file.name.endswith(baseline.SUFFIX):
        return frozenset()
    return frozenset(next(iter(read(file).runs.values()))["tenferro"].get("families", ()))


def _aa(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m rust_harness.release aa", description="A release against itself.")
    parser.add_argument("release", nargs="?", default=builder.pinned_release())
    parser.add_argument("--times", type=_several, default=10, help="comparisons, 1 or more (default: 10)")
    parser.add_argument("-k", dest="pick", default="", metavar="REGEX")
    options = parser.parse_args(arguments)
    _writable(options)
    folder = RESULTS / f"aa-{time.strftime('%Y-%m-%dT%H-%M-%S', time.gmtime())}"
    return release_aa.against_itself(source(options.release), folder, times=options.times, pick=options.pick)


def _baseline(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m rust_harness.release baseline")
    parser.add_argument("release", nargs="?", default=builder.pinned_release())
    parser.add_argument("--records", type=Path, metavar="FILE", help="of a whole run; runs every check unless given")
    options = parser.parse_args(arguments)
    wanted = _released(options.release)
    told, run = _recorded(options.records, wanted) if options.records else _whole(wanted)
    file = baseline.path(options.release, baseline.platform_kind(told))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(baseline.dump(run.rows.values()))
    print(f"{file}: {len(run.rows)} checks, {file.stat().st_size} bytes")
    return 0


def _released(text: str) -> Source:
    """A released version; a tree has no lock file and no baseline of its own here. Raises BuildError."""
    found = source(text)
    if found.crates:
        raise BuildError(f"{text!r} is a source tree: this is kept of released versions alone, such as 0.9.0")
    return found


def _whole(wanted: Source) -> tuple[Mapping[str, Any], Run]:
    """The header and the rows of a run of every check over a release. Raises BuildError where it does not compile."""
    folder = RESULTS / f"baseline-{time.strftime('%Y-%m-%dT%H-%M-%S', time.gmtime())}"
    one = release_side.side(wanted)
    if one.failures:
        raise BuildError(f"no baseline of a part of {wanted.name}: {one.failures[0].line}")
    run = release_side.examined(one, folder)
    return release_side.header(folder), run


def _recorded(file: Path, wanted: Source) -> tuple[Mapping[str, Any], Run]:
    """The same from a file of records. Raises RecordError where it is of another release, or not of every check."""
    found = read(file)
    told = next(iter(found.runs.values()))
    if (of := told["tenferro"]["tenferro"]) != wanted.release:
        raise RecordError(f"{file}: a run over tenferro {of}, not over {wanted.release}")
    if lost := sorted({check.id for check in picked()} - set(found.checks)):
        raise RecordError(f"{file}: {len(lost)} checks are not in it, such as {lost[0]}: a baseline is of a whole run")
    return told, Run(wanted.release, rows(found.checks.values()))


def _lock(arguments: list[str]) -> int:
    """Resolve a release afresh and write its lock file; nothing is built."""
    if len(arguments) != 1:
        print("usage: python -m rust_harness.release lock RELEASE", file=sys.stderr)
        return 2
    wanted = _released(arguments[0])
    manifest = manifest_text((LOCKS.parent / "Cargo.toml").read_text(), wanted)
    committed(wanted).write_text(checked(resolve(wanted, manifest), wanted))
    print(committed(wanted))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
