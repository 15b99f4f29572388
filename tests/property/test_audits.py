"""Audits of anything: a case ends as it would alone, and a corpus is the sum of its cases."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given, strategies as st

from mateprobe import (
    AuditCase,
    CaseResult,
    Contract,
    DeclaredClaimsConsistent,
    MinimumTokens,
    MutationCase,
    NoRepeatedText,
    Obligation,
    Outcome,
    Policy,
    Relation,
    RequiredFact,
    Validity,
    Verdict,
    audit,
    audit_validator,
    evaluate,
)
from mateprobe.canonical import canonical, digest
from mateprobe.corpus import Corpus, Pair
from mateprobe.mutations import published_outcome
from mateprobe.runner import Failure, duplicate, judge
from tests.property import objects

# Samples are drawn from a few, so that cases share them: by object, by value, and in another form.
POOL: list[Any] = [1, 1.0, True, {"a": [1]}, {"a": (1,)}, {"b": 1, "a": 2}, {"a": 2, "b": 1}, "", [], {}]
# A text that is another sample's JSON, and one that is of text but no plain text.
POOL += ['{"a":[1]}', "preserve", Relation.PRESERVE, '"preserve"', "é"]
shared = st.sampled_from(POOL) | st.sampled_from(POOL).map(copy.deepcopy) | objects.values
corpora = st.lists(
    st.builds(
        AuditCase, objects.word, objects.word, shared, shared, st.just(Relation.PRESERVE),
        validity=st.sampled_from(Validity), provenance=objects.word,
    ),
    max_size=6, unique_by=lambda case: case.id,
)  # fmt: skip


@given(corpora)
def test_a_corpus_is_hashed_as_its_cases_are(cases: list[AuditCase[Any]]) -> None:
    corpus = Corpus(cases)
    assert corpus.digest == digest(cases)
    assert corpus.pairs == [Pair(digest(case.baseline), digest(case.variant)) for case in cases]


@given(st.lists(objects.mutation_cases, max_size=3, unique_by=lambda case: case.id))
def test_a_campaign_is_hashed_as_its_cases_are(cases: list[MutationCase]) -> None:
    assert Corpus(cases).digest == digest(cases)


# What a validator says depends on nothing but the canonical text of what it sees.
said = st.lists(
    st.sampled_from(["raise", None]) | objects.verdicts | st.just(Verdict(True)) | st.just(Verdict(True)),
    min_size=4, max_size=4,
)  # fmt: skip


def validator(answers: Sequence[Any]) -> Any:
    def ask(sample: Any) -> Any:
        answer = answers[int(digest(sample)[:8], 16) % len(answers)]
        if isinstance(sample, dict | list):
            sample.clear()
        if answer == "raise":
            raise ValueError(canonical(len(answers)))
        return answer

    return ask


audited = st.lists(
    st.builds(
        lambda labels, **rest: AuditCase(**labels, **rest, obligation="o"),
        objects.labels(objects.word), baseline=shared, variant=shared,
    ),
    min_size=1, max_size=5, unique_by=lambda case: case.id,
)  # fmt: skip


@given(audited, said, st.randoms(use_true_random=False))
def test_a_case_ends_as_it_would_alone_and_in_any_order(
    cases: list[AuditCase[Any]], answers: list[Any], random: Any
) -> None:
    def ends(*some: AuditCase[Any]) -> dict[str, Any]:
        report = audit_validator(validator(answers), some, obligations=[Obligation("o", "d")], validator_id="v")
        return {result.id: result for result in report.cases}

    before = [canonical(case) for case in cases]
    together = ends(*cases)
    assert list(together) == [case.id for case in cases]
    assert together == {id: result for case in cases for id, result in ends(case).items()}
    shuffled = random.sample(cases, len(cases))
    assert ends(*shuffled) == together
    assert [canonical(case) for case in cases] == before


@given(audited, said)
def test_a_summary_counts_every_case_once(cases: list[AuditCase[Any]], answers: list[Any]) -> None:
    report = audit_validator(validator(answers), cases, obligations=[Obligation("o", "d")], validator_id="v")
    summary = report.summary()
    assert replace(report).summary() == summary  # which is made of its results, and of nothing unread
    assert summary["total"] == len(cases) == sum(summary["counts"].values())
    assert summary["counts"] == Counter(result.outcome for result in report.cases)
    counted = [result for result in report.cases if result.outcome not in {"excluded", "baseline_failed"}]
    faults = [result for result in counted if result.relation is Relation.VIOLATION]
    detected = [result for result in faults if result.outcome is Outcome.DETECTED]
    assert (summary["eligible_faults"], summary["eligible_controls"]) == (len(faults), len(counted) - len(faults))
    assert summary["detection_score"] == (len(detected) / len(faults) if faults else None)


@given(shared, said)
def test_judging_a_sample_leaves_it_as_it_was(sample: Any, answers: list[Any]) -> None:
    before = canonical(sample)
    judgement = judge(validator(answers), sample)
    assert isinstance(judgement, Verdict | Failure)
    assert judge(validator(answers), sample) == judgement
    assert canonical(sample) == before


@given(st.sampled_from(POOL) | objects.everything)
def test_a_copy_is_the_same_and_another(sample: Any) -> None:
    own = duplicate(sample)
    assert type(own) is type(sample)
    assert canonical(own) == canonical(sample)
    if isinstance(own, dict | list):
        own.clear()
        assert own is not sample


CONTRACTS: tuple[Contract, ...] = (
    DeclaredClaimsConsistent("claims", require_claims=False),
    RequiredFact("fact", "k", 1),
    MinimumTokens("thin", ("a",), 2, 2),
    NoRepeatedText("repeat", ("a",)),
)


@given(st.lists(objects.mutation_cases, max_size=4, unique_by=lambda case: case.id), objects.policies)
def test_a_campaign_reports_what_evaluating_each_sample_reports(cases: list[MutationCase], policy: Policy) -> None:
    cases = [case for case in cases if not case.expected]
    for case, result in zip(cases, audit(cases, CONTRACTS, policy).cases, strict=True):
        reports = [evaluate(one.document, one.context, CONTRACTS, policy) for one in (case.baseline, case.variant)]
        assert result.baseline == reports[0]
        assert result.variant in {None, reports[1]}
        assert (result.id, result.family, result.group, result.relation) == (
            case.id, case.family, case.group, case.relation
        )  # fmt: skip


@given(
    st.builds(
        CaseResult, objects.word, objects.word, objects.text, st.sampled_from(Relation), st.sampled_from(Outcome),
        st.just("why"), objects.reports, st.none() | objects.reports, st.just(()),
    )
)  # fmt: skip
def test_every_result_has_a_published_outcome_of_the_five(result: CaseResult) -> None:
    outcome, reason = published_outcome(result)
    assert outcome in {"detected", "survived", "preserved", "regressed", "excluded"}
    assert reason
    if result.outcome in {"detected", "survived"} and result.relation is Relation.VIOLATION:
        assert outcome == result.outcome
    if result.outcome in {"preserved", "regressed"} and result.relation is Relation.PRESERVE:
        assert outcome == result.outcome
