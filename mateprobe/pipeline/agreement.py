"""Stage ``agreement``: ours against the frozen reports, field by field. One difference fails the run."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mateprobe.errors import StageError
from mateprobe.pipeline.compare_campaign import compare_campaign
from mateprobe.pipeline.compare_mutations import compare_mutations
from mateprobe.pipeline.compare_outputs import compare_outputs
from mateprobe.pipeline.comparison import Comparison
from mateprobe.pipeline.files import sha256_file
from mateprobe.pipeline.section import (
    add_section,
    agreement_inputs,
    parse_section,
)
from mateprobe.pipeline.study_report import run_report

SHOWN = 10
KINDS: Mapping[str, Callable[[Comparison, Mapping[str, Path]], None]] = {
    "campaign": compare_campaign,
    "outputs": compare_outputs,
    "mutations": compare_mutations,
}
"""How each kind of frozen report is compared; the first published file of the section is the report."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    add_section(parser)


def run(args: argparse.Namespace) -> int:
    """Run the stage; return 0.

    Raises:
        StageError: ours and the frozen report differ; names study, case and field.
    """
    section = parse_section(args.section)
    inputs = agreement_inputs(section)

    def report() -> Mapping[str, Any]:
        comparison = Comparison()
        KINDS[section["kind"]](comparison, inputs)
        frozen = section["frozen"]["report"]
        if comparison.differences:
            count, shown = len(comparison.differences), "\n".join(comparison.differences[:SHOWN])
            raise StageError(f"study {section['study']!r}: {count} differences from {frozen}:\n{shown}")
        return {
            "frozen": frozen,
            "frozen_sha256": sha256_file(inputs["report"]),
            "cases": comparison.compared["outcome"],
            "compared": dict(sorted(comparison.compared.items())),
            "values": sum(comparison.compared.values()),
            "differences": comparison.differences,
        }

    return run_report("agreement", section, inputs, report)
