"""The text for people in front of a terminal: what it tells, and what it does not let through."""

from __future__ import annotations

from typing import Any

import pytest

from mateprobe.outcome import FAILURES
from mateprobe.report_file import ReportFile
from mateprobe.reports.plain_text import _TROUBLE, SHOWN, audit_text
from mateprobe.validator_audit import AuditCase, Obligation, Relation, Validity, Verdict, audit_validator

LABEL = (Validity.VALID, "by hand")


def fault(id: str, variant: Any, obligation: str = "paid") -> AuditCase[Any]:
    return AuditCase(id, obligation, 1, variant, Relation.VIOLATION, ("paid",), *LABEL)


def text(*cases: AuditCase[Any], obligations: tuple[str, ...] = ("paid",), paint: Any = None, **rest: Any) -> str:
    report = audit_validator(
        lambda number: Verdict(number < 5, ("paid",) if number == 5 else () if number < 5 else ("other",)),
        cases, obligations=[Obligation(id, "Described.") for id in obligations], validator_id="limits", **rest,
    )  # fmt: skip
    file = ReportFile(report)
    return audit_text(file) if paint is None else audit_text(file, paint)


def test_outcomes_follow_each_other_as_they_matter() -> None:
    control = AuditCase("more", "paid", 1, 7, Relation.PRESERVE, (), *LABEL)
    lines = text(control, fault("known", 5), fault("odd", 9), fault("small", 2), fault("new", 3)).splitlines()
    assert lines[2:10] == [
        "survived: 2",
        "  small (paid): expected paid, got acceptance",
        "  new (paid): expected paid, got acceptance",
        "",
        "unattributed rejection: 1",
        "  odd (paid): expected paid, got other",
        "",
        "regressed: 1",
    ]


def test_no_outcome_that_fails_is_left_out() -> None:
    assert sorted(_TROUBLE) == sorted(FAILURES)


def test_of_many_cases_the_first_are_shown_and_the_rest_is_counted() -> None:
    lines = text(*(fault(f"{number}", number / 100) for number in range(SHOWN + 3))).splitlines()
    assert lines[2] == f"survived: {SHOWN + 3}"
    assert lines[3 + SHOWN] == "  … and 3 more; --output FILE or --markdown FILE has all of them"


def test_an_obligation_without_a_case_is_told_and_one_without_a_failure_counted() -> None:
    control = AuditCase("less", "paid", 1, 2, Relation.PRESERVE, (), *LABEL)
    lines = text(control, fault("known", 5), obligations=("paid", "kept")).splitlines()
    assert lines[2:4] == ["obligations: 2, of which 1 without a failure", "  kept: untested (no case)"]
    assert lines[-1].startswith("met: ")


def test_excluded_cases_are_counted() -> None:
    unreviewed = AuditCase("guess", "paid", 1, 2, Relation.VIOLATION, ("paid",), Validity.UNREVIEWED)
    assert "\n1 case excluded: identical samples, or no label that counts\n" in text(unreviewed, fault("known", 5))


def test_what_acts_on_a_terminal_is_written_out_and_a_line_stays_one() -> None:
    assert "\n  \\x1b[31mred two (paid): expected" in text(fault("\x1b[31mred\ntwo", 2))


@pytest.mark.parametrize(("variant", "colour"), [(5, "red"), (2, "red")], ids=["no control", "a survivor"])
def test_the_last_line_is_coloured_by_how_it_stands(variant: int, colour: str) -> None:
    last = text(fault("one", variant), paint=lambda line, colour: f"<{colour}>{line}").splitlines()[-1]
    assert last.startswith(f"<{colour}>not met: ")
