"""The workflow on a cluster: shards are jobs, and whatever ends midway, the bytes are those of one machine."""

from __future__ import annotations

import os
import re
import signal
from collections import Counter

from tests.cluster.conftest import SHARDS, Run
from tests.cluster.slurm import until


def test_a_run_on_the_cluster_gives_the_bytes_of_a_local_one_and_its_shards_are_jobs(
    run: Run, expected: dict[str, bytes]
) -> None:
    run.wait()
    assert run.tree.results() == expected
    jobs = [(re.sub("rule_|_wildcards.*", "", job["Comment"]), job["JobState"]) for job in run.jobs()]
    assert sorted(jobs) == sorted(
        (rule, "COMPLETED") for rule in ("cases", *["observe"] * SHARDS, "account_outcomes_statistics_summary")
    )


def test_jobs_daemons_and_runs_that_are_killed_midway_change_no_byte(run: Run, expected: dict[str, bytes]) -> None:
    with run.held(after=1, at_least=2) as held:
        cancelled, killed, *_ = held
        run.cluster.ask("scancel", cancelled)
        os.kill(held[killed], signal.SIGKILL)
        ended = {cancelled: "CANCELLED", killed: "FAILED"}
        until("two jobs to end", lambda: ended.items() <= run.states().items(), how=run.how)

    with run.held(after=3):
        run.cluster.kill("slurmd")
    run.cluster.start("slurmd")

    with run.held(after=5) as held:
        before = run.done()
        run.cluster.settle(min(held))
        run.cluster.kill("slurmctld")
    until("held jobs to end by themselves", lambda: run.done() >= before + len(held), how=lambda: run.said)
    run.cluster.start("slurmctld")

    until("the two jobs to be tried again", lambda: retried(run) >= {stage(run)[job] for job in ended}, 120, run.how)
    with run.held(after=8):
        run.kill()
    run.start()

    run.wait()
    assert run.tree.results() == expected


def stage(run: Run) -> dict[str, str]:
    """Return by the id of each job of a run what it was submitted for."""
    return {job["JobId"]: job["Comment"] for job in run.jobs()}


def retried(run: Run) -> set[str]:
    """Return what more than one job was submitted for."""
    return {comment for comment, jobs in Counter(stage(run).values()).items() if jobs > 1}
