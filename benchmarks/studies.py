"""Many studies: what it takes to read and check their files, and to plan their jobs."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import ROOT, Cost, Part, run, table
from mateprobe.pipeline.starter import starter

NUMBER = 200
ROUNDS = 3
PLAN = ("--workflow-profile", "workflow/profiles/default", "--dry-run", "--quiet", "rules")
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
    (_, load), (_, plan) = costs["loading"], costs["a dry run"]
    return Part(
        headlines=(
            (f"reading and checking {NUMBER} study files, processor time", f"{load.processor:.2f} s", "< 1 s"),
            (f"a dry run with {NUMBER} studies, processor time", f"{plan.processor:.1f} s", "< 10 s"),
        ),
        details=f"""\
Studies as `mateprobe study new` writes them, each with its file of cases, its validator and its gate; median of
{ROUNDS}, processor seconds with the start of Python and the imports.

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


def _cost(command: list[str], folder: Path) -> Cost:
    """Return the middle one of several costs, by processor time."""
    costs = sorted((run(command, folder, os.environ) for _ in range(ROUNDS)), key=lambda cost: cost.processor)
    return costs[ROUNDS // 2]
