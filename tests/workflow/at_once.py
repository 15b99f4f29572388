"""The workflow in one process: Snakemake plans as ever, and the stages of its plan run here one after the other.

A process a job is what makes a run slow, and no part of what it decides. Each run is a fork of a process in which
the libraries are loaded and nothing of MateProbe is: what is imported is what lies in the folder of the run.
"""

from __future__ import annotations

import gc
import io
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from hashlib import sha256
from itertools import pairwise, takewhile
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path

LIBRARIES = (
    "jsonschema", "matplotlib.backends.backend_svg", "pandas", "snakemake.cli", "snakemake.profiles",
    "snakemake.report", "snakemake.storage", "typst", "yaml",
)  # fmt: skip
PROFILE = ("--workflow-profile", "workflow/profiles/default", "--cores", "1", "--nolock")
NOTES = (".running", "benchmarks", "logs")
JOB = re.compile(
    r"^    log: results/logs/(\S+)\.log$.*?^Shell command: python -m mateprobe\.pipeline (.*?)$",
    re.MULTILINE | re.DOTALL,
)


def process() -> Pool:
    """Start the process that runs are forked from."""
    context = get_context("forkserver")
    context.set_forkserver_preload([*LIBRARIES])
    return context.Pool(1, maxtasksperchild=1)


def run(folder: Path, variables: Mapping[str, str], *stores: Path) -> list[tuple[dict[str, str], dict[str, str]]]:
    """Run the workflow in a folder: with the first store as it is needed, with every other all of it once more.

    Returns:
        Of each run the jobs, or parts of jobs, and how they came by their outputs; and the hashes of all results.

    Raises:
        RuntimeError: a job failed, with what it said.
    """
    os.environ.update(variables)
    os.chdir(folder)
    gc.disable()  # it would touch, and so copy, all that the process was forked with
    os.fsync = lambda fd: None  # a test need not outlive a power cut
    sys.path.insert(0, str(folder))
    runs: list[tuple[dict[str, str], dict[str, str]]] = []
    for store in stores:
        os.environ["MATEPROBE_CACHE"] = str(store)
        if runs:
            shutil.rmtree("results")
        runs.append((_carried_out("--forceall") if runs else _carried_out(), _hashes()))
    return runs


def remember(folder: Path, variables: Mapping[str, str]) -> None:
    """Let Snakemake remember of all results what they were made with, as if its own jobs had made them."""
    os.environ.update(variables)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    _snakemake("--touch", "--forceall")


def _carried_out(*arguments: str) -> dict[str, str]:
    from mateprobe.pipeline.__main__ import STAGES, main

    order = [*STAGES]
    jobs = {job: shlex.split(command) for job, command in JOB.findall(_snakemake("--dry-run", "-p", *arguments))}
    ran: dict[str, str] = {}
    for job, (*command, _, log) in sorted(jobs.items(), key=lambda item: order.index(item[1][0])):
        with redirect_stderr(io.StringIO()) as said:
            status = main(command)
        if status:
            raise RuntimeError(f"{log}: {said.getvalue()}")
        hows = re.findall(r"^\w+: (made|restored)", said.getvalue(), re.MULTILINE)
        ran |= dict(zip(_parts(command) or [job], hows or ["ran"], strict=True))
    return ran


def _parts(command: Sequence[str]) -> list[str]:
    """Return the names of what a job makes one by one: STAGE/NAME; nothing if that is one thing."""
    stage, *rest = command
    if stage == "page":
        return [f"{stage}/{name}" for name in (*takewhile(lambda word: word[:2] != "--", rest), "index")]
    return [f"{stage}/{name}" for option, name in pairwise(rest) if option in ("--figure", "--table")]


def _snakemake(*arguments: str) -> str:
    from snakemake.cli import args_to_api, parse_args  # type: ignore[import-untyped]

    with redirect_stdout(io.StringIO()) as said, redirect_stderr(said):
        parser, parsed = parse_args([*PROFILE, *arguments])
        well = args_to_api(parsed, parser)
    if not well:
        raise RuntimeError(said.getvalue())
    return said.getvalue()


def _hashes() -> dict[str, str]:
    results = Path("results")
    files = {path.relative_to(results).as_posix(): path for path in results.rglob("*") if path.is_file()}
    return {name: sha256(path.read_bytes()).hexdigest() for name, path in files.items() if not name.startswith(NOTES)}
