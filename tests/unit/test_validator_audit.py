"""Validator audits: how cases end, what an obligation's evidence is worth, what an audit refuses to begin with."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from mateprobe import (
    AuditCase,
    AuditResult,
    InvalidType,
    InvalidValue,
    Kind,
    Obligation,
    Outcome,
    Policy,
    Relation,
    Report,
    Status,
    ValidatorAuditReport,
    Validity,
    Verdict,
    __version__,
    audit_validator,
    provenance,
)
from mateprobe.canonical import digest, plain
from mateprobe.validator_audit import report_verdict
from tests.samples import check

TOTAL = Obligation("total", "the total is the sum of the items")
OWNER = Obligation("owner", "the owner is named", "challenge")
UNTESTED = Obligation("untested", "nobody tests this")

GOOD = {"items": [1, 2], "total": 3}


@dataclass
class Order:
    """A sample of one's own type."""

    items: list[int]
    total: int


def says(*violations: str, **fields: Any) -> dict[str, Any]:
    """Return a sample on which ``told`` gives this verdict."""
    return {"say": {"accepted": not violations, "violations": violations, **fields}}


def told(sample: Any) -> Any:
    """Say what the sample says; accept what says nothing."""
    said = sample.get("say", {"accepted": True})
    if said == "raise":
        raise KeyError("total")
    if said == "exit":
        sys.exit(3)
    return Verdict(**said) if isinstance(said, dict) else said


def fault(variant: Any, *expected: str, **fields: Any) -> AuditCase[Any]:
    case = AuditCase("f", "total", GOOD, variant, Relation.VIOLATION, expected or ("total",), Validity.VALID, "me")
    return dataclasses.replace(case, **fields)


def control(variant: Any, **fields: Any) -> AuditCase[Any]:
    case = AuditCase("c", "total", GOOD, variant, Relation.PRESERVE, (), Validity.VALID, "me")
    return dataclasses.replace(case, **fields)


def run(*cases: AuditCase[Any], validator: Callable[[Any], Verdict] = told, **fields: Any) -> ValidatorAuditReport:
    return audit_validator(
        validator, cases, **{"obligations": (TOTAL, OWNER, UNTESTED), "validator_id": "told", **fields}
    )


NO_VERDICT = "InvalidType: validator returned a bool; expected mateprobe Verdict"
ENDINGS: dict[str, tuple[AuditCase[Any], str, str]] = {
    "a fault reported": (fault(says("total")), "detected", "all_expected_violations"),
    "a fault reported among others": (fault(says("owner", "total")), "detected", "all_expected_violations"),
    "both faults reported": (fault(says("owner", "total"), "total", "owner"), "detected", "all_expected_violations"),
    "one of two faults reported": (
        fault(says("total"), "total", "owner"), "unattributed_rejection", "expected_violations_missing"),
    "a fault rejected under another name": (
        fault(says("owner")), "unattributed_rejection", "expected_violations_missing"),
    "a fault rejected without a name": (
        fault(says(accepted=False)), "unattributed_rejection", "expected_violations_missing"),
    "a fault accepted": (fault(says()), "survived", "invalid_variant_accepted"),
    "a fault reported on incomplete evidence": (
        fault(says("total", complete=False)), "undetermined", "variant_evidence_incomplete"),
    "a fault accepted on incomplete evidence": (
        fault(says(complete=False)), "undetermined", "variant_evidence_incomplete"),
    "a fault it crashes on": (fault({"say": "raise"}), "error", "variant_error: KeyError: 'total'"),
    "a fault it exits on": (fault({"say": "exit"}), "error", "variant_error: SystemExit: 3"),
    "a fault it gives no verdict on": (fault({"say": False}), "error", f"variant_error: {NO_VERDICT}"),
    "a control accepted": (control(says()), "preserved", "accepted_valid_control"),
    "a control rejected": (control(says("total")), "regressed", "valid_control_rejected"),
    "a control rejected without a name": (control(says(accepted=False)), "regressed", "valid_control_rejected"),
    "a control accepted on incomplete evidence": (
        control(says(complete=False)), "undetermined", "variant_evidence_incomplete"),
    "a control it crashes on": (control({"say": "raise"}), "error", "variant_error: KeyError: 'total'"),
    "a baseline it crashes on": (
        control(says(), baseline={"say": "raise"}), "baseline_failed", "baseline_error: KeyError: 'total'"),
    "a baseline it gives no verdict on": (
        fault(says("total"), baseline={"say": True}), "baseline_failed", f"baseline_error: {NO_VERDICT}"),
    "a baseline rejected": (
        fault(says("total"), baseline=says("owner")), "baseline_failed", "baseline_not_accepted_and_complete"),
    "a baseline accepted on incomplete evidence": (
        control(says(), baseline=says(complete=False)), "baseline_failed", "baseline_not_accepted_and_complete"),
    "identical samples": (fault(dict(reversed(GOOD.items()))), "excluded", "identical_variant"),
    "samples identical as JSON": (fault({"items": (1, 2), "total": 3}), "excluded", "identical_variant"),
    "samples that only Python finds equal": (
        fault({"items": [True, 2], "total": 3}), "survived", "invalid_variant_accepted"),
    "an equivalent variant": (fault({"say": "raise"}, validity=Validity.EQUIVALENT), "excluded", "label_equivalent"),
    "an unreviewed variant": (control(says("x"), validity=Validity.UNREVIEWED), "excluded", "label_unreviewed"),
}  # fmt: skip


