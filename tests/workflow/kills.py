"""Whole runs killed at random moments and started again, until one ends; its bytes must be an undisturbed run's.

``make test-faults`` does it with the studies of the project, as often as ``--kills`` says; a test does it a few
times with small ones. Half of the runs begin with an empty store. What is drawn is seeded; when a signal
arrives depends on the machine, as it does in life. Linux only: killed is what /proc shows to belong to a run.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from mateprobe.pipeline.pins import load_archives
from mateprobe.pipeline.store import Store
from tests.workflow.project import Tree, project

MARK = "MATEPROBE_FAULTS"
"""A variable that every process of a run inherits; its value tells one run's from another's."""

POLL = 0.02


@dataclass(slots=True)
class Tally:
    """What came of it.

    Attributes:
        kills: how many runs were killed.
        progress: of each kill, which part of the undisturbed run's jobs was done.
        completions: how many runs came to their end.
        failures: what started runs said that ended with an error: somebody would have had to lend a hand.
        differences: results that are not those of the undisturbed run.
        leavings: half-written files that lay about when a run had ended; no stage reads them.
    """

    kills: int = 0
    progress: list[float] = field(default_factory=list)
    completions: int = 0
    failures: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    leavings: int = 0


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A run that nobody killed.

    Attributes:
        results: what it made.
        jobs: how many jobs it had.
        start: the seconds until the first of them had ended.
        archives: a folder with what it had fetched.
    """

    results: dict[str, bytes]
    jobs: int
    start: float
    archives: Path


def begin(tree: Tree, archives: Path | None = None) -> subprocess.Popen[bytes]:
    """Start ``reproduce`` in a session of its own, its processes marked with the folder."""
    given = {"MATEPROBE_ARCHIVES": str(archives)} if archives else {}
    with (tree.path / "said").open("wb") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "mateprobe.pipeline", "reproduce", "--cores", "2"],
            cwd=tree.path,
            env={**tree.environment(), **given, MARK: str(tree.path)},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def done(tree: Tree) -> int:
    """Return how many jobs have left what they leave last: a receipt, or a manifest."""
    results = tree.path / "results"
    patterns = ("*/receipts/*.json", "*/manifest.json", "evidence/**/receipt.json", "environments/*.json")
    return sum(1 for pattern in patterns for _ in results.glob(pattern))


def undisturbed(tree: Tree, archives: Path) -> Undisturbed:
    """Run to the good end, and put what was fetched into ``archives``, where others find it without network."""
    began, process, start = monotonic(), begin(tree), 0.0
    while process.poll() is None:
        if not start and done(tree):
            start = monotonic() - began
        sleep(POLL)
    assert process.returncode == 0, (tree.path / "said").read_text("utf-8")
    archives.mkdir()
    store = Store(tree.store)
    for archive in load_archives().values():
        if blob := store.blob(archive.sha256):
            shutil.copyfile(blob, archives / archive.file)
    return Undisturbed(tree.results(), done(tree), start, archives)


def chain(tree: Tree, whole: Undisturbed, draw: random.Random, tally: Tally, *, kills: int, stretch: int) -> None:
    """Start and kill runs in one folder until one ends, at most ``kills`` of them, and compare.

    Each is killed when some more jobs are done, ``stretch`` at the most, and a moment later: within a job, or,
    if no job is to be done before, within what a run does first.
    """
    while True:
        wanted = done(tree) + (jobs := draw.randrange(stretch + 1))
        moment = draw.random() * (1 if jobs else whole.start)
        process = begin(tree, whole.archives)
        while process.poll() is None and (kills == 0 or done(tree) < wanted):
            sleep(POLL)
        until = monotonic() + moment
        while process.poll() is None and monotonic() < until:
            sleep(POLL)
        if process.poll() is not None:
            break
        kill(str(tree.path))
        process.wait()
        kills -= 1
        tally.kills += 1
        tally.progress.append(done(tree) / whole.jobs)
    if process.returncode:
        said = (tree.path / "said").read_text("utf-8")
        tally.failures.append(f"{tree.path} ended with {process.returncode}:\n{said}")
        return
    tally.completions += 1
    found, expected = tree.results(), whole.results
    half = {name for name in found if "/.partial-" in f"/{name}"}
    tally.leavings += len(half)
    names = sorted((found.keys() - half) | expected.keys())
    tally.differences += [f"{tree.path}/results/{name}" for name in names if found.get(name) != expected.get(name)]


def kill(mark: str) -> None:
    """Send SIGKILL to every process with this mark, and to those they started meanwhile."""
    while members := [*_marked(mark)]:
        for pid in members:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        sleep(POLL / 10)


def _marked(mark: str) -> Iterator[int]:
    entry = f"{MARK}={mark}".encode()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if entry in (place / "environ").read_bytes().split(b"\0"):
                yield int(place.name)
        except OSError:
            continue  # it has ended, or is somebody else's


def campaign(folder: Path, untouched: Tree, draw: random.Random, kills: int, stretch: int) -> Tally:
    """Kill runs in copies of ``untouched`` below ``folder``, with a store that is empty and one that is filled in turn.

    ``stretch`` is by how many jobs a run gets further at the most.
    """
    filled = folder / "filled"
    reference = Tree(untouched.copy(folder / "undisturbed").path, filled)
    whole, tally = undisturbed(reference, folder / "archives"), Tally()
    while tally.kills < kills and not (tally.failures or tally.differences):
        number = tally.completions
        tree = Tree(untouched.copy(folder / f"chain-{number}").path, filled if number % 2 else None)
        chain(tree, whole, draw, tally, kills=kills - tally.kills, stretch=stretch)
        _say(f"chain {number}: {'filled' if number % 2 else 'empty'} store, {tally.kills} kills so far")
        if not (tally.failures or tally.differences):
            shutil.rmtree(tree.path)
    return tally


def main() -> int:
    """Kill, compare, tell; return 0 if nothing differs and no hand was needed."""
    parser = argparse.ArgumentParser(prog="make test-faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="how often (default: %(default)s)")
    parser.add_argument("--stretch", type=int, default=45, help="jobs between two, at most (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1729, help="of what is drawn (default: %(default)s)")
    parser.add_argument("--folder", type=Path, help="where to run and to leave what failed (default: a temporary one)")
    options = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        untouched = project(folder / "untouched")
        tally = campaign(folder, untouched, random.Random(options.seed), options.kills, options.stretch)
    tenths = [sum(int(10 * part) == tenth for part in tally.progress) for tenth in range(11)]
    _say(f"{tally.kills} kills, by tenths of the run: {' '.join(map(str, tenths))}")
    _say(f"{tally.completions} completions, {len(tally.differences)} differences, {len(tally.failures)} hands needed")
    _say(f"{tally.leavings} half-written files left, which no stage reads")
    _say("\n".join([*tally.differences, *tally.failures]))
    return int(bool(tally.differences or tally.failures or not tally.completions))


def _say(line: str) -> None:
    if line:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
