"""A report as CTRF, the Common Test Report Format: one test a case.

The format has no word for a validator that failed: such a case is ``failed``, and its outcome stands in
``rawStatus``. It asks for times; they are 0, since a report is the same each time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mateprobe._version import __version__
from mateprobe.outcome import FAILURES, Outcome
from mateprobe.reports.markdown import told
from mateprobe.reports.output import json_text

if TYPE_CHECKING:
    from mateprobe.report_file import ReportFile
    from mateprobe.validator_audit import AuditResult

SPECIFICATION = "0.0.0"


def ctrf(file: ReportFile) -> Iterator[str]:
    """Yield the document.

    Examples:
        >>> from mateprobe.report_file import ReportFile
        >>> from mateprobe.validator_audit import Obligation, ValidatorAuditReport
        >>> receipt = Obligation("receipt", "A refund has a receipt.")
        >>> file = ReportFile(ValidatorAuditReport("asks", (receipt,), (), "0" * 64))
        >>> import json
        >>> json.loads("".join(ctrf(file)))["results"]["summary"]["tests"]
        0
    """
    tests = [_test(case) for case in file.report.cases]
    count = Counter(test["status"] for test in tests)
    yield json_text(
        {
            "reportFormat": "CTRF",
            "specVersion": SPECIFICATION,
            "generatedBy": f"mateprobe {__version__}",
            "results": {
                "tool": {"name": "mateprobe", "version": __version__},
                "summary": {
                    "tests": len(tests),
                    **{status: count[status] for status in ("passed", "failed", "skipped", "pending", "other")},
                    "start": 0,
                    "stop": 0,
                    "extra": {"gate": file.held.to_dict(), "corpus_digest": file.report.corpus_digest},
                },
                "tests": tests,
            },
        }
    )


def _test(case: AuditResult) -> dict[str, Any]:
    status = "skipped" if case.outcome is Outcome.EXCLUDED else "failed" if case.outcome in FAILURES else "passed"
    source = case.source
    return {
        "name": case.id,
        "testId": case.id,
        "suite": [case.obligation],
        "status": status,
        "rawStatus": case.outcome.value,
        "duration": 0,
        "tags": [case.relation.value],
        **({} if status == "passed" else {"message": told(case)}),
        **({"filePath": source.file} if source else {}),
        **({"line": source.line} if source and source.line else {}),
        "extra": {"case": case.to_dict()},
    }
