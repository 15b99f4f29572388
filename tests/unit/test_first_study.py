"""The page for newcomers: its files are written, its commands run, and what they print is what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

from mateprobe.commands import FAILED, MET, NOT_MET, NOTHING, UNUSABLE

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "first-study.md").read_text("utf-8")
ALONE, _, IN_A_CHECKOUT = PAGE.partition("## When one audit becomes many")

SHELL = """
python() {{ "{python}" "$@"; }}
mateprobe() {{ python -m mateprobe "$@"; }}
"""


class Block(NamedTuple):
    """A fenced block of the page: the file it is, if the line above names one, its language and content."""

    file: str
    language: str
    text: str


def blocks(text: str) -> Iterator[Block]:
    found = re.finditer(r"(?:^`([\w.]+)`:\n\n)?^```(\w+)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return (Block(match[1] or "", match[2], match[3]) for match in found)


def commands(block: str) -> list[tuple[str, str]]:
    """Return each command of a console with what is shown of its output."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def printed(lines: list[str], folder: Path) -> list[str]:
    """Return what each command prints; they run one after the other in one shell."""
    script = SHELL.format(python=sys.executable) + "".join(f"{line}; s=$?; printf '\\0'; (exit $s)\n" for line in lines)
    done = subprocess.run(
        ["/bin/sh", "-c", script],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False,
    )  # fmt: skip
    return done.stdout.split("\0")[:-1]


def assert_as_shown(block: str, folder: Path) -> None:
    """Compare a console with what its commands print; … stands for anything."""
    shown = commands(block)
    for (command, expected), found in zip(shown, printed([line for line, _ in shown], folder), strict=True):
        pattern = re.escape(expected).replace("…", ".*")
        assert re.fullmatch(pattern, found, flags=re.DOTALL), f"{command}\n{found}"


def test_every_file_and_command_of_the_page_does_what_it_shows(tmp_path: Path) -> None:
    for file, language, text in blocks(ALONE):
        if file:
            (tmp_path / file).write_text(text, "utf-8")
        elif language == "console":
            assert_as_shown(text, tmp_path)


def test_the_line_for_ci_is_a_command_that_passes(tmp_path: Path) -> None:
    for file, _, text in blocks(ALONE):
        if file:
            (tmp_path / file).write_text(text, "utf-8")
    (line,) = [step["run"] for _, language, text in blocks(PAGE) if language == "yaml" for step in yaml.safe_load(text)]
    (found, status) = printed([line, "echo $?"], tmp_path)
    assert (found[:4], status) == ("met:", "0\n")
    assert "| too much | amount | detected |" in (tmp_path / "audit.md").read_text("utf-8")


def test_the_table_of_exit_statuses_has_all_of_them() -> None:
    assert sorted(map(int, re.findall(r"^\| `(\d)` \|", PAGE, flags=re.MULTILINE))) == sorted(
        [MET, NOT_MET, UNUSABLE, FAILED, NOTHING]
    )


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    assert {block.language for block in blocks(PAGE) if not block.file} == {"console", "yaml"}
    assert {block.language for block in blocks(IN_A_CHECKOUT)} == {"console"}
