"""A report for people in front of a terminal: what went wrong first, then each obligation, how it stands last.

Lines are short and never cut, so that they wrap well in a narrow terminal and are the same in a pipe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from mateprobe.gate import Standing
from mateprobe.outcome import GAPS, Assessment, Outcome
from mateprobe.reports.markdown import difference
from mateprobe.tally import flat
from mateprobe.visible import visible

if TYPE_CHECKING:
    from mateprobe.report_file import ReportFile
    from mateprobe.validator_audit import AuditResult, Flip, ValidatorAuditReport

Paint = Callable[[str, str], str]
"""Returns a text in a colour, or as it is."""

SHOWN = 20
"""Cases of one outcome, samples, and obligations, that are told one by one."""

_TROUBLE = (
    Outcome.SURVIVED,
    Outcome.UNATTRIBUTED_REJECTION,
    Outcome.REGRESSED,
    Outcome.ERROR,
    Outcome.BASELINE_FAILED,
    Outcome.UNDETERMINED,
)


def audit_text(file: ReportFile, paint: Paint = lambda text, _: text) -> str:
    """Return the text, which ends with how the report stands against its gate.

    Examples:
        >>> from mateprobe.report_file import ReportFile
        >>> from mateprobe import AuditCase, Obligation, Relation, Validity, Verdict, audit_validator
        >>> label = (Validity.VALID, "by hand")
        >>> case = AuditCase("none", "receipt", "R-17", "", Relation.VIOLATION, ("receipt",), *label)
        >>> receipt = Obligation("receipt", "A refund has a receipt.")
        >>> report = audit_validator(lambda text: Verdict(True), [case], obligations=[receipt], validator_id="accepts")
        >>> print(audit_text(ReportFile(report)), end="")
        Audit of accepts: 1 case
        <BLANKLINE>
        survived: 1
          none (receipt): expected receipt, got acceptance
        <BLANKLINE>
        obligations: 1, of which 0 without a failure
          receipt: known gaps (survived 1)
        <BLANKLINE>
        not met: detection 0.0% (required 100.0%), preservation undefined (required 100.0%)
    """
    return "".join(f"{line}\n" for line in _lines(file, paint))


def _lines(file: ReportFile, paint: Paint) -> Iterator[str]:
    report, held = file.report, file.held
    yield f"Audit of {_one_line(report.validator_id)}: {_counted(len(report.cases), 'case')}"
    for outcome in _TROUBLE:
        cases = [case for case in report.cases if case.outcome is outcome]
        if cases:
            title = f"{_words(outcome)}: {len(cases)}"
            yield from ("", paint(title, "red" if outcome in GAPS else "yellow"), *_listed(cases, _case))
    if flips := report.flips():
        yield from ("", paint(f"answers that differed: {_counted(len(flips), 'sample')}", "yellow"))
        yield from _listed(flips, _flip)
    yield from ("", *_obligations(report), "")
    if excluded := sum(case.outcome is Outcome.EXCLUDED for case in report.cases):
        yield f"{_counted(excluded, 'case')} excluded: identical samples, or no label that counts"
    yield paint(str(held), "green" if held.standing is Standing.MET else "red")


def _listed(items: Sequence[Any], told: Callable[[Any], str]) -> Iterator[str]:
    for item in items[:SHOWN]:
        yield f"  {_one_line(told(item))}"
    if len(items) > SHOWN:
        yield f"  … and {len(items) - SHOWN} more; --output FILE or --markdown FILE has all of them"


def _case(case: AuditResult) -> str:
    place = f"{case.source}: " if case.source else ""
    told = difference(case) if case.outcome in GAPS else case.reason
    return f"{place}{case.id} ({case.obligation}): {told}"


def _flip(flip: Flip) -> str:
    cases = ", ".join(islice(flip.case_ids, SHOWN))
    return f"{cases}: {', '.join(f'{reading.said} {reading.times} ×' for reading in flip.readings)}"


def _obligations(report: ValidatorAuditReport) -> Iterator[str]:
    obligations = report.summary()["obligations"]
    told = [item for item in obligations if item["assessment"] != Assessment.NO_FAILURES]
    yield f"obligations: {len(obligations)}, of which {len(obligations) - len(told)} without a failure"
    yield from _listed(told, _obligation)


def _obligation(item: dict[str, Any]) -> str:
    counts = ", ".join(f"{_words(name)} {number}" for name, number in item["counts"].items()) or "no case"
    return f"{item['id']}: {_words(item['assessment'])} ({counts})"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _one_line(text: str) -> str:
    return visible(flat(text))
