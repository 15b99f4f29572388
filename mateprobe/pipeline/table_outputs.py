"""The tables of recorded model outputs: how far they came, what was found in them, how their mutations ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from mateprobe.pipeline.table import NOT_EVALUATED, STUDY, Row, Table, count, fraction, text
from mateprobe.records import RecordFile


def _codes(findings: Mapping[str, int]) -> Counter[str]:
    """Return how many findings have each code; an id is ``RULE/CODE@SCOPE``."""
    codes: Counter[str] = Counter()
    for id, number in findings.items():
        codes[id.partition("/")[2].partition("@")[0]] += number
    return codes


def model_outputs(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a model."""
    strict = summary["validators"]["strict"]["samples"]
    for model, found in strict.items():
        evaluated = found["statuses"].get("evaluated", 0)
        accepted = [
            summary["validators"][validator]["samples"][model]["said"].get("accepted", 0) if evaluated else None
            for validator in ("declaration", "strict", "heuristic", "length")
        ]
        codes = sorted(_codes(found["findings"]).items())
        findings = ", ".join(f"{number} {code}" for code, number in codes) or "none"
        recorded = found["recorded"]
        yield [
            summary["study"],
            model,
            found["attempts"],
            evaluated,
            *accepted,
            findings if evaluated else NOT_EVALUATED,
            recorded["output_tokens"]["total"] if "output_tokens" in recorded else None,
            round(recorded["wall_seconds"]["median"], 2) if "wall_seconds" in recorded else None,
        ]


def structure_failures(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a model and way in which its attempts ended."""
    for model, found in summary["validators"]["strict"]["samples"].items():
        for status, number in found["statuses"].items():
            if status != "invalid_structure":
                yield [summary["study"], model, status, "", number]
        for problem, number in found["kinds"].items():
            kind, _, what = problem.partition(": ")
            yield [summary["study"], model, kind, what, number]


def model_findings(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a model and finding code of the strict profile; of a model without any, one that says so."""
    for model, found in summary["validators"]["strict"]["samples"].items():
        evaluated = found["statuses"].get("evaluated", 0)
        codes = _codes(found["findings"])
        for code, number in sorted(codes.items()) if evaluated else ():
            yield [summary["study"], model, evaluated, code, number]
        if not codes:
            yield [summary["study"], model, evaluated, "none" if evaluated else NOT_EVALUATED, 0]


def output_mutations(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for a lane, a model in a lane, an operator."""
    ended: dict[tuple[str, str, str], Counter[str]] = {}
    for row in outcomes:
        lane = row["about"]["lane"]
        outcome = "invalid_structure" if row["reported"] == ["structure"] else row["outcome"]
        for part, name in (("lane", lane), ("model", row["about"]["model"]), ("operator", row["family"])):
            ended.setdefault((part, name, lane), Counter())[outcome] += 1
    for (part, name, lane), counts in sorted(ended.items()):
        excluded = counts["excluded"]
        shown = [counts[outcome] for outcome in ("detected", "invalid_structure", "preserved", "survived")]
        other = sum(counts.values()) - excluded - sum(shown)
        yield [
            outcomes.header["study"],
            part,
            name,
            lane,
            sum(counts.values()),
            sum(counts.values()) - excluded,
            *shown,
            other,
            excluded,
        ]


def lanes(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for a lane: those of ``output_mutations`` that are about lanes."""
    for study, part, _, *row in output_mutations(outcomes):
        if part == "lane":
            yield [study, *row]


def output_findings(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for an operator and finding."""
    cases: Counter[tuple[str, str]] = Counter()
    findings: Counter[tuple[str, str]] = Counter()
    expected: set[tuple[str, str]] = set()
    for row in outcomes:
        expected |= {(row["family"], id) for id in row["expected"]}
        for id in row["reported"]:
            cases[row["family"], id] += 1
            findings[row["family"], id] += row.get("repeated", {}).get(id, 1)
    for family, id in sorted(cases.keys() | expected):
        wanted = "yes" if (family, id) in expected else "no"
        yield [outcomes.header["study"], family, id, wanted, cases[family, id], findings[family, id]]


_OUTPUTS = (
    STUDY,
    text("model", "Model"),
    count("requests", "Requests"),
    count("valid", "Structurally valid"),
    count("declaration", "Declaration accepted", NOT_EVALUATED),
    count("strict", "Strict accepted", NOT_EVALUATED),
    count("heuristic", "Heuristic accepted", NOT_EVALUATED),
    count("length", "Length accepted", NOT_EVALUATED),
    text("findings", "Findings"),
    count("output_tokens", "Output tokens"),
    fraction("median_seconds", "Recorded median, s"),
)
_LANES = (
    text("lane", "Lane"),
    count("cases", "Cases"),
    count("eligible", "Eligible"),
    count("detected", "Detected"),
    count("invalid_structure", "Structure refused"),
    count("preserved", "Preserved"),
    count("accepted", "Fault accepted"),
    count("other", "Other"),
    count("excluded", "Excluded"),
)
_MUTATIONS = (STUDY, text("part", "By"), text("name", "Name"), *_LANES)

TABLES: Mapping[str, Table] = {
    "model_outputs": Table(
        "Recorded model outputs: how far they came, and what each profile accepts; acceptance is not accuracy",
        _OUTPUTS,
        "summary",
        model_outputs,
    ),
    "small_model_outputs": Table(
        "A small model under three ways of decoding: how far its outputs came, and what each profile accepts",
        _OUTPUTS,
        "summary",
        model_outputs,
    ),
    "structure_failures": Table(
        "Recorded model outputs: how each attempt ended, and why a structure was refused",
        (
            STUDY,
            text("model", "Model"),
            text("status", "Status or kind of failure"),
            text("detail", "Detail"),
            count("attempts", "Attempts"),
        ),
        "summary",
        structure_failures,
    ),
    "model_findings": Table(
        "Recorded model outputs: what the strict profile finds in them",
        (
            STUDY,
            text("model", "Model"),
            count("evaluated", "Evaluated"),
            text("code", "Finding"),
            count("findings", "Findings"),
        ),
        "summary",
        model_findings,
    ),
    "lanes": Table(
        "Mutations of recorded outputs by lane; lanes are of different kinds and never pooled",
        (STUDY, *_LANES),
        "outcomes",
        lanes,
    ),
    "output_mutations": Table(
        "Mutations of recorded outputs: outcomes by lane; lanes are of different kinds and never pooled",
        _MUTATIONS,
        "outcomes",
        output_mutations,
    ),
    "small_model_mutations": Table(
        "Mutations of the small model's accepted declarations: outcomes by lane, never pooled",
        _MUTATIONS,
        "outcomes",
        output_mutations,
    ),
    "output_findings": Table(
        "Mutations of recorded outputs: what each operator's variants were found to have",
        (
            STUDY,
            text("operator", "Operator"),
            text("finding", "Finding"),
            text("expected", "Expected"),
            count("cases", "Cases"),
            count("findings", "Findings"),
        ),
        "outcomes",
        output_findings,
    ),
}
