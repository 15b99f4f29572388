"""Plain pairs: what a tool takes beyond a bare loop that calls the validator twice a pair and counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks.measure import ROOT, Part, table
from tests.differential.peer import environment

PAIRS = 7200
ROUNDS = {"audit": 9, "evalmut": 9, "pytest": 3}
GOAL = 2
WORKER = Path(__file__).with_name("loop_worker.py")
LOCK = Path(__file__).with_name("loop.lock")
VALIDATORS = {"five_rules_of_text": "JSON text, five rules", "five_rules": "five rules", "one_rule": "one rule"}


def measure() -> Part:
    """Ask about the same pairs with each tool, each beside the bare loop in one process."""
    peers = str(environment(ROOT, LOCK))
    tools = {
        "mateprobe": (sys.executable, "audit"),
        "mateprobe 0.1.0a4": (peers, "audit"),
        "evalmut 0.1.0": (peers, "evalmut"),
        "pytest": (sys.executable, "pytest"),
    }
    found = {
        validator: {name: _beside(python, tool, validator) for name, (python, tool) in tools.items()}
        for validator in VALIDATORS
    }
    return Part(
        headlines=tuple(
            (f"audit of {PAIRS:,} plain pairs, validator of {VALIDATORS[validator]}, user CPU: ours / a bare loop",
             f"{tool / bare:.1f} ×", f"≤ {GOAL} ×")
            for validator, rows in found.items() for bare, tool in [rows["mateprobe"]]
        ),
        details=f"""\
{PAIRS:,} pairs of small orders, faults and controls in turn, no sample shared. A validator is a function that returns a
list of ids (`loop_worker.py`). One is given the order as a JSON text, parses it and applies five rules (a pattern, a
set, a sum over the items, two loops); one is given a plain dict of five keys and two items and applies the same rules;
one makes a single comparison, for which every tool is far from the bare loop. Each tool is asked in turn with the bare
loop in one process, on samples and cases made beforehand, and must count the same; median of {ROUNDS["audit"]}, for
pytest of {ROUNDS["pytest"]}. pytest runs a test a pair without tracebacks or other plugins; its start is counted.
Ours freezes every sample, hands out copies, decides by the table and counts; digests and results case by case are
worked out when they are read.

{table(("tool", *(f"{words}: ratio" for words in VALIDATORS.values()),
        *(f"{words}: µs per pair beyond the loop" for words in VALIDATORS.values())),
       [(name, *(f"{tool / bare:.1f} ×" for bare, tool in sides),
         *(f"{1e6 * (tool - bare) / PAIRS:.1f}" for bare, tool in sides))
        for name in tools for sides in [[rows[name] for rows in found.values()]]])}

The bare loop itself takes {"; ".join(
    f"{1e6 * median(bare for bare, _ in found[validator].values()) / PAIRS:.1f} µs per pair ({words})"
    for validator, words in VALIDATORS.items())}.
""",
    )  # fmt: skip


def _beside(python: str, tool: str, validator: str) -> tuple[float, float]:
    """Return the median user CPU, in seconds, of the bare loop and of a tool, measured in turn."""
    command = [python, str(WORKER), tool, validator, str(PAIRS), str(ROUNDS[tool])]
    apart = {**os.environ, "PYTHONPATH": ""}
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=apart).stdout
    bare, asked = (median(times) for times in json.loads(answer))
    return bare, asked
