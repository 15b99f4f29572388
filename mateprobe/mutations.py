"""Mutation campaigns: documents with authored faults and controls, judged by a contract profile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from .canonical import plain
from .classify import Evidence, Facts, Judged, classify, without_variant
from .corpus import Corpus, Pair, check_label
from .engine import Contract, Profile
from .errors import InvalidType, InvalidValue, one_of
from .model import Context, Document, Policy, Report, Status
from .outcome import INELIGIBLE, Outcome, Reason, Relation, Validity
from .tally import Ended, counts, rates, shortfalls

__all__ = [
    "CampaignReport", "CaseResult", "MutationCase", "Relation", "Sample", "Target", "Validity",
    "audit", "published_outcome", "replace_text",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sample:
    """A document and the context it is judged in.

    Examples:
        >>> from mateprobe import Surface
        >>> Sample(Document((Surface("body", "All is paid."),)), Context({})).document.surface("body").text
        'All is paid.'
    """

    document: Document
    context: Context


@dataclass(frozen=True, slots=True)
class Target:
    """The finding a fault must cause: a violated check of this rule, code and scope.

    Examples:
        >>> Target("thin", "LOW_LEXICAL_CONTENT", "body").finding_id
        'thin/LOW_LEXICAL_CONTENT@body'
    """

    rule_id: str
    code: str
    scope: str

    @property
    def finding_id(self) -> str:
        """The id of this finding among a validator's: ``RULE/CODE@SCOPE``."""
        return f"{self.rule_id}/{self.code}@{self.scope}"

    def detected(self, report: Report) -> bool:
        """Tell whether a violated check of ``report`` equals this target."""
        return self in violated(report)


def violated(report: Report) -> tuple[Target, ...]:
    """Return what the violated checks of ``report`` say, each once, in order."""
    found = (check for check in report.checks if check.status is Status.VIOLATED)
    return tuple(dict.fromkeys(Target(check.rule_id, check.code, check.scope) for check in found))


@dataclass(frozen=True, slots=True)
class MutationCase:
    """A baseline and a variant, what the variant is, and what must be found in it.

    Raises:
        InvalidValue: an empty id or family; a fault without targets, a control with them; a valid
            label without provenance. InvalidType: a relation, label or target of another type.

    Examples:
        >>> from mateprobe import Surface
        >>> good = Sample(Document((Surface("body", "All of it is paid."),)), Context({}))
        >>> expected = (Target("thin", "LOW_LEXICAL_CONTENT", "body"),)
        >>> variant = replace_text(good, "body", "Yes.")
        >>> case = MutationCase("cut", "length", Relation.VIOLATION, good, variant, expected, Validity.VALID, "by hand")
        >>> case.variant.document.surface("body").text
        'Yes.'
    """

    id: str
    family: str
    relation: Relation
    baseline: Sample
    variant: Sample
    expected: tuple[Target, ...] = ()
    validity: Validity = Validity.UNREVIEWED
    provenance: str = ""
    group: str = ""

    def __post_init__(self) -> None:
        expected: Any = self.expected
        if isinstance(expected, Target):
            raise InvalidType(f"case {self.id!r} expected={self.expected!r} is no sequence; put it into one")
        object.__setattr__(self, "expected", tuple(expected))
        check_label(self, "family", "target")
        for target in self.expected:
            if not isinstance(target, Target):
                raise InvalidType(f"case {self.id!r} expects {target!r}; expected a Target(rule_id, code, scope)")


@dataclass(frozen=True, slots=True)
class CaseResult:
    """How one case ended. ``variant`` is None where the variant was not judged.

    Examples:
        >>> from mateprobe import MinimumTokens, Surface
        >>> good = Sample(Document((Surface("body", "All of it is paid."),)), Context({}))
        >>> case = MutationCase("same", "none", Relation.PRESERVE, good, good, (), Validity.VALID, "by hand")
        >>> result, = audit([case], [MinimumTokens("thin", ("body",), 3, 3)]).cases
        >>> result.outcome.value, result.reason, result.variant
        ('excluded', 'identical_variant', None)
    """

    id: str
    family: str
    group: str
    relation: Relation
    outcome: Outcome
    reason: str
    baseline: Report
    variant: Report | None
    expected: tuple[Target, ...]


