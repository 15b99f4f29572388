"""A SLURM that runs, a project with one study of sixteen shards, and what a run on one machine makes of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from tests.cluster.slurm import Cluster, missing, running, until, variables
from tests.workflow.project import CODE, NUMBERS, Tree, project

SHARDS = 16
PROFILE = "workflow/profiles/slurm/profile.yaml"
REPRODUCE = (
    *(str(shutil.which("timeout")), "--kill-after=10", "900"),  # if the tests themselves are killed
    *(sys.executable, "-m", "mateprobe.pipeline", "reproduce", "--profile", "slurm"),
)
SITE = {
    "slurm-status-command": "squeue",  # there is no accounting here
    "slurm-init-seconds-before-status-checks": 1,
    "seconds-between-status-checks": 1,
}
"""What this site adds to the profile, as a user would."""

HOLDING = """
import os
import time


def sign(number):
    while number < 0 and Path("hold").exists():
        Path(os.environ["TMPDIR"], "held").write_text("")
        time.sleep(0.05)
    return Verdict(number > 0, () if number > 0 else ("sign",))
"""
"""In place of the project's validator: who is asked about a number below zero while there is a file `hold` waits."""

VALIDATOR = {"id": "by_sign", "callable": "numbers_code:sign", "seconds": 300}


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A SLURM of one node, for all tests. A job is mostly start-up, half of it waiting: two of them share a core."""
    if absent := missing():
        pytest.skip(f"no SLURM here: {', '.join(absent)} not found (Debian: slurmctld slurmd slurm-client munge)")
    if find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.skip("the executor of the profile is not installed; `make test-cluster` does that")
    with running(tmp_path_factory.mktemp("slurm") / "cluster", cpus=4) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """The project with the one study, in which nothing has run."""
    tree = project(tmp_path_factory.mktemp("project") / "untouched")
    for study in (tree.path / "studies").glob("*.yaml"):
        study.unlink()
    (tree.path / "studies/_code/numbers_code.py").write_text(CODE.replace("seed + 9", "seed + 64") + HOLDING)
    content = {**NUMBERS, "shards": SHARDS, "validators": [VALIDATOR]}
    (tree.path / "studies/numbers.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    tree.edit(PROFILE, lambda text: yaml.safe_dump({**yaml.safe_load(text), **SITE}))
    return tree


@pytest.fixture(scope="session")
def expected(untouched: Tree) -> dict[str, bytes]:
    """The bytes of every result of a run on this machine alone."""
    tree = untouched.copy(untouched.path.parent / "local")
    tree.run()
    return tree.results()


class Run:
    """A run on the cluster: its folder, and the process that a user starts."""

    def __init__(self, tree: Tree, cluster: Cluster) -> None:
        """Start it."""
        self.tree = tree
        self.cluster = cluster
        self.start()

    def start(self) -> None:
        """Start it; again, if it was killed."""
        with (self.tree.path / "said").open("ab") as said:
            self.process = subprocess.Popen(
                REPRODUCE, cwd=self.tree.path, env=self.tree.environment() | self.cluster.environment,
                stdout=said, stderr=said, start_new_session=True,
            )  # fmt: skip

    def kill(self) -> None:
        """Kill it, and the Snakemake that it started; their jobs are not theirs to take along."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    @property
    def said(self) -> str:
        """What the run has said so far."""
        paths = (self.tree.path / "said", self.tree.path / "results/logs/reproduce.log")
        return "\n".join(path.read_text("utf-8", "replace")[-6000:] for path in paths if path.is_file())

    def done(self) -> int:
        """Return how many shards are done."""
        return len(list(self.tree.path.glob("results/numbers/receipts/observe.*.json")))

    def wait(self) -> None:
        """Wait for its good end."""
        until("the run to end", lambda: self.process.poll() is not None, 300, self.how)
        assert self.process.returncode == 0, self.said

    @contextmanager
    def held(self, after: int, at_least: int = 1) -> Iterator[dict[str, int]]:
        """Hold every job once some shards are done; yield the process of each by the id of its job, then let go."""
        until(f"{after} of {SHARDS} shards", lambda: self._alive() and self.done() >= after, 120, self.how)
        hold = self.tree.path / "hold"
        hold.touch()

        def all_held() -> dict[str, int]:
            running = {id for id, state in self.states().items() if state == "RUNNING"}
            held = self._held()
            every = self._alive() and len(running) >= at_least and running <= held.keys()
            return {id: held[id] for id in running} if every else {}

        processes = until("every job that runs to be held", all_held, 120, self.how)
        assert after <= self.done() < SHARDS
        yield processes
        hold.unlink()

    def jobs(self) -> list[dict[str, str]]:
        """Return what the controller knows of the run's jobs."""
        return [job for job in self.cluster.jobs() if job["WorkDir"] == str(self.tree.path)]

    def states(self) -> dict[str, str]:
        """Return the state of each job by its id."""
        return {job["JobId"]: job["JobState"] for job in self.jobs()}

    def how(self) -> str:
        """Return how things stand, for whoever reads why a test failed."""
        jobs = "\n".join(f"{job['JobId']} {job['JobState']} {job['Reason']} {job['Comment']}" for job in self.jobs())
        node = self.cluster.ask("sinfo", "--Node", "--long")
        return f"{self.done()} of {SHARDS} shards\n{node}\n{jobs}\n{self.said}\n{self.cluster.log('slurmctld')}"

    def _held(self) -> dict[str, int]:
        """Return by its job each process of ``observe`` whose validator says that it waits."""
        held = {}
        for pid in self.cluster.strays():
            with suppress(OSError):  # ended meanwhile
                if b"\0mateprobe.pipeline\0observe\0" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
                    folders = [variables(int(child)).get("TMPDIR", "") for child in children]
                    if any(folder and Path(folder, "held").exists() for folder in folders):
                        held[variables(pid)["SLURM_JOB_ID"]] = pid
        return held

    def _alive(self) -> bool:
        assert self.process.poll() is None, f"the run ended with status {self.process.returncode}\n{self.said}"
        return True


@pytest.fixture
def run(cluster: Cluster, untouched: Tree, tmp_path: Path) -> Iterator[Run]:
    """A run that has just begun in a folder of its own."""
    run = Run(untouched.copy(tmp_path / "tree"), cluster)
    try:
        yield run
    finally:
        if run.process.poll() is None:
            run.kill()
