"""Stage ``gate``: what the validators of a study must reach, and how each of them stands."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from mateprobe import strict_json
from mateprobe.gate import Gate, Held, Standing
from mateprobe.outcome import FATAL
from mateprobe.pipeline.section import RESULTS, add_section, parse_section
from mateprobe.pipeline.study_report import run_report
from mateprobe.tally import Rates


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    add_section(parser)


def run(args: argparse.Namespace) -> int:
    """Write ``results/STUDY/gate.json``; return 0 whether gates are met or not: that is a finding, no failure."""
    section = parse_section(args.section)
    summary = RESULTS / section["study"] / "summary.json"
    return run_report(
        "gate",
        section,
        {"summary": summary},
        lambda: standings(section["gates"], strict_json.load(summary)["validators"]),
    )


def standings(gates: Sequence[Mapping[str, Any]], validators: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return whether all gates are met, and of each the thresholds, the rates and how it stands.

    Args:
        gates: ``{"validator", "detection", "preservation"}`` each.
        validators: the summaries of the study's validators, by id.
    """
    held = {gate["validator"]: _held(gate, validators[gate["validator"]]) for gate in gates}
    return {
        "met": all(one.standing is Standing.MET for one in held.values()),
        "gates": [{"validator": id, **one.to_dict(), "told": str(one)} for id, one in held.items()],
    }


def _held(gate: Mapping[str, Any], summary: Mapping[str, Any]) -> Held:
    counted = ("eligible_faults", "detected_faults", "eligible_controls", "preserved_controls")
    return Held(
        gate=Gate(gate["detection"], gate["preservation"]),
        rates=Rates(*(summary[key] for key in counted)),
        failures=sum(summary["counts"].get(outcome, 0) for outcome in FATAL),
    )