# A campaign keeps its published reasons; its outcomes are finer than the published ones.
_REASONS = {
    Reason.CONTROL_ACCEPTED: "accepted_and_complete",
    Reason.CONTROL_REJECTED: "valid_variant_rejected",
}
_UNDETECTED = "target_not_detected"


class Published(NamedTuple):
    """An outcome and reason in the five words of the frozen reports."""

    outcome: Outcome
    reason: str


def published_outcome(result: Ended) -> Published:
    """Project a result onto the frozen reports' outcomes; for comparison with them only.

    Examples:
        >>> from mateprobe import MinimumTokens, Surface
        >>> texts = ("Paid.", "All is paid.")
        >>> short, long = (Sample(Document((Surface("body", text),)), Context({})) for text in texts)
        >>> case = MutationCase("long", "none", Relation.PRESERVE, short, long, (), Validity.VALID, "by hand")
        >>> result, = audit([case], [MinimumTokens("thin", ("body",), 3, 3)]).cases
        >>> result.outcome.value, published_outcome(result).outcome.value
        ('baseline_failed', 'excluded')
    """
    if result.outcome in INELIGIBLE:
        return Published(Outcome.EXCLUDED, result.reason)
    fault = result.relation is Relation.VIOLATION
    if result.outcome in (Outcome.DETECTED, Outcome.PRESERVED):
        reason = Reason.ALL_EXPECTED.value if fault else _REASONS[Reason.CONTROL_ACCEPTED]
        return Published(result.outcome, reason)
    if fault:
        return Published(Outcome.SURVIVED, _UNDETECTED)
    return Published(Outcome.REGRESSED, _REASONS[Reason.CONTROL_REJECTED])


