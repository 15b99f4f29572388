"""Stage ``gate``: what the validators of a study must reach, and how each of them stands."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.canonical import canonical_bytes
from mateprobe.gate import Gate, Held, Standing
from mateprobe.outcome import FATAL
from mateprobe.pipeline.files import write_bytes
from mateprobe.pipeline.section import RESULTS, add_section, parse_section, receipt_path, stage_modules
from mateprobe.pipeline.stage import run_stage
from mateprobe.tally import Rates


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    add_section(parser)


def run(args: argparse.Namespace) -> int:
    """Write ``results/STUDY/gate.json``; return 0 whether gates are met or not: that is a finding, no failure."""
    section = parse_section(args.section)
    folder = RESULTS / section["study"]
    summary = folder / "summary.json"

    def make(partial: Mapping[str, Path]) -> None:
        validators = strict_json.load(summary)["validators"]
        content = {"study": section["study"], **standings(section["gates"], validators)}
        write_bytes(partial["gate"], canonical_bytes(content) + b"\n")

    run_stage(
        "gate",
        inputs={"summary": summary},
        params=section,
        modules=stage_modules("gate", section),
        outputs={"gate": folder / "gate.json"},
        make=make,
        receipt=receipt_path(section["study"], "gate"),
    )
    return 0


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
