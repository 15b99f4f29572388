"""What holds of the doctor on any corpus."""

from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st

from mateprobe.doctor import SABOTEURS, examine
from mateprobe.outcome import Relation, Validity
from mateprobe.runner import Verdict
from mateprobe.validator_audit import AuditCase, Obligation, audit_validator

IDS = ("x", "y", "z")
OBLIGATIONS = [Obligation(id, "…") for id in "ab"]
Parts = tuple[str, int, int, Relation, frozenset[str], Validity]

parts = st.tuples(
    st.sampled_from("ab"),
    st.integers(0, 3),
    st.integers(0, 6),
    st.sampled_from(Relation),
    st.frozensets(st.sampled_from(IDS), min_size=1),
    st.sampled_from([Validity.VALID, Validity.VALID, Validity.VALID, Validity.UNREVIEWED]),
)
corpora = st.lists(parts, min_size=1, max_size=8).map(
    lambda drawn: [_case(str(number), each) for number, each in enumerate(drawn)]
)


def _case(id: str, given: Parts) -> AuditCase[Any]:
    obligation, baseline, variant, relation, ids, validity = given
    expected = tuple(sorted(ids)) if relation is Relation.VIOLATION else ()
    return AuditCase(id, obligation, baseline, variant, relation, expected, validity, "drawn")


def meets_thresholds(validator: Any, cases: list[AuditCase[Any]]) -> bool:
    report = audit_validator(validator, cases, obligations=OBLIGATIONS, validator_id="any")
    try:
        report.assert_thresholds()
    except AssertionError:
        return False
    return True


def counted(cases: list[AuditCase[Any]]) -> list[AuditCase[Any]]:
    return [case for case in cases if case.validity is Validity.VALID and case.baseline != case.variant]


@given(corpora)
def test_a_saboteur_is_unmasked_exactly_where_it_misses_thresholds_that_can_be_met(cases: list[AuditCase[Any]]) -> None:
    report = examine(cases, OBLIGATIONS)
    ids = tuple(sorted({id for case in cases for id in case.expected}))
    baselines = {case.baseline for case in cases}
    assert report.counted == len(counted(cases))
    if {case.relation for case in counted(cases)} == set(Relation):
        for saboteur, exposure in zip(SABOTEURS, report.saboteurs, strict=True):

            def by_value(sample: int, answer: Any = saboteur.answer) -> Verdict:
                verdict: Verdict = Verdict(True) if sample in baselines else answer(ids)
                return verdict

            assert exposure.unmasked is not meets_thresholds(by_value, cases)


@given(corpora)
def test_a_validator_that_knows_the_labels_meets_all_thresholds_unless_they_contradict(
    cases: list[AuditCase[Any]],
) -> None:
    wrong = {case.variant for case in counted(cases) if case.relation is Relation.VIOLATION}
    if {case.relation for case in counted(cases)} == set(Relation):
        informed = meets_thresholds(lambda sample: Verdict(False, IDS) if sample in wrong else Verdict(True), cases)
        assert informed is not bool(examine(cases, OBLIGATIONS).contradictions)


@given(corpora)
def test_a_healthy_corpus_has_a_fault_and_a_control_for_every_obligation(cases: list[AuditCase[Any]]) -> None:
    report = examine(cases, OBLIGATIONS)
    if report.healthy:
        assert [item.lacks for item in report.obligations] == [(), ()]
        assert all(item.unmasked for item in report.saboteurs)