@dataclass(frozen=True, slots=True)
class CampaignReport:
    """The results of a campaign, in case order, and the digest of its cases.

    Examples:
        >>> from mateprobe import MinimumTokens
        >>> report = audit([], [MinimumTokens("thin", ("body",))])
        >>> report.summary()["detection_score"] is None  # of no faults, no rate
        True
    """

    cases: tuple[CaseResult, ...]
    corpus_digest: str
    schema_version: int = 1

    def summary(self) -> dict[str, Any]:
        """Return totals, counts, rates (0 to 1, None where undefined) and outcomes by family."""
        found = rates((case.relation, case.outcome) for case in self.cases)
        families: dict[str, list[Outcome]] = defaultdict(list)
        for case in self.cases:
            families[case.family].append(case.outcome)
        return {
            "total": len(self.cases),
            "eligible": found.faults + found.controls,
            "counts": counts(case.outcome for case in self.cases),
            "valid_faults": found.faults,
            "detected_faults": found.detected,
            "detection_score": found.detection_score,
            "valid_controls": found.controls,
            "preserved_controls": found.preserved,
            "preservation_rate": found.preservation_rate,
            "families": {family: counts(outcomes) for family, outcomes in families.items()},
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON data, with its summary and each report's verdict."""
        return {
            "schema_version": self.schema_version,
            "corpus_digest": self.corpus_digest,
            "summary": self.summary(),
            "cases": [
                {
                    **plain(replace(case, baseline=None, variant=None)),  # type: ignore[arg-type]
                    "baseline": case.baseline.to_dict(),
                    "variant": case.variant and case.variant.to_dict(),
                }
                for case in self.cases
            ],
        }

    def assert_thresholds(self, detection: float = 1.0, preservation: float = 1.0) -> None:
        """Do nothing if both rates reach their thresholds and every baseline and rule worked.

        Raises:
            AssertionError: a line per rate that is short or undefined, and per failing case.
        """
        lines = shortfalls(self.cases, detection=detection, preservation=preservation)
        if lines:
            raise AssertionError("\n".join(["MateProbe campaign failure:", *lines]))


def audit(cases: Iterable[MutationCase], contracts: Iterable[Contract], policy: Policy | None = None) -> CampaignReport:
    """Judge every case's samples with ``contracts``; each distinct sample is evaluated once.

    Raises:
        InvalidValue: duplicate case ids, a target naming no configured rule, a sample JSON cannot
            hold, or contracts ``evaluate`` refuses. InvalidType: likewise for a type.

    Examples:
        >>> from mateprobe import MinimumTokens, Surface
        >>> good = Sample(Document((Surface("body", "All of it is paid."),)), Context({}))
        >>> expected, label = (Target("thin", "LOW_LEXICAL_CONTENT", "body"),), (Validity.VALID, "by hand")
        >>> short, other = replace_text(good, "body", "Yes."), replace_text(good, "body", "It is paid back.")
        >>> cases = [
        ...     MutationCase("cut", "length", Relation.VIOLATION, good, short, expected, *label),
        ...     MutationCase("reworded", "words", Relation.PRESERVE, good, other, (), *label),
        ... ]
        >>> [case.outcome.value for case in audit(cases, [MinimumTokens("thin", ("body",), 3, 3)]).cases]
        ['detected', 'preserved']
    """
    cases = tuple(cases)
    campaign = _Campaign(Profile(contracts), policy or Policy())
    for case in cases:
        campaign.check(case)
    corpus = Corpus(cases)
    digest = corpus.digest  # first of all: it refuses what JSON cannot hold
    results = tuple(campaign.run(case, pair) for case, pair in zip(cases, corpus.pairs, strict=True))
    return CampaignReport(results, digest)


class _Campaign:
    """Reports by sample digest, so that a baseline shared by many cases is evaluated once."""

    def __init__(self, profile: Profile, policy: Policy) -> None:
        self._profile, self._policy = profile, policy
        self._reports: dict[str, tuple[Report, Judged]] = {}

    def check(self, case: MutationCase) -> None:
        for target in case.expected:
            if target.rule_id not in self._profile.rule_ids:
                raise InvalidValue(
                    f"case {case.id!r} expects rule_id={target.rule_id!r}, which no contract has; "
                    + one_of(target.rule_id, self._profile.rule_ids)
                )

    def run(self, case: MutationCase, pair: Pair) -> CaseResult:
        baseline, accepted = self._report(case.baseline, pair.baseline)
        facts = Facts(case.relation, case.validity, pair.baseline == pair.variant, accepted, itemised=True)
        decision, variant = without_variant(facts), None
        if decision is None:
            variant, found = self._report(case.variant, pair.variant)
            ids = violated(variant)
            named = all(target in ids for target in case.expected)
            decision = classify(facts._replace(variant=found, named=named))
        reason = _REASONS.get(decision.reason, decision.reason.value)
        if case.relation is Relation.VIOLATION and variant and decision.outcome is not Outcome.DETECTED:
            reason = _UNDETECTED
        return CaseResult(
            case.id, case.family, case.group, case.relation, decision.outcome, reason, baseline, variant, case.expected
        )

    def _report(self, sample: Sample, digest: str) -> tuple[Report, Judged]:
        known = self._reports.get(digest)
        if known is None:
            # A sample's canonical text is that of {"document", "context"}: its digest is the input digest.
            report = self._profile.evaluate(sample.document, sample.context, self._policy, input_digest=digest)
            known = self._reports[digest] = (report, judged_report(report))
        return known


def judged_report(report: Report) -> Judged:
    """Reduce a contract report to what the decision table looks at."""
    statuses = {check.status for check in report.checks}
    if Status.ERROR in statuses or not report.checks:
        return Judged(Evidence.ERROR, report.accepted)
    evidence = Evidence.INCOMPLETE if Status.UNDETERMINED in statuses else Evidence.COMPLETE
    return Judged(evidence, report.accepted)


def replace_text(sample: Sample, surface_id: str, text: str) -> Sample:
    """Return ``sample`` with the text of one surface replaced.

    Raises:
        StopIteration: there is no such surface (kept for existing callers).

    Examples:
        >>> from mateprobe import Surface
        >>> good = Sample(Document((Surface("body", "All is paid."),)), Context({}))
        >>> replace_text(good, "body", "Nothing is.").document.surface("body").text
        'Nothing is.'
    """
    changed = replace(sample.document.surface(surface_id), text=text)
    surfaces = tuple(changed if old.id == surface_id else old for old in sample.document.surfaces)
    return Sample(Document(surfaces), sample.context)
