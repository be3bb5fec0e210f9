"""The part of the pytest plug-in for suites that several machines share."""

from __future__ import annotations

import hashlib
import os
import re
from typing import Any

import pytest

from .errors import UserError
from .shards import merged_rows, shard_of, write_rows

_PHASES = ("setup", "call", "teardown")


class Parts:
    """--tensorlane-shard, --tensorlane-results and --tensorlane-merge.

    With xdist each worker collects the whole part and runs some of it; the controller hears of all
    reports and writes the results.
    """

    def __init__(self, config: pytest.Config):
        self._config = config
        self._shard: str | None = config.getoption("--tensorlane-shard")
        self._results: str | None = config.getoption("--tensorlane-results")
        self._merge: list[str] | None = config.getoption("--tensorlane-merge")
        self._reports: dict[str, dict[str, Any]] = {}  # by test, then by phase
        self._merged: dict[str, dict[str, Any]] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config,
                                      items: list[pytest.Item]) -> None:
        """Leaves the part's own tests; or looks up what the files say of all."""
        try:
            if self._merge is not None:
                wanted = {_key(item.nodeid): item.nodeid for item in items}
                rows = merged_rows(self._merge, wanted)
                self._merged = {item.nodeid: row for item, row in zip(items, rows)}
            kept = shard_of(items, self._shard)
        except UserError as error:
            raise pytest.UsageError(str(error)) from None
        if len(kept) < len(items):
            wanted_here = set(map(id, kept))
            config.hook.pytest_deselected(
                items=[item for item in items if id(item) not in wanted_here])
            items[:] = kept

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """In a merge a test is what its machine said of it."""
        if self._merge is None:
            return None
        row = self._merged[item.nodeid]
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for phase in _PHASES:
            if phase in row["phases"]:
                item.ihook.pytest_runtest_logreport(
                    report=_report(item, phase, row["phases"][phase]))
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps what is said of a test, for the results."""
        skipped = None
        if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
            path, line, reason = report.longrepr
            skipped = [os.path.relpath(path, self._config.rootpath), line, reason]
        text = _same_anywhere(report) if report.outcome == "failed" else ""
        phases = self._reports.setdefault(report.nodeid, {})
        phases[str(report.when)] = {"outcome": report.outcome, "text": text, "skipped": skipped,
                               "xfail": getattr(report, "wasxfail", None)}

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Writes the results, in the order in which tests are named."""
        if self._results is None or hasattr(session.config, "workerinput"):
            return
        write_rows(self._results, ({"key": _key(test), "test": test, "phases": phases}
                                   for test, phases in sorted(self._reports.items())))


def _same_anywhere(report: pytest.TestReport) -> str:
    """What is said of a failure, whatever else its process ran: devices count from the test's own,
    and xdist does not say the worker."""
    text = report.longreprtext
    if hasattr(report, "node"):
        text = re.sub(r"^\[gw\d+\].*\n", "", text)
    own = {str(number): at for at, number in enumerate(getattr(report, "tensorlane_devices", []))}
    return re.sub(r"(?<=[Dd]evice )\d+\b", lambda number: str(own.get(number[0], number[0])), text)


def _report(item: pytest.Item, phase: Any, said: dict[str, Any]) -> pytest.TestReport:
    expected = {} if said["xfail"] is None else {"wasxfail": said["xfail"]}
    where: Any = tuple(said["skipped"]) if said["skipped"] else said["text"] or None
    return pytest.TestReport(item.nodeid, item.location, {}, said["outcome"], where, phase,
                             **expected)


def _key(test: str) -> str:
    return hashlib.sha256(test.encode()).hexdigest()
