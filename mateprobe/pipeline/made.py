"""Which files below ``results/`` the studies make, and which of those there no study makes any more."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.studies import Study
from mateprobe.pipeline.study_problems import RESERVED
from mateprobe.pipeline.tables import FORMS

NOTES = {"logs": ".log", "benchmarks": ".tsv"}
"""Where a job leaves notes, and how they end."""

KINDS = {"observe": "observations", "outcomes": "outcomes"}
"""Stages with a file for each validator, and the folder of these."""


def made(studies: Iterable[Study]) -> set[Path]:
    """Return every file that these studies make: artifacts, receipts, and the notes of their jobs."""
    return {RESULTS / path for study in studies for path in _of_study(study)}


def _of_study(study: Study) -> Iterator[str]:
    for stage in (*study.stages, "manifest"):
        yield f"{study.id}/{_artifact(stage)}"
        yield f"{study.id}/receipts/{stage}.json"
        yield from _notes(f"{study.id}/{stage}")
    for table in study.tables:
        yield from (f"tables/{table}.{form}" for form in FORMS)
        yield f"tables/receipts/{table}.json"
        yield from _notes(f"tables/{table}")
    for environment in study.environments:
        yield f"environments/{environment}.json"
        yield from _notes(f"environments/{environment}")


def _artifact(stage: str) -> str:
    kind, _, part = stage.partition(".")
    if kind in KINDS:
        return f"{KINDS[kind]}/{part}.jsonl"
    return "cases.jsonl" if stage == "cases" else f"{stage}.json"


def _notes(job: str) -> Iterator[str]:
    yield from (f"{folder}/{job}{suffix}" for folder, suffix in NOTES.items())


def stale(studies: Iterable[Study]) -> list[Path]:
    """Return the files of studies, tables and environments that none of these studies makes, sorted.

    What belongs to no study, such as the evidence, is left alone.
    """
    known = made(studies)
    return [path for path in _files() if path not in known and _is_of_studies(path)]


def _files() -> Iterator[Path]:
    for folder, _, names in sorted(os.walk(RESULTS)):  # links to folders are not followed
        yield from (Path(folder, name) for name in sorted(names))


def _is_of_studies(path: Path) -> bool:
    """Tell whether a file is one that some study makes or made, by the folder it is in."""
    parts = path.relative_to(RESULTS).parts
    parts = parts[1:] if parts[0] in NOTES else parts
    return len(parts) > 1 and (parts[0] in ("tables", "environments") or parts[0] not in RESERVED)
