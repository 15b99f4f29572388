"""Stage ``summary``: counts and rates of a study, one entry a validator. Undefined is null."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mateprobe.errors import StageError
from mateprobe.outcome import Outcome, Relation, Validity
from mateprobe.pipeline.attribution import Attribution
from mateprobe.pipeline.samples import Samples
from mateprobe.pipeline.section import add_section, parse_section
from mateprobe.pipeline.study_report import outcomes_of, run_report
from mateprobe.records import read_records
from mateprobe.tally import assess, by_outcome, counts, rates, ratio

Pair = tuple[Relation, Outcome]
READINGS = frozenset({"boolean", "detailed"})
"""Fields of an outcome row that hold another reading of the same observations."""

ALIKE = 4096
"""Kinds of rows that are counted up together: memory stays flat however many there are."""

_COUNTED = ("family", "obligation", "relation", "outcome", "validity", "baseline", "variant", *sorted(READINGS))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    add_section(parser)


def run(args: argparse.Namespace) -> int:
    """Run the stage; return 0."""
    section = parse_section(args.section)
    inputs = outcomes_of(section)

    def report() -> Mapping[str, Any]:
        validators = {
            id: summarize(read_records(path, "outcomes"), section["obligations"], pooled=section["pooled"])
            for id, path in inputs.items()
        }
        asked = {summary["total"] for summary in validators.values()}
        if len(asked) != 1 or 0 in asked:
            raise StageError(
                f"study {section['study']!r}: validators were asked about {sorted(asked)} cases; "
                "expected one number above 0"
            )
        return {"cases": asked.pop(), "order": section["validators"], "validators": validators}

    return run_report("summary", section, inputs, report)


class Tally:
    """What is counted of one validator, outcome row by outcome row."""

    def __init__(self) -> None:
        self.groups: set[str] = set()
        self.ended: Counter[Pair] = Counter()
        self.by_family: dict[str, Counter[Pair]] = defaultdict(Counter)
        self.by_obligation: dict[str, Counter[Pair]] = defaultdict(Counter)
        self.said: Counter[tuple[str, str]] = Counter()
        self.read: dict[str, Counter[Pair]] = {}
        self.disagreements: list[str] = []
        self.attribution = Attribution()
        self.changed_samples: list[str] = []
        self.samples = Samples()
        self._alike: Counter[tuple[Any, ...]] = Counter()

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one outcome row. Rows that are alike are counted up together, in ``close`` at the latest."""
        self.groups.add(row["group"])
        if row["outcome"] is None:
            self.samples.add(row)
            return
        self._alike[(*map(row.get, _COUNTED), tuple(row["expected"]), tuple(row["reported"]))] += 1
        if row.get("changed_sample"):
            self.changed_samples.append(row["id"])
        if row.get("detailed", row["outcome"]) != row["outcome"]:
            self.disagreements.append(row["id"])
        if len(self._alike) >= ALIKE:
            self.close()

    def close(self) -> None:
        """Count up what has been added."""
        for key, number in self._alike.items():
            *counted, expected, reported = key
            self._count(dict(zip(_COUNTED, counted, strict=True)), expected, reported, number)
        self._alike.clear()

    def _count(self, row: Mapping[str, Any], expected: Sequence[str], reported: Sequence[str], number: int) -> None:
        relation, outcome = Relation(row["relation"]), Outcome(row["outcome"])
        pair = (relation, outcome)
        self.ended[pair] += number
        self.by_family[row["family"]][pair] += number
        self.by_obligation[row["obligation"]][pair] += number
        self.attribution.add(relation, outcome, expected, reported, number)
        if row["validity"] == Validity.VALID:
            self.said[relation, row["variant"]] += number
            self.said["baseline", row["baseline"]] += number
        for name in READINGS:
            if row[name] is not None:
                self.read.setdefault(name, Counter())[relation, Outcome(row[name])] += number


def summarize(
    outcomes: Iterable[Mapping[str, Any]], obligations: Iterable[Mapping[str, Any]], *, pooled: bool = True
) -> dict[str, Any]:
    """Return the summary of one validator from its outcome rows.

    Args:
        outcomes: outcome rows; read once.
        obligations: ``{"id", "description", "scope"?, "kind"?}`` each, in the order to show.
        pooled: whether obligations are alike enough for figures over all of them.

    Raises:
        StageError: detailed assertions came to another outcome than the audit; names the cases.
    """
    tally, obligations = Tally(), list(obligations)
    for row in outcomes:
        tally.add(row)
    tally.close()
    if tally.disagreements:
        raise StageError(
            f"{len(tally.disagreements)} cases end otherwise by detailed assertions than by the audit: "
            + ", ".join(tally.disagreements[:10])
        )
    return {
        "total": sum(tally.ended.values()) + tally.samples.total,
        "groups": len(tally.groups),
        "samples": tally.samples.figures(),
        "changed_samples": {"cases": len(tally.changed_samples), "first": tally.changed_samples[:1]},
        **(_pooled(tally, obligations) if pooled else {}),
        "families": {family: audit_figures(ended) for family, ended in sorted(tally.by_family.items())},
        "obligations": [
            {
                "scope": "contract",
                **obligation,
                **assess(tally.by_obligation[obligation["id"]]),
                "figures": audit_figures(tally.by_obligation[obligation["id"]]),
            }
            for obligation in obligations
        ],
    }


def _pooled(tally: Tally, obligations: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the figures that span obligations."""
    return {
        **audit_figures(tally.ended),
        "binary": binary_figures(tally.said),
        "readings": {name: audit_figures(ended) for name, ended in sorted(tally.read.items())},
        "disagreements": len(tally.disagreements),
        "error_policies": error_policies(tally.ended),
        "attribution": tally.attribution.figures(),
        "kinds": {
            kind: audit_figures(sum((tally.by_obligation[id] for id in ids), Counter()))
            for kind, ids in _ids_by_kind(obligations).items()
        },
    }


def _ids_by_kind(obligations: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {}
    for obligation in obligations:
        if "kind" in obligation:
            kinds.setdefault(obligation["kind"], []).append(obligation["id"])
    return dict(sorted(kinds.items()))


def audit_figures(ended: Counter[Pair]) -> dict[str, Any]:
    """Return counts by outcome, of all cases and by relation, and both rates (None where undefined)."""
    found = rates(ended)
    of = {
        relation: by_outcome(Counter({pair: number for pair, number in ended.items() if pair[0] is relation}))
        for relation in Relation
    }
    return {
        "counts": counts(by_outcome(ended)),
        "faults": counts(of[Relation.VIOLATION]),
        "controls": counts(of[Relation.PRESERVE]),
        "eligible_faults": found.faults,
        "detected_faults": found.detected,
        "detection_score": found.detection_score,
        "eligible_controls": found.controls,
        "preserved_controls": found.preserved,
        "preservation_rate": found.preservation_rate,
    }


def error_policies(ended: Counter[Pair]) -> dict[str, Any]:
    """Return the detection score under three ways to treat a fault without a usable verdict.

    Only ``miss`` is sound: a crash or an unknown is no detection, and leaving it out of the
    denominator hides it. The others are shown so that nobody has to guess what they would have given.
    """
    found = rates(ended)
    lost = sum(ended[Relation.VIOLATION, outcome] for outcome in (Outcome.ERROR, Outcome.UNDETERMINED))
    return {
        "without_verdict": lost,
        "miss": ratio(found.detected, found.faults),
        "dropped": ratio(found.detected, found.faults - lost),
        "detection": ratio(found.detected + lost, found.faults),
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
