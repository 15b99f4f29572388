"""The feasibility studies, ours and the published one, give the published figures and agree case by case."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.store import Store
from mateprobe.pipeline.study_protocol import protocol_path
from tests.workflow.project import REPOSITORY, Tree, project

STUDIES = ("feasibility", "feasibility_published")
# The report's table of the feasibility study: TP, FN, FP, TN, precision, recall, acceptance of valid variants.
FIGURES: dict[str, list[Any]] = {
    "contracts_strict": [384, 96, 48, 192, 384 / 432, 0.8, 0.8],
    "excerpt_baseline": [96, 384, 48, 192, 96 / 144, 0.2, 0.8],
    "always_accept": [0, 480, 0, 240, "undefined", 0.0, 1.0],
    "always_reject": [480, 0, 240, 0, 480 / 720, 1.0, 0.0],
}
CAMPAIGN = "benchmarks/results/campaign.json"


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A folder in which both studies have run; what the project's own store knows is not made again."""
    tree = project(tmp_path_factory.mktemp("feasibility") / "tree", REPOSITORY / Store().root)
    tree.run("--config", f"only=[{','.join(STUDIES)}]")
    return tree


def read(tree: Tree, name: str) -> Any:
    return json.loads((tree.path / "results" / name).read_text("utf-8"))


def test_the_feasibility_table_has_the_published_figures_for_both_corpora(real: Tree) -> None:
    table = read(real, "tables/feasibility.json")
    assert table["columns"] == ["study", "validator", "tp", "fn", "fp", "tn", "precision", "recall", "valid_acceptance"]
    assert table["rows"] == [[study, id, *figures] for study in STUDIES for id, figures in FIGURES.items()]


@pytest.mark.parametrize("study", STUDIES)
def test_the_targeted_audit_has_the_published_counts_and_excludes_nothing(real: Tree, study: str) -> None:
    summary = read(real, f"{study}/summary.json")
    audit = summary["validators"]["contracts_strict"]
    assert (summary["cases"], audit["total"], audit["groups"]) == (720, 720, 48)
    assert audit["counts"] == {"detected": 384, "preserved": 192, "regressed": 48, "survived": 96}
    assert (audit["detection_score"], audit["preservation_rate"]) == (0.8, 0.8)
    assert audit["binary"]["baselines_not_accepted"] == 0


FAMILIES = {
    "detected": [
        "closed_premise", "cross_branch_claim", "padding_restatement", "repeated_scene", "required_fact", "token_spam",
        "unicode_formula", "zero_domain_delta",
    ],
    "survived": ["challenge_semantic_restatement", "challenge_undeclared_contradiction"],
    "preserved": ["case_change", "unicode_nfd", "valid_expansion", "whitespace"],
    "regressed": ["challenge_negated_formula"],
}  # fmt: skip


@pytest.mark.parametrize("study", STUDIES)
def test_every_family_ends_as_the_report_says(real: Tree, study: str) -> None:
    families = read(real, f"{study}/summary.json")["validators"]["contracts_strict"]["families"]
    expected = {family: {outcome: 48} for outcome, names in FAMILIES.items() for family in names}
    assert {family: figures["counts"] for family, figures in families.items()} == expected


def test_all_720_frozen_cases_are_compared_and_none_differs(real: Tree) -> None:
    table = read(real, "tables/agreement.json")
    ((study, frozen, cases, values, differences),) = table["rows"]
    assert (study, frozen, cases, differences) == ("feasibility_published", CAMPAIGN, 720, 0)
    compared = read(real, "feasibility_published/agreement.json")["compared"]
    assert values == sum(compared.values())
    assert compared["corpus_digest"] == 1
    assert {compared[field] for field in ("outcome", "reason", "family", "group", "relation", "expected")} == {720}
    assert {compared[field] for field in ("input_digest", "contracts_digest")} == {2 * 720}
    checks = sum(
        len(report["checks"]) for case in campaign(real)["cases"] for report in (case["baseline"], case["variant"])
    )
    assert {compared[field] for field in ("status", "code", "scope", "metrics", "rule_id", "kind", "version")} == {
        checks
    }


