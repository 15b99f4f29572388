"""The decision table against the written rules, over the full product of what it depends on."""

from __future__ import annotations

from itertools import product

from mateprobe import Outcome, Reason, Relation, Validity
from mateprobe.classify import Evidence, Facts, Judged, classify, without_variant

JUDGEMENTS = [None, *(Judged(evidence, accepted) for evidence, accepted in product(Evidence, (True, False)))]
PRODUCT = [
    Facts(*facts)
    for facts in product(Relation, Validity, (True, False), JUDGEMENTS, JUDGEMENTS, (True, False), (True, False))
]
# Nobody reports an id of a sample that was not judged.
POSSIBLE = [facts for facts in PRODUCT if facts.variant or not facts.named]


def before_the_variant(facts: Facts) -> tuple[Outcome, Reason] | None:
    """What labels, identity and the baseline decide, as written for campaigns and validator audits alike."""
    if facts.validity is not Validity.VALID:
        return Outcome.EXCLUDED, Reason(f"label_{facts.validity.value}")
    if facts.identical:
        return Outcome.EXCLUDED, Reason.IDENTICAL_VARIANT
    baseline = facts.baseline
    if baseline and baseline.evidence is Evidence.ERROR and not facts.itemised:
        return Outcome.BASELINE_FAILED, Reason.BASELINE_ERROR
    if not (baseline and baseline.accepted and baseline.evidence is Evidence.COMPLETE):
        return Outcome.BASELINE_FAILED, Reason.BASELINE_NOT_ACCEPTED
    return None


def of_a_campaign(facts: Facts) -> tuple[Outcome, Reason]:
    """Contracts: a violated target counts whatever else the report says."""
    variant = facts.variant
    if variant and facts.relation is Relation.VIOLATION and facts.named:
        return Outcome.DETECTED, Reason.DETECTED_BUT_ACCEPTED if variant.accepted else Reason.ALL_EXPECTED
    if not variant or variant.evidence is Evidence.ERROR:
        return Outcome.ERROR, Reason.VARIANT_ERROR
    if variant.evidence is Evidence.INCOMPLETE:
        return Outcome.UNDETERMINED, Reason.VARIANT_INCOMPLETE
    if facts.relation is Relation.PRESERVE:
        return control(accepted=variant.accepted)
    if variant.accepted:
        return Outcome.SURVIVED, Reason.FAULT_ACCEPTED
    return Outcome.UNATTRIBUTED_REJECTION, Reason.EXPECTED_MISSING


def of_a_validator(facts: Facts) -> tuple[Outcome, Reason]:
    """Validators: an incomplete verdict decides nothing, even when it names the right ids."""
    variant = facts.variant
    if not variant or variant.evidence is Evidence.ERROR:
        return Outcome.ERROR, Reason.VARIANT_ERROR
    if variant.evidence is Evidence.INCOMPLETE:
        return Outcome.UNDETERMINED, Reason.VARIANT_INCOMPLETE
    if facts.relation is Relation.PRESERVE:
        return control(accepted=variant.accepted)
    if not variant.accepted and facts.named:
        return Outcome.DETECTED, Reason.ALL_EXPECTED
    if variant.accepted:
        return Outcome.SURVIVED, Reason.FAULT_ACCEPTED
    return Outcome.UNATTRIBUTED_REJECTION, Reason.EXPECTED_MISSING


def control(*, accepted: bool) -> tuple[Outcome, Reason]:
    if accepted:
        return Outcome.PRESERVED, Reason.CONTROL_ACCEPTED
    return Outcome.REGRESSED, Reason.CONTROL_REJECTED


def expected(facts: Facts) -> tuple[Outcome, Reason]:
    return before_the_variant(facts) or (of_a_campaign if facts.itemised else of_a_validator)(facts)


def test_the_table_says_what_is_written() -> None:
    assert [facts for facts in POSSIBLE if classify(facts) != expected(facts)] == []


def test_what_is_decided_without_the_variant_is_what_is_written() -> None:
    assert [facts for facts in PRODUCT if without_variant(facts) != before_the_variant(facts)] == []


def test_the_table_decides_even_what_cannot_be() -> None:
    assert {classify(facts).outcome for facts in PRODUCT} == set(Outcome)
    assert {classify(facts).reason for facts in PRODUCT} == set(Reason)
    assert len(PRODUCT) == 2 * 3 * 2 * 7 * 7 * 2 * 2


def test_nothing_but_the_variant_of_a_named_fault_is_ever_detected() -> None:
    detected = [facts for facts in POSSIBLE if classify(facts).outcome is Outcome.DETECTED]
    assert detected
    assert all(facts.named and facts.variant and facts.relation is Relation.VIOLATION for facts in detected)
    assert all(facts.baseline and facts.baseline.clean for facts in detected)
