"""The commands around an audit: run it, show its report, compare two reports, put shards together."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .commands import FAILED, MET, NOT_MET, NOTHING, Streams, about, deliver, form, nothing
from .errors import InvalidValue
from .reports import FORMS, form_of

if TYPE_CHECKING:
    from .report_file import ReportFile
    from .reports.forms import Form

_AUDIT = form(
    """\
Run a validator over audit cases, in this process, say what survived, and hold its rates against a gate.

FILE is JSON or TOML: {"obligations": [{"id", "description"}, ...], "cases": [...] or {"file": PATH},
"validator": {"callable": "module:function"} or {"command": [PROGRAM, ARGUMENT, ...]},
"gate": {"detection": 1.0, "preservation": 1.0}}; or JSON Lines, all but the cases in the first and a
case in each other. A file of cases is JSON, JSON Lines or CSV. Paths and modules are those of the
folder of FILE. A function returns a mateprobe.Verdict; a command answers {"id", "sample"} with
{"id", "accepted", "complete", "violations", "evidence"}, line by line.
""",
    "mateprobe audit audit.toml",
    "mateprobe audit audit.toml --repeat 5 --output report.jsonl",
    "mateprobe audit audit.toml --shard 1/4 --output shard-1.jsonl",
)
_REPORT = form(
    """\
Show the report of an audit in another form, or hold it against another gate, without running anything.

REPORT is what `mateprobe audit --output` wrote, as JSON lines or JSON. It is refused if an outcome in it
does not follow from its verdicts. With SARIF, --baseline tells what is new since an older report.
""",
    "mateprobe report report.jsonl --format sarif --baseline old.jsonl --output audit.sarif",
    "mateprobe report report.jsonl --detection 0.9 --quiet",
)
_DIFF = form(
    """\
Compare two reports, case by case: regressed, now an error, fixed, label changed, newly asked, no longer asked.

Rates are compared on the cases that ask the same in both. What is not asked any more counts as neither
fixed nor better. Status 1 if a case regressed or became an error.
""",
    "mateprobe diff main.jsonl branch.jsonl --output comment.md",
)
_MERGE = form(
    """\
Put the reports of all shards of an audit together, and hold the whole against its gate.

