"""The controlled study: its corpus, the oracle that checks it, its validators and the detailed assertions."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from mateprobe import AuditCase, InvalidValue, Obligation, Relation, Validity, audit_validator
from mateprobe.classify import Evidence, Facts, Judged, classify
from mateprobe.errors import StudyError
from mateprobe.pipeline import detailed
from mateprobe.pipeline.case_lines import sides_of
from mateprobe.pipeline.cases import case_line
from mateprobe.pipeline.corpora import controlled, controlled_oracle
from mateprobe.pipeline.detailed import detailed_outcome
from mateprobe.pipeline.observe import distinct_samples, observer_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from mateprobe import ValidatorAuditReport
    from mateprobe.pipeline.corpora import Row, Sample

STUDY: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parents[2] / "studies" / "controlled.yaml").read_text(encoding="utf-8")
)
OBLIGATIONS = [obligation["id"] for obligation in STUDY["obligations"]]
ROWS = list(controlled.cases())
REFUND, SHIPPING, RESERVATION = (ROWS[start]["baseline"] for start in (0, 48, 96))

# Obligation: faults, controls.
TESTED = {
    "completion_status": (24, 8),
    "receipt_request": (8, 8),
    "transition": (24, 8),
    "customer": (8, 8),
    "quantity": (24, 8),
    "resource": (8, 8),
}

# Profile: rejected faults, attributed faults, all faults that count; preserved controls, all that count; the rest.
PROFILES: dict[str, tuple[tuple[int, int, int], tuple[int, int], dict[str, int]]] = {
    "correct": ((96, 96, 96), (48, 48), {}),
    "omit_first_obligation": ((24, 24, 96), (48, 48), {"survived": 72}),
    "wrong_diagnostic_id": ((96, 0, 96), (48, 48), {"unattributed_rejection": 96}),
    "reject_valid_variation": ((96, 96, 96), (24, 48), {"regressed": 24}),
    "crash_on_fault": ((0, 0, 96), (48, 48), {"error": 96}),
    "unknown_on_fault": ((0, 0, 96), (48, 48), {"undetermined": 96}),
    "accept_all": ((0, 0, 96), (48, 48), {"survived": 96}),
    "reject_all": ((0, 0, 0), (0, 0), {"baseline_failed": 144}),
}


def audited(profile: str) -> ValidatorAuditReport:
    cases = [
        AuditCase(
            id=row["id"],
            obligation=row["obligation"],
            baseline=row["baseline"],
            variant=row["variant"],
            relation=Relation(row["relation"]),
            expected=tuple(row["expected"]),
            validity=Validity(row["validity"]),
            provenance=row["provenance"],
        )
        for row in ROWS
    ]
    return audit_validator(
        lambda sample: controlled.validate(sample, profile=profile),
        cases,
        obligations=[Obligation(**obligation) for obligation in STUDY["obligations"]],
        validator_id=profile,
    )


def test_the_corpus_is_the_published_one_byte_for_byte() -> None:
    text = json.dumps([controlled.published_row(row) for row in ROWS], indent=2, sort_keys=True) + "\n"
    published = "e731e2bb6352e9d09f6d73eef3861a4579a6dd07d31f8deb0647bb9378a208eb"
    assert hashlib.sha256(text.encode()).hexdigest() == published
    assert STUDY["cases"]["published"]["sha256"] == published


def test_every_row_is_a_case_of_the_pipelines_format() -> None:
    checked = [json.loads(case_line(row, OBLIGATIONS)[1]) for row in ROWS]
    assert len({row["id"] for row in checked}) == 144
    assert all(row["baseline_sha256"] != row["variant_sha256"] for row in checked)


def test_every_group_has_the_six_families_of_its_policy_in_the_order_of_their_ids() -> None:
    families: dict[str, list[str]] = {}
    for row in ROWS:
        families.setdefault(row["group"], []).append(row["family"])
        assert row["id"] == f"{row['group']}-{len(families[row['group']]) - 1}"
    expected = {
        "refund": "receipt_absent receipt_pending receipt_accepted receipt_of_another wording next_request",
        "shipping": "step_skipped step_unknown step_not_taken customer_of_another wording next_step",
        "reservation": "quantity_zero quantity_over quantity_negative resource_of_another wording quantity_one",
    }
    assert families == {
        f"{policy}-{number}": [f"{policy}/{name}" for name in names.split()]
        for policy, names in expected.items()
        for number in range(8)
    }


def test_each_obligation_has_faults_and_controls_but_one_of_each_policy_has_no_cases() -> None:
    count = Counter((row["obligation"], row["relation"]) for row in ROWS)
    tested = {
        obligation: (count[obligation, "violation"], count[obligation, "preserve"])
        for obligation in OBLIGATIONS
        if count[obligation, "violation"] or count[obligation, "preserve"]
    }
    assert tested == TESTED
    assert [obligation for obligation in OBLIGATIONS if obligation not in TESTED] == [
        "refund_amount", "delivery_address", "time_slot",
    ]  # fmt: skip
    untested = [
        found["id"] for found in audited("correct").summary()["obligations"] if found["assessment"] == "untested"
    ]
    assert untested == ["refund_amount", "delivery_address", "time_slot"]


def test_more_groups_are_more_of_the_same() -> None:
    rows = list(controlled.cases(groups=11))
    assert len(rows) == 198
    assert {row["id"]: row for row in ROWS}.items() <= {row["id"]: row for row in rows}.items()
    for row in rows:
        controlled_oracle.verify(row)


def test_a_corpus_without_groups_is_refused() -> None:
    with pytest.raises(InvalidValue, match="groups=0: expected 1 or more"):
        list(controlled.cases(groups=0))


def test_the_oracle_agrees_with_every_label() -> None:
    for row in ROWS:
        controlled_oracle.verify(row)


def row_of(id: str, **changes: Any) -> Row:
    return {**next(row for row in ROWS if row["id"] == id), **changes}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(
            row_of("refund-0-1", relation="preserve", expected=[]),
            "case 'refund-0-1' relation='preserve': expected 'violation'; its variant breaks completion_status"
            " (not so: its status is completed)",
            id="a fault called a control",
        ),
        pytest.param(
            row_of("shipping-1-4", relation="violation", expected=["customer"]),
            "case 'shipping-1-4' relation='violation': expected 'preserve'; its variant breaks nothing",
            id="a control called a fault",
        ),
        pytest.param(
            row_of("refund-2-3", expected=["completion_status"]),
            "case 'refund-2-3' expected=['completion_status']: expected ['receipt_request']; its variant breaks"
            " receipt_request (not so: no receipt is for another request)",
            id="the other target",
        ),
        pytest.param(
            row_of("reservation-0-0", expected=["quantity", "resource"]),
            "case 'reservation-0-0' expected=['quantity', 'resource']: expected ['quantity']",
            id="a target too many",
        ),
        pytest.param(
            row_of("reservation-0-0", expected=["quantity", "quantity"]),
            "expected=['quantity', 'quantity']: expected ['quantity']",
            id="a target twice",
        ),
        pytest.param(
            row_of("shipping-0-3", variant={**SHIPPING, "customer": "nobody", "after": "delivered"}),
            "case 'shipping-0-3' expected=['customer']: expected ['customer', 'transition']",
            id="a target too few",
        ),
        pytest.param(
            row_of("shipping-0-3", obligation="transition"),
            "case 'shipping-0-3' obligation='transition': its variant breaks customer",
            id="filed under an obligation it keeps",
        ),
        pytest.param(
            row_of("refund-0-0", obligation="recipt_request"),
            "obligation='recipt_request': expected one of 'completion_status', 'receipt_request'; did you mean",
            id="no such obligation",
        ),
        pytest.param(
            row_of("refund-0-0", family="refunds/receipt_absent"),
            "case 'refund-0-0' family='refunds/receipt_absent': policy 'refunds': expected one of",
            id="no such policy",
        ),
        pytest.param(
            row_of("refund-0-3", baseline={**REFUND, "receipt": None}),
            "case 'refund-0-3': its baseline breaks completion_status (not so: a receipt exists); expected one that",
            id="a refund without receipt as baseline",
        ),
        pytest.param(
            row_of("shipping-0-3", baseline={**SHIPPING, "before": "delivered", "after": "queued"}),
            "its baseline breaks transition (not so: the move is a legal one)",
            id="a step back as baseline",
        ),
        pytest.param(
            row_of("reservation-0-3", baseline={**RESERVATION, "resource": "another"}),
            "its baseline breaks resource (not so: the resource is the authoritative one)",
            id="another resource as baseline",
        ),
        pytest.param(
            row_of("reservation-0-5", variant={**RESERVATION, "quantity": True}),
            "its variant breaks quantity (not so: the quantity is a whole number)",
            id="a bool as quantity",
        ),
        pytest.param(
            row_of("reservation-0-5", variant={**RESERVATION, "quantity": "one"}),
            "its variant breaks quantity (not so: the quantity is a whole number, the quantity is one there is room",
            id="text as quantity",
        ),
        pytest.param(
            row_of("reservation-0-1", variant={**RESERVATION, "quantity": RESERVATION["capacity"]}),
            "case 'reservation-0-1' relation='violation': expected 'preserve'",
            id="the last place is no fault",
        ),
        pytest.param(
            row_of("refund-0-1", variant={**REFUND, "receipt": {"request": "refund-0"}}),
            "case 'refund-0-1' variant: no telling whether its status is completed: KeyError('status')",
            id="a receipt without status",
        ),
        pytest.param(
            row_of("shipping-0-0", baseline=REFUND),
            "case 'shipping-0-0' baseline: no telling whether the move is a legal one: KeyError('before'); expected a"
            " shipping sample",
            id="a sample of another policy",
        ),
    ],
)
def test_the_oracle_refuses_a_wrong_label(row: Row, message: str) -> None:
    with pytest.raises(StudyError) as caught:
        controlled_oracle.verify(row)
    assert message in str(caught.value)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_has_the_published_figures(profile: str) -> None:
    report = audited(profile)
    summary = report.summary()
    rejected = sum(
        case.variant is not None and case.variant.complete and not case.variant.accepted
        for case in report.cases
        if case.relation is Relation.VIOLATION
    )
    faults = (rejected, summary["detected_faults"], summary["eligible_faults"])
    controls = (summary["preserved_controls"], summary["eligible_controls"])
    other = {word: n for word, n in summary["counts"].items() if n and word not in ("detected", "preserved")}
    assert (faults, controls, other) == PROFILES[profile]


def test_the_study_asks_every_profile_under_its_own_name() -> None:
    asked = {validator["id"]: validator["with"]["profile"] for validator in STUDY["validators"]}
    assert asked == {profile: profile for profile in PROFILES}
    assert list(asked) == list(controlled.PROFILES)


@pytest.mark.parametrize(
    ("sample", "violations"),
    [
        pytest.param(REFUND, (), id="refund"),
        pytest.param({**REFUND, "receipt": None}, ("completion_status",), id="no receipt"),
        pytest.param(
            {**REFUND, "receipt": {"request": "x", "status": "pending"}},
            ("completion_status", "receipt_request"),
            id="pending receipt of another",
        ),
        pytest.param({**SHIPPING, "before": "shipped", "after": "delivered"}, (), id="last step"),
        pytest.param({**SHIPPING, "before": "delivered", "after": "delivered"}, ("transition",), id="after the end"),
        pytest.param({**SHIPPING, "before": "packed", "after": "queued"}, ("transition",), id="step back"),
        pytest.param({**SHIPPING, "owner": "x", "after": "x"}, ("transition", "customer"), id="two obligations"),
        pytest.param({**RESERVATION, "quantity": 1}, (), id="one place"),
        pytest.param({**RESERVATION, "quantity": 10}, (), id="the last place"),
        pytest.param({**RESERVATION, "quantity": 11}, ("quantity",), id="one too many"),
        pytest.param({**RESERVATION, "quantity": 0}, ("quantity",), id="no place"),
        pytest.param({**RESERVATION, "quantity": True}, ("quantity",), id="a bool"),
        pytest.param({**RESERVATION, "quantity": 1.0}, ("quantity",), id="a float"),
        pytest.param({**RESERVATION, "quantity": "1"}, ("quantity",), id="text"),
        pytest.param({**RESERVATION, "resource": "x"}, ("resource",), id="another resource"),
    ],
)
def test_the_correct_profile_reports_the_obligations_a_sample_breaks(
    sample: Sample, violations: tuple[str, ...]
) -> None:
    verdict = controlled.validate(sample, profile="correct")
    assert (verdict.accepted, verdict.violations, verdict.complete) == (not violations, violations, True)


def test_a_wording_sensitive_profile_adds_its_objection_to_what_is_broken() -> None:
    sample = {**REFUND, "receipt": None, "text": "Acknowledged."}
    verdict = controlled.validate(sample, profile="reject_valid_variation")
    assert verdict.violations == ("completion_status", "wording")


@pytest.mark.parametrize(
    ("sample", "profile", "message"),
    [
        (REFUND, "corect", "profile='corect': expected one of .*; did you mean 'correct'?"),
        ({"text": "x"}, "correct", r"keys \['text'\]: expected one of receipt, owner, capacity"),
    ],
    ids=["profile", "sample"],
)
def test_an_unknown_profile_or_sample_is_refused(sample: Sample, profile: str, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        controlled.validate(sample, profile=profile)


@pytest.mark.parametrize("profile", PROFILES)
def test_detailed_assertions_end_every_case_as_the_audit_does(profile: str) -> None:
    cases = [json.loads(case_line(row, OBLIGATIONS)[1]) for row in ROWS]
    validator = next(validator for validator in STUDY["validators"] if validator["id"] == profile)
    with observer_of(validator) as (_, observer):
        observed = {row["sample"]: row for row in map(json.loads, observer(distinct_samples(map(sides_of, cases))))}
    outcomes = {
        case["id"]: detailed_outcome(case, observed[case["baseline_sha256"]], observed[case["variant_sha256"]])
        for case in cases
    }
    assert outcomes == {case.id: case.outcome.value for case in audited(profile).cases}


def observations(reports: list[list[str]]) -> Iterator[dict[str, Any]]:
    flags = [True, False]
    for accepted, complete, violations, error in product(flags, flags, reports, [None, "it broke"]):
        yield {"accepted": accepted, "complete": complete, "violations": violations, "error": error}


def judged(observation: dict[str, Any]) -> Judged:
    if observation["error"] is not None:
        return Judged(Evidence.ERROR, observation["accepted"])
    return Judged(Evidence.COMPLETE if observation["complete"] else Evidence.INCOMPLETE, observation["accepted"])


@pytest.mark.parametrize("validity", Validity)
@pytest.mark.parametrize("relation", Relation)
def test_detailed_assertions_agree_with_the_decision_table_whatever_was_observed(
    relation: Relation, validity: Validity
) -> None:
    targets = [["a"], ["a", "b"]] if relation is Relation.VIOLATION else [[]]
    differing = []
    for expected, same, baseline, variant in product(
        targets,
        [True, False],
        observations([[], ["a"]]),
        observations([[], ["a"], ["b"], ["b", "a"], ["c", "a"]]),
    ):
        case = {
            "relation": relation.value,
            "validity": validity.value,
            "expected": expected,
            "baseline_sha256": "0" * 64,
            "variant_sha256": ("0" if same else "1") * 64,
        }
        named = bool(expected) and set(expected) <= set(variant["violations"])
        facts = Facts(relation, validity, same, judged(baseline), judged(variant), named)
        if detailed_outcome(case, baseline, variant) != classify(facts).outcome.value:
            differing.append((case, baseline, variant))
    assert differing == []


def test_detailed_assertions_refuse_to_run_where_python_removes_assertions() -> None:
    script = "from mateprobe.pipeline.detailed import detailed_outcome as ask; ask({}, {}, {})"
    run = subprocess.run([sys.executable, "-O", "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "StageError: python -O removes assertions" in run.stderr


def imports(module: ModuleType) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name for name in names if name.startswith("mateprobe")}


@pytest.mark.parametrize(
    ("module", "used"),
    [
        (controlled_oracle, {"mateprobe.errors.StudyError", "mateprobe.errors.one_of"}),
        (detailed, {"mateprobe.errors.StageError"}),
    ],
    ids=["oracle", "detailed"],
)
def test_what_checks_another_module_shares_nothing_with_it_but_the_errors(module: ModuleType, used: set[str]) -> None:
    assert imports(module) == used


def test_no_pair_shares_a_sample_with_a_pair_of_another_group() -> None:
    homes: dict[str, set[str]] = {}
    for row in ROWS:
        for side in ("baseline", "variant"):
            homes.setdefault(json.dumps(row[side], sort_keys=True), set()).add(row["group"])
    assert {len(groups) for groups in homes.values()} == {1}
