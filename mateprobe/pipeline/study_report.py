"""A stage that writes one report about a study, ``results/STUDY/STAGE.json``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mateprobe.canonical import canonical_bytes
from mateprobe.pipeline.files import write_bytes
from mateprobe.pipeline.section import RESULTS, receipt_path, stage_modules
from mateprobe.pipeline.stage import run_stage


def run_report(
    stage: str, section: Mapping[str, Any], inputs: Mapping[str, Path], report: Callable[[], Mapping[str, Any]]
) -> int:
    """Bring the report of a stage into place; return 0.

    Args:
        stage: the stage, and what the report is called.
        section: the study's section for it, all of which determines the report.
        inputs: the files it is made from, see ``run_stage``.
        report: returns what it says beside the id of the study.
    """
    study = section["study"]

    def make(partial: Mapping[str, Path]) -> None:
        write_bytes(partial[stage], canonical_bytes({"study": study, **report()}) + b"\n")

    run_stage(
        stage,
        inputs=inputs,
        params=section,
        modules=stage_modules(stage, section),
        outputs={stage: RESULTS / study / f"{stage}.json"},
        make=make,
        receipt=receipt_path(study, stage),
    )
    return 0


def outcomes_of(section: Mapping[str, Any]) -> dict[str, Path]:
    """Return the outcomes of every validator that a section lists, by its id."""
    return {id: RESULTS / section["study"] / "outcomes" / f"{id}.jsonl" for id in section["validators"]}
