"""JSON Schema libraries against the suite of the standard, published schemas against edits: every number is exact."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from mateprobe.pipeline.pins import FOLDER, load_archives, load_pins
from mateprobe.pipeline.store import Store
from mateprobe.pipeline.study_protocol import protocol_path
from tests.workflow.project import REPOSITORY, Tree, project

STUDIES = ("conformance", "published_schemas")
SUITE = "0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326"
LIBRARIES = ("jsonschema", "jsonschema-rs", "fastjsonschema")
# Of the suite: pairs, faults and controls; groups and instances without a valid instance to compare with.
PAIRS = {"draft2020-12": (858, 463, 395, 22, 53), "draft7": (635, 336, 299, 13, 37)}
SAME_DATA = "const/const with object/same object with different property order is valid"


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A folder in which both studies have run; what the project's own store knows is not made again."""
    tree = project(tmp_path_factory.mktemp("conformance") / "tree", REPOSITORY / Store().root)
    tree.run("--config", f"only=[{','.join(STUDIES)}]")
    return tree


def records(tree: Tree, name: str) -> list[Any]:
    text = (tree.path / "results" / name).read_text("utf-8").splitlines()
    return [json.loads(line) for line in text[1:-1]]


def table(tree: Tree, name: str) -> list[dict[str, Any]]:
    content = json.loads((tree.path / "results" / "tables" / f"{name}.json").read_text("utf-8"))
    return [dict(zip(content["columns"], row, strict=True)) for row in content["rows"]]


def test_the_suite_is_that_of_the_pinned_archive() -> None:
    pins = load_pins(REPOSITORY / FOLDER / "jsonschema_suite.yaml")
    assert (pins.requirement, pins.sha256) == ("jsonschema==4.26.0", SUITE)
    tests = Counter(member.split("/")[2] for member in pins.members if member.startswith("json/tests/"))
    assert tests == {"draft2020-12": 46, "draft7": 37}


def test_no_two_archives_go_to_one_folder() -> None:
    archives = load_archives(REPOSITORY / FOLDER)
    assert {name: archive.folder for name, archive in archives.items()} == {
        "check_jsonschema": "check-jsonschema", "jsonschema_suite": "jsonschema", "published": ""
    }  # fmt: skip


# --- conformance ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("draft", PAIRS)
def test_the_pairs_of_a_draft_are_those_of_the_suite(real: Tree, draft: str) -> None:
    cases = [case for case in records(real, "conformance/cases.jsonl") if case["obligation"] == draft]
    relations = Counter(case["relation"] for case in cases)
    alone = {case["group"] for case in cases if case["relation"] is None}
    faults, controls = relations["violation"], relations["preserve"]
    assert (faults + controls, faults, controls, len(alone), relations[None]) == PAIRS[draft]


def test_a_label_is_that_of_the_suite_and_a_fault_is_reported_invalid_and_no_more(real: Tree) -> None:
    cases = [case for case in records(real, "conformance/cases.jsonl") if case["relation"]]
    assert {(case["relation"], case["about"]["label"], *case["expected"]) for case in cases} == {
        ("violation", "invalid", "invalid"), ("preserve", "valid")
    }  # fmt: skip
    assert {case["validity"] for case in cases} == {"valid"}


def test_the_baseline_of_a_group_is_its_first_valid_instance(real: Tree) -> None:
    cases = {case["id"]: case for case in records(real, "conformance/cases.jsonl")}
    for draft in PAIRS:
        for path in (real.path / "results/evidence/jsonschema/json/tests" / draft).glob("*.json"):
            for group in json.loads(path.read_text("utf-8")):
                name = f"{draft}/{path.stem}/{group['description']}"
                valid = [test for test in group["tests"] if test["valid"]]
                for test in group["tests"]:
                    case = cases.get(f"{name}/{test['description']}")
                    assert (case is None) is (test in valid[:1])
                    if case and valid:
                        sides = [case["baseline"]["instance"], case["variant"]["instance"]]
                        assert sides == [valid[0]["data"], test["data"]]


# What each library makes of the pairs of each draft: those that are not judged as the suite has it, but for one
# pair a draft whose two instances are the same data, with their keys in another order.
ENDED: dict[tuple[str, str], dict[str, int]] = {
    ("jsonschema", "draft2020-12"): {"detected": 463, "preserved": 393, "regressed": 1},
    ("jsonschema", "draft7"): {"detected": 336, "preserved": 298},
    ("jsonschema-rs", "draft2020-12"): {"detected": 463, "preserved": 394},
    ("jsonschema-rs", "draft7"): {"detected": 336, "preserved": 298},
    ("fastjsonschema", "draft2020-12"): {"not_implemented": 857},
    ("fastjsonschema", "draft7"): {"detected": 329, "preserved": 298, "failed": 7, "changed_sample": 12},
}
COUNTS = ("detected", "survived", "preserved", "regressed", "failed", "not_implemented", "excluded", "changed_sample")


