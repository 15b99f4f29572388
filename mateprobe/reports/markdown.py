"""Markdown of a validator audit: what failed first, then the evidence, then every case."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from mateprobe.outcome import GAPS, INCOMPLETE, Assessment
from mateprobe.reports.output import encodable
from mateprobe.tally import flat
from mateprobe.visible import visible

if TYPE_CHECKING:
    from mateprobe.validator_audit import AuditResult, Flip, ValidatorAuditReport

_UNEVALUATED = (Assessment.UNTESTED, Assessment.NOT_EVALUATED)


STEP_SUMMARY = 1 << 20
"""Bytes that GitHub takes of a step's summary."""

# What could end a cell, begin markup, a link, an image or HTML, or call somebody: signs between letters, as in
# `a_b` and `CODE@SCOPE`, do none of that. Source: GitHub Flavored Markdown, 2.4 (backslash escapes), 6.9 (autolinks).
_MARKUP = re.compile(
    r"[\\`*|~]|\](?=[(\[])|<(?=[a-zA-Z/!?])|\$(?=.*\$)|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|:(?=//)|(?<=\bwww)\."
)
_MENTION = re.compile(r"(?<![\w/.])@(?=\w)")


def cell(text: object) -> str:
    r"""Return ``text`` for a table cell or a line of a list: on one line, and shown as it is, never as markup.

    Examples:
        >>> print(cell("a | b\nc"))
        a \| b c
    """
    return _MENTION.sub("@<!-- -->", _MARKUP.sub(r"\\\g<0>", visible(flat(str(text)))))


def code(text: object) -> str:
    """Return ``text`` as code for a table cell or a line of a list, which nothing in it ends; odd ones as ``cell``.

    Examples:
        >>> print(code("total"))
        `total`
    """
    line = visible(flat(str(text)))
    if not line or "|" in line:  # in code a pipe ends the cell, and its escape is shown outside of tables
        return cell(text)
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    return f"{fence} {line} {fence}" if "`" in line else f"{fence}{line}{fence}"


def own(text: str) -> str:
    r"""Return a text of ours for a table cell: on one line, pipes escaped, its markup kept.

    Examples:
        >>> print(own("`a | b`"))
        `a \| b`
    """
    return flat(text).replace("|", "\\|")


def shown(rate: float | None) -> str:
    """Return a rate for people: a percentage, or the word undefined.

    Examples:
        >>> shown(0.5), shown(None)
        ('50.0%', 'undefined')
    """
    return "undefined" if rate is None else f"{rate:.1%}"


def audit_markdown(report: ValidatorAuditReport, *, every_case: bool = True) -> str:
    """Return the report as Markdown text ending in a newline, whole or without the list of all cases.

    Examples:
        >>> from mateprobe.validator_audit import Obligation, ValidatorAuditReport
        >>> report = ValidatorAuditReport("asks", (Obligation("receipt", "A refund has a receipt."),), (), "0" * 64)
        >>> audit_markdown(report).splitlines()[0]
        '# Audit of asks'
    """
    return "\n".join([*audit_lines(report, every_case=every_case), ""])


def audit_lines(report: ValidatorAuditReport, *, every_case: bool = True) -> Iterator[str]:
    """Yield the lines of the report as Markdown.

    Examples:
        >>> from mateprobe.validator_audit import Obligation, ValidatorAuditReport
        >>> report = ValidatorAuditReport("asks", (Obligation("receipt", "A refund has a receipt."),), (), "0" * 64)
        >>> [line for line in audit_lines(report) if line.startswith("- ")]
        ['- **receipt**: untested; A refund has a receipt.']
    """
    summary = report.summary()
    yield f"# Audit of {cell(report.validator_id)}"
    yield ""
    yield (
        f"Detected {summary['detected_faults']} of {summary['eligible_faults']} faults "
        f"({shown(summary['detection_score'])}), preserved {summary['preserved_controls']} of "
        f"{summary['eligible_controls']} controls ({shown(summary['preservation_rate'])})."
    )
    yield "These figures speak of the supplied cases alone."
    yield ""
    yield f"Corpus {code(report.corpus_digest)}, MateProbe {cell(report.library_version)}, {_provenance(report)}."
    for title, lines in (
        ("Known gaps", _gaps(report)),
        ("Incomplete evidence and execution failures", _incomplete(report)),
        *((("Answers that differed", _flips(report)),) if report.repeat > 1 else ()),
        ("Untested or unevaluated obligations", _unevaluated(summary["obligations"])),
        ("Evidence by obligation", _obligations(summary["obligations"])),
        *((("All cases", _cases(report)),) if every_case else ()),
    ):
        yield from ("", f"## {title}", "", *(list(lines) or ["None."]))


def within(lines: Iterable[str], limit: int) -> Iterator[str]:
    r"""Yield the text of lines, each with its end, or as many of them as a limit in bytes admits, and say so.

    Examples:
        >>> list(within(["one", "two"], 100))
        ['one\n', 'two\n']
    """
    texts = [f"{encodable(line)}\n" for line in lines]
    sizes = list(accumulate(len(text.encode()) for text in texts))
    if not sizes or sizes[-1] <= limit:
        yield from texts
        return
    room = limit - len(_cut(len(texts), len(texts), limit).encode())
    kept = bisect_right(sizes, room)
    yield from texts[:kept]
    yield _cut(kept, len(texts), limit)


