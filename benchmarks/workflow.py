"""The whole workflow, cold, restored and idle: what Snakemake takes, what a job takes, what our work takes."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.critical import critical_path, jobs_of
from benchmarks.measure import ROOT, Cost, Part, run, table
from mateprobe.pipeline.archive import obtained
from mateprobe.pipeline.pins import FOLDER, load_archives
from mateprobe.pipeline.store import Store

ROUNDS = 3
LONGEST = 5
GOAL, COLD_GOAL = 4, 60  # seconds by the clock


def measure() -> Part:
    """Run ``reproduce`` with nothing there, with the stored results only, and with everything there."""
    with TemporaryDirectory() as name:
        folder = Path(name, "project")
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".*", "results"))
        environment = {**os.environ, "MATEPROBE_CACHE": str(folder / "cache"), "MATEPROBE_ARCHIVES": str(folder)}
        for archive in load_archives(ROOT / FOLDER).values():
            with obtained(archive, Store()) as path:  # the network is not what is measured
                shutil.copy(path, folder / archive.file)
        cold, jobs = _reproduce(folder, environment)
        ran = jobs_of(folder)
        shutil.rmtree(folder / "results")
        restored, _ = _reproduce(folder, environment)
        idle = [_reproduce(folder, environment)[0] for _ in range(ROUNDS)]
        imports = [run([sys.executable, "-m", "snakemake", "--version"], folder, environment) for _ in range(ROUNDS)]
    start, nothing = median(cost.processor for cost in imports), median(cost.processor for cost in idle)
    wall = median(cost.wall for cost in idle)
    chain = critical_path(ran)
    longest = sorted(ran, key=lambda job: ran[job].seconds, reverse=True)[:LONGEST]
    parts = (
        ("imports of Snakemake", start),
        ("reading the workflow, finding nothing to do, showing the tables", nothing - start),
        (f"starting {jobs} jobs and restoring their files", restored.processor - nothing),
        ("our work", cold.processor - restored.processor),
    )
    return Part(
        headlines=(
            ("`reproduce` with nothing to do, by the clock", f"{wall:.1f} s", f"< {GOAL} s"),
            ("the same, processor time", f"{nothing:.1f} s", ""),
            ("`reproduce` from nothing but the environment, by the clock", f"{cold.wall:.0f} s", f"< {COLD_GOAL} s"),
            ("the same, processor time", f"{cold.processor:.0f} s", ""),
            ("the same, its critical path by the clock", f"{sum(ran[job].seconds for job in chain):.0f} s", ""),
        ),
        details=f"""\
`python -m mateprobe.pipeline reproduce` in a copy of the project, with the environment made and the published archive
at hand. Processor seconds are of all processes together, the kernel's included.

{table(("run", "by the clock, s", "processor, s"), [
    (f"cold: no results, nothing stored ({jobs} jobs)", f"{cold.wall:.1f}", f"{cold.processor:.1f}"),
    ("restored: results removed, everything stored", f"{restored.wall:.1f}", f"{restored.processor:.1f}"),
    (f"nothing to do (median of {ROUNDS})", f"{wall:.1f}", f"{nothing:.1f}"),
])}

Where the cold run's processor time goes, by the differences between these runs:

{table(("part", "processor, s", "share"), [
    (what, f"{seconds:.1f}", f"{seconds / cold.processor:.0%}") for what, seconds in parts
])}

A job costs {(restored.processor - nothing) / jobs:.2f} processor seconds before it does anything. The longest jobs of
the cold run:

{table(("job", "by the clock, s"), [(job, f"{ran[job].seconds:.1f}") for job in longest])}

The critical path, the longest chain of jobs that wait for each other (`critical.py`, from the receipts and Snakemake's
notes; manifests and environments count alone); beyond it no further core helps:

{table(("job", "by the clock, s"), [(job, f"{ran[job].seconds:.1f}") for job in chain])}
""",
    )  # fmt: skip


def _reproduce(folder: Path, environment: Mapping[str, str]) -> tuple[Cost, int]:
    """Return what one run cost and how many jobs it had."""
    cost = run([sys.executable, "-m", "mateprobe.pipeline", "reproduce"], folder, environment)
    log = (folder / "results" / "logs" / "reproduce.log").read_text("utf-8")
    return cost, max(map(int, re.findall(r"of (\d+) steps", log)), default=0)
