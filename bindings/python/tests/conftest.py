"""Counts what ran, and ends with the line that tests/run reads."""
from __future__ import annotations

from collections import Counter

import pytest

_counted: Counter[str] = Counter()
_reasons: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    # Setting up and tearing down count where they are the end of the matter.
    if report.when == "call" or not report.passed:
        _count(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if not report.passed:
        _count(report)


def _count(report: pytest.TestReport | pytest.CollectReport) -> None:
    _counted[report.outcome] += 1
    if report.skipped and isinstance(report.longrepr, tuple):
        _reasons.append(report.longrepr[2].removeprefix("Skipped: "))


def pytest_unconfigure() -> None:
    for reason in dict.fromkeys(_reasons):
        print(f"SKIP {reason}")
    print(f"{_counted['passed']} passed, {_counted['failed']} failed, {_counted['skipped']} skipped")
