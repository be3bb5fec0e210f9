"""The pytest plug-in: devices as fixtures, findings as failures, a page per failed test.

    def test_rmsnorm(bm1684x):
        kernel = bm1684x.compile("rmsnorm.c")
        ...
        tensorlane.assert_close(output, reference)

A device belongs to one test; it watches with all checks and keeps its history. Errors are raised
where they are found. Warnings, and errors that only the end of the device shows, fail the test when
its function has returned. ``@pytest.mark.tensorlane(allow=["TL-LINT-*"], dma="late")`` allows
findings and passes the other words on to the device.

Launches happen in a process per device, so that no kernel takes pytest down with it;
``isolate=False`` of the mark, or --tensorlane-in-process for all, keeps them where a debugger of
pytest's process sees them.

Machines that share a suite run a part each and put the results together:

    pytest --tensorlane-shard 1/2 --tensorlane-results part1.jsonl
    pytest --tensorlane-merge part1.jsonl part2.jsonl

The merge runs nothing: each test becomes what its machine said, and one that nobody ran fails.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections import deque
from html import escape
from pathlib import Path
from typing import Any, Iterator

import pytest

from . import Device, FindingError
from .findings import is_allowed
from .pytest_parts import Parts
from .texts import tr

_HISTORY_BYTES = 64 << 20
_MOST_LAUNCHES = 24  # on a page: the latest ones

_devices = pytest.StashKey["list[Device]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tensorlane")
    group.addoption("--tensorlane-report", metavar="DIR", default=None,
                    help="keep a page for every failed test: findings, times, timelines, memory")
    group.addoption("--tensorlane-in-process", action="store_true", default=False,
                    help="launches happen in the process of pytest, where a debugger sees them")
    group.addoption("--tensorlane-shard", metavar="I/N", default=None,
                    help="run only this part of the tests, I from 1 to N")
    group.addoption("--tensorlane-results", metavar="FILE", default=None,
                    help="write a line of JSON per test, for --tensorlane-merge")
    group.addoption("--tensorlane-merge", metavar="FILE", nargs="+", action="extend", default=None,
                    help="run nothing: take the results of all parts; a lost one is an error")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "tensorlane(allow=[ids], **options): findings that do not fail the test, with "
        "wildcards; the options of its device")
    if config.getoption("--tensorlane-merge") and getattr(config.option, "numprocesses", None):
        raise pytest.UsageError("--tensorlane-merge runs nothing and takes no -n")
    config.pluginmanager.register(Parts(config), "tensorlane-parts")


@pytest.fixture
def bm1684(request: pytest.FixtureRequest) -> Iterator[Device]:
    """A BM1684 of the test's own."""
    yield from _device(request, "bm1684")


@pytest.fixture
def bm1684x(request: pytest.FixtureRequest) -> Iterator[Device]:
    """A BM1684X of the test's own."""
    yield from _device(request, "bm1684x")


def _device(request: pytest.FixtureRequest, chip: str) -> Iterator[Device]:
    isolate = not request.config.getoption("--tensorlane-in-process")
    options: dict[str, Any] = {"history": _HISTORY_BYTES, "isolate": isolate}
    for mark in reversed(list(request.node.iter_markers("tensorlane"))):
        options.update(mark.kwargs)
    device = Device(chip, **options)
    device._recent = deque(maxlen=_MOST_LAUNCHES)
    request.node.stash.setdefault(_devices, []).append(device)
    yield device
    try:
        device.close()
    except FindingError:  # a failed test has failed by what came first
        pass
    device._end()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    devices: list[Device] = item.stash.get(_devices, [])
    test: Any = getattr(item, "obj", None)
    if not devices or test is None or inspect.iscoroutinefunction(test):
        return

    @functools.wraps(test)
    def checked(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        result = test(*args, **kwargs)
        for device in devices:
            _check_end(device)
        return result

    item.obj = checked  # type: ignore[attr-defined]


def _check_end(device: Device) -> None:
    __tracebackhide__ = True
    device.close()
    warnings = [finding for finding in device.findings
                if finding.severity == "warning" and not finding.consequence_of
                and not is_allowed(finding, device.allow)]
    if warnings:
        raise FindingError(warnings)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    report.tensorlane_devices = [device._native.number for device in item.stash.get(_devices, [])]
    folder = item.config.getoption("--tensorlane-report")
    if folder and report.failed and report.when == "call":
        path = Path(folder) / (re.sub(r"[^\w.\[\]-]+", "_", item.nodeid) + ".html")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_page(item, report.longreprtext), encoding="utf-8")
        report.sections.append(("tensorlane", tr("page: {}", path)))


def pytest_sessionfinish(session: pytest.Session) -> None:
    folder = session.config.getoption("--tensorlane-report")
    if not folder or hasattr(session.config, "workerinput") or not Path(folder).is_dir():
        return  # with xdist the workers are done before the controller is
    pages = sorted(page.name for page in Path(folder).glob("*.html") if page.name != "index.html")
    items = "".join(f'<li><a href="{escape(page)}">{escape(page[:-5])}</a></li>' for page in pages)
    (Path(folder) / "index.html").write_text(_document(tr("Failed tests"), f"<ul>{items}</ul>"),
                                             encoding="utf-8")


def _page(item: pytest.Item, text: str) -> str:
    parts = [f"<pre>{escape(text)}</pre>"]
    time = tr("modelled time")
    for device in item.stash.get(_devices, []):
        parts.append(f"<h2>{escape(repr(device))}</h2>")
        parts += [f"<pre>{escape(str(finding))}</pre>" for finding in device.findings]
        for launch in device._recent or () if not device._is_lost() else ():
            title = tr("launch {} of {}", launch.number, escape(launch.kernel))
            parts.append(f"<h3>{title}</h3>{launch.timeline.svg()}{launch.memory_map.svg()}"
                         f"<details><summary>{time}</summary>"
                         f"<pre>{escape(str(launch.time))}</pre></details>")
    return _document(item.nodeid, "\n".join(parts))


def _document(title: str, body: str) -> str:
    return (f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
            "<style>body{font:15px sans-serif;margin:2em;max-width:70em}"
            "pre{background:#f4f4f4;padding:.6em;overflow-x:auto}svg{max-width:100%;height:auto}"
            f"</style></head><body><h1>{escape(title)}</h1>{body}</body></html>")
