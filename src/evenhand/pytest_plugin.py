"""The pytest plugin that comes with Evenhand: the fixture ``assert_even``.

It is loaded by pytest itself (entry point ``pytest11``), so it imports nothing but pytest until a test asks for the
fixture. Runs are kept in pytest's cache, one folder a test, so that a judge that did not change is not paid twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from evenhand.workflow.gate import GateCheck

__all__ = ["assert_even", "pytest_addoption", "pytest_terminal_summary"]

_PROPERTY = "evenhand"
"""Name under which a decision is kept with its test: it reaches JUnit files and workers of pytest-xdist."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the group ``evenhand``."""
    group = parser.getgroup("evenhand", "LLM judges")
    group.addoption(
        "--evenhand-runs",
        metavar="DIR",
        default=None,
        help="where assert_even keeps its runs (default: pytest's cache); what is answered there is not asked again",
    )
    group.addoption(
        "--evenhand-allow-undecided",
        action="store_true",
        help="let limits through that the data don't decide (too few pairs)",
    )


class _AssertEven:
    """What the fixture gives: :func:`evenhand.assert_even` with a run directory of the test's own."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request
        self._calls = 0

    def __call__(self, judge: Any, pairs: Any, **options: Any) -> GateCheck:  # noqa: ANN401 - assert_even checks them
        from evenhand.workflow.even import UnevenJudgeError, assert_even

        __tracebackhide__ = True
        self._calls += 1
        config = self._request.config
        if config.getoption("--evenhand-allow-undecided"):
            options.setdefault("allow_undecided", True)
        if options.get("out") is None:
            options["out"] = _runs(config) / _name(self._request.node.nodeid, self._calls)
        try:
            check = assert_even(judge, pairs, **options)
        except UnevenJudgeError as error:
            self._keep(error.check)
            raise
        self._keep(check)
        return check

    def _keep(self, check: GateCheck) -> None:
        from evenhand.workflow.even import check_lines

        for line in check_lines(check):
            self._request.node.user_properties.append((_PROPERTY, f"{check.manifest.judge.spec}: {line}"))


@pytest.fixture
def assert_even(request: pytest.FixtureRequest) -> _AssertEven:
    """Assert that a judge keeps limits: ``assert_even(judge, pairs, max_flip_rate=.15)``.

    Takes what :func:`evenhand.assert_even` takes; ``out`` is a folder of the test's own where none is given.
    """
    return _AssertEven(request)


def _runs(config: pytest.Config) -> Path:
    given = config.getoption("--evenhand-runs")
    if given is not None:
        return Path(given)
    cache = getattr(config, "cache", None)  # absent under -p no:cacheprovider
    return Path("runs") / "pytest" if cache is None else Path(cache.mkdir("evenhand"))


def _name(nodeid: str, call: int) -> str:
    """A folder's name for a test: readable, and its own whatever characters parameters have."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", nodeid).strip("-")[-60:]
    return f"{plain}-{sha256(nodeid.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}-{call}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List what every judge was found to be, those that passed too."""
    reports: Iterable[pytest.TestReport] = (
        report
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        if getattr(report, "when", None) == "call"
    )
    lines = [
        f"{report.nodeid}: {text}" for report in reports for name, text in report.user_properties if name == _PROPERTY
    ]
    if lines:
        terminalreporter.write_sep("-", "judges")
        for line in lines:
            terminalreporter.write_line(line)
