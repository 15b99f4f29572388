"""The audit of the published corpus: ours against the published engine, and how ours grows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measure import ROOT, Part, exponent, table
from mateprobe.pipeline.evidence import PINS, collect
from mateprobe.pipeline.yaml_file import read_yaml
from tests.differential.peer import environment

CORPUS = "benchmarks/results/corpus.json"
PROFILE = "studies/_profiles/narrative.yaml"
CASES = 720
ROUNDS = 5
COPIES = (1, 2, 4, 8)
GOAL = 8
UNITS = ("user CPU, ms", "µs per case")
WORKER = Path(__file__).with_name("audit_worker.py")


def measure() -> Part:
    """Run both packages in turn, each time in a new process, then ours on growing corpora."""
    with TemporaryDirectory() as folder:
        collect(ROOT / PINS, Path(folder), Path(folder, "receipt.json"))
        corpus = Path(folder, CORPUS)
        peer, ours = _side_by_side(corpus)
        grown = [median(_audit("mateprobe", corpus, copies)["user"] for _ in range(ROUNDS)) for copies in COPIES]
    growth = exponent(COPIES, grown)
    sides = [("narrative-contracts 0.1.0a3", *_shown(peer, CASES)), ("mateprobe", *_shown(ours, CASES))]
    sizes = [(f"{CASES * k:,}", *_shown(user, CASES * k)) for k, user in zip(COPIES, grown, strict=True)]
    return Part(
        headlines=(
            (f"audit of {CASES} cases, user CPU: published engine / ours", f"{peer / ours:.1f} ×", f"≥ {GOAL} ×"),
            (f"growth of the audit up to {CASES * COPIES[-1]:,} cases, exponent", f"{growth:.2f}", "1 (linear)"),
        ),
        details=f"""\
`audit` of the {CASES} published feasibility cases with the profile `{PROFILE}`: the
two packages in turn, each time in a new process; median of {ROUNDS}. Loading is not counted. Both give the same corpus
digest, detected faults and preserved controls.

{table(("package", *UNITS), sides)}

Ours on k copies of the corpus, no two of which share a sample:

{table(("cases", *UNITS), sizes)}
""",
    )


def _shown(user: float, cases: int) -> tuple[str, str]:
    return f"{1e3 * user:,.0f}", f"{1e6 * user / cases:,.0f}"


def _side_by_side(corpus: Path) -> tuple[float, float]:
    """Return the median user CPU, in seconds, of the published engine and of ours, measured in turn."""
    runs = [[_audit(package, corpus) for package in ("narrative_contracts", "mateprobe")] for _ in range(ROUNDS)]
    if len({json.dumps(run["found"]) for pair in runs for run in pair}) > 1:
        sys.exit(f"the packages do not find the same, so their times cannot be compared: {runs[0]}")
    peer, ours = (median(run["user"] for run in side) for side in zip(*runs, strict=True))
    return peer, ours


def _audit(package: str, corpus: Path, copies: int = 1) -> dict[str, Any]:
    """Return what a package's audit of so many copies of the corpus found, and its user CPU in seconds."""
    python = sys.executable if package == "mateprobe" else str(environment(ROOT))
    contracts = json.dumps(read_yaml(ROOT / PROFILE).content["contracts"])
    command = [python, "-I", str(WORKER), package, str(corpus), contracts, str(copies)]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return answer
