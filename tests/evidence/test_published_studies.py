"""The other studies with published figures: expanded, controlled, recorded outputs and their mutations."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.store import Store
from tests.workflow.project import REPOSITORY, Tree, project

STUDIES = ("controlled", "expanded", "expanded_published", "larger_models", "output_mutations", "pilot", "support")


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A folder in which the studies have run; what the project's own store knows is not made again."""
    tree = project(tmp_path_factory.mktemp("published") / "tree", REPOSITORY / Store().root)
    tree.run("--config", f"only=[{','.join(STUDIES)}]")
    return tree


def read(tree: Tree, name: str) -> Any:
    return json.loads((tree.path / "results" / name).read_text("utf-8"))


def rows(tree: Tree, table: str) -> list[dict[str, Any]]:
    content = read(tree, f"tables/{table}.json")
    return [dict(zip(content["columns"], row, strict=True)) for row in content["rows"]]


CONTROLLED = {
    "correct": ("96/96", "96/96", "48/48", ""),
    "omit_first_obligation": ("24/96", "24/96", "48/48", "72 survived"),
    "wrong_diagnostic_id": ("96/96", "0/96", "48/48", "96 unattributed_rejection"),
    "reject_valid_variation": ("96/96", "96/96", "24/48", "24 regressed"),
    "crash_on_fault": ("0/96", "0/96", "48/48", "96 error"),
    "unknown_on_fault": ("0/96", "0/96", "48/48", "96 undetermined"),
    "accept_all": ("0/96", "0/96", "48/48", "96 survived"),
    "reject_all": ("undefined", "undefined", "undefined", "144 baseline_failed"),
}


def test_the_controlled_table_has_the_published_figures_and_no_disagreement(published: Tree) -> None:
    found = {row.pop("profile"): tuple(row.values()) for row in rows(published, "controlled")}
    assert found == {profile: (*figures, 0) for profile, figures in CONTROLLED.items()}


def test_one_obligation_of_each_policy_stays_visibly_untested(published: Tree) -> None:
    summary = read(published, "controlled/summary.json")
    assert [
        obligation["id"]
        for obligation in summary["validators"]["correct"]["obligations"]
        if obligation["assessment"] == "untested"
    ] == ["refund_amount", "delivery_address", "time_slot"]


ABLATIONS = [
    ("crash_on_fault", "detection", "0/96"),
    ("crash_on_fault", "errors_credited", "96/96"),
    ("unknown_on_fault", "unknowns_hidden", "undefined"),
    ("reject_all", "detection", "undefined"),
    ("reject_all", "baselines_ignored", "96/96"),
    ("reject_valid_variation", "preservation", "24/48"),
    ("reject_valid_variation", "without_controls", "undefined"),
]


@pytest.mark.parametrize(("profile", "column", "value"), ABLATIONS)
def test_an_ablation_shows_what_the_accounting_is_for(published: Tree, profile: str, column: str, value: str) -> None:
    assert [row[column] for row in rows(published, "ablations") if row["profile"] == profile] == [value]


EXPANDED = {
    "invariant": (7, 5, 4, 1, 1, 1, 0, 1),
    "heuristic": (14, 8, 4, 4, 4, 3, 1, 2),
    "all": (21, 13, 8, 5, 5, 4, 1, 3),
}
COLUMNS = ("cases", "faults", "detected", "survived", "controls", "preserved", "regressed", "excluded")


@pytest.mark.parametrize("study", ["expanded", "expanded_published"])
def test_both_expanded_corpora_have_the_published_counts_by_kind(published: Tree, study: str) -> None:
    found = {
        row["kind"]: tuple(row[column] for column in COLUMNS)
        for row in rows(published, "expanded")
        if row["study"] == study
    }
    assert found == EXPANDED


NOT_EVALUATED = "not evaluated"
MODELS = {
    "qwen3:1.7b": (16, 16, 16, 0, 0, 0, "8 LEXICAL_RESTATEMENT, 32 LOW_LEXICAL_CONTENT", 2839, 3.23),
    "gemma3:1b": (16, 0, *[NOT_EVALUATED] * 5, 2982, 2.87),
    "gemma4:26b-mlx-hermes": (16, 16, 16, 16, 16, 16, "none", 3879, 4.38),
    "qwen3.8:27b": (16, 16, 16, 16, 16, 16, "none", 3831, 12.3),
}


def test_the_table_of_model_outputs_has_the_published_figures(published: Tree) -> None:
    found = {row["model"]: tuple(row.values())[2:] for row in rows(published, "model_outputs")}
    assert found == MODELS


