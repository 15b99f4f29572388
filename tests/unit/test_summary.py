"""A summary counts what became of every case; what has no denominator is null."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from mateprobe.errors import StageError
from mateprobe.outcome import INELIGIBLE, Outcome, Relation
from mateprobe.pipeline.files import write_bytes
from mateprobe.pipeline.records import write_records
from mateprobe.pipeline.summary import audit_figures, binary_figures, error_policies, summarize
from tests.unit.conftest import Bench, left, row, study

SUMMARY = "results/demo/summary.json"
SIGN = [{"id": "sign", "description": "The number is not below zero."}]


def ended(
    outcome: str = "detected", relation: str = "violation", variant: str = "rejected", **changes: Any
) -> dict[str, Any]:
    """Return an outcome row."""
    return {
        "id": "a",
        "group": "g",
        "family": "flip",
        "obligation": "sign",
        "relation": relation,
        "validity": "valid",
        "expected": ["sign/NEGATIVE@n"] if relation == "violation" else [],
        "outcome": outcome,
        "reason": "",
        "reported": ["sign/NEGATIVE@n"] if variant == "rejected" else [],
        "baseline": "accepted",
        "variant": variant,
        **changes,
    }


DETECTED, SURVIVED = ended(), ended("survived", variant="accepted")
PRESERVED = ended("preserved", "preserve", "accepted")
REGRESSED = ended("regressed", "preserve", "rejected")
CRASHED = ended("error", variant="error")
EXCLUDED = ended("excluded", validity="unreviewed")
FAILED = ended("baseline_failed", baseline="rejected")


def test_cases_are_counted_by_outcome_and_only_eligible_ones_make_rates() -> None:
    found = summarize([DETECTED, DETECTED, SURVIVED, CRASHED, PRESERVED, REGRESSED, EXCLUDED, FAILED], SIGN)
    assert found["total"] == 8
    assert found["counts"] == {
        "baseline_failed": 1, "detected": 2, "error": 1, "excluded": 1, "preserved": 1, "regressed": 1, "survived": 1,
    }  # fmt: skip
    assert (found["eligible_faults"], found["detected_faults"], found["detection_score"]) == (4, 2, 0.5)
    assert (found["eligible_controls"], found["preserved_controls"], found["preservation_rate"]) == (2, 1, 0.5)


def test_rejection_alone_gives_a_confusion_matrix_of_the_valid_variants() -> None:
    incomplete = ended("undetermined", "preserve", "incomplete")
    found = summarize([DETECTED, DETECTED, SURVIVED, CRASHED, PRESERVED, REGRESSED, incomplete, EXCLUDED], SIGN)
    assert found["binary"] == {
        "tp": 2,
        "fn": 1,
        "fp": 1,
        "tn": 1,
        "errors": 1,
        "incomplete": 1,
        "baselines_not_accepted": 0,
        "precision": 2 / 3,
        "recall": 2 / 4,
        "valid_acceptance": 1 / 3,
    }


UNDEFINED: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "no rejections": ([SURVIVED, PRESERVED], {"precision": None, "recall": 0.0, "valid_acceptance": 1.0}),
    "no faults": ([PRESERVED], {"precision": None, "recall": None, "valid_acceptance": 1.0}),
    "no controls": ([DETECTED], {"precision": 1.0, "recall": 1.0, "valid_acceptance": None}),
    "nothing counted": ([EXCLUDED], {"precision": None, "recall": None, "valid_acceptance": None}),
}


@pytest.mark.parametrize(("rows", "rates"), UNDEFINED.values(), ids=UNDEFINED.keys())
def test_a_share_of_nothing_is_neither_nought_nor_one(rows: list[dict[str, Any]], rates: dict[str, Any]) -> None:
    binary = summarize(rows, SIGN)["binary"]
    assert {name: binary[name] for name in rates} == rates


def test_baselines_that_are_not_accepted_are_counted_apart() -> None:
    assert (
        summarize([FAILED, ended("baseline_failed", baseline="error")], SIGN)["binary"]["baselines_not_accepted"] == 2
    )


def test_only_the_first_way_to_treat_a_crash_is_sound() -> None:
    lost = ended("undetermined", variant="incomplete")
    found = summarize([DETECTED, SURVIVED, CRASHED, lost, PRESERVED], SIGN)["error_policies"]
    assert found == {"without_verdict": 2, "miss": 1 / 4, "dropped": 1 / 2, "detection": 3 / 4}


def test_groups_families_and_obligations_are_told_apart() -> None:
    obligations = [
        {"id": "other", "description": "No case is about it.", "kind": "heuristic"},
        {"id": "sign", "description": "The number is not below zero.", "kind": "invariant", "scope": "challenge"},
    ]
    found = summarize([DETECTED, ended(family="slip", group="h"), {**PRESERVED, "family": "add"}], obligations)
    assert found["groups"] == 2
    assert {name: family["counts"] for name, family in found["families"].items()} == {
        "add": {"preserved": 1},
        "flip": {"detected": 1},
        "slip": {"detected": 1},
    }
    assert {kind: figures["detected_faults"] for kind, figures in found["kinds"].items()} == {
        "heuristic": 0,
        "invariant": 2,
    }
    assert [(item["id"], item["scope"], item["assessment"]) for item in found["obligations"]] == [
        ("other", "contract", "untested"),
        ("sign", "challenge", "no_failures_observed"),
    ]


def test_other_readings_of_the_same_observations_are_counted_beside() -> None:
    unattributed = ended("unattributed_rejection", boolean="detected", detailed="unattributed_rejection")
    found = summarize([unattributed, ended(boolean="detected", detailed="detected")], SIGN)
    scores = {name: figures["detection_score"] for name, figures in found["readings"].items()}
    assert (found["detection_score"], scores) == (0.5, {"boolean": 1.0, "detailed": 0.5})


def test_assertions_that_come_to_another_outcome_end_the_stage() -> None:
    rows = [ended(detailed="detected"), ended(id="b", detailed="survived"), ended(id="c", detailed="error")]
    with pytest.raises(StageError, match=r"^2 cases end otherwise by detailed assertions than by the audit: b, c$"):
        summarize(rows, SIGN)


Pairs = st.lists(
    st.one_of(
        st.tuples(
            st.just(Relation.VIOLATION), st.sampled_from([o for o in Outcome if o not in ("preserved", "regressed")])
        ),
        st.tuples(
            st.just(Relation.PRESERVE), st.sampled_from([o for o in Outcome if o not in ("detected", "survived")])
        ),
    )
)


@given(pairs=Pairs)
def test_every_case_is_counted_once_and_rates_stay_within_bounds(pairs: list[tuple[Relation, Outcome]]) -> None:
    rows = [ended(outcome.value, relation.value, "accepted") for relation, outcome in pairs]
    found = summarize(rows, SIGN)
    assert sum(found["counts"].values()) == found["total"] == len(pairs)
    assert sum(found["faults"].values()) + sum(found["controls"].values()) == len(pairs)
    ineligible = sum(found["counts"].get(outcome.value, 0) for outcome in INELIGIBLE)
    assert found["eligible_faults"] + found["eligible_controls"] + ineligible == len(pairs)
    policies = found["error_policies"]
    rates = [rate for rate in (found["preservation_rate"], policies["miss"], policies["detection"]) if rate is not None]
    assert all(0 <= rate <= 1 for rate in rates)
    if policies["dropped"] is not None:
        assert policies["miss"] <= policies["dropped"] <= policies["detection"]


def test_nothing_counts_to_nothing() -> None:
    assert audit_figures(Counter())["detection_score"] is None
    assert error_policies(Counter())["miss"] is None
    assert binary_figures({})["tp"] == 0


# --- the stage --------------------------------------------------------------------------------------------------


def test_a_summary_has_one_entry_a_validator_in_the_order_of_the_study(bench: Bench) -> None:
    validators = [{"id": id, "callable": "numbered:sign"} for id in ("zebra", "ape")]
    bench.write(study(row("a"), row("b", relation="preserve", variant=2), validators=validators))
    bench.judge()
    found = json.loads(Path(SUMMARY).read_text())
    assert (found["study"], found["cases"], found["order"]) == ("demo", 2, ["zebra", "ape"])
    assert found["validators"]["ape"] == found["validators"]["zebra"]
    assert found["validators"]["ape"]["counts"] == {"detected": 1, "preserved": 1}


def test_validators_that_were_asked_about_different_cases_end_the_stage(bench: Bench) -> None:
    bench.write(study(row(), validators=[{"id": id, "callable": "numbered:sign"} for id in ("a", "b")]))
    for id, rows in (("a", [DETECTED]), ("b", [DETECTED, SURVIVED])):
        write_records(Path(f"results/demo/outcomes/{id}.jsonl"), "outcomes", rows, {"validator": id})
    before = left()
    ended = bench.run("summary")
    assert ended.code == 1
    assert ended.said == (
        "summary: study 'demo': validators were asked about [1, 2] cases; expected one number above 0\n"
    )
    assert left() == before


def test_outcomes_that_are_cut_short_are_refused_and_leave_nothing(bench: Bench) -> None:
    bench.write(study(row()))
    bench.judge()
    outcomes = Path("results/demo/outcomes/by_sign.jsonl")
    write_bytes(outcomes, outcomes.read_bytes()[:-20])
    summary = Path(SUMMARY).read_bytes()
    ended = bench.run("summary")
    assert (ended.code, Path(SUMMARY).read_bytes()) == (2, summary)
    assert ended.said.startswith(f"summary: {outcomes}, line 3: expected the closing line")
