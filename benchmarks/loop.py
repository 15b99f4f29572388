"""Plain pairs: what a tool takes beyond a bare loop that calls the validator twice a pair and counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from benchmarks.measure import ROOT, Part, table
from tests.differential.peer import environment

PAIRS = 7200
ROUNDS = {"audit": 25, "evalmut": 9, "pytest": 3}
GOAL = 2
WORKER = Path(__file__).with_name("loop_worker.py")
LOCK = Path(__file__).with_name("loop.lock")
VALIDATORS = {
    "five_rules_of_text": "JSON text, five rules",
    "one_rule_of_text": "JSON text, one rule",
    "five_rules": "dict, five rules",
    "one_rule": "dict, one rule",
}
Times = dict[str, float]
"""Median user CPU of the bare loops and the tool, in microseconds per pair."""


def measure() -> Part:
    """Ask about the same pairs with each tool, each beside the bare loops in one process."""
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
    sections = "\n\n".join(_validator_table(VALIDATORS[validator], rows) for validator, rows in found.items())
    return Part(
        headlines=tuple(
            (f"audit of {PAIRS:,} plain pairs, {VALIDATORS[validator]}, user CPU: ours / a bare loop of the validator",
             _ratio(rows["mateprobe"], "validator"), f"≤ {GOAL} ×")
            for validator, rows in found.items()
        ),
        details=f"""\
{PAIRS:,} pairs of small orders, faults and controls in turn, no sample shared. What is asked is a function that
returns a list of ids (`loop_worker.py`): given the order as a JSON text, it parses it and applies five rules (a
pattern, a set, a sum over the items, two loops) or looks for a word in it; given a plain dict of five keys and two
items, it applies the same rules or makes a single comparison. A tool's validator calls that function and makes the
tool's verdict of what it returns. Two bare loops ask twice a pair and count: one calls the validator, verdict and
all; one the function alone, which is further from every tool. Each tool is asked in turn with them in one process, on
samples and cases made beforehand, and must count the same; median of {ROUNDS["audit"]}, for pytest of
{ROUNDS["pytest"]}. pytest runs a test a pair without tracebacks or other plugins; its start is counted.
Ours freezes every sample, hands out copies, decides by the table and counts; digests and results case by case are
worked out when they are read.

{sections}
""",
    )  # fmt: skip


def _validator_table(words: str, rows: Mapping[str, Times]) -> str:
    columns = ("tool", "/ loop of the validator", "/ loop of the function", "µs per pair", "µs, validator alone",
               "µs, function alone")  # fmt: skip
    return f"### {words}\n\n" + table(
        columns,
        [
            (
                name,
                *(_ratio(times, loop) for loop in ("validator", "finder")),
                *(f"{times[what]:.1f}" if what in times else "" for what in ("tool", "validator", "finder")),
            )
            for name, times in rows.items()
        ],
    )


def _ratio(times: Times, loop: str) -> str:
    return f"{times['tool'] / times[loop]:.1f} ×" if loop in times else ""


def _beside(python: str, tool: str, validator: str) -> Times:
    """Return what a tool and the bare loops take, measured in turn."""
    command = [python, str(WORKER), tool, validator, str(PAIRS), str(ROUNDS[tool])]
    apart = {**os.environ, "PYTHONPATH": ""}
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=apart).stdout
    return {way: 1e6 * median(times) / PAIRS for way, times in json.loads(answer).items()}
