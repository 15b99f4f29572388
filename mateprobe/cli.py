"""The ``mateprobe`` command, a function of its arguments and streams.

Exit status: 0 met, 1 not met, 2 nothing to say because the input cannot be used, 3 the validator or a
baseline failed, 4 nothing was evaluated.
"""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING

from ._version import __version__
from .commands import MET, NOT_MET, STDIN, UNUSABLE, Streams, about, deliver, form, name_of, nothing
from .errors import MateProbeError
from .visible import visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from .case_file import CaseFile
    from .model import Report

COMMANDS = ("check", "audit", "report", "diff", "merge", "doctor", "completion", "study", "verify", "freeze")
PIPELINE = {
    "study": "begin, list and check the studies of the pipeline",
    "verify": "hold the results of the pipeline, and what they were made from, against their hashes",
    "freeze": "declare results to be right: write their golden hashes",
}
"""Commands of the pipeline, which the core knows by name alone; each has a parser of its own."""

INTERRUPTED = 130
"""As a shell reports it of a program that was interrupted."""

_CHECK = form(
    "Evaluate the contracts of a bundle on its document and write the report as JSON.", "mateprobe check bundle.json"
)
_DOCTOR = form(
    """\
Run validators that are wrong on purpose over a corpus of audit cases, and say which of them it
unmasks and which obligations lack a fault or a control.

CASES is a JSON array of cases, a JSON object {"obligations": [...], "cases": [...]}, JSON Lines with
a case a line, as the pipeline writes them, or CSV with a case a row. A case is an object of id, obligation, baseline,
variant, relation (violation, preserve), expected, validity (valid, equivalent, unreviewed) and
provenance. Without a list of obligations they are those the cases name, and none looks untested.
""",
    "mateprobe doctor cases.csv",
)
_COMPLETION = form(
    "Write the script that lets a shell complete the commands, options and values of mateprobe.",
    'eval "$(mateprobe completion bash)"',
    "mateprobe completion zsh > ~/.zfunc/_mateprobe",
    "mateprobe completion fish > ~/.config/fish/completions/mateprobe.fish",
    status="exit status:\n  0  written\n  2  the arguments cannot be used\n",
)
_SHELLS = ("bash", "zsh", "fish")


def main() -> int:
    """Run the command on the arguments and streams of the process; output is UTF-8 with LF everywhere."""
    import io

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict", newline="\n")
    stdin = sys.stdin.buffer if sys.stdin else io.BytesIO()  # None where the descriptor is closed
    try:
        return run(sys.argv[1:], stdin, sys.stdout, sys.stderr)
    except KeyboardInterrupt:
        sys.stderr.write("mateprobe: interrupted\n")
        return INTERRUPTED


def run(arguments: Sequence[str], stdin: IO[bytes] | IO[str], stdout: IO[str], stderr: IO[str]) -> int:
    """Run the command and return its exit status; nothing but the given streams and files is touched.

    Args:
        arguments: what follows the command's name. A first argument that is no command is a bundle
            to check, as it was before there were commands.
        stdin: read where a file is ``-``.
        stdout: receives the report, unless it goes to a file.
        stderr: receives one line on what cannot be used, or was not evaluated.
    """
    from contextlib import redirect_stderr, redirect_stdout

    if arguments and arguments[0] in PIPELINE:
        return _pipeline(arguments, stdout, stderr)
    try:
        with redirect_stdout(stdout), redirect_stderr(stderr):
            options = _parser().parse_args(_with_command(arguments))
    except SystemExit as stop:  # help or version was asked for, or an argument was refused
        return int(stop.code or 0)
    try:
        status: int = options.run(options, Streams(stdin, stdout, stderr))
    except (MateProbeError, OSError) as error:
        print(f"mateprobe: {visible(_told(error))}", file=stderr)
        return UNUSABLE
    return status


def _with_command(arguments: Sequence[str]) -> list[str]:
    given = list(arguments)
    if not given or given[0] in (*COMMANDS, "-h", "--help", "--version"):
        return given
    return ["check", *given]


