"""The frozen campaigns: what was published of them is what the core finds in their frozen cases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mateprobe import (
    CampaignReport,
    Claim,
    Context,
    DeclaredClaimsConsistent,
    Document,
    ForbiddenPattern,
    LexicalRestatement,
    MinimumTokens,
    MutationCase,
    NoRepeatedText,
    Relation,
    RequiredFact,
    Rule,
    Sample,
    SettledPremise,
    StateChanged,
    Surface,
    Target,
    Validity,
    audit,
)
from mateprobe.mutations import published_outcome

FEASIBILITY_CONTRACTS = "67763f2079c3927568c8ca2a0a60b8eb8459d359319c43be9ed469264dcaadfe"
CORPORA = {
    "results": "be233d8434d49e7b07f5291ddaec4072289b0f9bb0d2d335237b844bac1813ea",
    "expanded-results": "cfad3ba2aca7b31418dfe3d39d785c2ddc22203975a3a29e7a374d0e8264c255",
}


def profile(fact: str, claims: str, thin: MinimumTokens) -> tuple[Rule, ...]:
    """Return the frozen profile; the two campaigns call three of its rules by different names."""
    offers = (
        ("offer", "te ofrecen otra vez el mismo contrato"),
        ("offer", "they offer you the same contract again"),
    )
    formulas = (r"\bla reunion salio bien\b", r"\bthe meeting went well\b")
    return (
        RequiredFact(fact, "status", "pending"),
        DeclaredClaimsConsistent(claims, ("outcome",)),
        StateChanged("advance", before="current", after="take", keys=("credits",)),
        thin,
        LexicalRestatement("restatement", source="label", target="outcome"),
        ForbiddenPattern("formula", formulas, ("body", "outcome")),
        SettledPremise("premise", offers, ("body",)),
        NoRepeatedText("repeat", ("body",)),
    )


PROFILES = {
    "results": profile("fact", "claims", MinimumTokens("thin", ("body", "outcome"), 8, 5)),
    "expanded-results": profile(
        "required-status", "branch-claims", MinimumTokens("lexical-floor", ("body", "outcome"), 10, 6)
    ),
}


def sample(frozen: dict[str, Any]) -> Sample:
    surfaces = tuple(
        Surface(**{**surface, "claims": tuple(Claim(**claim) for claim in surface["claims"])})
        for surface in frozen["document"]["surfaces"]
    )
    return Sample(Document(surfaces), Context(**frozen["context"]))


def case(frozen: dict[str, Any]) -> MutationCase:
    labels = {"relation": Relation(frozen["relation"]), "validity": Validity(frozen["validity"])}
    samples = {role: sample(frozen[role]) for role in ("baseline", "variant")}
    expected = tuple(Target(**target) for target in frozen["expected"])
    return MutationCase(**{**frozen, **labels, **samples, "expected": expected})


@dataclass(frozen=True)
class Campaign:
    """A frozen report and ours of the same cases."""

    name: str
    frozen: dict[str, Any]
    ours: CampaignReport

    def both(self, compared: Callable[[dict[str, Any]], Any]) -> tuple[list[Any], list[Any]]:
        """Return ``compared`` of each case, frozen and ours, with the case's id."""
        ours = [{**row, "case": case} for row, case in zip(self.ours.to_dict()["cases"], self.ours.cases, strict=True)]
        return tuple([(row["id"], compared(row)) for row in rows] for rows in (self.frozen["cases"], ours))  # type: ignore[return-value]


@pytest.fixture(scope="module", params=CORPORA)
def campaign(request: pytest.FixtureRequest, evidence: Path) -> Campaign:
    folder = evidence / "benchmarks" / request.param
    corpus = json.loads((folder / "corpus.json").read_bytes())
    cases = corpus if isinstance(corpus, list) else corpus["cases"]
    frozen = json.loads((folder / "campaign.json").read_bytes())
    return Campaign(request.param, frozen, audit(map(case, cases), PROFILES[request.param]))


def reports(read: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    """Return what reads both reports of a case, where there are two."""
    return lambda row: [row[role] and read(row[role]) for role in ("baseline", "variant")]


COMPARED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "labels": lambda row: [row[key] for key in ("family", "group", "relation", "expected")],
    "statuses": reports(lambda report: [check["status"] for check in report["checks"]]),
    "codes": reports(lambda report: [check["code"] for check in report["checks"]]),
    "scopes": reports(lambda report: [check["scope"] for check in report["checks"]]),
    "metrics": reports(lambda report: [check["metrics"] for check in report["checks"]]),
    "rules": reports(
        lambda report: [(check["rule_id"], check["version"], check["kind"]) for check in report["checks"]]
    ),
    "verdicts": reports(lambda report: (report["accepted"], report["complete"], report["policy"])),
    "input digests": reports(lambda report: report["input_digest"]),
    "contracts digests": reports(lambda report: report["contracts_digest"]),
}


@pytest.mark.parametrize("compared", COMPARED.values(), ids=COMPARED.keys())
def test_every_frozen_case_has_the_same(campaign: Campaign, compared: Callable[[dict[str, Any]], Any]) -> None:
    frozen, ours = campaign.both(compared)
    assert ours == frozen


def test_every_frozen_case_ends_the_same_in_the_published_words(campaign: Campaign) -> None:
    ours = [(case.id, *published_outcome(case)) for case in campaign.ours.cases]
    assert ours == [(row["id"], row["outcome"], row["reason"]) for row in campaign.frozen["cases"]]


def test_the_corpus_is_the_pinned_one(campaign: Campaign) -> None:
    assert campaign.ours.corpus_digest == campaign.frozen["corpus_digest"] == CORPORA[campaign.name]


def test_the_summary_counts_the_same(campaign: Campaign) -> None:
    ours, frozen = campaign.ours.summary(), campaign.frozen["summary"]
    ours["counts"] = Counter(published_outcome(case).outcome for case in campaign.ours.cases)
    for family in ours["families"]:
        outcomes = [published_outcome(case).outcome for case in campaign.ours.cases if case.family == family]
        ours["families"][family] = Counter(outcomes)
    assert ours == frozen


def test_the_feasibility_profile_is_the_pinned_one(campaign: Campaign) -> None:
    assert ({case.baseline.contracts_digest for case in campaign.ours.cases} == {FEASIBILITY_CONTRACTS}) == (
        campaign.name == "results"
    )