@pytest.mark.parametrize(("case", "outcome", "reason"), ENDINGS.values(), ids=ENDINGS.keys())
def test_a_case_ends(case: AuditCase[Any], outcome: str, reason: str) -> None:
    (result,) = run(case).cases
    assert (result.outcome, result.reason) == (outcome, reason)


def test_the_examples_show_every_outcome() -> None:
    assert {outcome for _, outcome, _ in ENDINGS.values()} == set(Outcome)


def test_a_result_says_what_was_asked_and_answered() -> None:
    case = fault(says("total", evidence=("3 is not 4",)))
    assert run(case).cases == (
        AuditResult(
            id="f",
            obligation="total",
            relation=Relation.VIOLATION,
            validity=Validity.VALID,
            provenance="me",
            expected=("total",),
            baseline_digest=digest(GOOD),
            variant_digest=digest(case.variant),
            outcome=Outcome.DETECTED,
            reason="all_expected_violations",
            baseline=Verdict(True),
            variant=Verdict(False, ("total",), evidence=("3 is not 4",)),
        ),
    )


@pytest.mark.parametrize("case", [fault({"say": "raise"}), fault({"say": False})], ids=["raised", "no verdict"])
def test_where_no_verdict_was_given_none_is_kept(case: AuditCase[Any]) -> None:
    (result,) = run(case).cases
    assert (result.baseline, result.variant) == (Verdict(True), None)
    (result,) = run(dataclasses.replace(case, baseline=case.variant, variant=GOOD)).cases
    assert (result.baseline, result.variant) == (None, None)


def test_cases_and_obligations_may_come_from_iterators() -> None:
    report = audit_validator(told, iter(MIXED), obligations=iter([TOTAL, OWNER, UNTESTED]), validator_id="told")
    assert report == run(*MIXED)


NOT_ASKED: dict[str, tuple[AuditCase[Any], list[Any]]] = {
    "a label that does not count": (fault(says("total"), validity=Validity.EQUIVALENT), []),
    "identical samples": (fault(GOOD), []),
    "a failed baseline": (fault(says("total"), baseline=says("x")), [says("x")]),
    "a case that counts": (fault(says("total")), [GOOD, says("total")]),
}


@pytest.mark.parametrize(("case", "expected"), NOT_ASKED.values(), ids=NOT_ASKED.keys())
def test_a_validator_is_asked_no_more_than_needed(case: AuditCase[Any], expected: list[Any]) -> None:
    asked: list[Any] = []

    def validator(sample: Any) -> Verdict:
        asked.append(sample)
        verdict: Verdict = told(sample)
        return verdict

    (result,) = run(case, validator=validator).cases
    assert asked == expected
    assert [verdict is not None for verdict in (result.baseline, result.variant)] == [bool(asked), len(asked) == 2]


def test_a_sample_shared_by_many_cases_is_judged_once() -> None:
    asked: Counter[str] = Counter()

    def validator(sample: Any) -> Verdict:
        asked[digest(sample)] += 1
        verdict: Verdict = told(sample)
        return verdict

    report = run(*(fault(says("total", evidence=[str(n)]), id=str(n)) for n in range(9)), validator=validator)
    assert report.summary()["counts"] == {"detected": 9}
    assert (len(asked), set(asked.values())) == (10, {1})


