"""The critical path of a run: the chain of jobs, each waiting for the one before it, that takes longest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from mateprobe.pipeline.pins import FOLDER, load_archives
from mateprobe.pipeline.stage import read_receipt
from mateprobe.pipeline.table_specs import together

MADE_TOGETHER = {"figures": "figures", "report": "page"}
"""Folders whose receipts are all of one job, and that job."""


@dataclass(slots=True)
class Job:
    """Seconds by the clock, and the paths of what a job read and wrote."""

    seconds: float
    inputs: set[str] = field(default_factory=set)
    outputs: set[str] = field(default_factory=set)


def jobs_of(project: Path) -> dict[str, Job]:
    """Return the jobs of the last run of a project by name, from their receipts and Snakemake's notes of times."""
    notes = project / "results" / "benchmarks"
    jobs = {}
    for path in notes.rglob("*.tsv"):
        seconds = float(path.read_text("utf-8").splitlines()[1].split("\t")[0])
        jobs[path.relative_to(notes).with_suffix("").as_posix()] = Job(seconds)
    receipts = {
        project / archive.receipt: f"evidence/{name}" for name, archive in load_archives(project / FOLDER).items()
    }
    tables = [path.stem for path in (project / "results" / "tables" / "receipts").glob("*.json")]
    families = {table: family for family, members in together(tables).items() for table in members}
    for path in (project / "results").rglob("receipts/*.json"):
        folder = path.parent.parent.name
        stem = families.get(path.stem, path.stem) if folder == "tables" else path.stem
        name = MADE_TOGETHER.get(folder, f"{folder}/{stem}")
        receipts[path] = name if name in jobs else stem
    for path, name in receipts.items():
        if name in jobs:
            receipt = read_receipt(path)
            jobs[name].inputs |= receipt.inputs.keys()
            jobs[name].outputs |= receipt.outputs.keys()
    return jobs


def critical_path(jobs: Mapping[str, Job]) -> list[str]:
    """Return the names of the jobs of the longest chain, in order."""
    maker = {path: name for name, job in jobs.items() for path in job.outputs}

    @cache
    def longest(name: str) -> tuple[float, tuple[str, ...]]:
        before: Iterable[str] = {maker[path] for path in jobs[name].inputs if path in maker} - {name}
        seconds, chain = max((longest(other) for other in before), default=(0.0, ()))
        return seconds + jobs[name].seconds, (*chain, name)

    return list(max(map(longest, jobs), default=(0.0, ()))[1])
