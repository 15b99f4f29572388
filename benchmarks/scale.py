"""Studies of a thousand to a million pairs as stages: time, memory and bytes of each, and how far from the limit."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.measure import ROOT, Cost, Part, exponent, run, table
from mateprobe.pipeline.section import parts, section_json
from mateprobe.pipeline.studies import Study, load_study
from mateprobe.pipeline.yaml_file import read_yaml
from tests.differential.peer import environment

PAIRS = 100_000
PEER_PAIRS = 50_000
CORES_PAIRS, CORES_ROUNDS = 30_000, 2
SHARDS = 2
CASES_PER_VARIATION = 90
GOALS = {"memory": 200_000_000, "limit": 6, "peer": 15, "cores": 1.7}
STAGES = ("cases", "observe", "outcomes", "summary", "tables")
HERE = Path(__file__).parent
PROFILE = "_profiles/narrative.yaml"
STUDIES = {
    "contracts": """\
study: contracts
title: The feasibility generator, a contract profile
shards: SHARDS
cases: {generate: "distinct:cases", seed: 1729, with: {variations: VARIATIONS}}
obligations:
  - {id: fact, description: The scene starts from a pending offer.}
  - {id: claims, description: What an outcome declares is what its branch holds.}
  - {id: advance, description: Taking the offer changes the credits.}
  - {id: thin, description: Body and outcome have enough different words.}
  - {id: restatement, description: The outcome does more than repeat the label.}
  - {id: formula, description: No stock phrase is used.}
  - {id: premise, description: A settled offer is not made again.}
  - {id: repeat, description: The scene is not an earlier one.}
validators:
  - {id: judge, contracts: _profiles/narrative.yaml}
  - {id: excerpt, callable: "mateprobe.pipeline.corpora.comparators:excerpt_baseline"}
  - {id: accept, callable: "mateprobe.pipeline.corpora.comparators:always_accept"}
  - {id: reject, callable: "mateprobe.pipeline.corpora.comparators:always_reject"}
tables: [outcomes]
""",
    "plain": """\
study: plain
title: Plain dicts, a function of five rules
shards: SHARDS
cases: {generate: "orders:cases", with: {pairs: PAIRS}}
obligations:
  - {id: total, description: The total is the sum of the items.}
validators:
  - {id: judge, callable: "orders:judge"}
