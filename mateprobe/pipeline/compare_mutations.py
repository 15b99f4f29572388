"""Ours against the frozen mutations of recorded outputs: variants by digest, then outcomes and reports."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.canonical import digest
from mateprobe.corpus import Corpus
from mateprobe.mutations import MutationCase, Target, published_outcome
from mateprobe.outcome import Outcome, Relation, Validity
from mateprobe.pipeline.compare_campaign import Ended
from mateprobe.pipeline.comparison import Comparison, Reports, finding_ids
from mateprobe.pipeline.corpora.envelope import document
from mateprobe.records import read_records


def compare_mutations(comparison: Comparison, inputs: Mapping[str, Path]) -> None:
    """Compare every case with the prepared and the evaluated frozen one, lane by lane."""
    prepared = strict_json.load(inputs["corpus"])["cases"]
    frozen = {case["id"]: case for case in strict_json.load(inputs["report"])}
    reports = Reports(inputs["observations"])
    outcomes = {row["id"]: row for row in read_records(inputs["outcomes"], "outcomes")}
    lanes: dict[str, Counter[str]] = defaultdict(Counter)
    findings: dict[str, Counter[str]] = defaultdict(Counter)
    audited: dict[str, MutationCase] = {}
    for case, theirs in comparison.matched(read_records(inputs["cases"], "cases"), prepared):
        where, evaluated = f"case {case['id']!r}", frozen[case["id"]]
        _compare_case(comparison, where, case, theirs)
        row = outcomes[case["id"]]
        outcome, reason = _published(case["about"]["lane"], row)
        comparison.expect(where, "outcome", outcome, evaluated["outcome"])
        comparison.expect(where, "reason", reason, evaluated["reason"])
        lanes[case["about"]["lane"]][outcome] += 1
        findings[case["family"]].update(row_findings(row))
        result = evaluated["result"]
        comparison.expect(where, "judged", outcome != Outcome.EXCLUDED, result is not None)
        if result is not None:
            status = "invalid_structure" if row["reported"] == ["structure"] else "evaluated"
            comparison.expect(where, "status", status, result["status"])
        if result and "report" in result:
            comparison.report(where, reports.of(case["variant_sha256"]), reports.file.header, result["report"])
        if case["about"]["lane"] in ("exact", "heuristic", "control") and outcome != Outcome.EXCLUDED:
            audited[case["id"]] = _mutation_case(case, theirs)
    audit = strict_json.load(inputs["audit"])
    in_order = [audited[case["id"]] for case in audit["cases"]]
    comparison.expect("audit", "corpus_digest", Corpus(in_order).digest, audit["corpus_digest"])
    _compare_summary(comparison, strict_json.load(inputs["published_summary"]), lanes, findings)


def _compare_case(comparison: Comparison, where: str, case: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    for side in ("baseline", "variant"):
        field = f"{side}_json_digest"
        comparison.expect(where, field, digest(case[side]["envelope"]), theirs[field])
    for field in ("family", "group"):
        comparison.expect(where, field, case[field], theirs[field])
    for field in ("lane", "model"):
        comparison.expect(where, field, case["about"][field], theirs[field])
    if theirs["target"]:
        comparison.expect(where, "target", case["expected"], finding_ids([theirs["target"]]))


def _published(lane: str, row: Mapping[str, Any]) -> tuple[str, str]:
    """Return outcome and reason in the words of the frozen cases, which say no reason beyond the audit."""
    if lane == "schema":
        return row["outcome"], ""
    if lane == "challenge":
        return row["variant"], ""
    published = published_outcome(Ended.of(row))
    return published.outcome.value, published.reason


def row_findings(row: Mapping[str, Any]) -> Counter[str]:
    """Return how often each id was found on the variant: once, or as often as the row says."""
    return Counter({id: row.get("repeated", {}).get(id, 1) for id in row["reported"]})


def _mutation_case(case: Mapping[str, Any], theirs: Mapping[str, Any]) -> MutationCase:
    relation = Relation(case["relation"])
    return MutationCase(
        case["id"], case["family"], relation, document(case["baseline"]), document(case["variant"]),
        (Target(**theirs["target"]),) if theirs["target"] else (), Validity.VALID, theirs["provenance"], case["group"],
    )  # fmt: skip


def _compare_summary(
    comparison: Comparison,
    frozen: Mapping[str, Any],
    lanes: Mapping[str, Counter[str]],
    findings: Mapping[str, Counter[str]],
) -> None:
    for lane, theirs in frozen["by_lane"].items():
        comparison.expect(f"summary of lane {lane!r}", "counts", dict(lanes[lane]), theirs["counts"])
    for family, counted in frozen["violation_findings_by_family"].items():
        ours = {id.replace("@", "/"): number for id, number in findings[family].items() if id != "structure"}
        comparison.expect(f"summary of {family!r}", "findings", ours, counted)
