"""A pytest plugin that writes which tests failed, and whether a failing assertion was the reason.

Writes ``failed_tests.json`` into the folder pytest runs in, at the end of the session:
``{test id: "assertion" or the name of the exception}``.
"""

from __future__ import annotations

import json
from collections.abc import Generator

import pytest

ASSERTION = "assertion"
REPORT = "failed_tests.json"
_STATEMENTS = (AssertionError, pytest.fail.Exception)  # `assert`, and `pytest.raises` that saw nothing raised
_failed: dict[str, str] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note why a test failed; the first reason counts, and only the test's own body asserts."""
    report = yield
    if report.failed and call.excinfo is not None:
        error = call.excinfo.value
        asserted = call.when == "call" and isinstance(error, _STATEMENTS)
        _failed.setdefault(item.nodeid, ASSERTION if asserted else type(error).__name__)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the report, also where no test failed: an absent one means that pytest itself did not work."""
    session.config.rootpath.joinpath(REPORT).write_text(json.dumps(_failed))
