"""What a process costs, how costs grow, and how figures are shown."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression
from time import perf_counter

ROOT = Path(__file__).absolute().parent.parent

_SPAWN = Path(__file__).with_name("spawn.py")
_MEMORY_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process and its children took.

    Attributes:
        user: seconds of processor time in user code, children included.
        system: seconds of processor time in the kernel, children included.
        wall: seconds by the clock; says as much of the machine's other work as of ours.
        memory: peak resident bytes of the largest of the processes.
    """

    user: float
    system: float
    wall: float
    memory: int

    @property
    def processor(self) -> float:
        """Seconds of processor time."""
        return self.user + self.system


@dataclass(frozen=True, slots=True)
class Part:
    """One benchmark's findings.

    Attributes:
        headlines: (what, found, goal) each, the figures that sum it up.
        details: the tables and what they mean, as Markdown.
    """

    headlines: Sequence[tuple[str, str, str]]
    details: str


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Cost:
    """Run ``command`` in ``folder`` and return what it cost.

    Raises:
        SystemExit: it failed; its output has been shown.
    """
    began = perf_counter()
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(_SPAWN), *command],
        cwd=folder, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    wall = perf_counter() - began
    code, user, system, memory = json.loads(done.stdout)
    if code:
        sys.exit(f"{done.stderr}{' '.join(command):.300}: exit code {code}")
    return Cost(user, system, wall, memory * _MEMORY_UNIT)


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return p of the best fit of ``cost = a * size**p``: least squares of the logarithms. 1 is linear."""
    return linear_regression([math.log(size) for size in sizes], [math.log(cost) for cost in costs]).slope


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; the first column is text, the others are figures."""
    rule = ["---", *["--:"] * (len(columns) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (columns, rule, *rows))
