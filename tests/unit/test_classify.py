"""The decision table, row by row; ``tests/property`` compares its full product with the written rules."""

from __future__ import annotations

import pytest

from mateprobe import Outcome, Reason, Relation, Validity
from mateprobe.classify import Evidence, Facts, Judged, classify, without_variant

CLEAN = Judged(Evidence.COMPLETE, accepted=True)
REJECTED = Judged(Evidence.COMPLETE, accepted=False)
PARTLY = Judged(Evidence.INCOMPLETE, accepted=False)
PARTLY_ACCEPTED = Judged(Evidence.INCOMPLETE, accepted=True)
FAILED = Judged(Evidence.ERROR, accepted=False)

FAULT = Facts(Relation.VIOLATION, Validity.VALID, identical=False, baseline=CLEAN, variant=REJECTED, named=True)
CONTROL = Facts(Relation.PRESERVE, Validity.VALID, identical=False, baseline=CLEAN, variant=CLEAN)

EARLY: dict[str, tuple[Facts, Outcome, Reason]] = {
    "an equivalent variant": (
        FAULT._replace(validity=Validity.EQUIVALENT), Outcome.EXCLUDED, Reason.LABEL_EQUIVALENT),
    "an unreviewed variant": (
        CONTROL._replace(validity=Validity.UNREVIEWED), Outcome.EXCLUDED, Reason.LABEL_UNREVIEWED),
    "a label before identity": (
        FAULT._replace(validity=Validity.UNREVIEWED, identical=True), Outcome.EXCLUDED, Reason.LABEL_UNREVIEWED),
    "a label before the baseline": (
        FAULT._replace(validity=Validity.UNREVIEWED, baseline=FAILED), Outcome.EXCLUDED, Reason.LABEL_UNREVIEWED),
    "identical samples": (FAULT._replace(identical=True), Outcome.EXCLUDED, Reason.IDENTICAL_VARIANT),
    "identity before the baseline": (
        FAULT._replace(identical=True, baseline=FAILED), Outcome.EXCLUDED, Reason.IDENTICAL_VARIANT),
    "a baseline on which the validator failed": (
        FAULT._replace(baseline=FAILED), Outcome.BASELINE_FAILED, Reason.BASELINE_ERROR),
    "a baseline on which a rule failed": (
        FAULT._replace(baseline=FAILED, itemised=True), Outcome.BASELINE_FAILED, Reason.BASELINE_NOT_ACCEPTED),
    "a rejected baseline": (
        CONTROL._replace(baseline=REJECTED), Outcome.BASELINE_FAILED, Reason.BASELINE_NOT_ACCEPTED),
    "a baseline accepted on incomplete evidence": (
        FAULT._replace(baseline=PARTLY_ACCEPTED), Outcome.BASELINE_FAILED, Reason.BASELINE_NOT_ACCEPTED),
    "a baseline nobody judged": (
        FAULT._replace(baseline=None), Outcome.BASELINE_FAILED, Reason.BASELINE_NOT_ACCEPTED),
}  # fmt: skip
LATE: dict[str, tuple[Facts, Outcome, Reason]] = {
    "a fault rejected by name": (FAULT, Outcome.DETECTED, Reason.ALL_EXPECTED),
    "a fault rejected under another name": (
        FAULT._replace(named=False), Outcome.UNATTRIBUTED_REJECTION, Reason.EXPECTED_MISSING),
    "a fault accepted": (FAULT._replace(variant=CLEAN, named=False), Outcome.SURVIVED, Reason.FAULT_ACCEPTED),
    "a fault the validator failed on": (
        FAULT._replace(variant=FAILED, named=False), Outcome.ERROR, Reason.VARIANT_ERROR),
    "a fault the validator could not decide, though it names it": (
        FAULT._replace(variant=PARTLY), Outcome.UNDETERMINED, Reason.VARIANT_INCOMPLETE),
    "a fault a contract names beside an undetermined one": (
        FAULT._replace(variant=PARTLY, itemised=True), Outcome.DETECTED, Reason.ALL_EXPECTED),
    "a fault a contract names beside a failed one": (
        FAULT._replace(variant=FAILED, itemised=True), Outcome.DETECTED, Reason.ALL_EXPECTED),
    "a fault a contract names and the policy lets pass": (
        FAULT._replace(variant=CLEAN, itemised=True), Outcome.DETECTED, Reason.DETECTED_BUT_ACCEPTED),
    "a fault contracts could not decide": (
        FAULT._replace(variant=PARTLY, named=False, itemised=True), Outcome.UNDETERMINED, Reason.VARIANT_INCOMPLETE),
    "a fault contracts accepted without deciding": (
        FAULT._replace(variant=PARTLY_ACCEPTED, named=False, itemised=True),
        Outcome.UNDETERMINED, Reason.VARIANT_INCOMPLETE),
    "a control accepted": (CONTROL, Outcome.PRESERVED, Reason.CONTROL_ACCEPTED),
    "a control rejected": (CONTROL._replace(variant=REJECTED), Outcome.REGRESSED, Reason.CONTROL_REJECTED),
    "a control the validator failed on": (CONTROL._replace(variant=FAILED), Outcome.ERROR, Reason.VARIANT_ERROR),
    "a control accepted on incomplete evidence": (
        CONTROL._replace(variant=PARTLY_ACCEPTED), Outcome.UNDETERMINED, Reason.VARIANT_INCOMPLETE),
    "a variant nobody judged": (CONTROL._replace(variant=None), Outcome.ERROR, Reason.VARIANT_ERROR),
}  # fmt: skip


@pytest.mark.parametrize(("facts", "outcome", "reason"), (EARLY | LATE).values(), ids=(EARLY | LATE).keys())
def test_a_case_ends(facts: Facts, outcome: Outcome, reason: Reason) -> None:
    assert classify(facts) == (outcome, reason)


@pytest.mark.parametrize(("facts", "outcome", "reason"), EARLY.values(), ids=EARLY.keys())
def test_what_is_decided_early_needs_no_variant(facts: Facts, outcome: Outcome, reason: Reason) -> None:
    assert without_variant(facts._replace(variant=None, named=False)) == (outcome, reason)


@pytest.mark.parametrize("facts", [facts for facts, *_ in LATE.values()], ids=LATE.keys())
def test_what_depends_on_the_variant_is_left_open_without_it(facts: Facts) -> None:
    assert without_variant(facts._replace(variant=None, named=False)) is None


def test_the_examples_reach_every_outcome_and_reason() -> None:
    assert {outcome for _, outcome, _ in (EARLY | LATE).values()} == set(Outcome)
    assert {reason for *_, reason in (EARLY | LATE).values()} == set(Reason)


def test_what_nobody_has_found_out_is_not_assumed() -> None:
    facts = Facts(Relation.VIOLATION, Validity.VALID, identical=False)
    assert (facts.baseline, facts.variant, facts.named, facts.itemised) == (None, None, False, False)


@pytest.mark.parametrize("judged", [CLEAN, REJECTED, PARTLY, PARTLY_ACCEPTED, FAILED])
def test_a_sample_is_clean_if_it_is_accepted_on_complete_evidence(judged: Judged) -> None:
    assert judged.clean == (judged == CLEAN)
