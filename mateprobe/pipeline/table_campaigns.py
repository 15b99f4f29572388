"""The tables of studies with constructed cases: how these ended, by obligation, kind or profile, or one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mateprobe.pipeline.table import STUDY, VALIDATOR, Row, Table, count, part_of, share, text, validators_of
from mateprobe.records import RecordFile


def obligations(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator and an obligation: how its cases ended, and what that amounts to."""
    for id, validator in validators_of(summary):
        for obligation in validator["obligations"]:
            figures = obligation["figures"]
            ended = figures["counts"].items()
            other = ", ".join(f"{number} {word}" for word, number in ended if word not in ("detected", "preserved"))
            faults = [figures["eligible_faults"], figures["detected_faults"]]
            controls = [figures["eligible_controls"], figures["preserved_controls"]]
            assessment = obligation["assessment"].replace("_", " ")
            yield [summary["study"], id, obligation["id"], *faults, *controls, other or "none", assessment]


def outcomes(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator, obligation and outcome: how many of the obligation's cases ended so."""
    for id, validator in validators_of(summary):
        for obligation in validator["obligations"]:
            ended = obligation["figures"]["counts"] or {"untested": 0}
            for outcome, cases in ended.items():
                yield [summary["study"], id, obligation["id"], outcome, cases]


def feasibility(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator, by rejection alone."""
    for id, validator in validators_of(summary):
        binary = validator["binary"]
        counts = [binary[key] for key in ("tp", "fn", "fp", "tn")]
        shares = [binary[key] for key in ("precision", "recall", "valid_acceptance")]
        yield [summary["study"], id, *counts, *shares]


def expanded(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator and kind of rule, and one for all kinds."""
    for id, validator in validators_of(summary):
        for kind, figures in [*validator["kinds"].items(), ("all", validator)]:
            counts = figures["counts"]
            yield [
                summary["study"],
                id,
                kind,
                sum(counts.values()),
                figures["eligible_faults"],
                figures["detected_faults"],
                counts.get("survived", 0),
                figures["eligible_controls"],
                figures["preserved_controls"],
                counts.get("regressed", 0),
                counts.get("excluded", 0),
                figures["detection_score"],
                figures["preservation_rate"],
            ]


def support(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for a case."""
    for row in outcomes:
        expected = ", ".join(row["expected"]) or "acceptance"
        reported = ", ".join(row["reported"]) or row["variant"]
        shown = [row["family"], outcomes.header["validator"], row["obligation"], expected, reported]
        yield [*shown, row["outcome"], row["provenance"]]


def controlled(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator, its faults read three ways."""
    for id, validator in validators_of(summary):
        boolean = validator["readings"]["boolean"]
        other = [f"{n} {word}" for word, n in validator["counts"].items() if word not in ("detected", "preserved")]
        yield [
            id,
            part_of(boolean["detected_faults"], boolean["eligible_faults"]),
            part_of(validator["detected_faults"], validator["eligible_faults"]),
            part_of(validator["preserved_controls"], validator["eligible_controls"]),
            ", ".join(other),
            validator["disagreements"],
        ]


def ablations(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator, with a part of the accounting left out."""
    for id, validator in validators_of(summary):
        faults, eligible = validator["faults"], validator["eligible_faults"]
        detected, errors = validator["detected_faults"], faults.get("error", 0)
        known = eligible - faults.get("undetermined", 0)
        yield [
            id,
            part_of(detected, eligible),
            part_of(detected + errors, eligible),
            part_of(detected, known),
            part_of(validator["binary"]["tp"], sum(faults.values()) - faults.get("excluded", 0)),
            part_of(validator["preserved_controls"], validator["eligible_controls"]),
            None,
        ]


def source_mutations(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for a mutation."""
    words = {"detected": "killed", "unattributed_rejection": "exception"}
    for row in outcomes:
        tests = [id for id in row["reported"] if "::" in id]
        shown = "; ".join(tests[:3]) + f"; and {len(tests) - 3} more" * (len(tests) > 3)
        outcome = words.get(row["outcome"], row["outcome"])
        yield [row["id"], row["group"], row["obligation"], outcome, len(tests), shown or None]


OWN = "obligations"
"""The table that a study has for itself if it names none; it is then called like the study."""

TABLES: Mapping[str, Table] = {
    OWN: Table(
        "Outcomes by obligation",
        (
            STUDY,
            VALIDATOR,
            text("obligation", "Obligation"),
            count("faults", "Eligible faults"),
            count("detected", "Detected"),
            count("controls", "Eligible controls"),
            count("preserved", "Preserved"),
            text("other", "Other outcomes"),
            text("assessment", "Assessment"),
        ),
        "summary",
        obligations,
    ),
    "outcomes": Table(
        "How the cases of each obligation ended",
        (STUDY, VALIDATOR, text("obligation", "Obligation"), text("outcome", "Outcome"), count("cases", "Cases")),
        "summary",
        outcomes,
    ),
    "feasibility": Table(
        "Feasibility: each validator's verdict on the variants, by rejection alone",
        (
            STUDY,
            VALIDATOR,
            count("tp", "TP"),
            count("fn", "FN"),
            count("fp", "FP"),
            count("tn", "TN"),
            share("precision", "Precision"),
            share("recall", "Recall"),
            share("valid_acceptance", "Valid-variant acceptance"),
        ),
        "summary",
        feasibility,
    ),
    "expanded": Table(
        "Expanded campaign: attributed outcomes by kind of rule",
        (
            STUDY,
            VALIDATOR,
            text("kind", "Kind"),
            count("cases", "Cases"),
            count("faults", "Eligible faults"),
            count("detected", "Detected"),
            count("survived", "Survived"),
            count("controls", "Eligible controls"),
            count("preserved", "Preserved"),
            count("regressed", "Regressed"),
            count("excluded", "Excluded"),
            share("detection", "Detection"),
            share("preservation", "Preservation"),
        ),
        "summary",
        expanded,
    ),
    "support": Table(
        "Customer support: every boundary case of the refund policy",
        (
            text("case", "Case"),
            VALIDATOR,
            text("obligation", "Obligation"),
            text("expected", "Expected"),
            text("reported", "Came out"),
            text("outcome", "Outcome"),
            text("note", "What it shows"),
        ),
        "outcomes",
        support,
    ),
    "controlled": Table(
        "Controlled study: one set of observations, read three ways",
        (
            text("profile", "Profile"),
            text("boolean", "Boolean detections"),
            text("attributed", "Attributed detections"),
            text("controls", "Preserved controls"),
            text("other", "Other outcomes"),
            count("disagreements", "Detailed assertions against audit: disagreements"),
        ),
        "summary",
        controlled,
    ),
    "ablations": Table(
        "Ablations: what each validator's figures would be if a part of the accounting were left out",
        (
            text("profile", "Profile"),
            text("detection", "Detection, sound"),
            text("errors_credited", "Errors credited"),
            text("unknowns_hidden", "Unknowns hidden"),
            text("baselines_ignored", "Baselines ignored"),
            text("preservation", "Preservation, sound"),
            text("without_controls", "Without controls"),
        ),
        "summary",
        ablations,
    ),
    "source_mutations": Table(
        "Source mutations: which tests of the core kill which edit of its source",
        (
            text("mutation", "Mutation"),
            text("file", "File"),
            text("obligation", "Broken obligation"),
            text("outcome", "Outcome"),
            count("tests", "Killing tests"),
            text("killed_by", "Killed by a failing assertion of"),
        ),
        "outcomes",
        source_mutations,
    ),
}
