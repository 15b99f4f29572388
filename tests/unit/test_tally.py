"""Counts, rates, assessments and thresholds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest

from mateprobe import Assessment, Outcome, Relation
from mateprobe.outcome import FAILURES, FATAL, GAPS, INCOMPLETE, INELIGIBLE
from mateprobe.tally import Rates, assess, by_outcome, counts, flat, rates, ratio, short_rates, shortfalls

FAULT, CONTROL = Relation.VIOLATION, Relation.PRESERVE
ENDINGS = {
    FAULT: set(Outcome) - {Outcome.PRESERVED, Outcome.REGRESSED},
    CONTROL: {
        Outcome.PRESERVED, Outcome.REGRESSED, Outcome.ERROR, Outcome.UNDETERMINED, Outcome.BASELINE_FAILED,
        Outcome.EXCLUDED,
    },
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    id: str
    relation: Relation
    outcome: Outcome
    reason: str = "why"


GOOD = [Case("f", FAULT, Outcome.DETECTED), Case("c", CONTROL, Outcome.PRESERVED)]


def test_every_outcome_is_good_or_a_gap_or_incomplete_or_excluded() -> None:
    good = {Outcome.DETECTED, Outcome.PRESERVED}
    assert good | GAPS | INCOMPLETE | {Outcome.EXCLUDED} == set(Outcome)
    assert not GAPS & INCOMPLETE
    assert GAPS | INCOMPLETE == FAILURES
    assert FATAL == {Outcome.ERROR, Outcome.BASELINE_FAILED}  # noqa: SIM300 (neither is a constant of the other)
    assert INELIGIBLE == {Outcome.EXCLUDED, Outcome.BASELINE_FAILED}  # noqa: SIM300


@pytest.mark.parametrize(("relation", "good"), [(FAULT, Outcome.DETECTED), (CONTROL, Outcome.PRESERVED)])
def test_errors_and_unknowns_stay_in_the_denominator_and_only_the_right_end_counts(
    relation: Relation, good: Outcome
) -> None:
    endings = ENDINGS[relation]
    found = rates((relation, outcome) for outcome in endings)
    eligible = len(endings - {Outcome.EXCLUDED, Outcome.BASELINE_FAILED})
    assert (found.faults + found.controls, found.detected + found.preserved) == (eligible, 1)
    rate = found.detection_score if relation is FAULT else found.preservation_rate
    assert rate == 1 / eligible
    assert good in endings


def test_an_empty_denominator_has_no_rate() -> None:
    found = rates([(FAULT, Outcome.EXCLUDED), (CONTROL, Outcome.BASELINE_FAILED)])
    assert found == Rates(faults=0, detected=0, controls=0, preserved=0)
    assert (found.detection_score, found.preservation_rate, ratio(0, 0)) == (None, None, None)
    assert (ratio(0, 3), ratio(3, 3)) == (0.0, 1.0)


def test_outcomes_are_counted_in_the_order_of_their_words() -> None:
    outcomes = [Outcome.SURVIVED, Outcome.DETECTED, Outcome.SURVIVED, Outcome.ERROR]
    assert list(counts(outcomes).items()) == [("detected", 1), ("error", 1), ("survived", 2)]
    assert counts([]) == {}


ASSESSED: dict[str, tuple[list[tuple[Relation, Outcome]], Assessment]] = {
    "no case": ([], Assessment.UNTESTED),
    "all excluded": ([(FAULT, Outcome.EXCLUDED), (CONTROL, Outcome.EXCLUDED)], Assessment.NOT_EVALUATED),
    "a gap before everything": (
        [(FAULT, Outcome.SURVIVED), (FAULT, Outcome.ERROR), (FAULT, Outcome.EXCLUDED)], Assessment.KNOWN_GAPS),
    "a rejected control is a gap": (
        [(FAULT, Outcome.DETECTED), (CONTROL, Outcome.REGRESSED)], Assessment.KNOWN_GAPS),
    "another name is a gap": ([(FAULT, Outcome.UNATTRIBUTED_REJECTION)], Assessment.KNOWN_GAPS),
    "an error before an exclusion": (
        [(FAULT, Outcome.DETECTED), (CONTROL, Outcome.ERROR), (FAULT, Outcome.EXCLUDED)],
        Assessment.INCOMPLETE_EVIDENCE),
    "an unknown": ([(FAULT, Outcome.DETECTED), (CONTROL, Outcome.UNDETERMINED)], Assessment.INCOMPLETE_EVIDENCE),
    "a failed baseline alone": ([(FAULT, Outcome.BASELINE_FAILED)], Assessment.INCOMPLETE_EVIDENCE),
    "some excluded": (
        [(FAULT, Outcome.DETECTED), (CONTROL, Outcome.PRESERVED), (FAULT, Outcome.EXCLUDED)],
        Assessment.PARTIAL_EVIDENCE),
    "some excluded before no controls": (
        [(FAULT, Outcome.DETECTED), (CONTROL, Outcome.EXCLUDED)], Assessment.PARTIAL_EVIDENCE),
    "no controls": ([(FAULT, Outcome.DETECTED)], Assessment.FAULTS_ONLY),
    "no faults": ([(CONTROL, Outcome.PRESERVED)], Assessment.CONTROLS_ONLY),
    "all well": ([(FAULT, Outcome.DETECTED), (CONTROL, Outcome.PRESERVED)], Assessment.NO_FAILURES),
}  # fmt: skip


@pytest.mark.parametrize(("ended", "expected"), ASSESSED.values(), ids=ASSESSED.keys())
def test_the_evidence_of_an_obligation_amounts_to(ended: list[tuple[Relation, Outcome]], expected: Assessment) -> None:
    assert assess(ended)["assessment"] is expected
    assert assess(iter(ended[::-1]))["assessment"] is expected


def test_the_examples_show_every_assessment() -> None:
    assert {assessment for _, assessment in ASSESSED.values()} == set(Assessment)


def test_an_assessment_says_what_it_rests_on() -> None:
    assert assess([(FAULT, Outcome.ERROR), (CONTROL, Outcome.REGRESSED), (FAULT, Outcome.EXCLUDED)]) == {
        "assessment": "known_gaps",
        "has_known_gaps": True,
        "has_incomplete_evidence": True,
        "has_fault_tests": True,
        "has_controls": True,
        "has_exclusions": True,
        "counts": {"error": 1, "excluded": 1, "regressed": 1},
    }
    assert assess([(CONTROL, Outcome.BASELINE_FAILED)]) == {
        "assessment": "incomplete_evidence",
        "has_known_gaps": False,
        "has_incomplete_evidence": True,
        "has_fault_tests": False,
        "has_controls": False,
        "has_exclusions": False,
        "counts": {"baseline_failed": 1},
    }


def test_met_thresholds_leave_nothing_to_say() -> None:
    assert shortfalls(GOOD, detection=1, preservation=1) == []


SHORT: dict[str, tuple[list[Case], float, float, list[str]]] = {
    "a survivor": (
        [*GOOD, Case("s", FAULT, Outcome.SURVIVED, "accepted")], 1, 1,
        ["detection_score=0.5, required >= 1", "s: survived (accepted)"]),
    "a rejected control": (
        [*GOOD, Case("r", CONTROL, Outcome.REGRESSED)], 0.5, 0.75,
        ["preservation_rate=0.5, required >= 0.75", "r: regressed (why)"]),
    "both, and every failing case": (
        [*GOOD, Case("s", FAULT, Outcome.UNATTRIBUTED_REJECTION), Case("u", CONTROL, Outcome.UNDETERMINED),
         Case("x", FAULT, Outcome.EXCLUDED)], 1, 1,
        ["detection_score=0.5, required >= 1", "preservation_rate=0.5, required >= 1",
         "s: unattributed_rejection (why)", "u: undetermined (why)"]),
    "no faults": (GOOD[1:], 0, 0, ["detection_score=None, required >= 0"]),
    "no controls": (GOOD[:1], 0, 0, ["preservation_rate=None, required >= 0"]),
    "nothing": ([], 0, 0, ["detection_score=None, required >= 0", "preservation_rate=None, required >= 0"]),
    "an error, whatever the rates": (
        [*GOOD, Case("e", FAULT, Outcome.ERROR, "variant_error: KeyError: 'x'")], 0, 0,
        ["e: error (variant_error: KeyError: 'x')"]),
    "a failed baseline, though all else is well": (
        [*GOOD, Case("b", FAULT, Outcome.BASELINE_FAILED)], 1, 1, ["b: baseline_failed (why)"]),
    "a reason of several lines on one": (
        [*GOOD, Case("e", FAULT, Outcome.ERROR, "first\n  second\r\nthird")], 0, 0, ["e: error (first second third)"]),
}  # fmt: skip


def test_what_is_counted_already_counts_as_it_would_one_by_one() -> None:
    ended = Counter({(relation, outcome): 2 + n for n, outcome in enumerate(Outcome) for relation in Relation})
    one_by_one = list(ended.elements())
    assert len(one_by_one) == 108
    assert rates(ended) == rates(one_by_one)
    assert assess(ended) == assess(one_by_one)
    assert by_outcome(ended) == by_outcome(one_by_one) == Counter(outcome for _, outcome in one_by_one)
    assert counts(by_outcome(ended)) == counts(outcome for _, outcome in one_by_one)


@pytest.mark.parametrize(("cases", "detection", "preservation", "expected"), SHORT.values(), ids=SHORT.keys())
def test_what_is_short_of_a_threshold_is_listed(
    cases: list[Case], detection: float, preservation: float, expected: list[str]
) -> None:
    assert shortfalls(cases, detection=detection, preservation=preservation) == expected
    assert shortfalls(iter(cases), detection=detection, preservation=preservation) == expected


def test_unknowns_and_survivors_within_the_threshold_are_let_be() -> None:
    cases = [*GOOD, Case("s", FAULT, Outcome.SURVIVED), Case("u", CONTROL, Outcome.UNDETERMINED)]
    assert shortfalls(cases, detection=0.5, preservation=0.5) == []


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_no_rate_can_have_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="detection"):
        shortfalls(GOOD, detection=threshold, preservation=1)
    with pytest.raises(ValueError, match="preservation"):
        shortfalls(GOOD, detection=1, preservation=threshold)


def test_flat_text_has_one_line() -> None:
    assert flat(" a\n\tb\u2028c  d ") == "a b c d"


def test_thresholds_are_given_by_name() -> None:
    with pytest.raises(TypeError):
        shortfalls([], 1.0, 1.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        short_rates(Rates(1, 1, 1, 1), 1.0, 1.0)  # type: ignore[call-arg]
