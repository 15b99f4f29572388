"""A report as JUnit XML, in the form that Jenkins and others read: one test case a case.

A wrong answer is a failure, no usable answer an error, a case that does not count is skipped, each with its
reason. There is no time in it: a report is the same each time. What XML 1.0 forbids (production 2, "Char")
is left out, and so are the escape sequences of terminals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from mateprobe.outcome import GAPS, INCOMPLETE, Outcome
from mateprobe.reports.markdown import told

if TYPE_CHECKING:
    from mateprobe.report_file import ReportFile
    from mateprobe.validator_audit import AuditResult

FORBIDDEN = re.compile("\x1b\\[[0-9;?]*[ -/]*[@-~]|[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What is left out: the escape sequences of terminals, and what XML 1.0 forbids."""


def junit(file: ReportFile) -> Iterator[str]:
    """Yield the document, a case at a time.

    Examples:
        >>> from mateprobe.report_file import ReportFile
        >>> from mateprobe.validator_audit import Obligation, ValidatorAuditReport
        >>> receipt = Obligation("receipt", "A refund has a receipt.")
        >>> file = ReportFile(ValidatorAuditReport("asks", (receipt,), (), "0" * 64))
        >>> "".join(junit(file)).splitlines()[1]
        '<testsuites name="mateprobe" tests="0" failures="0" errors="0">'
    """
    report, name = file.report, file.report.validator_id
    outcomes = [case.outcome for case in report.cases]
    counts = {
        "tests": str(len(outcomes)),
        "failures": str(sum(outcome in GAPS for outcome in outcomes)),
        "errors": str(sum(outcome in INCOMPLETE for outcome in outcomes)),
    }
    skipped = str(outcomes.count(Outcome.EXCLUDED))
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites{_attributes(name='mateprobe', **counts)}>\n"
    yield f" <testsuite{_attributes(name=name, **counts, skipped=skipped)}>\n"
    yield "  <properties>\n"
    for key, value in (
        ("corpus_digest", report.corpus_digest),
        ("library_version", report.library_version),
        ("repeat", str(report.repeat)),
        ("gate", str(file.held)),
    ):
        yield f"   <property{_attributes(name=key, value=value)}/>\n"
    yield "  </properties>\n"
    for case in report.cases:
        yield _testcase(case)
    yield " </testsuite>\n</testsuites>\n"


def _testcase(case: AuditResult) -> str:
    opening = f"  <testcase{_attributes(name=case.id, classname=case.obligation, group=case.relation.value)}"
    if case.outcome is Outcome.EXCLUDED:
        return f"{opening}>\n   <skipped{_attributes(type=case.outcome, message=case.reason)}/>\n  </testcase>\n"
    kind = "failure" if case.outcome in GAPS else "error" if case.outcome in INCOMPLETE else ""
    if not kind:
        return f"{opening}/>\n"
    attributes = _attributes(type=case.outcome, message=told(case))
    return f"{opening}>\n   <{kind}{attributes}>{_text(_details(case))}</{kind}>\n  </testcase>\n"


def _details(case: AuditResult) -> str:
    """Return what somebody needs to find the case and to see why it ended so."""
    found = {
        "outcome": case.outcome.value,
        "reason": case.reason,
        "expected": ", ".join(case.expected),
        "reported": ", ".join(case.variant.violations) if case.variant else "",
        "evidence": "; ".join(case.variant.evidence) if case.variant else "",
        "provenance": case.provenance,
        "baseline": case.baseline_digest,
        "variant": case.variant_digest,
        "source": str(case.source or ""),
    }
    return "\n".join(f"{name}: {value}" for name, value in found.items() if value)


def _attributes(**values: str) -> str:
    return "".join(f" {name}={quoteattr(FORBIDDEN.sub('', value))}" for name, value in values.items())


def _text(text: str) -> str:
    return escape(FORBIDDEN.sub("", text), {"\r": "&#13;"})
