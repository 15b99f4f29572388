"""Two reports compared: every case in one class, and nothing that was left out looks mended."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mateprobe import AuditCase, Validity, Verdict
from mateprobe.diff import Change, Diff, compare
from mateprobe.reports.diff_markdown import COMMENT, diff_markdown
from mateprobe.tally import Rates
from tests.audits import CASE, CASES, WELL, case, report, signs


def stern(number: int) -> Verdict:
    """Like ``signs``, but 3 is refused as it should be, and 2 and -1 are judged wrongly or not at all."""
    if number == -1:
        raise ValueError("no")
    if number in (3, 2):
        return Verdict(False, ("sign",))
    return signs(number)


def before_and_after(old: list[AuditCase[Any]], new: list[AuditCase[Any]], validator: Any = signs) -> Diff:
    return compare(report(old).report, report(new, validator).report)


TINY, ZERO = CASE["tiny"], CASE["zero"]
CLASSES: dict[str, tuple[list[AuditCase[Any]], list[AuditCase[Any]], Any, Change]] = {
    "a survivor that is detected now": ([TINY], [TINY], stern, Change.FIXED),
    "a control that is refused now": ([CASE["doubled"]], [CASE["doubled"]], stern, Change.REGRESSED),
    "a fault that is let pass now": ([CASE["flipped"]], [CASE["flipped"]], lambda _: Verdict(True), Change.REGRESSED),
    "a validator that fails now": ([CASE["flipped"]], [CASE["flipped"]], stern, Change.NOW_ERROR),
    "a survivor on which it fails now": ([TINY], [TINY], lambda _: 1 / 0, Change.NOW_ERROR),
    "a baseline that fails now": ([TINY], [TINY], lambda _: Verdict(False), Change.NOW_ERROR),
    "a failure that is detected now": ([CASE["unlucky"]], [CASE["unlucky"]], lambda number: Verdict(
        number == 1, () if number == 1 else ("sign",)), Change.FIXED),
    "a failure that is let pass now": (
        [CASE["unlucky"]], [CASE["unlucky"]], lambda _: Verdict(True), Change.FAILS_OTHERWISE,
    ),
    "a survivor that is rejected for nothing": (
        [TINY], [TINY], lambda number: Verdict(number == 1), Change.FAILS_OTHERWISE,
    ),
    "the same answer": ([TINY], [TINY], signs, Change.UNCHANGED),
    "excluded as before": ([CASE["not looked at"]], [CASE["not looked at"]], stern, Change.UNCHANGED),
    "a new case": ([], [TINY], signs, Change.NEWLY_ASKED),
    "a case less": ([TINY], [], signs, Change.NO_LONGER_ASKED),
    "a survivor that counts no more": (
        [TINY], [replace(TINY, validity=Validity.UNREVIEWED)], signs, Change.LABEL_CHANGED,
    ),
    "a survivor with another sample": ([TINY], [case("tiny", -3)], signs, Change.LABEL_CHANGED),
    "a fault that is a control now": ([TINY], [case("tiny", 3, "preserve")], signs, Change.LABEL_CHANGED),
    "other expected ids": ([ZERO], [case("zero", 0, expected=("zero",))], signs, Change.LABEL_CHANGED),
    "another provenance": ([TINY], [replace(TINY, provenance="by somebody else")], signs, Change.UNCHANGED),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "validator", "change"), CLASSES.values(), ids=CLASSES.keys())
def test_what_became_of_a_case_has_one_name(
    old: list[AuditCase[Any]], new: list[AuditCase[Any]], validator: Any, change: Change
) -> None:
    other = case("other", -50)
    diff = before_and_after([*old, other], [*new, other], validator)
    found = replace(diff, cases=tuple(one for one in diff.cases if one.id != "other"))
    assert [one.change for one in found.cases] == [change]
    assert found.worse is (change in {Change.REGRESSED, Change.NOW_ERROR})


def test_a_part_that_differs_is_named() -> None:
    (change,) = before_and_after([TINY], [case("tiny", -3, obligation="size")]).cases
    assert change.parts == ("obligation", "variant_digest")


def test_a_report_and_itself_differ_in_nothing() -> None:
    assert compare(report().report, report().report).empty


def test_a_corpus_that_shrank_is_no_progress() -> None:
    diff = before_and_after([*WELL, TINY, ZERO], WELL)
    assert (diff.counts()[Change.FIXED], diff.counts()[Change.NO_LONGER_ASKED], diff.empty) == (0, 2, False)
    assert diff.comparable() == (Rates(1, 1, 1, 1), Rates(1, 1, 1, 1))
    text = "".join(diff_markdown(diff))
    assert text.startswith("# 2 no longer asked\n\n**Cases lost: 2, of which 2 failed before: ")
    assert "| detection | 1 of 1 (100.0%) | 1 of 1 (100.0%) |" in text


def test_a_relabelled_case_is_in_neither_rate() -> None:
    diff = before_and_after([*WELL, TINY], [*WELL, replace(TINY, validity=Validity.UNREVIEWED)])
    assert diff.comparable() == (Rates(1, 1, 1, 1), Rates(1, 1, 1, 1))


def test_the_markdown_reads_so() -> None:
    diff = before_and_after([*WELL, TINY, ZERO], [*WELL, TINY, case("fresh", -9)], stern)
    assert (
        "".join(diff_markdown(diff))
        == """\
