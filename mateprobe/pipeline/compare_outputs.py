"""Ours against the frozen reports of recorded model outputs, record by record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.canonical import digest
from mateprobe.pipeline.comparison import Comparison, Reports
from mateprobe.records import read_records

PROFILES = {
    "invariant_accepted": "declaration",
    "heuristic_accepted": "heuristic",
    "length_assertions_accepted": "length",
}
"""The published name of what each of our validators says."""


def compare_outputs(comparison: Comparison, inputs: Mapping[str, Path]) -> None:
    """Compare statuses, each profile's verdict, the strict report, and the totals by model."""
    said = {
        validator: {row["id"]: row["baseline"] for row in read_records(inputs[f"outcomes_{validator}"], "outcomes")}
        for validator in PROFILES.values()
    }
    reports = Reports(inputs["observations"])
    for case, theirs in comparison.matched(read_records(inputs["cases"], "cases"), strict_json.load(inputs["report"])):
        where, about = f"record {case['id']!r}", case["about"]
        comparison.expect(where, "outcome", about["status"], theirs["status"])
        for field in ("model", "language", "domain"):
            comparison.expect(where, field, about[field], theirs[field])
        comparison.expect(where, "group", case["group"], theirs["group"])
        if about["status"] == "evaluated":
            for field, validator in PROFILES.items():
                comparison.expect(where, field, said[validator][case["id"]] == "accepted", theirs[field])
            comparison.report(where, reports.of(case["baseline_sha256"]), reports.file.header, theirs["report"])
    _compare_summary(comparison, inputs)


def _compare_summary(comparison: Comparison, inputs: Mapping[str, Path]) -> None:
    frozen = strict_json.load(inputs["published_summary"])
    records = [record for _, record in strict_json.lines(inputs["corpus"])]
    comparison.expect("summary", "corpus_digest", digest(records), frozen["corpus_digest"])
    validators = strict_json.load(inputs["summary"])["validators"]
    for model, theirs in frozen["models"].items():
        strict = validators["strict"]["samples"][model]
        ours = {
            "attempts": strict["attempts"],
            "status_counts": strict["statuses"],
            "structured_outputs": strict["statuses"].get("evaluated", 0),
            "strict_accepted": strict["said"].get("accepted", 0),
            "violation_findings": findings_by_code(strict["findings"]),
            "generation_wall_median_s": strict["recorded"]["wall_seconds"]["median"],
            "generation_wall_p95_s": strict["recorded"]["wall_seconds"]["p95"],
            "output_tokens": strict["recorded"]["output_tokens"]["total"],
            "prompt_tokens": strict["recorded"]["prompt_tokens"]["total"],
            **{
                field: validators[validator]["samples"][model]["said"].get("accepted", 0)
                for field, validator in PROFILES.items()
            },
        }
        for field, value in theirs.items():
            comparison.expect(f"summary of {model!r}", field, ours[field], value)


def findings_by_code(findings: Mapping[str, Any]) -> dict[str, int]:
    """Return findings counted by code, from counts by ``RULE/CODE@SCOPE``."""
    codes: Counter[str] = Counter()
    for id, number in findings.items():
        codes[id.partition("/")[2].partition("@")[0]] += number
    return dict(sorted(codes.items()))
