"""How a report is written in each of its forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from mateprobe.reports.ctrf import ctrf
from mateprobe.reports.jsonl import jsonl
from mateprobe.reports.junit import junit
from mateprobe.reports.markdown import STEP_SUMMARY, audit_lines, within
from mateprobe.reports.output import json_text
from mateprobe.reports.sarif import sarif

if TYPE_CHECKING:
    from mateprobe.report_file import ReportFile

Form = Callable[["ReportFile"], Iterator[str]]
"""Yields the text of a report, piece by piece."""


def markdown(file: ReportFile) -> Iterator[str]:
    r"""Yield the report for people, cut, and saying so, where GitHub would refuse it as a step's summary.

    Examples:
        >>> from mateprobe.report_file import ReportFile
        >>> from mateprobe.validator_audit import Obligation, ValidatorAuditReport
        >>> receipt = Obligation("receipt", "A refund has a receipt.")
        >>> file = ReportFile(ValidatorAuditReport("asks", (receipt,), (), "0" * 64))
        >>> next(iter(markdown(file)))
        '# Audit of asks\n'
    """
    lines = [*audit_lines(file.report), "", str(file.held)]
    return within(lines, STEP_SUMMARY)


def json(file: ReportFile) -> Iterator[str]:
    r"""Yield the report as one JSON object, with its summary and how it stands.

    Examples:
        >>> from mateprobe.report_file import ReportFile
        >>> from mateprobe.validator_audit import Obligation, ValidatorAuditReport
        >>> receipt = Obligation("receipt", "A refund has a receipt.")
        >>> file = ReportFile(ValidatorAuditReport("asks", (receipt,), (), "0" * 64))
        >>> "".join(json(file))[:2]
        '{\n'
    """
    yield json_text(file.to_dict())


WRITERS: Mapping[str, Form] = MappingProxyType(
    {"json": json, "jsonl": jsonl, "markdown": markdown, "junit": junit, "sarif": sarif, "ctrf": ctrf}
)
"""How each of ``reports.FORMS`` is written."""