def test_a_validator_may_damage_what_it_is_given() -> None:
    def validator(sample: dict[str, Any]) -> Verdict:
        verdict: Verdict = told(sample)
        sample.clear()
        return verdict

    case = fault(says("total"), baseline={"items": [[1]]})
    assert run(case, dataclasses.replace(case, id="again"), validator=validator).summary()["counts"] == {"detected": 2}
    assert (case.baseline, case.variant) == ({"items": [[1]]}, says("total"))


def test_a_report_tells_of_samples_as_they_were_when_audited() -> None:
    samples: list[dict[str, Any]] = [{"items": [1]}, says("total")]
    case = fault(samples[1], baseline=samples[0])
    expected = digest(samples[0]), digest(samples[1]), digest([case])
    report = run(case)
    for sample in samples:
        sample.clear()
    (result,) = report.cases
    assert (result.baseline_digest, result.variant_digest, report.corpus_digest) == expected


def test_a_report_has_no_fields_but_its_own() -> None:
    with pytest.raises(AttributeError, match="'ValidatorAuditReport' object has no attribute 'case'"):
        run(*MIXED).case  # noqa: B018


def test_samples_whose_keys_are_in_another_order_are_asked_about_apart() -> None:
    asked: list[list[str]] = []

    def validator(sample: dict[str, Any]) -> Verdict:
        asked.append(list(sample))
        return Verdict(True)

    turned = dict(reversed(GOOD.items()))
    run(control(says()), control(says(), id="2", baseline=turned), validator=validator)
    assert asked == [["items", "total"], ["say"], ["total", "items"]]


def test_samples_of_ones_own_type_reach_the_validator_as_such() -> None:
    def validator(order: Order) -> Verdict:
        wrong = order.total != sum(order.items)
        return Verdict(not wrong, ("total",) if wrong else ())

    case = fault(Order([1, 2], 4), baseline=Order([1, 2], 3))
    assert run(case, validator=validator).cases[0].outcome is Outcome.DETECTED


def test_a_baseline_a_validator_exits_on_does_not_end_the_audit() -> None:
    report = run(fault(says("total"), baseline={"say": "exit"}), control(says()))
    assert [case.outcome for case in report.cases] == [Outcome.BASELINE_FAILED, Outcome.PRESERVED]


def test_who_interrupts_ends_the_audit() -> None:
    def validator(_: Any) -> Verdict:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(control(says()), validator=validator)


MIXED = (
    fault(says("total"), id="1"),
    control(says(), id="2"),
    fault(says(), id="3", obligation="owner"),
    fault({"say": "raise"}, id="4", obligation="owner"),
    control(says("x"), id="5", obligation="owner", validity=Validity.UNREVIEWED),
)


def test_a_summary_counts_and_assesses_every_obligation() -> None:
    assert run(*MIXED).summary() == {
        "total": 5,
        "counts": {"detected": 1, "error": 1, "excluded": 1, "preserved": 1, "survived": 1},
        "eligible_faults": 3,
        "detected_faults": 1,
        "detection_score": 1 / 3,
        "eligible_controls": 1,
        "preserved_controls": 1,
        "preservation_rate": 1.0,
        "obligations": [
            {
                **plain(TOTAL), "assessment": "no_failures_observed", "has_known_gaps": False,
                "has_incomplete_evidence": False, "has_fault_tests": True, "has_controls": True,
                "has_exclusions": False, "counts": {"detected": 1, "preserved": 1}, "case_ids": ["1", "2"],
            },
            {
                **plain(OWNER), "assessment": "known_gaps", "has_known_gaps": True,
                "has_incomplete_evidence": True, "has_fault_tests": True, "has_controls": False,
                "has_exclusions": True, "counts": {"error": 1, "excluded": 1, "survived": 1},
                "case_ids": ["3", "4", "5"],
            },
            {
                **plain(UNTESTED), "assessment": "untested", "has_known_gaps": False,
                "has_incomplete_evidence": False, "has_fault_tests": False, "has_controls": False,
                "has_exclusions": False, "counts": {}, "case_ids": [],
            },
        ],
    }  # fmt: skip


