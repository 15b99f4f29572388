"""``reproduce``: run the whole workflow, then show the tables, the agreement, the gates and where everything lies."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from shutil import disk_usage
from tempfile import gettempdir
from time import monotonic, time
from typing import IO, TYPE_CHECKING

from mateprobe import strict_json
from mateprobe.errors import InvalidValue, StageError, StudyError, one_of
from mateprobe.gate import Standing
from mateprobe.pipeline import at_work, chain
from mateprobe.pipeline.chain import Disk
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.stage import read_receipt
from mateprobe.pipeline.store import Store
from mateprobe.pipeline.studies import STUDIES, load_studies
from mateprobe.pipeline.table import Table
from mateprobe.pipeline.table_specs import TABLES, table_called
from mateprobe.pipeline.tables import FOLDER
from mateprobe.pipeline.verify import load_project
from mateprobe.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

PROFILES = Path("workflow/profiles")
LOG = RESULTS / "logs" / "reproduce.log"
FOLDERS = (RESULTS, Path("config"), Path("mateprobe"), Path("paper"))
"""Where the files are, beside the studies, that the workflow reads and makes."""

ROOM = 1 << 20
"""A disk with fewer bytes left is full: the next artifact may not fit."""

LONG = 24
"""Tables with more rows are named, not shown."""

_STEPS = re.compile(r"(\d+) of (\d+) steps")
_PLANNED = re.compile(r"total\s+(\d+)")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("targets", nargs="*", help="studies or files to make (default: everything)")
    parser.add_argument("--profile", default="default", help=f"folder below {PROFILES}/ (default: %(default)s)")
    parser.add_argument("--cores", help="processors to use (default: what the profile says)")
    parser.add_argument("--studies", type=Path, default=STUDIES, help="folder of study files (default: %(default)s)")
    parser.add_argument("--fresh", action="store_true", help="run every package anew, nothing stored or frozen")


def run(args: argparse.Namespace) -> int:
    """Run the workflow and report; return 0, or 1 if a gate is not met.

    Raises:
        StageError: the workflow failed; its output has been shown.
        InvalidValue: there is no such profile, another run is at work in this folder or its results are being read, or
            the folder is called so that Snakemake cannot work in it.
    """
    from rich.console import Console

    if {"{", "}"} & {*str(Path.cwd())}:
        raise InvalidValue(f"{Path.cwd()}: Snakemake takes braces for its own; give the folder another name")
    began = monotonic()
    width = None if sys.stdout.isatty() else 150
    out = Console(width=width, markup=False, emoji=False)  # what stands in a table is data
    with at_work.alone() as lock:
        _bring_back([args.studies, *FOLDERS])
        _clear(args.studies)
        profile = _profile(args.profile)
        config = ["fresh=true"] * args.fresh + [f"studies={args.studies}"] * (args.studies != STUDIES)
        cores = ["--cores", args.cores] if args.cores else []
        done = _run_workflow(profile, [*args.targets, *cores, *["--config", *config] * bool(config)], lock)
    for name in [*TABLES] * (not args.targets) + _own_tables(args.targets):
        _show(out, name, table_called(name))
    gates = _gates(args.studies, args.targets)
    _tell(out, done, monotonic() - began, gates)
    return int(any(standing != Standing.MET for standing, _ in gates))


def _profile(name: str) -> Path:
    """Return the folder of a profile; Snakemake would look for a name it does not find in the user's own folders."""
    names = sorted(path.parent.name for path in PROFILES.glob("*/profile.yaml"))
    if name not in names:
        raise InvalidValue(f"--profile={name!r}: {one_of(name, names)}")
    return PROFILES / name


def _bring_back(folders: Iterable[Path]) -> None:
    """Give files of a time to come, which a clock that was set back leaves, the present one.

    Snakemake goes by times, and takes an output that is older than its input for the fault of a clock.
    """
    now = time()
    files = {path for folder in folders for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}
    to_come = [path for path in sorted(files) if path.stat().st_mtime > now]
    for path in to_come:
        os.utime(path)
    if to_come:
        sys.stderr.write(f"Given the present time, as theirs was to come: {_some(to_come)}\n")


def _clear(folder: Path) -> None:
    """Remove receipts that are not true of what is on disk, so that their stages are made again.

    Snakemake goes by times and sizes; a file whose bytes changed under both it takes for what it was.
    """
    try:
        project = load_project(folder)
    except StudyError:
        return  # the workflow says what is wrong
    found = chain.differences(project.made, project.archives.values(), Disk())
    untrue = sorted({difference.untrue for difference in found if difference.untrue and difference.untrue.is_file()})
    for path in untrue:
        path.unlink()
    if untrue:
        sys.stderr.write(f"Not true of what is on disk, so what they speak of is made again: {_some(untrue)}\n")


def _some(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths[:5])) + f" and {len(paths) - 5} more" * (len(paths) > 5)


def _run_workflow(profile: Path, arguments: list[str], lock: IO[str]) -> int:
    """Run Snakemake, the lock its standard input, with a progress display; return how many jobs ran."""
    command = [sys.executable, "-m", "snakemake", "--workflow-profile", str(profile), *arguments]
    pipe = subprocess.PIPE
    LOG.parent.mkdir(parents=True, exist_ok=True)
    with (
        LOG.open("w", encoding="utf-8", buffering=1) as log,  # by the line: a long run is followed there
        subprocess.Popen(
            command,
            stdin=lock,
            stdout=pipe,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "PYTHONUTF8": "1"},  # whatever the locale: what it says is read here
        ) as job,
    ):
        assert job.stdout is not None  # noqa: S101 - a pipe was asked for
        done = _follow(job.stdout, log)
    if job.returncode:
        sys.stderr.write(visible(_failures(LOG.read_text("utf-8", "replace"))))
        raise StageError(
            f"the workflow failed with exit code {job.returncode}; the reason stands above and in {LOG}{_full()}"
        )
    return done


