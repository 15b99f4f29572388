"""Stage ``summary``: counts and rates of a study, one entry a validator. Undefined is null."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mateprobe.canonical import canonical_bytes
from mateprobe.errors import StageError
from mateprobe.outcome import Outcome, Relation, Validity
from mateprobe.pipeline.files import write_bytes
from mateprobe.pipeline.records import RecordFile, read_records
from mateprobe.pipeline.section import RESULTS, add_section, parse_section, receipt_path, stage_modules
from mateprobe.pipeline.stage import run_stage
from mateprobe.tally import assess, counts, rates, ratio

Key = tuple[str, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    add_section(parser)


def run(args: argparse.Namespace) -> int:
    """Run the stage; return 0."""
    section = parse_section(args.section)
    folder = RESULTS / section["study"]
    inputs = {id: folder / "outcomes" / f"{id}.jsonl" for id in section["validators"]}

    def make(partial: Mapping[str, Path]) -> None:
        validators = {
            id: summarize(read_records(path, "outcomes"), section["obligations"]) for id, path in inputs.items()
        }
        asked = {summary["total"] for summary in validators.values()}
        if len(asked) != 1 or 0 in asked:
            raise StageError(
                f"study {section['study']!r}: validators were asked about {sorted(asked)} cases; expected one number above 0"
            )
        content = {
            "study": section["study"],
            "cases": asked.pop(),
            "order": section["validators"],
            "validators": validators,
        }
        write_bytes(partial["summary"], canonical_bytes(content) + b"\n")

    run_stage(
        "summary",
        inputs=inputs,
        params=section,
        modules=stage_modules("summary", section),
        outputs={"summary": folder / "summary.json"},
        make=make,
        receipt=receipt_path(section["study"], "summary"),
    )
    return 0


def summarize(
    outcomes: RecordFile | Iterable[Mapping[str, Any]], obligations: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the summary of one validator from its outcome rows.

    Args:
        outcomes: outcome rows; read once.
        obligations: ``{"id", "description", "scope"?}`` each, in the order to show.
    """
    groups: set[str] = set()
    ended: Counter[tuple[Relation, Outcome]] = Counter()
    by_family: dict[str, Counter[tuple[Relation, Outcome]]] = defaultdict(Counter)
    by_obligation: dict[str, Counter[tuple[Relation, Outcome]]] = defaultdict(Counter)
    said: Counter[tuple[str, str]] = Counter()
    for row in outcomes:
        pair = (Relation(row["relation"]), Outcome(row["outcome"]))
        groups.add(row["group"])
        ended[pair] += 1
        by_family[row["family"]][pair] += 1
        by_obligation[row["obligation"]][pair] += 1
        if row["validity"] == Validity.VALID:
            said[row["relation"], row["variant"]] += 1
            said["baseline", row["baseline"]] += 1
    return {
        "total": sum(ended.values()),
        "groups": len(groups),
        **audit_figures(ended),
        "binary": binary_figures(said),
        "families": {family: counts(_outcomes(found)) for family, found in sorted(by_family.items())},
        "obligations": [
            {"scope": "contract", **obligation, **assess(by_obligation[obligation["id"]].elements())}
            for obligation in obligations
        ],
    }


def _outcomes(found: Counter[tuple[Relation, Outcome]]) -> Iterable[Outcome]:
    return (outcome for _, outcome in found.elements())


def audit_figures(ended: Counter[tuple[Relation, Outcome]]) -> dict[str, Any]:
    """Return counts by outcome and the two attributed rates (0 to 1, None where undefined)."""
    found = rates(ended.elements())
    return {
        "counts": counts(_outcomes(ended)),
        "eligible_faults": found.faults,
        "detected_faults": found.detected,
        "detection_score": found.detection_score,
        "eligible_controls": found.controls,
        "preserved_controls": found.preserved,
        "preservation_rate": found.preservation_rate,
    }


def binary_figures(said: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    """Return the confusion matrix of mere rejection, over the variants of validly labelled cases.

    A rejected fault is a true positive, an accepted control a true negative; errors and incomplete
    verdicts are neither and are counted apart. Baselines are not asked for: see ``baselines_not_accepted``.
    """
    faults, controls = ("violation", "preserve")
    positive, negative = said.get((faults, "rejected"), 0), said.get((faults, "accepted"), 0)
    false_positive, true_negative = said.get((controls, "rejected"), 0), said.get((controls, "accepted"), 0)
    all_faults = sum(number for (side, _), number in said.items() if side == faults)
    all_controls = sum(number for (side, _), number in said.items() if side == controls)
    return {
        "tp": positive,
        "fn": negative,
        "fp": false_positive,
        "tn": true_negative,
        "errors": said.get((faults, "error"), 0) + said.get((controls, "error"), 0),
        "incomplete": said.get((faults, "incomplete"), 0) + said.get((controls, "incomplete"), 0),
        "baselines_not_accepted": sum(
            n for (side, word), n in said.items() if side == "baseline" and word != "accepted"
        ),
        "precision": ratio(positive, positive + false_positive),
        "recall": ratio(positive, all_faults),
        "valid_acceptance": ratio(true_negative, all_controls),
    }