def _parser() -> argparse.ArgumentParser:
    import argparse

    from . import audit_commands

    parser = argparse.ArgumentParser(
        "mateprobe",
        **form("Check documents, and corpora of audit cases.", "mateprobe audit audit.toml", "mateprobe audit --help"),
    )
    parser.add_argument("--version", action="version", version=f"mateprobe {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    check = commands.add_parser("check", help="evaluate the contracts of a bundle on its document", **_CHECK)
    check.add_argument("bundle", metavar="BUNDLE", help="a JSON file, or - for standard input")
    check.add_argument("--output", metavar="FILE", help="write the report to FILE, not to standard output")
    check.add_argument("--json", action="store_true", help="write JSON, which it does anyway")
    check.set_defaults(run=_check)
    audit_commands.add_commands(commands)
    doctor = commands.add_parser("doctor", help="see which wrong validators a corpus of audit cases unmasks", **_DOCTOR)
    doctor.add_argument("cases", metavar="CASES", help="a file of cases, or - for standard input")
    doctor.add_argument("--obligations", metavar="FILE", help="a JSON array of obligations, in place of those in CASES")
    doctor.add_argument("--json", action="store_true", help="write the report as JSON, not as Markdown")
    doctor.set_defaults(run=_doctor)
    completion = commands.add_parser("completion", help="let a shell complete commands and options", **_COMPLETION)
    completion.add_argument("shell", metavar="SHELL", choices=_SHELLS, help="bash, zsh or fish")
    completion.set_defaults(run=_completion)
    for name, what in PIPELINE.items():
        commands.add_parser(name, help=what)
    return parser


def _check(options: argparse.Namespace, streams: Streams) -> int:
    from .reports.output import json_text

    report = _evaluate(options.bundle, streams.stdin)
    deliver(json_text(report.to_dict()), options.output, streams.stdout)
    return MET if report.accepted else NOT_MET


def _evaluate(bundle: str, stdin: IO[bytes] | IO[str]) -> Report:
    from pathlib import Path

    from . import strict_json
    from .engine import evaluate
    from .serialization import load_bundle

    data = strict_json.read(stdin, STDIN) if bundle == "-" else strict_json.load(Path(bundle))
    with about(bundle):
        return evaluate(*load_bundle(data))


def _pipeline(arguments: Sequence[str], stdout: IO[str], stderr: IO[str]) -> int:
    """Hand over to the pipeline, which is started only when it is asked for."""
    from contextlib import redirect_stderr, redirect_stdout
    from importlib import import_module

    try:
        if arguments[0] == "study":
            return int(import_module("mateprobe.pipeline.study").run(arguments[1:], stdout, stderr))
        with redirect_stdout(stdout), redirect_stderr(stderr):
            return int(import_module("mateprobe.pipeline.__main__").main(arguments, "mateprobe"))
    except ModuleNotFoundError as error:
        print(f"mateprobe: {arguments[0]} needs {error.name}; pip install 'mateprobe[pipeline]'", file=stderr)
        return UNUSABLE
    except SystemExit as stop:  # help was asked for, or an argument was refused
        return int(stop.code or 0)


def parsers() -> argparse.ArgumentParser:
    """Return the parser of the command with those of the pipeline below it, if the pipeline can be loaded."""
    from contextlib import suppress
    from importlib import import_module

    from .completion import parsers_below

    whole = _parser()
    below = parsers_below(whole)
    with suppress(ModuleNotFoundError):
        below["study"] = import_module("mateprobe.pipeline.study").parser()
        for name in ("verify", "freeze"):
            import_module(f"mateprobe.pipeline.{name}").configure(below[name])
    return whole


def _completion(options: argparse.Namespace, streams: Streams) -> int:
    from .completion import SCRIPTS, levels

    deliver(SCRIPTS[options.shell]([*levels(parsers())]), None, streams.stdout)
    return MET


def _doctor(options: argparse.Namespace, streams: Streams) -> int:
    from .doctor import examine
    from .reports.output import json_text

    file = _case_file(options, streams.stdin)
    if not file.cases:
        return nothing(f"{name_of(options.cases)} has no cases", streams)
    with about(options.cases):
        report = examine(file.cases, file.obligations)
    deliver(json_text(report.to_dict()) if options.json else report.to_markdown(), None, streams.stdout)
    if not report.counted:
        return nothing(f"{name_of(options.cases)}: of {report.total} cases none counts", streams)
    return MET if report.healthy else NOT_MET


def _case_file(options: argparse.Namespace, stdin: IO[bytes] | IO[str]) -> CaseFile:
    from pathlib import Path

    from .case_file import CaseFile, load_cases, load_obligations, read_cases

    file = read_cases(stdin, STDIN) if options.cases == "-" else load_cases(Path(options.cases))
    if options.obligations is None:
        return file
    return CaseFile(file.cases, load_obligations(Path(options.obligations)))


def _told(error: MateProbeError | OSError) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or 'standard output'}: {error.strerror or error}"
    return str(error)