def _full() -> str:
    """Return a remark if there is no room left: then logs may be empty, and cannot say so."""
    places = [place for place in (RESULTS, Store().root, Path(gettempdir())) if place.is_dir()]
    full = [str(place) for place in places if disk_usage(place).free < ROOM]
    return f"; the disk is full that holds {', '.join(full)}: make room and run again" if full else ""


def _failures(log: str) -> str:
    """Return the logs of the jobs that failed; of a run that never came to its jobs, the end of its own."""
    logs = re.findall(r"^Logfile ([^\n]+):\n=+\n(.*?)\n=+$", log, re.MULTILINE | re.DOTALL)
    shown = dict(logs)  # Snakemake shows a failed job's log again at the end
    return "".join(f"{path}:\n{text}\n\n" for path, text in shown.items()) or log[-4000:]


def _follow(lines: IO[str], log: IO[str]) -> int:
    """Copy the workflow's output to its log and show how far it is, on a terminal only."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    done = 0
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("workflow", total=None)
        for line in lines:
            log.write(line)
            if planned := _PLANNED.match(line):
                progress.update(task, total=int(planned[1]))
            if step := _STEPS.search(line):
                done = int(step[1])
                progress.update(task, completed=done, total=int(step[2]))
    return done


def _own_tables(targets: Collection[str]) -> list[str]:
    """Return the studies that have a table of their own: of those asked for, or of all."""
    names = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem not in TABLES)
    return [name for name in names if not targets or name in targets]


def _show(out: Console, name: str, shown: Table) -> None:
    from rich.table import Table as Grid

    path = FOLDER / f"{name}.json"
    if not path.is_file():
        return
    content = strict_json.load(path)
    if len(content["rows"]) > LONG:
        where = _where(name, path.with_suffix(".md"))
        out.print(f"{shown.title}: {len(content['rows'])} rows in {where}\n", highlight=False)
        return
    columns = shown.columns
    table = Grid(title=shown.title, title_justify="left", caption=_where(name, path), caption_justify="left")
    for index, column in enumerate(columns):
        numeric = any(isinstance(row[index], int | float) for row in content["rows"])
        table.add_column(column.heading, justify="right" if numeric else "left")
    for row in content["rows"]:
        table.add_row(*(visible(column.shown(value)) for column, value in zip(columns, row, strict=True)))
    out.print(table)


def _tell(out: Console, done: int, seconds: float, gates: Sequence[tuple[str, str]]) -> None:
    jobs = f"{done} jobs ran" if done else "nothing to do: everything is up to date"
    lines = [
        _agreement(),
        *_replays(),
        *_told(gates),
        (
            f"Tables: {FOLDER}/, figures: {RESULTS}/figures/, paper: {RESULTS}/paper/, "
            f"studies: {RESULTS}/STUDY/, logs: {RESULTS}/logs/, page: {RESULTS}/report/"
        ),
        f"{jobs}; {seconds:.1f} s",
    ]
    for line in lines:
        out.print(visible(line), highlight=False)


def _where(name: str, path: Path) -> str:
    """Return where a table is, and which of its studies were replayed: its bytes are the same either way."""
    receipt = FOLDER / "receipts" / f"{name}.json"
    inputs = read_receipt(receipt).inputs if receipt.is_file() else {}
    replayed = sorted({study for study, _ in _replayed()} & {Path(made_from).parts[1] for made_from in inputs})
    return f"{path}; replayed from frozen observations: {', '.join(replayed)}" if replayed else str(path)


def _replays() -> list[str]:
    """Return which observations of packages are not of this machine, and why."""
    return [line.partition(": ")[2].capitalize() for _, line in _replayed()]


def _replayed() -> list[tuple[str, str]]:
    """Return every study with replayed observations, with what its log says of them."""
    logs = sorted((RESULTS / "logs").glob("*/observe.*.log"))
    said = [(log.parent.name, line) for log in logs for line in log.read_text("utf-8", "replace").splitlines()]
    return [(study, line) for study, line in said if line.startswith("observe: replayed ")]


def _gates(folder: Path, targets: Collection[str]) -> list[tuple[str, str]]:
    """Return of each gate of the studies that were run how it stands, in a word and in a line."""
    made = {path.parent.name for path in RESULTS.glob("*/gate.json")}
    studies = load_studies(folder) if made else {}
    ids = [id for id, study in studies.items() if study.gates and id in made and (not targets or id in targets)]
    gates = [(id, gate) for id in ids for gate in strict_json.load(RESULTS / id / "gate.json")["gates"]]
    return [(gate["standing"], f"{id} {gate['validator']} {gate['told']}") for id, gate in gates]


def _told(gates: Sequence[tuple[str, str]]) -> list[str]:
    missed = [line for standing, line in gates if standing != Standing.MET]
    return ["; ".join([f"Gates: {len(gates) - len(missed)} of {len(gates)} met", *missed])] if gates else []


def _agreement() -> str:
    """Return the agreement with every frozen report in one line."""
    path = FOLDER / "agreement.json"
    if not path.is_file():
        return "Agreement: no study with a frozen report was run"
    rows = strict_json.load(path)["rows"]
    cases, values, differences = (sum(row[index] for row in rows) for index in (2, 3, 4))
    return (
        f"Agreement: {len(rows)} frozen report{'s' * (len(rows) > 1)}, {cases:,} cases, {values:,} values compared, "
        f"{differences} differences"
    )
