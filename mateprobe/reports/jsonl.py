"""A report as JSON lines: a record file whose header is all but the cases. What is kept is this."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mateprobe.records import record_lines
from mateprobe.report_file import KIND, VERSION

if TYPE_CHECKING:
    from mateprobe.report_file import ReportFile


def jsonl(file: ReportFile) -> Iterator[str]:
    """Yield the lines, one at a time: memory does not grow with the number of cases.

    Raises:
        InvalidValue: a lone surrogate in what the audit is called, or a line too long for a reader.

    Examples:
        >>> from mateprobe.report_file import ReportFile
        >>> from mateprobe.validator_audit import Obligation, ValidatorAuditReport
        >>> receipt = Obligation("receipt", "A refund has a receipt.")
        >>> file = ReportFile(ValidatorAuditReport("asks", (receipt,), (), "0" * 64))
        >>> len(list(jsonl(file)))  # the head and the end
        2
    """
    rows = (
        json.dumps(case.to_dict(), ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode(
            "utf-8", "backslashreplace"
        )  # a validator may say what has no UTF-8, and its escape means the same
        for case in file.report.cases
    )
    lines = record_lines(KIND, rows, file.head(), where="report", version=VERSION)
    return (line.decode() for line in lines)