def _cut(kept: int, total: int, limit: int) -> str:
    return f"\n**Cut here: {kept:,} of {total:,} lines are shown, which is what fits into {limit:,} bytes.**\n"


def _provenance(report: ValidatorAuditReport) -> str:
    git = report.provenance
    if git is None:
        return "Git state not asked for"
    state = {True: "with local changes", False: "clean", None: "cleanliness unknown"}[git.dirty]
    return f"Git commit {cell(git.commit or 'unknown')} ({state})"


def _gaps(report: ValidatorAuditReport) -> Iterator[str]:
    for case in report.cases:
        if case.outcome in GAPS:
            yield f"- **{cell(case.id)}** ({cell(case.obligation)}): {case.outcome}; {cell(difference(case))}"


def difference(case: AuditResult) -> str:
    """Say what the case expected of the validator and what it got.

    Examples:
        >>> from mateprobe import AuditCase, Obligation, Relation, Validity, Verdict, audit_validator
        >>> label = (Validity.VALID, "by hand")
        >>> case = AuditCase("none", "receipt", "R-17", "", Relation.VIOLATION, ("receipt",), *label)
        >>> receipt = Obligation("receipt", "A refund has a receipt.")
        >>> report = audit_validator(lambda text: Verdict(True), [case], obligations=[receipt], validator_id="accepts")
        >>> difference(report.cases[0])
        'expected receipt, got acceptance'
    """
    return f"expected {', '.join(case.expected) or 'acceptance'}, got {reported(case)}"


def reported(case: AuditResult) -> str:
    """Say what the validator said of the variant.

    Examples:
        >>> from mateprobe import AuditCase, Obligation, Relation, Validity, Verdict, audit_validator
        >>> label = (Validity.VALID, "by hand")
        >>> case = AuditCase("none", "receipt", "R-17", "", Relation.VIOLATION, ("receipt",), *label)
        >>> receipt = Obligation("receipt", "A refund has a receipt.")
        >>> report = audit_validator(lambda text: Verdict(True), [case], obligations=[receipt], validator_id="accepts")
        >>> reported(report.cases[0])
        'acceptance'
    """
    verdict = case.variant
    if verdict is None:
        return "no verdict"
    return ", ".join(verdict.violations) or ("acceptance" if verdict.accepted else "rejection without an id")


def told(case: AuditResult) -> str:
    """Say of a case how it ended and, on one line, why: what was expected if the answer was wrong, else the reason.

    Examples:
        >>> from mateprobe import AuditCase, Obligation, Relation, Validity, Verdict, audit_validator
        >>> label = (Validity.VALID, "by hand")
        >>> case = AuditCase("none", "receipt", "R-17", "", Relation.VIOLATION, ("receipt",), *label)
        >>> receipt = Obligation("receipt", "A refund has a receipt.")
        >>> report = audit_validator(lambda text: Verdict(True), [case], obligations=[receipt], validator_id="accepts")
        >>> told(report.cases[0])
        'survived; expected receipt, got acceptance'
    """
    return f"{case.outcome}; {flat(difference(case) if case.outcome in GAPS else case.reason)}"


def _flips(report: ValidatorAuditReport) -> Iterator[str]:
    yield f"Each sample was judged {report.repeat} times. Different answers are no verdict: they count as an error."
    yield ""
    yield from [_flip(flip) for flip in report.flips()] or ["None differed."]


def _flip(flip: Flip) -> str:
    answers = ", ".join(f"{cell(reading.said)} {reading.times} ×" for reading in flip.readings)
    return f"- sample {code(flip.sample[:12])} ({', '.join(map(cell, flip.case_ids))}): {answers}"


def _incomplete(report: ValidatorAuditReport) -> Iterator[str]:
    for case in report.cases:
        if case.outcome in INCOMPLETE:
            yield f"- **{cell(case.id)}** ({cell(case.obligation)}): {case.outcome}; {cell(case.reason)}"


def _unevaluated(obligations: list[dict[str, Any]]) -> Iterator[str]:
    for item in obligations:
        if item["assessment"] in _UNEVALUATED:
            yield f"- **{cell(item['id'])}**: {item['assessment']}; {cell(item['description'])}"


def _obligations(obligations: list[dict[str, Any]]) -> Iterator[str]:
    yield "| Obligation | Scope | Assessment | Outcomes |"
    yield "|---|---|---|---|"
    for item in obligations:
        outcomes = ", ".join(f"{name} {number}" for name, number in item["counts"].items()) or "none"
        name = f"{cell(item['id'])}: {cell(item['description'])}"
        yield f"| {name} | {item['scope']} | {item['assessment']} | {outcomes} |"


def _cases(report: ValidatorAuditReport) -> Iterator[str]:
    yield "| Case | Obligation | Outcome | Reason |"
    yield "|---|---|---|---|"
    for case in report.cases:
        yield f"| {cell(case.id)} | {cell(case.obligation)} | {case.outcome} | {cell(case.reason)} |"
