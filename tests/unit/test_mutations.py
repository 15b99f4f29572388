"""Mutation campaigns: how cases end, what the report says, and what an audit refuses to begin with."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from mateprobe import (
    CampaignReport,
    CaseResult,
    Check,
    Claim,
    CompareFields,
    Context,
    DeclaredClaimsConsistent,
    Document,
    FieldRef,
    InvalidType,
    InvalidValue,
    MinimumTokens,
    MutationCase,
    NoRepeatedText,
    Outcome,
    Policy,
    Relation,
    Report,
    Rule,
    Sample,
    Status,
    Surface,
    Target,
    Validity,
    audit,
    evaluate,
    replace_text,
)
from mateprobe.canonical import digest
from mateprobe.mutations import published_outcome
from tests.samples import check

ADVISORY = Policy(block_heuristics=False)
LENIENT = Policy(block_heuristics=False, block_undetermined=False)
PROFILE = (
    DeclaredClaimsConsistent("claims", ("body",)),
    MinimumTokens("thin", ("body",), 2, 1),
    CompareFields("order", FieldRef("current", "paid"), FieldRef("current", "due"), "le"),
)
CLAIM = Target("claims", "CLAIM_STATE_MISMATCH", "body")
THIN = Target("thin", "LOW_LEXICAL_CONTENT", "body")


def sample(text: str = "one two", *, claim: str = "paid", claimed: Any = 3, paid: Any = 3) -> Sample:
    return Sample(
        Document((Surface("body", text, claims=(Claim(claim, claimed),)),)),
        Context({"current": {"paid": paid, "due": 5}}),
    )


GOOD = sample()


def fault(variant: Sample, *expected: Target, **fields: Any) -> MutationCase:
    case = MutationCase("f", "family", Relation.VIOLATION, GOOD, variant, expected or (CLAIM,), Validity.VALID, "me")
    return replace(case, **fields)


def control(variant: Sample, **fields: Any) -> MutationCase:
    case = MutationCase("c", "family", Relation.PRESERVE, GOOD, variant, (), Validity.VALID, "me")
    return replace(case, **fields)


WRONG, UNKNOWN, FAILED = sample(claimed=4), sample(claim="owed"), sample(paid="3", claimed="3")
SHORT, OTHER = sample("one"), sample("one two three")

ENDINGS: dict[str, tuple[MutationCase, Policy | None, str, str, str]] = {
    "a fault found": (fault(WRONG), None, "detected", "all_expected_violations", "detected"),
    "a fault found among others": (
        fault(sample("one", claimed=4)), None, "detected", "all_expected_violations", "detected"),
    "both faults found": (
        fault(sample("one", claimed=4), CLAIM, THIN), None, "detected", "all_expected_violations", "detected"),
    "one of two faults found": (
        fault(WRONG, CLAIM, THIN), None, "unattributed_rejection", "target_not_detected", "survived"),
    "a fault found beside an undetermined rule": (
        fault(sample("one", claim="owed"), THIN), None, "detected", "all_expected_violations", "detected"),
    "a fault found beside a failed rule": (
        fault(sample("one", paid="3", claimed="3"), THIN), None, "detected", "all_expected_violations", "detected"),
    "a fault found and let pass": (fault(SHORT, THIN), ADVISORY, "detected", "detected_but_accepted", "detected"),
    "a fault found and not let pass": (fault(WRONG), ADVISORY, "detected", "all_expected_violations", "detected"),
    "a fault let pass": (fault(OTHER), None, "survived", "target_not_detected", "survived"),
    "a fault rejected for another reason": (
        fault(SHORT), None, "unattributed_rejection", "target_not_detected", "survived"),
    "a fault found in another place": (
        fault(WRONG, replace(CLAIM, scope="x")), None, "unattributed_rejection", "target_not_detected", "survived"),
    "a fault found under another code": (
        fault(WRONG, replace(CLAIM, code="OTHER")), None, "unattributed_rejection", "target_not_detected", "survived"),
    "a fault found by another rule": (
        fault(WRONG, replace(CLAIM, rule_id="thin")), None,
        "unattributed_rejection", "target_not_detected", "survived"),
    "a fault nobody could decide": (fault(UNKNOWN), None, "undetermined", "target_not_detected", "survived"),
    "a fault nobody could decide and all let pass": (
        fault(UNKNOWN), LENIENT, "undetermined", "target_not_detected", "survived"),
    "a fault a rule failed on": (fault(FAILED), None, "error", "target_not_detected", "survived"),
    "a control accepted": (control(OTHER), None, "preserved", "accepted_and_complete", "preserved"),
    "a control accepted with an advice": (control(SHORT), ADVISORY, "preserved", "accepted_and_complete", "preserved"),
    "a control rejected": (control(SHORT), None, "regressed", "valid_variant_rejected", "regressed"),
    "a control nobody could decide": (
        control(UNKNOWN), None, "undetermined", "variant_evidence_incomplete", "regressed"),
    "a control let pass undecided": (
        control(UNKNOWN), LENIENT, "undetermined", "variant_evidence_incomplete", "regressed"),
    "a control a rule failed on": (control(FAILED), None, "error", "variant_error", "regressed"),
    "a baseline rejected": (
        fault(WRONG, baseline=SHORT), None, "baseline_failed", "baseline_not_accepted_and_complete", "excluded"),
    "a baseline let pass undecided": (
        control(OTHER, baseline=UNKNOWN), LENIENT, "baseline_failed", "baseline_not_accepted_and_complete", "excluded"),
    "a baseline a rule failed on": (
        control(OTHER, baseline=FAILED), None, "baseline_failed", "baseline_not_accepted_and_complete", "excluded"),
    "a baseline accepted with an advice": (
        control(OTHER, baseline=SHORT), ADVISORY, "preserved", "accepted_and_complete", "preserved"),
    "identical samples": (fault(sample()), None, "excluded", "identical_variant", "excluded"),
    "identical samples that are bad": (fault(SHORT, baseline=SHORT), None, "excluded", "identical_variant", "excluded"),
    "an equivalent variant": (
        fault(WRONG, validity=Validity.EQUIVALENT), None, "excluded", "label_equivalent", "excluded"),
    "an unreviewed variant": (
        control(SHORT, validity=Validity.UNREVIEWED), None, "excluded", "label_unreviewed", "excluded"),
}  # fmt: skip


@pytest.mark.parametrize(("case", "policy", "outcome", "reason", "published"), ENDINGS.values(), ids=ENDINGS.keys())
def test_a_case_ends(case: MutationCase, policy: Policy | None, outcome: str, reason: str, published: str) -> None:
    (result,) = audit([case], PROFILE, policy).cases
    assert (result.outcome, result.reason) == (outcome, reason)
    projected = {"undetermined": "valid_variant_rejected", "error": "valid_variant_rejected"}
    frozen = {"detected": "all_expected_violations", **(projected if published == "regressed" else {})}
    assert published_outcome(result) == (published, frozen.get(outcome, reason))


def test_the_examples_show_every_outcome() -> None:
    assert {outcome for _, _, outcome, _, _ in ENDINGS.values()} == set(Outcome)


def test_a_variant_is_judged_only_if_it_can_count() -> None:
    for case in (fault(WRONG, validity=Validity.UNREVIEWED), fault(sample()), fault(WRONG, baseline=SHORT)):
        (result,) = audit([case], PROFILE).cases
        assert (result.variant, result.baseline.checks != ()) == (None, True)


def test_a_result_holds_the_reports_of_its_samples() -> None:
    (result,) = audit([fault(WRONG, family="f", group="g")], PROFILE, ADVISORY).cases
    assert result == CaseResult(
        id="f",
        family="f",
        group="g",
        relation=Relation.VIOLATION,
        outcome=Outcome.DETECTED,
        reason="all_expected_violations",
        baseline=evaluate(GOOD.document, GOOD.context, PROFILE, ADVISORY),
        variant=evaluate(WRONG.document, WRONG.context, PROFILE, ADVISORY),
        expected=(CLAIM,),
    )


def test_results_keep_the_order_of_the_cases() -> None:
    cases = [fault(WRONG, id=id) for id in ("b", "a", "c")]
    assert [result.id for result in audit(iter(cases), iter(PROFILE)).cases] == ["b", "a", "c"]


@dataclass(frozen=True)
class Counting(Rule):
    """A rule that counts how often it is asked."""

    asked: list[Document] = field(default_factory=list)

    def evaluate(self, document: Document, context: Context) -> Any:
        self.asked.append(document)
        return (self.result(Status.SATISFIED, "ASKED", "$", "fine"),)


def test_equal_samples_are_evaluated_once() -> None:
    rule = Counting("count")
    audit([control(OTHER, id="a"), control(SHORT, id="b", baseline=sample()), control(OTHER, id="c")], [rule])
    assert rule.asked == [GOOD.document, OTHER.document, SHORT.document]


def test_samples_that_differ_in_their_context_alone_are_two() -> None:
    (result,) = audit([fault(replace(GOOD, context=Context({"current": {"paid": 4, "due": 5}})))], PROFILE).cases
    assert result.outcome is Outcome.DETECTED


def test_the_corpus_digest_is_that_of_the_cases() -> None:
    cases = (fault(WRONG), control(OTHER))
    assert audit(cases, PROFILE).corpus_digest == digest(cases)
    assert audit(cases, PROFILE[:1], ADVISORY).corpus_digest == digest(cases)


def test_an_audit_of_no_cases_has_no_rates() -> None:
    assert audit([], PROFILE).summary() == {
        "total": 0,
        "eligible": 0,
        "counts": {},
        "valid_faults": 0,
        "detected_faults": 0,
        "detection_score": None,
        "valid_controls": 0,
        "preserved_controls": 0,
        "preservation_rate": None,
        "families": {},
    }


MIXED = [
    fault(WRONG, id="1", family="a"),
    fault(OTHER, id="2", family="a"),
    fault(UNKNOWN, id="3", family="b"),
    control(OTHER, id="4", family="b"),
    control(OTHER, id="5", family="c", baseline=SHORT),
    control(OTHER, id="6", family="c", validity=Validity.EQUIVALENT),
]


def test_a_summary_counts_by_outcome_and_family() -> None:
    assert audit(MIXED, PROFILE).summary() == {
        "total": 6,
        "eligible": 4,
        "counts": {
            "baseline_failed": 1, "detected": 1, "excluded": 1, "preserved": 1, "survived": 1, "undetermined": 1
        },
        "valid_faults": 3,
        "detected_faults": 1,
        "detection_score": 1 / 3,
        "valid_controls": 1,
        "preserved_controls": 1,
        "preservation_rate": 1.0,
        "families": {
            "a": {"detected": 1, "survived": 1},
            "b": {"preserved": 1, "undetermined": 1},
            "c": {"baseline_failed": 1, "excluded": 1},
        },
    }  # fmt: skip


def test_a_report_is_data_with_its_summary_and_every_report() -> None:
    report = audit(MIXED, PROFILE)
    data = report.to_dict()
    assert (data["schema_version"], data["corpus_digest"]) == (1, report.corpus_digest)
    assert data["summary"] == report.summary()
    for row, result in zip(data["cases"], report.cases, strict=True):
        assert row["baseline"] == result.baseline.to_dict()
        assert row["variant"] == (result.variant and result.variant.to_dict())
    assert [row["id"] for row in data["cases"]] == ["1", "2", "3", "4", "5", "6"]
    assert data["cases"][0]["expected"] == [{"rule_id": "claims", "code": "CLAIM_STATE_MISMATCH", "scope": "body"}]
    assert list(data["cases"][0]) == [
        "id", "family", "group", "relation", "outcome", "reason", "baseline", "variant", "expected"
    ]  # fmt: skip


def test_met_thresholds_are_silent() -> None:
    audit([fault(WRONG), control(OTHER)], PROFILE).assert_thresholds()
    audit(MIXED[:4], PROFILE).assert_thresholds(detection=0.3, preservation=1.0)


MISSED: dict[str, tuple[list[MutationCase], str]] = {
    "a survivor": (
        [*MIXED[:2], MIXED[3]], r"detection_score=0\.5, required >= 1\.0\n2: survived \(target_not_detected\)"),
    "no controls": (MIXED[:1], "preservation_rate=None"),
    "no cases": ([], r"detection_score=None.*\npreservation_rate=None"),
    "a failed baseline beside a perfect pair": (
        [MIXED[0], *MIXED[3:5]], r"5: baseline_failed \(baseline_not_accepted_and_complete\)$"),
}  # fmt: skip


@pytest.mark.parametrize(("cases", "message"), MISSED.values(), ids=MISSED.keys())
def test_missed_thresholds_name_the_rates_and_the_cases(cases: list[MutationCase], message: str) -> None:
    with pytest.raises(AssertionError, match=r"^MateProbe campaign failure:\n" + message):
        audit(cases, PROFILE).assert_thresholds()


REFUSED: dict[str, tuple[list[MutationCase], tuple[Rule, ...], str]] = {
    "an id twice": ([fault(WRONG), fault(OTHER)], PROFILE, "case 'f' occurs twice"),
    "a target no contract has": (
        [fault(WRONG, Target("claim", "C", "$"))], PROFILE,
        "case 'f' expects rule_id='claim', which no contract has; .* did you mean 'claims'"),
    "no contracts": ([fault(WRONG)], (), "contracts=.* is empty"),
    "a sample with a lone surrogate": (
        [fault(sample("\ud800"))], PROFILE, r"'f' variant: \$\.document\.surfaces\[0\]\.text has a lone"),
}  # fmt: skip


@pytest.mark.parametrize(("cases", "contracts", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_an_audit_that_cannot_be_trusted_is_not_begun(
    cases: list[MutationCase], contracts: tuple[Rule, ...], message: str
) -> None:
    rule = Counting("count")
    with pytest.raises(InvalidValue, match=message):
        audit(cases, [*contracts, rule] if contracts else [])
    assert rule.asked == []


LABELS: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "no id": ({"id": ""}, InvalidValue, "case id='', family='family'"),
    "no family": ({"family": ""}, InvalidValue, "case id='f', family=''"),
    "a fault without targets": ({"expected": ()}, InvalidValue, r"'f' is a fault with expected=\(\); name .* target"),
    "a control with targets": ({"relation": Relation.PRESERVE}, InvalidValue, "'f' is a control with expected"),
    "a valid label nobody established": ({"provenance": ""}, InvalidValue, "'f' is labelled valid with provenance=''"),
    "a target that is a text": ({"expected": ("claims",)}, InvalidType, "'f' expects 'claims'; expected a Target"),
    "a bare relation": ({"relation": "violation"}, InvalidType, "relation='violation'"),
    "a bare validity": ({"validity": "valid"}, InvalidType, "validity='valid'"),
}


@pytest.mark.parametrize(("fields", "error", "message"), LABELS.values(), ids=LABELS.keys())
def test_a_label_that_says_too_little_or_too_much_is_refused(
    fields: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        replace(fault(WRONG), **fields)


def test_targets_in_a_list_become_a_tuple() -> None:
    targets: Any = [CLAIM, THIN]
    assert fault(WRONG, expected=targets) == fault(WRONG, CLAIM, THIN)


def test_a_case_is_unreviewed_and_in_no_group_by_default() -> None:
    case = MutationCase("c", "family", Relation.PRESERVE, GOOD, OTHER)
    assert (case.expected, case.validity, case.provenance, case.group) == ((), Validity.UNREVIEWED, "", "")


TARGETED: dict[str, tuple[Check, bool]] = {
    "all equal": (check(Status.VIOLATED), True),
    "another rule": (check(Status.VIOLATED, rule_id="other"), False),
    "another code": (check(Status.VIOLATED, code="OTHER"), False),
    "another scope": (check(Status.VIOLATED, scope="body"), False),
    "satisfied": (check(Status.SATISFIED), False),
    "undetermined": (check(Status.UNDETERMINED), False),
    "an error": (check(Status.ERROR), False),
}


@pytest.mark.parametrize(("found", "detected"), TARGETED.values(), ids=TARGETED.keys())
def test_a_target_is_detected_by_a_violated_check_that_equals_it(found: Check, detected: bool) -> None:
    assert Target("rule", "CODE", "$").detected(Report((check(), found), "", "", Policy())) == detected


def test_a_target_has_an_id_among_findings() -> None:
    assert CLAIM.finding_id == "claims/CLAIM_STATE_MISMATCH@body"


def test_a_text_is_replaced_in_its_surface_alone() -> None:
    surfaces = (Surface("a", "x", "s", (Claim("k", 1),)), Surface("b", "y"))
    changed = replace_text(Sample(Document(surfaces), GOOD.context), "a", "z")
    assert changed == Sample(Document((Surface("a", "z", "s", (Claim("k", 1),)), surfaces[1])), GOOD.context)


def test_a_surface_that_is_not_there_stops_the_iteration() -> None:
    with pytest.raises(StopIteration):
        replace_text(GOOD, "label", "z")


@pytest.mark.parametrize(
    "value", [GOOD, CLAIM, fault(WRONG), audit(MIXED, PROFILE), audit(MIXED, PROFILE).cases[0]],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_everything_can_be_copied_pickled_and_hashed(value: Any) -> None:
    for carried in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):  # noqa: S301
        assert (carried, hash(carried), type(carried)) == (value, hash(value), type(value))


def test_a_report_can_be_read_without_its_cases() -> None:
    assert CampaignReport((), "digest") == CampaignReport(cases=(), corpus_digest="digest", schema_version=1)


def test_a_rule_that_fails_on_one_sample_leaves_the_others_alone() -> None:
    contracts = (*PROFILE, NoRepeatedText("repeat", ("label",)))
    labelled = Sample(Document((*GOOD.document.surfaces, Surface("label", "x"))), GOOD.context)
    cases = [control(replace_text(labelled, "label", "y"), id="good", baseline=labelled), control(OTHER, id="bad")]
    assert [result.outcome for result in audit(cases, contracts).cases] == [Outcome.PRESERVED, Outcome.BASELINE_FAILED]
