"""The confusion matrix of finding ids, what nobody expected, and the precision of attribution."""

from __future__ import annotations

from typing import Any

import pytest

from mateprobe.outcome import Outcome, Relation
from mateprobe.pipeline.attribution import NOTHING, Attribution


def row(outcome: str, expected: list[str], reported: list[str]) -> dict[str, Any]:
    relation = "violation" if expected else "preserve"
    return {"outcome": outcome, "relation": relation, "expected": expected, "reported": reported}


def figures(*rows: dict[str, Any]) -> dict[str, Any]:
    attribution = Attribution()
    for each in rows:
        relation, outcome = Relation(each["relation"]), Outcome(each["outcome"])
        attribution.add(relation, outcome, each["expected"], each["reported"])
    return attribution.figures()


def matrix(*rows: dict[str, Any]) -> dict[tuple[str, str], int]:
    return {(entry["expected"], entry["reported"]): entry["cases"] for entry in figures(*rows)["matrix"]}


def test_a_case_counts_once_for_every_pair_of_an_expected_and_a_reported_id() -> None:
    found = matrix(row("detected", ["a", "b"], ["a", "b", "c"]), row("unattributed_rejection", ["a"], ["c"]))
    assert found == {
        ("a", "a"): 1, ("a", "b"): 1, ("a", "c"): 2, ("b", "a"): 1, ("b", "b"): 1, ("b", "c"): 1,
    }  # fmt: skip


def test_silence_is_a_column_and_a_control_is_a_row_of_its_own() -> None:
    found = matrix(row("survived", ["a"], []), row("preserved", [], []), row("regressed", [], ["a"]))
    assert found == {("a", NOTHING): 1, (NOTHING, NOTHING): 1, (NOTHING, "a"): 1}


def test_what_nobody_expected_is_told_by_relation() -> None:
    found = figures(row("detected", ["a"], ["a", "x"]), row("regressed", [], ["a"]))["unexpected"]
    assert found == [
        {"relation": "preserve", "reported": "a", "cases": 1},
        {"relation": "violation", "reported": "x", "cases": 1},
    ]


@pytest.mark.parametrize(
    ("rows", "precision"),
    [
        ([row("detected", ["a"], ["a"])], 1.0),
        ([row("detected", ["a"], ["a", "b", "c", "d"])], 0.25),
        ([row("unattributed_rejection", ["a"], ["b"])], 0.0),
        ([row("survived", ["a"], [])], None),
        ([row("regressed", [], ["a"])], None),
        ([], None),
    ],
    ids=["the expected one", "every id", "another one", "nothing on faults", "on controls alone", "no cases"],
)
def test_precision_is_the_expected_share_of_the_ids_reported_on_faults(
    rows: list[dict[str, Any]], precision: float | None
) -> None:
    assert figures(*rows)["precision"] == precision


@pytest.mark.parametrize("outcome", ["excluded", "baseline_failed"])
def test_cases_outside_the_denominators_are_outside_here_too(outcome: str) -> None:
    assert figures(row(outcome, ["a"], ["a"]))["matrix"] == []
