"""Start-up: what the command takes to say what it can do, beside a Python that does nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from statistics import median

from benchmarks.measure import ROOT, Part, run, table

ROUNDS = 41
GOAL = 1.6
BARE = "python -c pass"
SCRIPT = str(Path(sys.executable).with_name("mateprobe"))
MAIN = "from mateprobe.__main__ import main; main()"
COMMANDS = {
    BARE: [sys.executable, "-c", "pass"],
    "mateprobe --help": [SCRIPT, "--help"],
    "the same without pip's script": [sys.executable, "-c", MAIN, "--help"],
    'python -c "import re"': [sys.executable, "-c", "import re"],
    "mateprobe audit --help": [SCRIPT, "audit", "--help"],
}


def measure() -> Part:
    """Run each in turn, many times."""
    used: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, command in COMMANDS.items():
            used[name].append(run(command, ROOT, os.environ).processor)
    found = {name: median(times) for name, times in used.items()}
    shown = "mateprobe --help"
    return Part(
        headlines=((f"`{shown}` / `{BARE}`, processor time", f"{found[shown] / found[BARE]:.2f} ×", f"≤ {GOAL} ×"),),
        details=f"""\
Median of {ROUNDS} runs, in turn. The script that pip writes imports `re` in many versions of pip, which is then nearly
all of what the command takes beyond the start of Python.

{table(("command", "ms", f"/ {BARE}"),
       [(name, f"{1e3 * seconds:.1f}", f"{seconds / found[BARE]:.2f} ×") for name, seconds in found.items()])}
""",
    )  # fmt: skip