It is the report that one run without --shard writes. A shard that is missing, there twice, or of another
audit is refused.
""",
    "mateprobe merge shard-*.jsonl --output report.jsonl",
)


def add_commands(commands: Any) -> None:
    """Add ``audit``, ``report``, ``diff`` and ``merge`` to what ``ArgumentParser.add_subparsers`` returned."""
    audit = commands.add_parser("audit", help="audit a validator and pass or fail by a gate", **_AUDIT)
    audit.add_argument("file", metavar="FILE", help="what is audited, with which cases, and what must come out")
    audit.add_argument("--repeat", metavar="N", type=_count, default=1, help="judge each sample N times")
    audit.add_argument("--shard", metavar="K/N", type=_shard, help="audit shard K of N, which `merge` puts together")
    audit.add_argument("--markdown", metavar="FILE", help="write the report to FILE as Markdown, with every case")
    _add_output(audit)
    audit.set_defaults(run=_audit)
    report = commands.add_parser("report", help="show a report in another form, or against another gate", **_REPORT)
    report.add_argument("file", metavar="REPORT", help="a report, as JSON lines or JSON")
    report.add_argument("--baseline", metavar="OLD", help="an older report, for SARIF to tell what is new")
    for rate, whose in (("detection", "faults"), ("preservation", "controls")):
        report.add_argument(f"--{rate}", metavar="SHARE", type=float, help=f"the share of {whose} required, 0 to 1")
    _add_output(report)
    report.set_defaults(run=_report)
    diff = commands.add_parser("diff", help="compare two reports, case by case", **_DIFF)
    diff.add_argument("old", metavar="OLD", help="the report before")
    diff.add_argument("new", metavar="NEW", help="the report after")
    diff.add_argument("--output", metavar="FILE", help="write the comparison to FILE, not to standard output")
    diff.add_argument("--json", action="store_true", help="write it as JSON, not as Markdown")
    diff.set_defaults(run=_diff)
    merge = commands.add_parser("merge", help="put the reports of shards together", **_MERGE)
    merge.add_argument("files", metavar="SHARD", nargs="+", help="the report of a shard, as JSON lines")
    _add_output(merge)
    merge.set_defaults(run=_merge)


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", metavar="FILE", help="write the report to FILE: JSON lines, Markdown, JUnit XML or "
                        "SARIF if it ends in .jsonl, .md, .xml or .sarif, else JSON")  # fmt: skip
    parser.add_argument("--format", metavar="FORM", choices=FORMS, help="the form of the report in FILE, or on "
                        f"standard output: {', '.join(FORMS)}")  # fmt: skip
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="write the report to standard output as JSON")
    shown.add_argument("--quiet", action="store_true", help="write no report to standard output, only how it stands")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number, 1 or more")
    return int(text)


def _shard(text: str) -> tuple[int, int]:
    number, slash, of = text.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise argparse.ArgumentTypeError(f"{text!r}: expected NUMBER/OF with a number from 1 to OF, such as 1/4")
    return int(number), int(of)


def _audit(options: argparse.Namespace, streams: Streams) -> int:
    from contextlib import redirect_stdout
    from functools import partial
    from pathlib import Path

    from .audit_file import load_audit
    from .reports.forms import WRITERS
    from .terminal import progress

    written = _Written(options)
    if options.shard and written.form_asked != "jsonl":
        raise InvalidValue("--shard: a part of a report is kept as JSON lines; add --output FILE.jsonl")
    audit = load_audit(Path(options.file))
    if not audit.cases.cases:
        return nothing(f"{options.file} has no cases", streams)
    # What a validator prints is no part of the report.
    with redirect_stdout(streams.stderr), about(options.file):
        watch = partial(progress, stream=streams.stderr)
        file = audit.run(repeat=options.repeat, shard=options.shard, watch=watch)
    if options.markdown is not None:
        deliver(WRITERS["markdown"](file), options.markdown, streams.stdout)
    return written.deliver(file, streams)


def _report(options: argparse.Namespace, streams: Streams) -> int:
    from dataclasses import replace
    from functools import partial

    from .gate import Gate
    from .reports.sarif import sarif

    written = _Written(options)
    if options.baseline is not None:
        if written.form_asked != "sarif":
            raise InvalidValue("--baseline: only SARIF tells what is new; add --format sarif, or see `mateprobe diff`")
        written.form = partial(sarif, baseline=_whole(options.baseline))
    file = _whole(options.file)
    given = {name: getattr(options, name) for name in ("detection", "preservation")}
    gate = replace(file.gate, **{name: share for name, share in given.items() if share is not None})
    return written.deliver(replace(file, gate=Gate(gate.detection, gate.preservation)), streams)


def _diff(options: argparse.Namespace, streams: Streams) -> int:
    from .diff import compare
    from .reports.diff_markdown import diff_markdown
    from .reports.output import json_text

    diff = compare(_whole(options.old).report, _whole(options.new).report)
    text = [json_text(diff.to_dict())] if options.json else diff_markdown(diff)
    deliver(text, options.output, streams.stdout)
    return NOT_MET if diff.worse else MET


def _merge(options: argparse.Namespace, streams: Streams) -> int:
    from pathlib import Path

    from .report_file import read_report
    from .shards import merged

    written = _Written(options)
    return written.deliver(merged([(name, read_report(Path(name))) for name in options.files]), streams)


def _whole(name: str) -> ReportFile:
    """Return the report of a file, unless it is that of a shard: a part must never pass for the whole."""
    from pathlib import Path

    from .report_file import read_report

    file = read_report(Path(name))
    if file.shard:
        raise InvalidValue(f"{name}: is {file.shard}; put all of them together first, with `mateprobe merge`")
    return file


class _Written:
    """Where a report goes and in which form, as the options say."""

    def __init__(self, options: argparse.Namespace) -> None:
        from .reports.forms import WRITERS

        self._output, self._quiet, self._json = options.output, options.quiet, options.json
        if options.format and options.output is None and (options.json or options.quiet):
            other = "--json" if options.json else "--quiet"
            raise InvalidValue(f"--format={options.format} with {other}: both say what goes to standard output; "
                               "add --output FILE, or leave one out")  # fmt: skip
        self._shown = options.format if options.output is None else None
        self.form_asked = options.format or (form_of(options.output) if options.output else None)
        self.form: Form = WRITERS[self.form_asked or "json"]

    def deliver(self, file: ReportFile, streams: Streams) -> int:
        """Write the report and return how it stands, as an exit status."""
        from .gate import Standing
        from .reports.forms import WRITERS
        from .reports.plain_text import audit_text
        from .terminal import painter

        if self._output is not None:
            deliver(self.form(file), self._output, streams.stdout)
        if self._shown:
            deliver(self.form(file), None, streams.stdout)
        if file.shard:
            told = (
                f"{file.shard}: {len(file.report.cases)} of {file.shard.total} cases; `mateprobe merge` judges them all"
            )
            print(f"mateprobe: {told}", file=streams.stderr)
            return MET
        held = file.held
        if self._json:
            deliver(WRITERS["json"](file), None, streams.stdout)
        elif not self._shown:
            text = f"{held}\n" if self._quiet else audit_text(file, painter(streams.stdout))
            deliver(text, None, streams.stdout)
        statuses = {Standing.MET: MET, Standing.FAILED: FAILED, Standing.NOTHING_EVALUATED: NOTHING}
        return statuses.get(held.standing, NOT_MET)
