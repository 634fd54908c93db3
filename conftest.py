"""Options, the examiner every conformance test uses, and the ledger that watches over the run."""

from __future__ import annotations

import gc
import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compare import record, report, tolerances
from references import cases, overridden
from references.case import CaseError
from references.servants import forkserver, limits
from tests import arbitration, consistency, known, ledger, lines, selection
from tests.audit import Predictions
from tests.examine import BITWISE, Ask, Examine, Examiner
from tests.plan import Check

if TYPE_CHECKING:
    from references.ask import Asker

ROOT = Path(__file__).parent
PREVIOUS = pytest.StashKey[dict[str, dict[str, Any]]]()
LIMITS = pytest.StashKey[limits.Limits]()
EXAMINER = pytest.StashKey[Examiner]()
PREDICTIONS = pytest.StashKey[Predictions]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("conformance")
    group.addoption("--records", metavar="PATH", help="where the records go (default: results/<time>.jsonl)")
    group.addoption("--resume", metavar="RECORDS", help="go on from the records of an interrupted run")
    group.addoption("--limits", metavar="TOML", help="a file with [tool.conformance.limits] (default: pyproject.toml)")
    group.addoption(
        "--arbitrate", choices=arbitration.WHEN, default="mismatches", help="which checks the exact arbiter rules on"
    )
    group.addoption("--no-isolation", action="store_true", help="ask every library in this process, for a debugger")


def pytest_configure(config: pytest.Config) -> None:
    """Read all that a person may have written wrongly before anything is asked; one line says what and where."""
    selection.narrow(config.option.keyword)
    try:
        _load(config)
    except (CaseError, limits.LimitsError, known.KnownError, tolerances.TolerancesError, record.RecordError) as error:
        raise pytest.UsageError(str(error)) from error


def _load(config: pytest.Config) -> None:
    cases()
    config.stash[LIMITS] = limits.load(Path(config.getoption("--limits") or ROOT / "pyproject.toml"))
    resumed = config.getoption("--resume")
    for option in ("--resume", "--records", "--limits"):
        if config.getoption(option) == "":
            raise record.RecordError(f"{option} names no file; give one, as in {option}=FILE")
    if resumed is not None and config.getoption("--records") is not None:
        raise record.RecordError("--resume goes on in its own file: leave --records out")
    run = lines.of_run(
        {"arguments": list(config.invocation_params.args), "suite": lines.suite_hash(ROOT, config.stash[LIMITS])}
    )
    table = tolerances.load(ROOT / "tolerances.toml")
    for case in cases():
        if (category := case.category or case.family) not in table.categories:
            raise tolerances.TolerancesError(f"case {case.id}: tolerances.toml has no category {category!r}; add it")
    if not overridden():
        table.require_meaning(
            (*BITWISE, *consistency.PROPERTIES, *(case.category for case in cases() if case.category))
        )
    entries = known.load(ROOT / "tests" / "known.toml", release=run["tenferro"]["tenferro"])
    config.stash[PREDICTIONS] = Predictions(entries, table)
    config.stash[PREVIOUS] = lines.previous(Path(resumed), run) if resumed is not None else {}
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        _keep_ledger(config, run, resumed)


def _keep_ledger(config: pytest.Config, run: dict[str, Any], resumed: str | None) -> None:
    path = Path(resumed or config.getoption("--records") or ledger.default_path())
    writer = record.Writer(path, run, append=bool(resumed))
    signal.signal(signal.SIGTERM, _interrupted)
    kept = ledger.Ledger(run["run"], writer, config.stash[PREVIOUS], config.stash[PREDICTIONS])
    config.pluginmanager.register(kept, "ledger")


def _interrupted(number: int, frame: Any) -> None:
    """SIGTERM ends a run as Ctrl-C does: with its records, its table and what is missing."""
    raise KeyboardInterrupt


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Cases are dealt out whole, so that one worker alone asks for the answers of a case."""
    from tests.scheduler import CaseScheduling

    return CaseScheduling(config, log) if config.getoption("dist") == "loadgroup" else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """The servants' imports take seconds: they begin while the checks are collected."""
    option = session.config.option
    distributes = getattr(option, "dist", "no") != "no" and not hasattr(session.config, "workerinput")
    if not (option.no_isolation or option.collectonly or (distributes and option.numprocesses)):
        forkserver.prepare()