# 1 regressed, 1 now an error, 1 no longer asked, 1 newly asked, 1 fixed

**Cases lost: 1, of which 1 failed before: what is not asked is not fixed.**

On the 3 cases that both ask:

| | old | new |
|---|---:|---:|
| validator | signs | signs |
| detection | 1 of 2 (50.0%) | 1 of 2 (50.0%) |
| preservation | 1 of 1 (100.0%) | 0 of 1 (0.0%) |

| Of all cases | |
|---|---:|
| regressed | 1 |
| now error | 1 |
| fixed | 1 |
| label changed | 0 |
| newly asked | 1 |
| no longer asked | 1 |
| fails otherwise | 0 |
| unchanged | 0 |

## Regressed

- **doubled** (sign) at `cases.csv:3`: preserved; accepted_valid_control → regressed; expected acceptance, got sign

## Now an error

- **flipped** (sign) at `cases.csv:2`: detected; all_expected_violations → error; variant_error: ValueError: no

## No longer asked

- **zero** (sign) at `cases.csv:5`: unattributed_rejection; expected sign, got zero

## Newly asked

- **fresh** (sign) at `cases.csv:5`: detected; all_expected_violations

## Fixed

- **tiny** (sign) at `cases.csv:4`: survived; expected sign, got acceptance → detected; all_expected_violations
"""
    )


def test_a_comparison_too_long_for_a_comment_is_cut() -> None:
    many = [case(f"a fault that nobody has found {number}", 3) for number in range(1000)]
    text = "".join(diff_markdown(before_and_after([*many, ZERO], [ZERO])))
    assert 60_000 < len(text.encode()) <= COMMENT
    assert "**Cut here: " in text


def test_the_data_have_every_case_that_changed_and_count_the_rest() -> None:
    data = before_and_after([*CASES], [*CASES, case("fresh", -9)], stern).to_dict()
    assert data["counts"] == {
        "regressed": 1, "now_error": 1, "fixed": 1, "label_changed": 0, "newly_asked": 1, "no_longer_asked": 0,
        "fails_otherwise": 0, "unchanged": 6,
    }  # fmt: skip
    assert data["worse"] is True
    assert data["cases"]["fixed"] == [{
        "id": "tiny", "obligation": "sign", "parts": [],
        "old": {"outcome": "survived", "reason": "invalid_variant_accepted"},
        "new": {"outcome": "detected", "reason": "all_expected_violations"},
    }]  # fmt: skip
