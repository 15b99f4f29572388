"""What the commands share: exit statuses, streams, and how text reaches a file or standard output."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, NamedTuple

from .errors import MateProbeError
from .visible import visible

MET, NOT_MET, UNUSABLE, FAILED, NOTHING = 0, 1, 2, 3, 4

STDIN = "standard input"
_BLOCK = 1 << 15  # characters

_STATUS = """\
exit status:
  0  met: the document is accepted; the rates reach the gate; the corpus unmasks every saboteur; nothing got worse
  1  not met: the document is rejected; a rate is below the gate; the corpus has a blind spot; a case got worse
  2  the input cannot be used: a file, a key or value in it, or the arguments
  3  the audit did not work: the validator failed on a sample, or did not accept a baseline
  4  nothing was evaluated: there is no case, or none that counts
"""


class Streams(NamedTuple):
    """Where a command reads and writes."""

    stdin: IO[bytes] | IO[str]
    stdout: IO[str]
    stderr: IO[str]


class _Help(argparse.HelpFormatter):
    """Fills paragraphs to the width of the terminal, and keeps indented lines apart: a wrapped one hangs."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        from textwrap import fill, indent as indented

        paragraphs = re.sub(r"(?<=[^\n:])\n(?=[^\s])", " ", text.strip("\n")).split("\n")
        lines = [
            line if line.startswith("  $ ") else fill(line, width, subsequent_indent=" " * (5 * line.startswith(" ")))
            for line in paragraphs
        ]
        return indented("\n".join(lines), indent)


def form(description: str, *examples: str, status: str = _STATUS) -> dict[str, Any]:
    """Return how the help of a command looks: a description, then examples and exit statuses."""
    shown = "".join(f"  $ {example}\n" for example in examples)
    return {
        "description": description,
        "epilog": f"example{'s' * (len(examples) > 1)}:\n{shown}\n{status}",
        "formatter_class": _Help,
        "allow_abbrev": False,
    }


def dress(parser: argparse.ArgumentParser, look: Mapping[str, Any]) -> None:
    """Give a parser that is there already the look that ``form`` returned."""
    for name, value in look.items():
        setattr(parser, name, value)


def name_of(file: str) -> str:
    """Return what a file is called in messages."""
    return STDIN if file == "-" else file


@contextmanager
def about(file: str) -> Iterator[None]:
    """Put the name of the file before the message of an error."""
    try:
        yield
    except MateProbeError as error:
        raise type(error)(f"{name_of(file)}: {error}") from None


def deliver(pieces: Iterable[str], path: str | None, stdout: IO[str]) -> None:
    """Write text to a file, whole or not at all, or to standard output."""
    from .reports.output import write_whole

    if path is not None:
        write_whole(path, pieces)
        return
    for block in _blocks([pieces] if isinstance(pieces, str) else pieces):
        stdout.write(block)
    stdout.flush()


def _blocks(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the text in few parts: a reader that has seen enough, such as ``head``, then breaks no pipe midway."""
    waiting: list[str] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= _BLOCK:
            yield "".join(waiting)
            waiting, size = [], 0
    yield "".join(waiting)


def nothing(why: str, streams: Streams) -> int:
    """Say that nothing was evaluated, and return the status that means it."""
    print(f"mateprobe: {visible(why)}; nothing was evaluated", file=streams.stderr)
    return NOTHING