@pytest.mark.parametrize(("library", "draft"), ENDED, ids=map("-".join, ENDED))
def test_the_table_has_the_outcomes_of_a_draft_and_of_each_file_of_it(real: Tree, library: str, draft: str) -> None:
    rows = [row for row in table(real, "conformance") if (row["validator"], row["draft"]) == (library, draft)]
    every, *files = rows
    pairs, faults, controls, _, alone = PAIRS[draft]
    assert (every["keyword"], every["faults"], every["controls"], every["unpaired"]) == ("all", faults, controls, alone)
    assert {word: every[word] for word in COUNTS if every[word]} == {**ENDED[library, draft], "excluded": 1}
    assert {word: sum(row[word] for row in files) for word in COUNTS} == {word: every[word] for word in COUNTS}
    assert sum(every[word] for word in COUNTS[:-1]) == pairs


def test_the_one_pair_of_each_draft_that_is_left_out_is_one_and_the_same_data(real: Tree) -> None:
    for library in LIBRARIES:
        rows = records(real, f"conformance/outcomes/{library}.jsonl")
        left_out = [(row["id"], row["reason"]) for row in rows if row["outcome"] == "excluded"]
        assert left_out == [(f"{draft}/{SAME_DATA}", "identical_variant") for draft in sorted(PAIRS)]


def test_a_draft_that_is_not_implemented_is_neither_a_pass_nor_a_failure(real: Tree) -> None:
    rows = records(real, "conformance/observations/fastjsonschema.jsonl")
    unknown = [row for row in rows if row["error"] is None and not row["complete"]]
    said = "draft2020-12 is not among the drafts that fastjsonschema implements: 04, 06, 07"
    assert {row["evidence"][0] for row in unknown} == {said}
    summary = json.loads((real.path / "results/conformance/summary.json").read_text("utf-8"))
    figures = summary["validators"]["fastjsonschema"]["obligations"][0]["figures"]
    assert (figures["eligible_faults"], figures["detection_score"], figures["preservation_rate"]) == (0, None, None)


def test_every_disagreement_is_listed_with_its_reason(real: Tree) -> None:
    rows = table(real, "conformance_disagreements")
    assert Counter((row["validator"], row["draft"], row["keyword"], row["group"]) for row in rows) == {
        ("jsonschema", "draft2020-12", "vocabulary",
         "schema that uses custom metaschema with with no validation vocabulary"): 1,
        ("fastjsonschema", "draft7", "ref", "ref to if"): 1,
        ("fastjsonschema", "draft7", "ref", "ref to then"): 1,
        ("fastjsonschema", "draft7", "ref", "ref to else"): 1,
        ("fastjsonschema", "draft7", "ref", "refs with relative uris and defs"): 2,
        ("fastjsonschema", "draft7", "ref", "relative refs with absolute uris and defs"): 2,
    }  # fmt: skip
    assert [row for row in rows if row["reason"] in ("not known", row["error"])] == []


# --- published schemas ------------------------------------------------------------------------------------------

# Constraints, those a fault breaks; faults, those detected; controls, all preserved.
SCHEMAS = {
    "codecov": (196, 5, 6, 6, 1),
    "dependabot": (288, 20, 51, 51, 7),
    "github-actions": (100, 18, 34, 34, 14),
    "github-issue-config": (14, 14, 39, 37, 31),
    "github-issue-forms": (116, 15, 61, 61, 55),
    "readthedocs": (145, 24, 44, 44, 3),
}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_published_schema_finds_every_fault_but_those_that_no_schema_can(real: Tree, schema: str) -> None:
    (row,) = [row for row in table(real, "published_schemas") if row["schema"] == schema]
    assert (row["constraints"], row["exercised"], row["faults"], row["detected"], row["controls"]) == SCHEMAS[schema]
    assert (row["survived"], row["preserved"]) == (row["faults"] - row["detected"], row["controls"])
    assert (row["regressed"], row["other"]) == (0, 0)
    assert row["constraints"] == sum(row[word] for word in ("exercised", "no_fault", "not_reached", "conditional"))


def test_what_survives_is_a_text_in_the_place_of_another(real: Tree) -> None:
    rows = records(real, "published_schemas/outcomes/jsonschema.jsonl")
    survived = [(row["obligation"], row["family"]) for row in rows if row["outcome"] == "survived"]
    assert survived == [("meaning", "name_for_explanation")] * 2


def test_every_constraint_that_no_fault_breaks_is_listed(real: Tree) -> None:
    listed = Counter(row["schema"] for row in table(real, "unexercised_constraints"))
    assert listed == {name: total - broken for name, (total, broken, *_) in SCHEMAS.items() if total > broken}


def test_the_manifests_lead_back_to_what_is_pinned(real: Tree) -> None:
    for study in STUDIES:
        content = json.loads((real.path / f"results/{study}/manifest.json").read_text("utf-8"))
        made = {entry["path"]: entry for entry in content["artifacts"]}
        outside = {path for entry in made.values() for path in entry["inputs"]} - made.keys()
        pinned = {
            path.as_posix()
            for archive in load_archives(REPOSITORY / FOLDER).values()
            for path in archive.files.values()
        }
        assert (outside - pinned, bool(outside & pinned)) == ({protocol_path(study).as_posix()}, True)
