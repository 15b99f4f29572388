"""The ``mateprobe`` command, a function of its arguments and streams.

Exit status: 0 accepted, 1 rejected, 2 nothing to say because the input cannot be used.
"""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING, Any

from ._version import __version__
from .engine import evaluate
from .errors import MateProbeError
from .serialization import load_bundle

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from .model import Report

ACCEPTED, REJECTED, UNUSABLE = 0, 1, 2

COMMANDS = ("check",)

_STATUS = """\
exit status:
  0  the document is accepted
  1  the document is rejected
  2  the input cannot be used: a file, its JSON, a key or value in it, or the arguments
"""


def main() -> int:
    """Run the command on the arguments and streams of the process; output is UTF-8 with LF everywhere."""
    import io

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict", newline="\n")
    stdin = sys.stdin.buffer if sys.stdin else io.BytesIO()  # None where the descriptor is closed
    return run(sys.argv[1:], stdin, sys.stdout, sys.stderr)


def run(arguments: Sequence[str], stdin: IO[bytes] | IO[str], stdout: IO[str], stderr: IO[str]) -> int:
    """Run the command and return its exit status; nothing but the given streams and files is touched.

    Args:
        arguments: what follows the command's name. A first argument that is no command is a bundle
            to check, as it was before there were commands.
        stdin: read where a bundle is ``-``.
        stdout: receives the report, unless it goes to a file.
        stderr: receives one line on what cannot be used.
    """
    from contextlib import redirect_stderr, redirect_stdout

    try:
        with redirect_stdout(stdout), redirect_stderr(stderr):
            options = _parser().parse_args(_with_command(arguments))
    except SystemExit as stop:  # help or version was asked for, or an argument was refused
        return int(stop.code or 0)
    try:
        return _check(options, stdin, stdout)
    except (MateProbeError, OSError) as error:
        print(f"mateprobe: {_told(error)}", file=stderr)
        return UNUSABLE


def _with_command(arguments: Sequence[str]) -> list[str]:
    given = list(arguments)
    if not given or given[0] in (*COMMANDS, "-h", "--help", "--version"):
        return given
    return ["check", *given]


def _parser() -> argparse.ArgumentParser:
    import argparse

    form: Any = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False, "epilog": _STATUS}
    parser = argparse.ArgumentParser("mateprobe", description="Check documents against contracts.", **form)
    parser.add_argument("--version", action="version", version=f"mateprobe {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    check = commands.add_parser(
        "check",
        help="evaluate the contracts of a bundle on its document",
        description="Evaluate the contracts of a bundle on its document and write the report as JSON.",
        **form,
    )
    check.add_argument("bundle", metavar="BUNDLE", help="a JSON file, or - for standard input")
    check.add_argument("--output", metavar="FILE", help="write the report to FILE, not to standard output")
    return parser


def _check(options: argparse.Namespace, stdin: IO[bytes] | IO[str], stdout: IO[str]) -> int:
    from .reports.output import json_text

    report = _evaluate(options.bundle, stdin)
    _deliver(json_text(report.to_dict()), options.output, stdout)
    return ACCEPTED if report.accepted else REJECTED


def _evaluate(bundle: str, stdin: IO[bytes] | IO[str]) -> Report:
    from pathlib import Path

    from . import strict_json

    name = "standard input" if bundle == "-" else bundle
    data = strict_json.read(stdin, name) if bundle == "-" else strict_json.load(Path(bundle))
    try:
        return evaluate(*load_bundle(data))
    except MateProbeError as error:
        raise type(error)(f"{name}: {error}") from None


def _deliver(text: str, path: str | None, stdout: IO[str]) -> None:
    from .reports.output import write_whole

    if path is not None:
        write_whole(path, text)
        return
    stdout.write(text)
    stdout.flush()


def _told(error: MateProbeError | OSError) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or 'standard output'}: {error.strerror or error}"
    return str(error)
