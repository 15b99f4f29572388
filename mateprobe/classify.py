"""The decision table: one place where it is decided how a case ends.

Mutation campaigns, validator audits and the studies of the pipeline all come here. The only
difference between them is whether incomplete evidence is itemised: a contract report says of each
rule whether it came to a decision, so a violated target stands beside an undetermined rule; a
validator's verdict that calls itself incomplete says nothing of which part to trust.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from .outcome import Outcome, Reason, Relation, Validity


class Evidence(StrEnum):
    """How far a judgement of one sample got."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    ERROR = "error"


class Judged(NamedTuple):  # a tuple: looked up by the thousand, it must hash fast
    """What a validator said of one sample, reduced to what decides an outcome.

    ``accepted`` may be true of incomplete or failed evidence only under a policy that lets it pass.
    """

    evidence: Evidence
    accepted: bool

    @property
    def clean(self) -> bool:
        """Accepted on complete evidence: what a baseline and a control must be."""
        return self.accepted and self.evidence is Evidence.COMPLETE


class Facts(NamedTuple):
    """Everything the decision depends on.

    ``named``: every expected id is among the reported ones (and there is at least one).
    ``itemised``: incomplete evidence is told apart finding by finding (contract reports).
    ``baseline`` and ``variant`` are None where the sample was never judged.
    """

    relation: Relation
    validity: Validity
    identical: bool
    baseline: Judged | None = None
    variant: Judged | None = None
    named: bool = False
    itemised: bool = False

    def baseline_is(self, evidence: Evidence) -> bool:
        """The baseline was judged with this evidence."""
        return self.baseline is not None and self.baseline.evidence is evidence

    def variant_is(self, evidence: Evidence) -> bool:
        """The variant was judged with this evidence."""
        return self.variant is not None and self.variant.evidence is evidence

    def variant_accepted(self) -> bool:
        """The variant was judged and let pass."""
        return self.variant is not None and self.variant.accepted

    def attributed(self) -> bool:
        """A fault whose every expected id was reported, whatever else was said."""
        return self.relation is Relation.VIOLATION and self.named


class Decision(NamedTuple):
    """How a case ended and why."""

    outcome: Outcome
    reason: Reason


_Row = tuple[Callable[[Facts], bool], Outcome, Reason]

# The first row whose condition holds decides. Order is the meaning: labels before runs, the baseline
# before the variant, failure before opinion, and attribution before acceptance.
_BEFORE_VARIANT: tuple[_Row, ...] = (
    (lambda f: f.validity is Validity.EQUIVALENT, Outcome.EXCLUDED, Reason.LABEL_EQUIVALENT),
    (lambda f: f.validity is Validity.UNREVIEWED, Outcome.EXCLUDED, Reason.LABEL_UNREVIEWED),
    (lambda f: f.identical, Outcome.EXCLUDED, Reason.IDENTICAL_VARIANT),
    (lambda f: f.baseline_is(Evidence.ERROR) and not f.itemised, Outcome.BASELINE_FAILED, Reason.BASELINE_ERROR),
    (lambda f: f.baseline is None or not f.baseline.clean, Outcome.BASELINE_FAILED, Reason.BASELINE_NOT_ACCEPTED),
)
_ON_VARIANT: tuple[_Row, ...] = (
    # An itemised report names its violated target even when another rule failed or could not decide.
    (lambda f: f.itemised and f.attributed() and not f.variant_accepted(), Outcome.DETECTED, Reason.ALL_EXPECTED),
    (lambda f: f.itemised and f.attributed(), Outcome.DETECTED, Reason.DETECTED_BUT_ACCEPTED),
    (lambda f: f.variant is None or f.variant_is(Evidence.ERROR), Outcome.ERROR, Reason.VARIANT_ERROR),
    (lambda f: f.variant_is(Evidence.INCOMPLETE), Outcome.UNDETERMINED, Reason.VARIANT_INCOMPLETE),
    (lambda f: f.relation is Relation.PRESERVE and f.variant_accepted(), Outcome.PRESERVED, Reason.CONTROL_ACCEPTED),
    (lambda f: f.relation is Relation.PRESERVE, Outcome.REGRESSED, Reason.CONTROL_REJECTED),
    (lambda f: f.variant_accepted(), Outcome.SURVIVED, Reason.FAULT_ACCEPTED),
    (lambda f: f.attributed(), Outcome.DETECTED, Reason.ALL_EXPECTED),
)
_LAST = Decision(Outcome.UNATTRIBUTED_REJECTION, Reason.EXPECTED_MISSING)


@cache  # a few hundred combinations exist
def without_variant(facts: Facts) -> Decision | None:
    """Return the decision that needs no look at the variant, or None if the variant must be judged."""
    return _first(_BEFORE_VARIANT, facts)


@cache
def classify(facts: Facts) -> Decision:
    """Return how the case ends; total over every combination of facts."""
    return _first(_BEFORE_VARIANT + _ON_VARIANT, facts) or _LAST


def _first(rows: tuple[_Row, ...], facts: Facts) -> Decision | None:
    for holds, outcome, reason in rows:
        if holds(facts):
            return Decision(outcome, reason)
    return None
