"""`python -m rust_harness.plants`: builds 0.8.0 with faults of our own and prints which of them the checks catch.

0 where every fault that a family could show is caught, 1 where one is missed, 2 where it could not be tried.
Then comes the smallest relative perturbation caught in 99 % of trials; `--no-sweep` leaves it out. `-k REGEX` tries
only faults in whose name it is found.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

from compare import tolerances
from compare.diff import Row, row
from references import run
from references.ask import Asker
from references.question import Answer, Question
from rust_harness import release_side
from rust_harness.plants import trial
from rust_harness.plants.planting import planted
from rust_harness.plants.sweeping import Swept, sweep
from rust_harness.plants.table import FAULTS
from rust_harness.plants.trial import Caught, Examined
from rust_harness.release_run import ROOT, picked, references_store
from rust_harness.release_source import BuildError
from rust_harness.release_store import Ask, asking
from tests import known, lines
from tests.examine import Examiner
from tests.plan import Check

DEADLY = ("crash", "timeout")


def main(arguments: list[str]) -> int:
    """Build, then try the faults in a process that imports that build."""
    options = _parser().parse_args(arguments)
    if options.here:
        return _tried(options)
    try:
        _check(options)
        side = release_side.side(planted())
    except BuildError as error:
        print(f"plant: {error}", file=sys.stderr)
        return 2
    if side.site is None or side.failures:
        print("plant: " + "; ".join(failure.line for failure in side.failures), file=sys.stderr)
        return 2
    command = [sys.executable, "-m", "rust_harness.plants", "--here", *arguments]
    environment = {key: value for key, value in release_side.environment(side.site).items() if key != trial.SWITCH}
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


def _check(options: argparse.Namespace) -> None:
    """Raise BuildError for patterns that are none, or that pick no fault."""
    for pattern in (options.pick, options.checks):
        try:
            re.compile(pattern)
        except re.error as error:
            raise BuildError(f"{pattern!r} is no regular expression: {error}") from None
    if not any(re.search(options.pick, fault.name) and not fault.waits for fault in FAULTS):
        tried = ", ".join(fault.name for fault in FAULTS if not fault.waits)
        raise BuildError(f"-k {options.pick!r} picks no fault that a family could show: they are {tried}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nox -s plant --", description="Faults of our own, caught or missed.")
    parser.add_argument("-k", dest="pick", default="", metavar="REGEX", help="faults in whose name it is found")
    parser.add_argument("--checks", default="", metavar="REGEX", help="checks in whose id it is found")
    parser.add_argument("--no-sweep", action="store_true", help="without the smallest perturbation that is caught")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    return parser


def _tried(options: argparse.Namespace) -> int:
    """Try the faults in this process, whose harness has them."""
    entries = known.load(ROOT / "tests" / "known.toml", release=trial_release())
    checks = [check for check in picked(options.checks) if not _deadly(check, entries)]
    with Asker() as apart, Asker(isolate=False) as here:
        examined = _examined(apart.ask, here.ask, entries)
        found = list(map(_printed, _chosen(options.pick, checks, examined)))
        if not options.no_sweep:
            print(swept(sweep(_double(checks), examined)))
    counts = Counter(one.how for one in found)
    print(", ".join(f"{counts[how]} {how}" for how in ("regressed", "drift", "missed")) + f" of {len(found)} faults")
    for fault in FAULTS:
        if re.search(options.pick, fault.name) and fault.waits:
            print(f"waits      {fault.kind:15}  {fault.name}: no family {' or '.join(fault.families)} yet")
    return int(bool(counts["missed"]))


def trial_release() -> str:
    """The release that the harness in this process says it is of."""
    return str(lines.harness()["tenferro"])


def _chosen(pattern: str, checks: list[Check], examined: Examined) -> Iterator[Caught]:
    clean: dict[str, Row] = {}
    for fault in FAULTS:
        if re.search(pattern, fault.name) and not fault.waits:
            yield trial.trial(fault, trial.ordered(fault, checks), examined, clean)


def _deadly(check: Check, entries: tuple[known.Known, ...]) -> bool:
    """Whether the check is known to end the process it is asked in."""
    return any(entry.outcome in DEADLY and entry.covers(check.id) for entry in entries)


def _examined(apart: Ask, here: Ask, entries: tuple[known.Known, ...]) -> Examined:
    """References from the store, or servants; tenferro in this process, where the switch is read."""
    stored = asking(apart, references=references_store())

    def answer(question: Question) -> Answer:
        return here(question) if question.side == "tenferro" else stored(question)

    table = tolerances.load(ROOT / "tolerances.toml")
    examiner = Examiner(answer, table, entries)

    def examined(check: Check) -> Row:
        examiner.forget()  # a fault may have been switched on since
        run.forget()
        return row(lines.of_check(examiner(check)))

    return examined


def _double(checks: list[Check]) -> list[Check]:
    """Double-precision answers of one thread against a reference: what a sweep is tried on."""
    return [check for check in checks if check.name == "agreement" and check.id.endswith("::f64::w1")]


def _printed(one: Caught) -> Caught:
    by = f" by {one.by}: {one.before} → {one.after}" if one.by else ""
    print(f"{one.how:9}  {one.fault.kind:15}  {one.fault.name}{by} ({one.asked} checks asked)", flush=True)
    return one


def swept(found: Swept) -> str:
    """The table of shares, and the two smallest sizes."""
    regressed, moved = found.shares("regressed"), found.shares("moved")
    rows = [f"{size:8.0e}  {regressed[size]:9.1%}  {moved[size]:7.1%}" for size in regressed]
    told = [_size("regressed", found.smallest("regressed")), _size("moved bits", found.smallest("moved"))]
    tried = f"{len(found.trials)} trials; {found.cancelled} checks left out, whose programs cancel the perturbation"
    tried += f"; no check depends on {', '.join(found.unseen)}" if found.unseen else ""
    return "\n".join(["    size  regressed    moved", *rows, *told, tried])


def _size(name: str, size: float | None) -> str:
    told = "none" if size is None else f"{size:.0e}"
    return f"smallest relative perturbation caught in 99 % of trials as {name}: {told}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
