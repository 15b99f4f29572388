"""What a terminal is shown beside text: the command in a pseudo-terminal, and in a pipe."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mateprobe.outcome import Outcome
from mateprobe.terminal import _told
from tests.unit.test_audit_file import CONTROL, FAULT, case

SURVIVOR, CRASH = case("tiny", 1, baseline=2), case("unlucky", 13)
PLAIN = """\
Audit of own_signs:check: 4 cases

survived: 1
  audit.json:1: tiny (sign): expected sign, got acceptance

error: 1
  audit.json:1: unlucky (sign): variant_error: ValueError: unlucky

obligations: 1, of which 0 without a failure
  sign: known gaps (detected 1, error 1, preserved 1, survived 1)

failed: detection 33.3% (required 100.0%), preservation 100.0% (required 100.0%), \
the validator or a baseline failed in 1 case
"""
VALIDATOR = """
from mateprobe import Verdict

def check(number):
    if number == 13:
        raise ValueError("unlucky")
    return Verdict(number > 0, () if number > 0 else ("sign",))
"""
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Shown(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own_signs.py").write_text(VALIDATOR, encoding="utf-8")
    data = {"validator": {"callable": "own_signs:check"}, "cases": [FAULT, CONTROL, SURVIVOR, CRASH]}
    (tmp_path / "audit.json").write_text(json.dumps(data), encoding="utf-8")
    return tmp_path


def environment(**changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return {**kept, "TERM": "xterm-256color", "PYTHONPATH": str(Path(__file__).parents[2]), **changes}


def read(descriptor: int) -> str:
    """Return all that a pseudo-terminal shows, which ends with an error on Linux."""
    text = b""
    while True:
        try:
            block = os.read(descriptor, 1 << 16)
        except OSError:
            block = b""
        if not block:
            return text.decode().replace("\r\n", "\n")
        text += block


def in_a_terminal(folder: Path, *arguments: str, columns: int = 80, **changes: str) -> Shown:
    """Run the command with a terminal for each of its outputs."""
    out, err = pty.openpty(), pty.openpty()
    for _, terminal in (out, err):
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-m", "mateprobe", *arguments],
        cwd=folder, env=environment(**changes), stdin=subprocess.DEVNULL, stdout=out[1], stderr=err[1],
    ) as process:  # fmt: skip
        os.close(out[1])
        os.close(err[1])
        shown = read(err[0]), read(out[0])
    os.close(out[0])
    os.close(err[0])
    return Shown(process.returncode, shown[1], shown[0])


def in_a_pipe(folder: Path, *arguments: str, **changes: str) -> Shown:
    done = subprocess.run(
        [sys.executable, "-m", "mateprobe", *arguments],
        cwd=folder, env=environment(**changes), capture_output=True, text=True, check=False,
    )  # fmt: skip
    return Shown(done.returncode, done.stdout, done.stderr)


def test_a_pipe_gets_the_text_alone(folder: Path) -> None:
    assert in_a_pipe(folder, "audit", "audit.json") == Shown(3, PLAIN, "")


@pytest.mark.parametrize("columns", [200, 80, 30, 10])
def test_a_terminal_gets_the_same_text_in_colours_and_how_far_it_is(folder: Path, columns: int) -> None:
    shown = in_a_terminal(folder, "audit", "audit.json", columns=columns)
    assert (shown.status, COLOUR.sub("", shown.out)) == (3, PLAIN)
    painted = dict.fromkeys(re.findall(r"\x1b\[1;(\d+)m([a-z ]+): ", shown.out))
    assert [*painted] == [("31", "survived"), ("33", "error"), ("31", "failed")]
    assert "4/4" in COLOUR.sub("", shown.err) or columns < 30
    assert shown.err.endswith(("\x1b[2K", "\x1b[?25h"))  # nothing is left of the bar


@pytest.mark.parametrize("changes", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "a dumb terminal"])
def test_colours_can_be_left_out(folder: Path, changes: dict[str, Any]) -> None:
    shown = in_a_terminal(folder, "audit", "audit.json", **changes)
    assert (shown.status, shown.out, COLOUR.findall(shown.err)) == (3, PLAIN, [])


def test_json_is_the_same_in_a_terminal(folder: Path) -> None:
    assert (
        in_a_terminal(folder, "audit", "audit.json", "--json").out
        == in_a_pipe(folder, "audit", "audit.json", "--json").out
    )


def test_an_audit_that_is_interrupted_ends_with_a_line(folder: Path) -> None:
    (folder / "own_signs.py").write_text("def check(number):\n    raise KeyboardInterrupt\n", encoding="utf-8")
    assert in_a_pipe(folder, "audit", "audit.json") == Shown(130, "", "mateprobe: interrupted\n")


def test_without_rich_the_terminal_gets_the_text_alone(folder: Path) -> None:
    (folder / "rich.py").write_text("raise ModuleNotFoundError('rich')\n", encoding="utf-8")
    shown = in_a_terminal(folder, "audit", "audit.json", PYTHONPATH=f"{folder}:{Path(__file__).parents[2]}")
    assert (COLOUR.sub("", shown.out), shown.err) == (PLAIN, "")


@pytest.mark.parametrize(
    ("room", "text"),
    [
        (80, "error 1, survived 2, detected 40, excluded 3"),
        (20, "error 1, survived 2"),
        (18, "error 1"),
        (0, ""),
    ],
)
def test_what_is_wrong_is_told_first_as_far_as_there_is_room(room: int, text: str) -> None:
    from collections import Counter

    counts = {Outcome.DETECTED: 40, Outcome.EXCLUDED: 3, Outcome.SURVIVED: 2, Outcome.ERROR: 1}
    assert _told(Counter(counts), room) == text
