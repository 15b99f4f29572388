"""Pages whose files are written and whose consoles are run, to see that they print what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]

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


def follow(page: str, folder: Path) -> None:
    """Write each file of a page and run each console, in their order."""
    for file, language, text in blocks(page):
        if file:
            (folder / file).write_text(text, "utf-8")
        elif language == "console":
            assert_as_shown(text, folder)


def promised_names() -> dict[str, list[str]]:
    """Return the names that the page on compatibility promises, by the module it says they are in."""
    page = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(mateprobe[\w.]*)` \| (`\w+`(?:, `\w+`)*) \|$", page, flags=re.MULTILINE)
    return {module: re.findall(r"\w+", names) for module, names in rows}
