"""The run's book-keeping, in the one process that sees every report: records, resumption, collected = reported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from compare import record, report
from tests import audit

_CHECK = re.compile(r"\[(?P<id>[^\]:]+/[^\]:]+(?:::[^\]:]+){6})\]")

KEPT = ("id", "outcome", "red", "known", "category", "slack", "totals")
"""What the audit and the table read of a record; the file has all of it, and a whole run's would fill gigabytes."""


def check_id(nodeid: str) -> str | None:
    """The check's id inside a pytest node id; None for a test of the suite itself."""
    found = _CHECK.search(nodeid)
    return found["id"] if found else None


class Ledger:
    """Collects the ids that were to run and the records that came, writes each record as it comes, and audits the end.

    path: the file of records. previous: records taken over from an interrupted run, already in the file.
    """

    def __init__(
        self, run: str, writer: record.Writer, previous: dict[str, dict[str, Any]], predictions: audit.Predictions
    ) -> None:
        self._run, self._writer, self._previous, self._predictions = run, writer, previous, predictions
        self.collected: set[str] = set()
        self.records: dict[str, dict[str, Any]] = {}
        self.complaints: list[str] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._collect(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        self._collect(ids)

    def _collect(self, nodeids: Iterable[str]) -> None:
        self.collected |= {found for nodeid in nodeids if (found := check_id(nodeid))}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if report.when == "call" and name == "record":
                self._keep(json.loads(str(value)))

    def _keep(self, line: dict[str, Any]) -> None:
        self.records[line["id"]] = {key: line[key] for key in KEPT}
        if line["id"] not in self._previous:
            self._writer.write({**line, "run": self._run})

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A run that falls short fails, whatever pytest thought of it."""
        self._writer.close()
        if not self.records and not self._previous:
            self._writer.path.unlink()  # a run of the suite's own tests has nothing to keep
        if self.collected and not session.config.option.collectonly:
            self.complaints = audit.complaints(self.collected, self.records, self._predictions)
        if self.complaints and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self.records and not self.complaints:
            return
        terminalreporter.section("conformance")
        if self.records:
            terminalreporter.write_line(report.table(self.records.values()))
            for told in (report.kinds(self.records.values()), report.pairs(self.records.values())):
                if told:
                    terminalreporter.write_line(told)
            terminalreporter.write_line(f"records: {self._writer.path}")
        for complaint in self.complaints:
            terminalreporter.write_line(complaint, red=True)


def default_path() -> Path:
    """results/<time>.jsonl: a run never overwrites another's records."""
    return Path("results") / f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}.jsonl"
