"""The feasibility study as stages, from 720 to 72,000 cases: time, memory and bytes of each."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.measure import ROOT, Cost, Part, exponent, run, table
from mateprobe.pipeline.section import parts, section_json
from mateprobe.pipeline.studies import load_study

VARIATIONS = (8, 80, 800)
CASES = tuple(90 * variations for variations in VARIATIONS)
ROUNDS = 3
MEMORY_GOAL = 150_000_000  # bytes
VALIDATOR = "contracts_strict"
OUTPUTS = {
    "cases": "cases.jsonl",
    "observe": f"observations/{VALIDATOR}.jsonl",
    "outcomes": f"outcomes/{VALIDATOR}.jsonl",
    "summary": "summary.json",
}


def measure() -> Part:
    """Run every stage at every size, each in a process of its own, ``ROUNDS`` times."""
    runs = {cases: [study(n) for _ in range(ROUNDS)] for cases, n in zip(CASES, VARIATIONS, strict=True)}
    user = {stage: [median(made[stage][0].user for made in runs[cases]) for cases in CASES] for stage in OUTPUTS}
    memory = {stage: [max(made[stage][0].memory for made in runs[cases]) for cases in CASES] for stage in OUTPUTS}
    size = {stage: runs[CASES[-1]][0][stage][1] for stage in OUTPUTS}
    user["together"] = [sum(times) for times in zip(*user.values(), strict=True)]
    size["together"] = sum(size.values())
    peak = max(peaks[-1] for peaks in memory.values())
    return Part(
        headlines=(
            (f"cases to summary, growth from {CASES[0]:,} to {CASES[-1]:,} cases: exponent",
             f"{_growth(user['together']):.2f}", "1 (linear)"),
            ("cases to summary, user CPU per case", f"{_slope(user['together']) / 1e3:,.0f} µs", ""),
            (f"peak resident memory of any stage at {CASES[-1]:,} cases", f"{peak / 1e6:,.0f} MB",
             f"< {MEMORY_GOAL / 1e6:.0f} MB"),
        ),
        details=f"""\
The study `feasibility` with more variations, the validator `{VALIDATOR}` alone; each stage is a process of its own
that starts with an empty store. Median of {ROUNDS}. The generator writes the group into every sample
(`distinct.py`): no two cases share a variant. ns per case and growth are of the cost beyond the smallest run, which
takes the start of the process out.

{table(("stage", *(f"{cases:,} cases, s" for cases in CASES), "ns per case", "exponent", "bytes per case"),
       [(stage, *(f"{seconds:.2f}" for seconds in times), f"{_slope(times):,.0f}", f"{_growth(times):.2f}",
         f"{size[stage] / CASES[-1]:,.0f}") for stage, times in user.items()])}

Peak resident memory, MB:

{table(("stage", *(f"{cases:,} cases" for cases in CASES)),
       [(stage, *(f"{peak / 1e6:.0f}" for peak in peaks)) for stage, peaks in memory.items()])}
""",
    )  # fmt: skip


def _slope(seconds: Sequence[float]) -> float:
    """Return nanoseconds per case beyond the smallest run."""
    return 1e9 * (seconds[-1] - seconds[0]) / (CASES[-1] - CASES[0])


def _growth(seconds: Sequence[float]) -> float:
    """Return the exponent of the cost beyond the smallest run."""
    return exponent([cases - CASES[0] for cases in CASES[1:]], [second - seconds[0] for second in seconds[1:]])


def study(variations: int, shards: int = 1) -> dict[str, tuple[Cost, int]]:
    """Return cost and output bytes of each stage of one study, made in a folder that is then removed.

    Of several shards one is observed, and nothing comes after it.
    """
    made: dict[str, tuple[Cost, int]] = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "studies", folder / "studies")
        shutil.copy(Path(__file__).with_name("distinct.py"), folder / "studies" / "_code")
        described = load_study(folder / "studies" / "feasibility.yaml")
        sections = {stage: described.section(stage, VALIDATOR) for stage in OUTPUTS}
        sections["cases"]["cases"] |= {"generate": "distinct:cases", "with": {"variations": variations}}
        sections["observe"]["shards"] = shards
        sections["summary"]["validators"] = [VALIDATOR]
        outputs = OUTPUTS | {"observe": f"observations/{parts(VALIDATOR, shards)[0]}.jsonl"}
        environment = {**os.environ, "MATEPROBE_CACHE": str(folder / "cache")}
        for stage in OUTPUTS if shards == 1 else ("cases", "observe"):
            command = [sys.executable, "-m", "mateprobe.pipeline", stage, "--study", "feasibility"]
            command += ["--validator", VALIDATOR] if stage in ("observe", "outcomes") else []
            cost = run([*command, "--section", section_json(sections[stage])], folder, environment)
            made[stage] = cost, (folder / "results" / "feasibility" / outputs[stage]).stat().st_size
    return made
