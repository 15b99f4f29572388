"""The words of an audit: what a case is, how it can end, why, and what an obligation's evidence is worth."""

from __future__ import annotations

from enum import StrEnum


class Relation(StrEnum):
    """What the variant is: a fault the validator must report, or a control it must still accept.

    Examples:
        >>> Relation("violation") is Relation.VIOLATION
        True
    """

    VIOLATION = "violation"
    PRESERVE = "preserve"


class Validity(StrEnum):
    """Whether the case's label may be counted; only ``valid`` is.

    Examples:
        >>> [label.value for label in Validity]
        ['valid', 'equivalent', 'unreviewed']
    """

    VALID = "valid"
    EQUIVALENT = "equivalent"
    UNREVIEWED = "unreviewed"


class Outcome(StrEnum):
    """How one case ends. Every declared case has exactly one.

    Examples:
        >>> Outcome.SURVIVED == "survived"
        True
    """

    DETECTED = "detected"
    SURVIVED = "survived"
    UNATTRIBUTED_REJECTION = "unattributed_rejection"
    PRESERVED = "preserved"
    REGRESSED = "regressed"
    ERROR = "error"
    UNDETERMINED = "undetermined"
    BASELINE_FAILED = "baseline_failed"
    EXCLUDED = "excluded"


class Reason(StrEnum):
    """Why a case ended so. The two ``_error`` reasons are followed by ``: `` and the failure.

    Examples:
        >>> Reason.FAULT_ACCEPTED.value
        'invalid_variant_accepted'
    """

    LABEL_EQUIVALENT = "label_equivalent"
    LABEL_UNREVIEWED = "label_unreviewed"
    IDENTICAL_VARIANT = "identical_variant"
    BASELINE_ERROR = "baseline_error"
    BASELINE_NOT_ACCEPTED = "baseline_not_accepted_and_complete"
    VARIANT_ERROR = "variant_error"
    VARIANT_INCOMPLETE = "variant_evidence_incomplete"
    CONTROL_ACCEPTED = "accepted_valid_control"
    CONTROL_REJECTED = "valid_control_rejected"
    ALL_EXPECTED = "all_expected_violations"
    DETECTED_BUT_ACCEPTED = "detected_but_accepted"
    FAULT_ACCEPTED = "invalid_variant_accepted"
    EXPECTED_MISSING = "expected_violations_missing"


class Assessment(StrEnum):
    """What the evidence for one obligation amounts to; the first that applies, in this order.

    Examples:
        >>> Assessment("known_gaps").name
        'KNOWN_GAPS'
    """

    UNTESTED = "untested"
    NOT_EVALUATED = "not_evaluated"
    KNOWN_GAPS = "known_gaps"
    INCOMPLETE_EVIDENCE = "incomplete_evidence"
    PARTIAL_EVIDENCE = "partial_evidence"
    FAULTS_ONLY = "faults_only_no_controls"
    CONTROLS_ONLY = "controls_only_no_faults"
    NO_FAILURES = "no_failures_observed"


WELL = frozenset({Outcome.DETECTED, Outcome.PRESERVED})
"""The validator gave the answer that was wanted."""

GAPS = frozenset({Outcome.SURVIVED, Outcome.UNATTRIBUTED_REJECTION, Outcome.REGRESSED})
"""The validator gave a wrong answer."""

INCOMPLETE = frozenset({Outcome.ERROR, Outcome.UNDETERMINED, Outcome.BASELINE_FAILED})
"""The validator gave no usable answer."""

INELIGIBLE = frozenset({Outcome.EXCLUDED, Outcome.BASELINE_FAILED})
"""The case stands outside every denominator."""

FATAL = frozenset({Outcome.ERROR, Outcome.BASELINE_FAILED})
"""No threshold is met while one of these is left: the audit itself did not work."""

FAILURES = GAPS | INCOMPLETE
"""Everything a failed threshold lists case by case."""
