"""Ours is held against a frozen report value by value; one difference fails the run and says where."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, strategies as st

from mateprobe import Context, Document, MutationCase, Policy, Relation, Sample, Surface, Target, Validity, audit
from mateprobe.canonical import plain, same
from mateprobe.mutations import published_outcome
from mateprobe.pipeline.comparison import Comparison, finding_ids
from mateprobe.rules import MinimumTokens, RequiredFact
from tests.unit.conftest import Bench, Ended, left, row, study

AGREEMENT = "results/demo/agreement.json"
RULES = (RequiredFact("fact", "status", "pending"), MinimumTokens("thin", ("body",), 2, 2))
PROFILE = {
    "contracts": [
        {"type": "RequiredFact", "rule_id": "fact", "key": "status", "expected": "pending"},
        {"type": "MinimumTokens", "rule_id": "thin", "surface_ids": ["body"], "minimum": 2, "minimum_unique": 2},
    ],
    "policy": {"block_heuristics": True, "block_undetermined": True},
}


# --- one value --------------------------------------------------------------------------------------------------

Values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, -1.5]) | st.sampled_from("ab"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


@given(ours=Values, frozen=Values)
def test_values_agree_when_they_are_the_same_types_included(ours: Any, frozen: Any) -> None:
    comparison = Comparison()
    comparison.expect("case 'a'", "status", ours, frozen)
    assert comparison.compared == {"status": 1}
    assert comparison.differences == (
        [] if same(ours, frozen) else [f"case 'a' status: ours {ours!r}, frozen {frozen!r}"]
    )


ALIKE = {"a truth and a number": (True, 1), "a whole number and a float": (1, 1.0), "nothing and nought": (None, 0)}


@pytest.mark.parametrize(("ours", "frozen"), ALIKE.values(), ids=ALIKE.keys())
def test_values_that_python_may_take_for_equal_differ(ours: Any, frozen: Any) -> None:
    comparison = Comparison()
    comparison.expect("case 'a'", "metrics", [ours], [frozen])
    assert len(comparison.differences) == 1


def test_a_difference_stays_short_whatever_differs() -> None:
    comparison = Comparison()
    comparison.expect("case 'a'", "text", "x" * 10_000, "y" * 10_000)
    assert len(comparison.differences[0]) < 500


def test_what_one_side_has_alone_is_a_difference() -> None:
    comparison = Comparison()
    ours, frozen = [{"id": "a", "n": 1}, {"id": "b", "n": 2}], [{"id": "c", "n": 3}, {"id": "b", "n": 4}]
    assert list(comparison.matched(ours, frozen)) == [(ours[1], frozen[1])]
    assert comparison.differences == [
        "case 'a': ours alone; the frozen report has no such case",
        "case 'c': frozen alone; ours has no such case",
    ]


def test_a_published_target_is_a_finding_id() -> None:
    assert finding_ids([{"rule_id": "fact", "code": "REQUIRED_FACT", "scope": "state:current:status"}]) == [
        "fact/REQUIRED_FACT@state:current:status"
    ]


# --- a whole campaign -------------------------------------------------------------------------------------------


def sample(status: str = "pending", text: str = "two words") -> Sample:
    return Sample(Document((Surface("body", text, "current"),)), Context({"current": {"status": status}}))


def frozen_cases() -> Iterator[MutationCase]:
    fault, control, sold = Relation.VIOLATION, Relation.PRESERVE, sample("sold")
    targets = (Target("fact", "REQUIRED_FACT", "state:current:status"),)
    for id, relation, variant, validity in (
        ("caught", fault, sold, Validity.VALID),
        ("missed", fault, sample("pending", "three words now"), Validity.VALID),
        ("kept", control, sample("pending", "other words"), Validity.VALID),
        ("lost", control, sample("pending", "one"), Validity.VALID),
        ("same", control, sample(), Validity.VALID),
        ("doubtful", fault, sold, Validity.UNREVIEWED),
    ):
        expected = targets if relation is fault else ()
        yield MutationCase(id, "edit", relation, sample(), variant, expected, validity, "by hand", "group")


def published() -> dict[str, Any]:
    """Return the campaign of those cases as its frozen report would tell it: by the core alone."""
    report = audit(frozen_cases(), RULES, Policy(block_heuristics=True, block_undetermined=True))
    content: dict[str, Any] = json.loads(json.dumps(report.to_dict()))
    for case, ended in zip(content["cases"], report.cases, strict=True):
        case["outcome"], case["reason"] = (str(word) for word in published_outcome(ended))
    words = [case["outcome"] for case in content["cases"]]
    content["summary"]["families"] = {"edit": {word: words.count(word) for word in dict.fromkeys(words)}}
    return content


@pytest.fixture
def compared(bench: Bench) -> Bench:
    """A study of the frozen cases that has been judged, with its frozen report in place."""
    bench.write(
        study(
            cases={"evidence": "corpus.json", "controls": {"edit": "fact"}},
            obligations=[{"id": "fact", "description": "It is pending."}],
            validators=[{"id": "strict", "contracts": "_profile.yaml"}],
            agreement={
                "kind": "campaign",
                "validator": "strict",
                "frozen": {"report": "campaign.json", "corpus": "corpus.json", "summary": "summary.json"},
            },
            tables=["agreement"],
        )
    )
    Path("studies/_profile.yaml").write_text(yaml.safe_dump(PROFILE))
    Path("results/evidence").mkdir(parents=True)
    report = published()
    put("corpus", plain(list(frozen_cases())))
    put("campaign", report)
    put("summary", {"targeted_audit": report["summary"]})
    bench.judge()
    return bench


def put(name: str, content: Any) -> None:
    Path(f"results/evidence/{name}.json").write_text(json.dumps(content))


def test_a_campaign_that_agrees_is_told_with_the_number_of_values_compared(compared: Bench) -> None:
    assert compared.run("agreement") == Ended(0, "agreement: made")
    found = json.loads(Path(AGREEMENT).read_text())
    assert (found["study"], found["frozen"], found["cases"], found["differences"]) == ("demo", "campaign.json", 6, [])
    assert found["values"] == sum(found["compared"].values())
    reports = list(chain.from_iterable((case["baseline"], case["variant"]) for case in published()["cases"]))
    judged = [report for report in reports if report]
    assert len(judged) == 10
    assert found["compared"]["input_digest"] == found["compared"]["accepted"] == len(judged)
    assert found["compared"]["status"] == sum(len(report["checks"]) for report in judged)


Tamper = Callable[[Any], Any]
TAMPERINGS: dict[str, tuple[str, Tamper, str]] = {
    "an outcome": (
        "campaign",
        lambda report: report["cases"][0].update(outcome="survived"),
        "case 'caught' outcome: ours 'detected', frozen 'survived'",
    ),
    "a reason": (
        "campaign",
        lambda report: report["cases"][2].update(reason="accepted"),
        "case 'kept' reason: ours 'accepted_and_complete', frozen 'accepted'",
    ),
    "an expected id": (
        "campaign",
        lambda report: report["cases"][0]["expected"][0].update(scope="body"),
        "case 'caught' expected: ours ['fact/REQUIRED_FACT@state:current:status'], frozen ['fact/REQUIRED_FACT@body']",
    ),
    "a group": (
        "campaign",
        lambda report: report["cases"][0].update(group="other"),
        "case 'caught' group: ours 'group', frozen 'other'",
    ),
    "a status": (
        "campaign",
        lambda report: report["cases"][0]["variant"]["checks"][0].update(status="satisfied"),
        "case 'caught' variant check fact status: ours 'violated', frozen 'satisfied'",
    ),
    "a code": (
        "campaign",
        lambda report: report["cases"][3]["variant"]["checks"][1].update(code="THIN"),
        "case 'lost' variant check thin code: ours 'LOW_LEXICAL_CONTENT', frozen 'THIN'",
    ),
    "a scope": (
        "campaign",
        lambda report: report["cases"][3]["baseline"]["checks"][1].update(scope="label"),
        "case 'lost' baseline check thin scope: ours 'body', frozen 'label'",
    ),
    "the type of a metric": (
        "campaign",
        lambda report: report["cases"][3]["variant"]["checks"][1]["metrics"][0].__setitem__(1, 1.0),
        "case 'lost' variant check thin metrics: ours [['tokens', 1], ['unique_tokens', 1]], frozen [['tokens', 1.0], ",
    ),
    "a check too few": (
        "campaign",
        lambda report: report["cases"][0]["baseline"]["checks"].pop(),
        "case 'caught' baseline checks: ours 2, frozen 1",
    ),
    "a verdict": (
        "campaign",
        lambda report: report["cases"][3]["variant"].update(accepted=True),
        "case 'lost' variant accepted: ours False, frozen True",
    ),
    "a policy": (
        "campaign",
        lambda report: report["cases"][0]["variant"]["policy"].update(block_heuristics=False),
        "case 'caught' variant policy: ours {'block_heuristics': True, 'block_undetermined': True}, frozen ",
    ),
    "a digest of a sample": (
        "campaign",
        lambda report: report["cases"][5]["baseline"].update(input_digest="00"),
        "case 'doubtful' baseline input_digest: ours ",
    ),
    "a digest of the rules": (
        "campaign",
        lambda report: report["cases"][1]["variant"].update(contracts_digest="00"),
        "case 'missed' variant contracts_digest: ours ",
    ),
    "a variant that was not judged": (
        "campaign",
        lambda report: report["cases"][0].update(variant=None),
        "case 'caught' judged: ours True, frozen False",
    ),
    "a case too few": (
        "campaign",
        lambda report: report["cases"].pop(0),
        "case 'caught': ours alone; the frozen report has no such case",
    ),
    "a case too many": (
        "campaign",
        lambda report: report["cases"].append({**report["cases"][0], "id": "extra"}),
        "case 'extra': frozen alone; ours has no such case",
    ),
    "the digest of the corpus": (
        "campaign",
        lambda report: report.update(corpus_digest="00"),
        "corpus corpus_digest: ours ",
    ),
    "a count of a family": (
        "campaign",
        lambda report: report["summary"]["families"]["edit"].update(detected=2),
        "summary families: ours {'edit': ",
    ),
    "a total": (
        "summary",
        lambda summary: summary["targeted_audit"].update(detected_faults=2),
        "summary of 'strict' detected_faults: ours 1, frozen 2",
    ),
    "a rate": (
        "summary",
        lambda summary: summary["targeted_audit"].update(detection_score=0.25),
        "summary of 'strict' detection_score: ours 0.5, frozen 0.25",
    ),
}


@pytest.mark.parametrize(("file", "tamper", "difference"), TAMPERINGS.values(), ids=TAMPERINGS.keys())
def test_one_difference_fails_the_run_naming_case_and_field(
    compared: Bench, file: str, tamper: Tamper, difference: str
) -> None:
    content = json.loads(Path(f"results/evidence/{file}.json").read_text())
    tamper(content)
    put(file, content)
    before = left()
    ended = compared.run("agreement")
    head, *differences = ended.said.splitlines()
    assert (ended.code, left()) == (1, before)
    assert head.startswith("agreement: study 'demo': ")
    assert head.endswith(" differences from campaign.json:")
    assert [line for line in differences if line.startswith(difference)] == differences[:1]


def test_only_the_first_differences_are_shown_and_all_are_counted(compared: Bench) -> None:
    content = published()
    for case in content["cases"]:
        case["group"] = case["family"] = "other"
    put("campaign", content)
    head, *shown = compared.run("agreement").said.splitlines()
    assert (head, len(shown)) == ("agreement: study 'demo': 12 differences from campaign.json:", 10)


def test_prose_may_differ(compared: Bench) -> None:
    content = published()
    for case in content["cases"]:
        for check in case["baseline"]["checks"]:
            check["evidence"] = "in other words"
        case["baseline"]["library_version"] = "0.0"
    put("campaign", content)
    assert compared.run("agreement").code == 0


def test_a_study_without_a_frozen_report_has_no_agreement(bench: Bench) -> None:
    bench.write(study(row()))
    assert bench.run("agreement") == Ended(
        2, "agreement: studies/demo.yaml: stage 'agreement': expected the key agreement, found none\n"
    )


@pytest.mark.parametrize("text", ["{", '{"cases": NaN}', '{"cases": [], "cases": []}'])
def test_a_frozen_report_that_is_spoilt_is_named(compared: Bench, text: str) -> None:
    Path("results/evidence/campaign.json").write_text(text)
    before = left()
    ended = compared.run("agreement")
    assert (ended.code, left()) == (2, before)
    assert ended.said.startswith("agreement: results/evidence/campaign.json")