def campaign(tree: Tree) -> Any:
    return read(tree, f"evidence/{CAMPAIGN}")


def test_our_corpus_is_not_the_published_one(real: Tree) -> None:
    ours, theirs = (
        {(case["baseline_sha256"], case["variant_sha256"]) for case in records(real, f"{study}/cases.jsonl")}
        for study in STUDIES
    )
    assert (len(ours & theirs), len(ours) > 700, len(theirs) > 700) == (0, True, True)


def records(tree: Tree, name: str) -> list[Any]:
    lines = (tree.path / "results" / name).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines[1:-1]]


@pytest.mark.parametrize("study", STUDIES)
def test_the_manifest_leads_back_to_what_is_pinned(real: Tree, study: str) -> None:
    made = {entry["path"]: entry for entry in read(real, f"{study}/manifest.json")["artifacts"]}
    inputs = {path: sha256 for entry in made.values() for path, sha256 in entry["inputs"].items()}
    outside = inputs.keys() - made.keys() - {protocol_path(study).as_posix()}
    assert len(inputs.keys() - made.keys() - outside) == 1
    evidence = read(real, "evidence/receipt.json")["outputs"]
    assert {path for path in outside if inputs[path] != evidence.get(path, {}).get("sha256")} == set()
    assert bool(outside) is (study == "feasibility_published")


# --- a frozen report that says otherwise ------------------------------------------------------------------------


@pytest.fixture(scope="session")
def tampered(real: Tree, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A copy whose frozen campaign each test overwrites."""
    return real.copy(tmp_path_factory.mktemp("tampered") / "tree")


@pytest.fixture
def within(tampered: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stages run in that copy, with a store of its own."""
    monkeypatch.chdir(tampered.path)
    monkeypatch.delenv("MATEPROBE_CACHE", raising=False)


def flip(content: Any) -> None:
    content["cases"][7]["variant"]["checks"][3]["status"] = "undetermined"


def rename(content: Any) -> None:
    content["cases"][7]["id"] = "nobody/es/0/none"


def relabel(content: Any) -> None:
    content["cases"][7]["outcome"] = "survived"


def measure(content: Any) -> None:
    check = next(check for check in content["cases"][7]["variant"]["checks"] if check["metrics"])
    check["metrics"][0][1] = float(check["metrics"][0][1])


def recount(content: Any) -> None:
    content["summary"]["families"]["token_spam"] = {"detected": 47, "survived": 1}


TAMPERINGS: dict[str, tuple[Callable[[Any], None], str]] = {
    "a status": (flip, "case {id!r} variant check {rule} status: ours '{status}', frozen 'undetermined'"),
    "an id": (rename, "case {id!r}: ours alone; the frozen report has no such case"),
    "an outcome": (relabel, "case {id!r} outcome: ours 'detected', frozen 'survived'"),
    "the type of a number": (measure, "case {id!r} variant check "),
    "a count": (recount, "summary families: ours {{"),
}


@pytest.mark.usefixtures("within")
@pytest.mark.parametrize(("tamper", "difference"), TAMPERINGS.values(), ids=TAMPERINGS.keys())
def test_one_difference_fails_the_run_naming_case_and_field(
    real: Tree, tampered: Tree, tamper: Callable[[Any], None], difference: str, capsys: pytest.CaptureFixture[str]
) -> None:
    content = campaign(real)
    case = content["cases"][7]
    check = case["variant"]["checks"][3]
    expected = difference.format(id=case["id"], rule=check["rule_id"], status=check["status"])
    tamper(content)
    (tampered.path / "results/evidence" / CAMPAIGN).write_text(json.dumps(content), "utf-8")
    before = tampered.results()
    assert main(["agreement", "--study", "feasibility_published"]) == 1
    head, first, *_ = capsys.readouterr().err.splitlines()
    assert head.startswith("agreement: study 'feasibility_published': ")
    assert head.endswith(f" differences from {CAMPAIGN}:")
    assert first.startswith(expected)
    assert tampered.results() == before
