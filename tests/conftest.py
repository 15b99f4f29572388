"""Settings all tests share: the same examples on every machine; ``--hypothesis-profile=explore`` draws others."""

from __future__ import annotations

import pytest
from hypothesis import settings

# No deadline: a slow machine is no defect.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile("repeatable")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say which tests a run of all leaves out."""
    return "apart: tests/cluster, by make test-cluster" if config.args == config.getini("testpaths") else None
