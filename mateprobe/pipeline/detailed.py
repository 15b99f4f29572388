# ruff: noqa: S101 - plain assertions are what the audit is compared with
"""The detailed-assertions comparator: the checks a careful author of plain tests would write.

An audit is of no use to whom it tells less than such tests do. So this module reads the same recorded
observations, has its own order of checks, and shares no code with the decision table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mateprobe.errors import StageError


class _Failed(Exception):
    """A check failed; ``outcome`` says what that makes of the case."""

    def __init__(self, outcome: str) -> None:
        super().__init__(outcome)
        self.outcome = outcome


@contextmanager
def _otherwise(outcome: str) -> Iterator[None]:
    """Turn a failed assertion of the block into an outcome."""
    try:
        yield
    except AssertionError:
        raise _Failed(outcome) from None


def detailed_outcome(case: Mapping[str, Any], baseline: Mapping[str, Any], variant: Mapping[str, Any]) -> str:
    """Return the outcome of a case by assertions alone.

    Args:
        case: relation, validity, expected, baseline_sha256 and variant_sha256 of a case row.
        baseline: accepted, complete, violations and error of the baseline's observation.
        variant: the same of the variant. Neither may be an itemised contract report.

    Raises:
        StageError: assertions are switched off.
    """
    if not __debug__:
        raise StageError("python -O removes assertions, and the detailed comparator is made of them; run without -O")
    try:
        _check_pair(case, baseline, variant)
        if case["relation"] == "preserve":
            return _check_control(variant)
        return _check_fault(case, variant)
    except _Failed as failure:
        return failure.outcome


def _check_pair(case: Mapping[str, Any], baseline: Mapping[str, Any], variant: Mapping[str, Any]) -> None:
    with _otherwise("excluded"):
        assert case["validity"] == "valid"
        assert case["variant_sha256"] != case["baseline_sha256"]
    with _otherwise("baseline_failed"):
        assert baseline["error"] is None
        assert baseline["complete"]
        assert baseline["accepted"]
    with _otherwise("error"):
        assert variant["error"] is None
    with _otherwise("undetermined"):
        assert variant["complete"]


def _check_control(variant: Mapping[str, Any]) -> str:
    with _otherwise("regressed"):
        assert variant["accepted"]
    return "preserved"


def _check_fault(case: Mapping[str, Any], variant: Mapping[str, Any]) -> str:
    with _otherwise("survived"):
        assert not variant["accepted"]
    with _otherwise("unattributed_rejection"):
        for target in case["expected"]:
            assert target in variant["violations"]
    return "detected"
