"""Ours against a frozen mutation campaign: outcomes, reasons, both reports of every case, all totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.corpus import Corpus
from mateprobe.mutations import MutationCase, published_outcome
from mateprobe.outcome import INELIGIBLE, Outcome, Relation
from mateprobe.pipeline.comparison import Comparison, Reports, finding_ids
from mateprobe.records import read_records
from mateprobe.serialization import from_data

_TOTALS = {
    "total": "total",
    "valid_faults": "eligible_faults",
    "detected_faults": "detected_faults",
    "detection_score": "detection_score",
    "valid_controls": "eligible_controls",
    "preserved_controls": "preserved_controls",
    "preservation_rate": "preservation_rate",
}
_BINARY_NAMES = {"baseline_rejections": "baselines_not_accepted", "valid_variant_acceptance": "valid_acceptance"}


@dataclass(frozen=True, slots=True)
class Ended:
    """An outcome row as the core's projection wants it."""

    id: str
    relation: Relation
    outcome: Outcome
    reason: str

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Ended:
        """Return the row's end."""
        return cls(row["id"], Relation(row["relation"]), Outcome(row["outcome"]), row["reason"])


def compare_campaign(comparison: Comparison, inputs: Mapping[str, Path]) -> None:
    """Compare a study with a frozen campaign report, its corpus and its summary."""
    campaign = strict_json.load(inputs["report"])
    comparison.expect("corpus", "corpus_digest", corpus_digest(inputs["corpus"]), campaign["corpus_digest"])
    reports = Reports(inputs["observations"])
    outcomes = {row["id"]: row for row in read_records(inputs["outcomes"], "outcomes")}
    families: dict[str, Counter[str]] = {}
    for case, theirs in comparison.matched(read_records(inputs["cases"], "cases"), campaign["cases"]):
        ended = Ended.of(outcomes[case["id"]])
        families.setdefault(case["family"], Counter())[published_outcome(ended).outcome.value] += 1
        where = f"case {case['id']!r}"
        _compare_case(comparison, where, case, ended, theirs)
        comparison.report(
            f"{where} baseline", reports.of(case["baseline_sha256"]), reports.file.header, theirs["baseline"]
        )
        judged = ended.outcome not in INELIGIBLE
        comparison.expect(where, "judged", judged, theirs["variant"] is not None)
        if judged and theirs["variant"]:
            comparison.report(
                f"{where} variant", reports.of(case["variant_sha256"]), reports.file.header, theirs["variant"]
            )
    comparison.expect("summary", "families", families, campaign["summary"]["families"])
    _compare_summary(comparison, inputs, reports.file.header)


def _compare_case(
    comparison: Comparison, where: str, case: Mapping[str, Any], ended: Ended, theirs: Mapping[str, Any]
) -> None:
    published = published_outcome(ended)
    comparison.expect(where, "outcome", published.outcome.value, theirs["outcome"])
    comparison.expect(where, "reason", published.reason, theirs["reason"])
    comparison.expect(where, "expected", case["expected"], finding_ids(theirs["expected"]))
    for field in ("family", "group", "relation"):
        comparison.expect(where, field, case[field], theirs[field])


def corpus_digest(path: Path) -> str:
    """Return the digest of a published corpus, built again from its cases as our types."""
    content = strict_json.load(path)
    cases = content["cases"] if isinstance(content, dict) else content
    return Corpus([from_data(MutationCase, case) for case in cases]).digest


def _compare_summary(comparison: Comparison, inputs: Mapping[str, Path], header: Mapping[str, Any]) -> None:
    """Compare totals with the published summary; its names for the same figures are a little different."""
    ours = strict_json.load(inputs["summary"])["validators"]
    frozen = strict_json.load(inputs["published_summary"])
    totals = frozen.get("targeted_audit") or frozen["combined"]
    validator = header["validator"]
    for field, name in _TOTALS.items():
        comparison.expect(f"summary of {validator!r}", field, ours[validator][name], totals[field])
    for kind, theirs in frozen.get("by_kind", {}).items():
        for field, name in _TOTALS.items():
            figures = ours[validator]["kinds"][kind]
            figure = sum(figures["counts"].values()) if field == "total" else figures[name]
            comparison.expect(f"summary of {kind} rules", field, figure, theirs[field])
    if "contract_digest" in frozen:
        comparison.expect("summary", "contract_digest", header["contracts_digest"], frozen["contract_digest"])
    for id, theirs in frozen.get("binary_comparisons", {}).items():
        for field, value in theirs.items():
            figure = ours[id]["binary"][_BINARY_NAMES.get(field, field)]
            comparison.expect(f"binary figures of {id!r}", field, figure, value)