def test_a_report_holds_what_was_audited_and_is_data() -> None:
    git = provenance.supplied_git_provenance("a" * 40, dirty=False)
    report = run(*MIXED, provenance=git)
    assert (report.validator_id, report.obligations, report.provenance) == (
        "told",
        (TOTAL, OWNER, UNTESTED),
        git,
    )
    assert (report.schema_version, report.library_version) == (2, __version__)
    assert report.corpus_digest == digest(MIXED)
    data = report.to_dict()
    given_where_there_are_any = {"repeat", "source", "baseline_readings", "variant_readings"}
    whole = plain(report)
    cases = [{key: case[key] for key in case.keys() - given_where_there_are_any} for case in whole["cases"]]
    del whole["repeat"]
    assert data == {**whole, "cases": cases, "summary": report.summary()}
    assert data["cases"][0]["variant"] == {
        "accepted": False, "violations": ["total"], "complete": True, "evidence": []
    }  # fmt: skip


def test_an_audit_asks_nobody_about_git() -> None:
    assert run(*MIXED).provenance is None


def test_met_thresholds_are_silent() -> None:
    run(*MIXED[:2]).assert_thresholds()
    run(*MIXED[:3]).assert_thresholds(detection=0.5, preservation=1)


MISSED: dict[str, tuple[tuple[AuditCase[Any], ...], dict[str, float], str]] = {
    "a survivor": (
        MIXED[:3], {}, r"detection_score=0\.5, required >= 1\.0\n3: survived \(invalid_variant_accepted\)$"),
    "an error, whatever the threshold": (
        (*MIXED[:2], MIXED[3]), {"detection": 0, "preservation": 0}, r"4: error \(variant_error: KeyError: 'total'\)$"),
    "a failed baseline": (
        (*MIXED[:2], fault(says("total"), id="b", baseline=says("x"))), {},
        r"b: baseline_failed \(baseline_not_accepted_and_complete\)$"),
    "no controls": (MIXED[:1], {"preservation": 0}, "preservation_rate=None, required >= 0$"),
}  # fmt: skip


@pytest.mark.parametrize(("cases", "thresholds", "message"), MISSED.values(), ids=MISSED.keys())
def test_missed_thresholds_name_the_rates_and_the_cases(
    cases: tuple[AuditCase[Any], ...], thresholds: dict[str, float], message: str
) -> None:
    with pytest.raises(AssertionError, match=r"^MateProbe audit of 'told' failed:\n" + message):
        run(*cases).assert_thresholds(**thresholds)


@dataclass(frozen=True)
class Weighted(AuditCase[Any]):
    """A user's case with a field of its own."""

    weight: float = float("nan")


UNREADABLE = Weighted("w", "total", 1, 2, Relation.PRESERVE)
REFUSED: dict[str, tuple[tuple[AuditCase[Any], ...], dict[str, Any], type[Exception], str]] = {
    "no cases": ((), {}, InvalidValue, "validator_id='told' with 0 cases and 3 obligations"),
    "no obligations": (MIXED, {"obligations": ()}, InvalidValue, "with 5 cases and 0 obligations"),
    "a number for a name": (MIXED, {"validator_id": 3}, InvalidType, "validator_id=3 has type int; expected str"),
    "no name": (MIXED, {"validator_id": ""}, InvalidValue, "validator_id='' with 5 cases"),
    "an obligation twice": (MIXED, {"obligations": (OWNER, TOTAL, TOTAL)}, InvalidValue, "'total' is listed twice"),
    "an obligation nobody listed": (
        MIXED, {"obligations": (TOTAL, Obligation("owners", "x"))}, InvalidValue,
        "case '3' obligation='owner': expected one of .*did you mean 'owners'"),
    "a case twice": ((MIXED[0], MIXED[0]), {}, InvalidValue, "case '1' occurs twice"),
    "a sample with a set": ((fault({"x": {1}}),), {}, InvalidType, r"case 'f' variant: \$\.x has type set"),
    "a sample with a number too long for text": ((fault({"x": 10**5000}),), {}, InvalidValue, "'f' variant: value has"),
    "a sample with a lone surrogate": ((fault({"x": ["\udead"]}),), {}, InvalidValue, r"'f' variant: \$\.x\[0\] has"),
    "a field of one's own that JSON cannot hold": ((UNREADABLE,), {}, InvalidValue, r"\$\.weight=nan"),
    "a sample with two keys of one text": ((fault({1: 0, "1": 0}),), {}, InvalidValue, r"'f' variant: \$ has keys 1"),
}  # fmt: skip