tables: [outcomes]
""",
}
WHAT = {"contracts": "feasibility generator, contract profile", "plain": "plain dicts, a function of five rules"}


@dataclass(frozen=True, slots=True)
class Job:
    """One process of a study: a stage, for a validator and a shard if it is of one."""

    stage: str
    validator: str = ""
    shard: int = 0


def measure(largest: int = PAIRS) -> Part:
    """Run both studies from a thousand pairs to ``largest``, tenfold each time; then the peer, and two cores.

    Args:
        largest: pairs; at least 100,000, for a growth has three points.
    """
    sizes = [10**power for power in range(3, 7) if 10**power <= largest]
    found = {kind: [_study(kind, pairs) for pairs in sizes] for kind in STUDIES}
    peer = _peer(min(PEER_PAIRS, largest))
    cores = _cores(min(CORES_PAIRS, largest))
    return Part(headlines=_headlines(sizes, found, peer, cores), details=_details(sizes, found, peer, cores))


@dataclass(frozen=True, slots=True)
class Run:
    """What a study cost, stage by stage, and what the same bytes take when merely read, hashed and written."""

    costs: Mapping[str, Cost]
    size: Mapping[str, int]
    limit: Cost

    @property
    def user(self) -> float:
        """Seconds of user CPU of all stages."""
        return sum(cost.user for cost in self.costs.values())

    @property
    def memory(self) -> int:
        """Peak resident bytes of the stage that took most."""
        return max(cost.memory for cost in self.costs.values())


def _study(kind: str, pairs: int) -> Run:
    """Run the stages of one study for its first validator, each a process of its own."""
    with _project(kind, pairs) as (folder, study):
        costs = {stage: _run(folder, study, Job(stage, "judge"), ["judge"]) for stage in STAGES}
        files = [folder / "results" / study.id / name for name in _outputs("judge", 1)]
        size = {path.parent.name if path.parent.name != study.id else path.stem: path.stat().st_size for path in files}
        copies = folder / "copies"
        copies.mkdir()
        limit = run([sys.executable, str(HERE / "limit_worker.py"), str(copies), *map(str, files)], folder, os.environ)
        return Run(costs, size, limit)


def _outputs(validator: str, shards: int) -> list[str]:
    observed = [f"observations/{part}.jsonl" for part in parts(validator, shards)]
    return ["cases.jsonl", *observed, f"outcomes/{validator}.jsonl", "summary.json"]


@contextmanager
def _project(kind: str, pairs: int, shards: int = 1) -> Iterator[tuple[Path, Study]]:
    """Yield a folder with one study of so many pairs, and the study; it is then removed."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "studies" / "_profiles", folder / "studies" / "_profiles")
        (folder / "studies" / "_code").mkdir()
        for module in ("distinct.py", "orders.py"):
            shutil.copy(HERE / module, folder / "studies" / "_code")
        text = STUDIES[kind]
        for word, number in (("SHARDS", shards), ("VARIATIONS", pairs // CASES_PER_VARIATION), ("PAIRS", pairs)):
            text = text.replace(word, str(number))
        path = folder / "studies" / f"{kind}.yaml"
        path.write_text(text, "utf-8")
        yield folder, load_study(path)


def _run(folder: Path, study: Study, job: Job, validators: Sequence[str]) -> Cost:
    """Run one job and return what it cost."""
    command = [sys.executable, "-m", "mateprobe.pipeline", job.stage]
    if job.stage == "tables":
        command += ["--table", "outcomes", f"results/{study.id}/summary.json"]
    else:
        section = study.section(job.stage, job.validator or None)
        section |= {"validators": list(validators)} if job.stage == "summary" else {}
        command += ["--study", study.id, "--section", section_json(section)]
        command += ["--validator", job.validator] if job.stage in ("observe", "outcomes") else []
        command += ["--shard", str(job.shard)] if job.stage == "observe" else []
    return run(command, folder, {**os.environ, "MATEPROBE_CACHE": str(folder / "cache")})


@dataclass(frozen=True, slots=True)
class Peer:
    """Pairs a second of user CPU on the same cases: the published engine; ours from their file, or their making, on."""

    theirs: float
    from_file: float
    from_generator: float


def _peer(pairs: int) -> Peer:
    """Measure both, from the cases to reports, summary and tables."""
    contracts = json.dumps(read_yaml(ROOT / "studies" / PROFILE).content["contracts"])
    with _project("contracts", pairs) as (folder, study):
        first, *rest = (_run(folder, study, Job(stage, "judge"), ["judge"]).user for stage in STAGES)
        cases = folder / "results" / study.id / "cases.jsonl"
        worker = [str(HERE / "peer_worker.py"), str(cases), contracts, str(folder / "report.json")]
        theirs = run([str(environment(ROOT)), "-I", *worker], folder, os.environ).user
        number = sum(1 for _ in cases.open("rb")) - 2
    return Peer(number / theirs, number / sum(rest), number / (first + sum(rest)))


def _cores(pairs: int) -> tuple[float, float]:
    """Return seconds by the clock of a study on one core and on two, each the best of a few, in turn.

    Of two cores each takes the next job that can begin, as the workflow does.
    """
    clock: dict[int, list[float]] = {1: [], 2: []}
    cores = sorted(os.sched_getaffinity(0))
    for number in [*clock] * CORES_ROUNDS:
        os.sched_setaffinity(0, cores[:number])
        with _project("contracts", pairs, SHARDS) as (folder, study), ThreadPoolExecutor(number) as pool:
            names = list(study.validators)
            began, waiting, running = perf_counter(), _jobs(names), dict[Future[Cost], Job]()
            done = set[Job]()
            while waiting or running:
                for job in [job for job, after in waiting.items() if after <= done][: number - len(running)]:
                    del waiting[job]
                    running[pool.submit(_run, folder, study, job, names)] = job
                for ended in wait(running, return_when=FIRST_COMPLETED).done:
                    ended.result()
                    done.add(running.pop(ended))
            clock[number].append(perf_counter() - began)
    os.sched_setaffinity(0, cores)
    return min(clock[1]), min(clock[2])


def _jobs(validators: Sequence[str]) -> dict[Job, set[Job]]:
    """Return the jobs of a study, each with those it comes after."""
    cases = Job("cases")
    observed = {name: {Job("observe", name, shard) for shard in range(SHARDS)} for name in validators}
    outcomes = {Job("outcomes", name): jobs for name, jobs in observed.items()}
    return {
        cases: set(),
        **{job: {cases} for jobs in observed.values() for job in sorted(jobs, key=attrgetter("shard"))},
        **outcomes,
        Job("summary"): {*outcomes},
        Job("tables"): {Job("summary")},
    }


def _headlines(
    sizes: Sequence[int], found: Mapping[str, Sequence[Run]], peer: Peer, cores: tuple[float, float]
) -> list[tuple[str, str, str]]:
    largest, per = sizes[-1], []
    for kind, runs in found.items():
        last = runs[-1]
        per += [
            (
                f"{WHAT[kind]}: growth from {sizes[0]:,} to {largest:,} pairs, exponent",
                f"{_growth(sizes, runs):.2f}",
                "1 (linear)",
            ),
            (
                f"the same, stages / reading, hashing and writing the same bytes once, at {largest:,} pairs",
                f"{last.user / last.limit.user:.1f} ×",
                f"≤ {GOALS['limit']} ×",
            ),
            (f"the same, pairs per second of user CPU at {largest:,}", f"{largest / last.user:,.0f}", ""),
            (
                f"the same, peak resident memory of any stage at {largest:,} pairs",
                f"{last.memory / 1e6:,.0f} MB",
                f"< {GOALS['memory'] / 1e6:.0f} MB",
            ),
        ]
    return [
        ("from the file of cases to report and tables, user CPU: published engine / ours",
         f"{peer.from_file / peer.theirs:.1f} ×", f"≥ {GOALS['peer']} ×"),
        ("the same, and ours has made the cases too", f"{peer.from_generator / peer.theirs:.1f} ×",
         f"≥ {GOALS['peer']} ×"),
        *per,
        ("a study of four validators on two cores / pinned to one, by the clock", f"{cores[0] / cores[1]:.2f} ×",
         f"≥ {GOALS['cores']} ×"),
    ]  # fmt: skip


def _growth(sizes: Sequence[int], runs: Sequence[Run]) -> float:
    """Return the exponent of the cost beyond the smallest run, which takes the start of the processes out."""
    return exponent([size - sizes[0] for size in sizes[1:]], [run.user - runs[0].user for run in runs[1:]])


def _details(sizes: Sequence[int], found: Mapping[str, Sequence[Run]], peer: Peer, cores: tuple[float, float]) -> str:
    sections = "\n\n".join(_study_tables(kind, sizes, runs) for kind, runs in found.items())
    return f"""\
Each stage is a process of its own that starts with an empty store; one validator; user CPU. ns per pair is of the cost
beyond the smallest run, which takes the start of the process out. The limit: each line of what the stages write parsed
by `json`, hashed by SHA-256 and written, once, in one process (`limit_worker.py`).
No two variations of the generator share a sample, but texts and labels recur, as they do in corpora of one template:
what a rule said of them is not asked again. Of the plain dicts none recurs.

{sections}

Published engine, from the file of cases to the JSON of its report and summary, {peer.theirs:,.0f} pairs per second of
user CPU; ours on the same cases, from their file to tables, {peer.from_file:,.0f}; from the generator to tables,
{peer.from_generator:,.0f}. All start anew for it, with {min(PEER_PAIRS, sizes[-1]):,} pairs.

Two cores: the first study with four validators, {SHARDS} shards each, {CORES_PAIRS:,} pairs; one job at a time on one
core {cores[0]:.1f} s by the clock, two at a time on two {cores[1]:.1f} s; the best of {CORES_ROUNDS} each, in turn.
"""


def _study_tables(kind: str, sizes: Sequence[int], runs: Sequence[Run]) -> str:
    pairs, last = sizes[-1] - sizes[0], runs[-1]
    stages = [
        (stage, *(f"{run.costs[stage].user:.2f}" for run in runs),
         f"{1e9 * (last.costs[stage].user - runs[0].costs[stage].user) / pairs:,.0f}",
         *(f"{run.costs[stage].memory / 1e6:.0f}" for run in (runs[0], last)))
        for stage in STAGES
    ]  # fmt: skip
    stages.append((
        "together", *(f"{run.user:.2f}" for run in runs), f"{1e9 * (last.user - runs[0].user) / pairs:,.0f}",
        *(f"{run.memory / 1e6:.0f}" for run in (runs[0], last)),
    ))  # fmt: skip
    stages.append((
        "limit", *(f"{run.limit.user:.2f}" for run in runs),
        f"{1e9 * (last.limit.user - runs[0].limit.user) / pairs:,.0f}", "", "",
    ))  # fmt: skip
    bytes_of = ", ".join(f"{name} {size / sizes[-1]:,.0f}" for name, size in last.size.items())
    return f"""\
### {WHAT[kind].capitalize()}

{
        table(
            (
                "stage",
                *(f"{size:,} pairs, s" for size in sizes),
                "ns per pair",
                f"MB at {sizes[0]:,}",
                f"MB at {sizes[-1]:,}",
            ),
            stages,
        )
    }

Bytes per pair on disk: {bytes_of}; together {sum(last.size.values()) / sizes[-1]:,.0f}."""