def test_every_refused_structure_is_accounted_for(published: Tree) -> None:
    attempts = [row for row in rows(published, "structure_failures") if row["model"] == "gemma3:1b"]
    assert {row["status"] for row in attempts} == {"envelope_keys"}
    assert sum(row["attempts"] for row in attempts) == 16


LANES = {
    "exact": {"cases": 64, "eligible": 64, "detected": 64},
    "heuristic": {"cases": 96, "eligible": 96, "detected": 96},
    "schema": {"cases": 96, "eligible": 96, "invalid_structure": 96},
    "control": {"cases": 64, "eligible": 48, "preserved": 48, "excluded": 16},
    "challenge": {"cases": 64, "eligible": 64, "accepted": 64},
}


def test_each_lane_has_the_published_counts(published: Tree) -> None:
    found = {
        row["lane"]: {key: value for key, value in row.items() if isinstance(value, int) and value}
        for row in rows(published, "output_mutations")
        if row["part"] == "lane"
    }
    assert found == LANES


def test_no_figure_pools_the_lanes(published: Tree) -> None:
    summary = read(published, "output_mutations/summary.json")["validators"]["strict"]
    assert {"detection_score", "preservation_rate", "binary", "counts"} & summary.keys() == set()
    assert not (published.path / "results/output_mutations/statistics.json").exists()


FINDINGS = {
    ("branch_claims", "claims/CLAIM_STATE_MISMATCH@outcome.0"): (32, 64),
    ("lexical_restatement", "content/LOW_LEXICAL_CONTENT@outcome.0"): (32, 32),
    ("lexical_restatement", "restatement.0/LEXICAL_RESTATEMENT@outcome.0"): (32, 32),
}


def test_side_effects_of_operators_are_counted_by_finding(published: Tree) -> None:
    found = {
        (row["operator"], row["finding"]): (row["cases"], row["findings"]) for row in rows(published, "output_findings")
    }
    assert {key: found[key] for key in FINDINGS} == FINDINGS


def test_the_support_study_shows_what_the_domains_own_rule_adds(published: Tree) -> None:
    found = {(row["validator"], row["case"]): row["outcome"] for row in rows(published, "support")}
    assert found["with_branch_rule", "cross_branch_state"] == "detected"
    assert found["built_in_only", "cross_branch_state"] == "survived"
    assert found["with_branch_rule", "arbitrary_prose"] == "survived"
    assert found["with_branch_rule", "no_claims"] == "undetermined"
    boundaries = {case: found["with_branch_rule", case] for case in ("day_29", "day_30", "window_over", "no_window")}
    assert boundaries == {
        "day_29": "preserved",
        "day_30": "preserved",
        "window_over": "detected",
        "no_window": "preserved",
    }


AGREED = {"expanded_published": 21, "larger_models": 32, "output_mutations": 384, "pilot": 32}


@pytest.mark.parametrize("study", AGREED)
def test_every_case_of_a_frozen_report_was_compared_and_agrees(published: Tree, study: str) -> None:
    agreement = read(published, f"{study}/agreement.json")
    assert (agreement["cases"], agreement["differences"]) == (AGREED[study], [])


def swap_outcome(report: Any) -> str:
    case = next(case for case in report if case["family"] == "claim_credits")
    case["outcome"] = "survived"
    return f"case '{case['id']}' outcome: ours 'detected', frozen 'survived'"


def flip_status(report: Any) -> str:
    record = next(record for record in report if record["status"] == "evaluated")
    check = record["report"]["checks"][0]
    check["status"] = "violated"
    return f"record '{record['id']}' check {check['rule_id']} status: ours 'satisfied', frozen 'violated'"


def lose_a_record(report: Any) -> str:
    return f"case '{report.pop()['id']}': ours alone; the frozen report has no such case"


TAMPERED: dict[str, tuple[str, str, Callable[[Any], str]]] = {
    "an outcome of a mutation": (
        "output_mutations", "benchmarks/real-mutation-results/evaluation/cases.json", swap_outcome
    ),
    "a status in a report of outputs": ("pilot", "benchmarks/natural-results/evaluation/reports.json", flip_status),
    "a record that is gone": ("larger_models", "benchmarks/remote-results/evaluation/reports.json", lose_a_record),
}  # fmt: skip


@pytest.mark.parametrize("damage", TAMPERED)
def test_a_difference_from_the_frozen_report_fails_naming_case_and_field(
    published: Tree,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    damage: str,
) -> None:
    study, member, change = TAMPERED[damage]
    monkeypatch.chdir(published.path)
    path = published.path / "results/evidence" / member
    original = path.read_bytes()
    report = json.loads(original)
    expected = change(report)
    path.write_text(json.dumps(report))
    try:
        assert main(["agreement", "--study", study]) == 1
    finally:
        path.write_bytes(original)
    assert expected in capsys.readouterr().err