@pytest.mark.parametrize(("cases", "fields", "error", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_an_audit_that_cannot_be_trusted_is_not_begun(
    cases: tuple[AuditCase[Any], ...], fields: dict[str, Any], error: type[Exception], message: str
) -> None:
    asked: list[Any] = []
    with pytest.raises(error, match=message):
        run(*cases, validator=asked.append, **fields)  # type: ignore[arg-type]
    assert asked == []


class Word(str):
    """A text of one's own type."""

    __slots__ = ()


def test_a_text_and_a_sample_whose_json_it_is_are_told_apart() -> None:
    asked: list[Any] = []

    def look(sample: Any) -> Verdict:
        asked.append(sample)
        return Verdict(True)

    cases = [
        control('{"total":[3]}', id="text", baseline={"total": (3,)}),
        control("total", id="alike", baseline=Word("total")),
        control('"total"', id="quoted", baseline=Word("total")),
    ]
    report = audit_validator(look, cases, obligations=[TOTAL], validator_id="look")
    assert [case.outcome for case in report.cases] == [Outcome.PRESERVED, Outcome.EXCLUDED, Outcome.PRESERVED]
    assert asked == [{"total": (3,)}, '{"total":[3]}', "total", '"total"']
    assert [type(sample) for sample in asked] == [dict, str, Word, str]


def test_a_verdict_of_nothing_but_yes_and_one_with_evidence_are_kept_apart() -> None:
    cases = [
        fault(says(evidence=("seen",)), id="seen"),
        fault(says(), id="none"),
        fault(says(complete=False), id="half"),
    ]
    report = audit_validator(told, cases, obligations=[TOTAL], validator_id="told")
    assert [case.variant for case in report.cases] == [
        Verdict(True, evidence=("seen",)), Verdict(True), Verdict(True, complete=False)
    ]  # fmt: skip


OBLIGATIONS: dict[str, tuple[dict[str, Any], str]] = {
    "no id": ({"id": ""}, "obligation id='', description='d'"),
    "no description": ({"description": ""}, "obligation id='o', description=''"),
    "another scope": ({"scope": "other"}, "obligation 'o' scope='other'; expected 'contract' or 'challenge'"),
}


@pytest.mark.parametrize(("fields", "message"), OBLIGATIONS.values(), ids=OBLIGATIONS.keys())
def test_an_obligation_that_says_too_little_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        Obligation(**{"id": "o", "description": "d", **fields})


def test_an_obligation_belongs_to_the_contract_unless_it_is_a_challenge() -> None:
    assert Obligation("o", "d") == Obligation(id="o", description="d", scope="contract")


@pytest.mark.parametrize(
    "value",
    [TOTAL, fault("x", baseline="y"), run(*MIXED), run(*MIXED).cases[0]],
    ids=lambda value: type(value).__name__,
)
def test_everything_can_be_copied_pickled_and_hashed(value: Any) -> None:
    for carried in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):  # noqa: S301
        assert (carried, hash(carried), type(carried)) == (value, hash(value), type(value))


VIOLATED = check(Status.VIOLATED, Kind.HEURISTIC, "thin", "LOW", "body")
READ: dict[str, tuple[Report, Verdict]] = {
    "accepted": (Report((check(),), "", "", Policy()), Verdict(True)),
    "rejected": (
        Report((check(), VIOLATED, VIOLATED), "", "", Policy()), Verdict(False, ("thin/LOW@body",))),
    "accepted with an advice": (
        Report((check(), VIOLATED), "", "", Policy(block_heuristics=False)),
        Verdict(True, evidence=("thin/LOW@body",))),
    "undetermined": (Report((check(Status.UNDETERMINED),), "", "", Policy()), Verdict(False, complete=False)),
}  # fmt: skip


@pytest.mark.parametrize(("report", "verdict"), READ.values(), ids=READ.keys())
def test_a_contract_report_is_read_as_a_verdict(report: Report, verdict: Verdict) -> None:
    assert report_verdict(report) == verdict
