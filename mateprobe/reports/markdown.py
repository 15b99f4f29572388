"""Markdown of a validator audit: what failed first, then the evidence, then every case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mateprobe.outcome import GAPS, INCOMPLETE, Assessment
from mateprobe.tally import flat

if TYPE_CHECKING:
    from mateprobe.validator_audit import AuditResult, ValidatorAuditReport

_UNEVALUATED = (Assessment.UNTESTED, Assessment.NOT_EVALUATED)


def cell(text: object) -> str:
    """Return ``text`` for a table cell: on one line, pipes escaped."""
    return flat(str(text)).replace("|", "\\|")


def shown(rate: float | None) -> str:
    """Return a rate for people: a percentage, or the word undefined."""
    return "undefined" if rate is None else f"{rate:.1%}"


def audit_markdown(report: ValidatorAuditReport, *, every_case: bool = True) -> str:
    """Return the report as Markdown text ending in a newline, whole or without the list of all cases."""
    summary = report.summary()
    sections = (
        ("Known gaps", _gaps(report)),
        ("Incomplete evidence and execution failures", _incomplete(report)),
        ("Untested or unevaluated obligations", _unevaluated(summary["obligations"])),
        ("Evidence by obligation", _obligations(summary["obligations"])),
        *((("All cases", _cases(report)),) if every_case else ()),
    )
    rates = (
        f"Detected {summary['detected_faults']} of {summary['eligible_faults']} faults "
        f"({shown(summary['detection_score'])}), preserved {summary['preserved_controls']} of "
        f"{summary['eligible_controls']} controls ({shown(summary['preservation_rate'])})."
    )
    head = [
        f"# Audit of {cell(report.validator_id)}",
        "",
        rates,
        "These figures speak of the supplied cases alone.",
        "",
        f"Corpus `{report.corpus_digest}`, MateProbe {report.library_version}, {_provenance(report)}.",
    ]
    body = [line for title, lines in sections for line in ("", f"## {title}", "", *(list(lines) or ["None."]))]
    return "\n".join([*head, *body, ""])


def _provenance(report: ValidatorAuditReport) -> str:
    git = report.provenance
    if git is None:
        return "Git state not asked for"
    state = {True: "with local changes", False: "clean", None: "cleanliness unknown"}[git.dirty]
    return f"Git commit {cell(git.commit or 'unknown')} ({state})"


def _gaps(report: ValidatorAuditReport) -> Iterator[str]:
    for case in report.cases:
        if case.outcome in GAPS:
            yield f"- **{cell(case.id)}** ({cell(case.obligation)}): {case.outcome}; {_difference(case)}"


def _difference(case: AuditResult) -> str:
    verdict = case.variant
    reported = (
        "no verdict"
        if verdict is None
        else cell(", ".join(verdict.violations)) or ("acceptance" if verdict.accepted else "rejection without an id")
    )
    wanted = cell(", ".join(case.expected)) or "acceptance"
    return f"expected {wanted}, got {reported}"


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
