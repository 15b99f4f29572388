"""Many studies, and many validators in one: what it takes to read and check the files, and to plan the jobs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import ROOT, Cost, Part, run, table
from mateprobe.pipeline.starter import starter

NUMBER = 200
ROUNDS = 3
PLAN = ("--workflow-profile", "workflow/profiles/default", "--dry-run", "--quiet", "rules")
VALIDATORS, SHARDS, PAIRS = 40, 4, 25_000
JOBS_GOAL = 1000
CROWD = """\
study: crowd
title: Many validators
shards: {shards}
cases: {{generate: "orders:cases", with: {{pairs: {pairs}}}}}
obligations: [{{id: total, description: The total is the sum of the items.}}]
validators:
{validators}
tables: [outcomes]
"""
LOAD = """
import sys
from pathlib import Path
from mateprobe.pipeline.studies import load_studies
load_studies(Path(sys.argv[1]))
"""


def measure() -> Part:
    """Read, check and plan one new study, and then as many as there are to be."""
    with TemporaryDirectory() as name:
        project = Path(name, "project")
        shutil.copytree(ROOT, project, ignore=shutil.ignore_patterns(".*", "results"))
        few, many = _studies(Path(name, "few"), 1), _studies(Path(name, "many"), NUMBER)
        crowd = _crowd(Path(name, "crowd"))
        runs = {
            "loading": [[sys.executable, "-c", LOAD, str(folder)] for folder in (few, many)],
            "`mateprobe study check`": [
                [sys.executable, "-m", "mateprobe", "study", "check", "-C", str(folder)] for folder in (few, many)
            ],
            "a dry run": [
                [sys.executable, "-m", "snakemake", *PLAN, "--config", f"studies={folder}"] for folder in (few, many)
            ],
        }
        costs = {what: [_cost(command, project) for command in commands] for what, commands in runs.items()}
        planned = [sys.executable, "-m", "snakemake", *PLAN, "--config", f"studies={crowd}"]
        crowded, jobs = _cost(planned, project), _jobs(planned, project)
    (_, load), (_, plan) = costs["loading"], costs["a dry run"]
    return Part(
        headlines=(
            (f"reading and checking {NUMBER} study files, processor time", f"{load.processor:.2f} s", "< 1 s"),
            (f"a dry run with {NUMBER} studies, processor time", f"{plan.processor:.1f} s", "< 10 s"),
            (f"a dry run of {VALIDATORS} validators × {PAIRS:,} pairs in one study, processor time",
             f"{crowded.processor:.1f} s", "< 10 s"),
            ("its jobs", f"{jobs}", f"< {JOBS_GOAL:,}"),
        ),
        details=f"""\
Studies as `mateprobe study new` writes them, each with its file of cases, its validator and its gate; median of
{ROUNDS}, processor seconds with the start of Python and the imports.

The study of {VALIDATORS} validators has {PAIRS:,} pairs of plain dicts and {SHARDS} shards.

{table(("run", "1 study, s", f"{NUMBER} studies, s"), [
    (what, f"{one.processor:.2f}", f"{all_of_them.processor:.2f}") for what, (one, all_of_them) in costs.items()
])}
""",
    )  # fmt: skip


def _studies(folder: Path, number: int) -> Path:
    """Write that many new studies into a folder and return it."""
    for index in range(number):
        for path, text in starter(f"study_{index:03}", folder).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    return folder


def _crowd(folder: Path) -> Path:
    """Write one study of many validators into a folder and return it."""
    (folder / "_code").mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("orders.py"), folder / "_code")
    validators = "\n".join(f'  - {{id: judge_{n:02}, callable: "orders:judge"}}' for n in range(VALIDATORS))
    text = CROWD.format(shards=SHARDS, pairs=PAIRS, validators=validators)
    (folder / "crowd.yaml").write_text(text, "utf-8")
    return folder


def _jobs(plan: list[str], folder: Path) -> int:
    """Return how many jobs a dry run plans."""
    shown = subprocess.run(
        [argument for argument in plan if argument not in ("--quiet", "rules")],
        cwd=folder, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    return max(int(number) for number in re.findall(r"^total +(\d+)", shown, re.MULTILINE))


def _cost(command: list[str], folder: Path) -> Cost:
    """Return the middle one of several costs, by processor time."""
    costs = sorted((run(command, folder, os.environ) for _ in range(ROUNDS)), key=lambda cost: cost.processor)
    return costs[ROUNDS // 2]