@pytest.hookimpl(tryfirst=True)  # before pytest reads -m
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Checks of a case run one after the other: each of its answers is asked for once. Slow ones run where -m is given,
    or where they are named by id."""
    order = {case.id: place for place, case in enumerate(cases())}
    items.sort(key=lambda item: order[check.got.case] if (check := check_of(item)) else -1)
    slow = {case.id for case in cases() if case.slow}
    for item in items:
        if (check := check_of(item)) and check.got.case in slow:
            item.add_marker("slow")
    named = any("[" in argument for argument in config.args)
    if not config.getoption("-m") and not named:
        _deselect(config, items, [item for item in items if item.get_closest_marker("slow")])


def pytest_collection_finish(session: pytest.Session) -> None:
    """Tens of thousands of checks stay to the end: the garbage collector need not go through them every time.

    Where no test imports hypothesis, its plugin would, at the end, to say nothing about it: that takes a second.
    """
    gc.freeze()
    if "hypothesis" not in sys.modules:
        session.config.pluginmanager.unregister(name="hypothesispytest")


def _deselect(config: pytest.Config, items: list[pytest.Item], unwanted: list[pytest.Item]) -> None:
    if unwanted:
        config.hook.pytest_deselected(items=unwanted)
        dropped = set(map(id, unwanted))
        items[:] = [item for item in items if id(item) not in dropped]


def check_of(item: pytest.Item) -> Check | None:
    """The check a test is about; None for a test of the suite itself."""
    found = item.callspec.params.get("check") if hasattr(item, "callspec") else None
    return found if isinstance(found, Check) else None


@pytest.fixture(scope="session")
def asker(pytestconfig: pytest.Config) -> Iterator[Asker]:
    from references.ask import Asker

    isolate, limit = not pytestconfig.getoption("--no-isolation"), pytestconfig.stash[LIMITS]
    with Asker(isolate=isolate, limit=limit) as made:
        yield made
    if made.incidents:
        pytest.fail(
            "deaths that no answer tells of:\n  " + "\n  ".join(one.text for one in made.incidents), pytrace=False
        )


@pytest.fixture(scope="session")
def ask(asker: Asker) -> Ask:
    return asker.ask


@pytest.fixture(scope="session")
def examiner(pytestconfig: pytest.Config, asker: Asker) -> Examiner:
    predictions = pytestconfig.stash[PREDICTIONS]
    when = pytestconfig.getoption("--arbitrate")
    return Examiner(asker.ask, predictions.tolerances, predictions.known, both=asker.ask_both, arbitrate=when)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """A record goes with the report of the check itself; that of its teardown would carry it once more."""
    report = yield
    if call.when == "call":
        item.user_properties.clear()
    return report


@pytest.fixture
def examine(request: pytest.FixtureRequest) -> Examine:
    """Examine a check, or take its record over from the interrupted run; end the test as it came out."""

    def run(check: Check) -> None:
        line = request.config.stash[PREVIOUS].get(check.id)
        if line is None:
            line = lines.of_check(_examiner(request)(check))
        request.node.user_properties.append(("record", json.dumps(line, allow_nan=False)))
        _settle(line, request.node.nodeid)

    return run


def _examiner(request: pytest.FixtureRequest) -> Examiner:
    """The session's examiner; asking pytest for it anew would be a noticeable part of a check's time."""
    stash = request.config.stash
    if EXAMINER not in stash:
        stash[EXAMINER] = request.getfixturevalue("examiner")
    return stash[EXAMINER]


def _settle(line: dict[str, Any], nodeid: str) -> None:
    if line["red"]:
        pytest.fail(report.failure(line, nodeid), pytrace=False)
    if line["known"]:
        raise pytest.xfail.Exception(f"known: {line['known']}", pytrace=False)  # a traceback of each would take longer
