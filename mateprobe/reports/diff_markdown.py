"""Markdown of a comparison, for the comment on a pull request: what got worse first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mateprobe.diff import Change
from mateprobe.outcome import FAILURES
from mateprobe.reports.markdown import cell, code, shown, told, within

if TYPE_CHECKING:
    from mateprobe.diff import CaseChange, Diff

COMMENT = 65_536
"""Characters that GitHub takes of a comment; as many bytes are never more."""

TITLES = {
    Change.REGRESSED: "Regressed",
    Change.NOW_ERROR: "Now an error",
    Change.LABEL_CHANGED: "Label changed",
    Change.NO_LONGER_ASKED: "No longer asked",
    Change.NEWLY_ASKED: "Newly asked",
    Change.FAILS_OTHERWISE: "Fails otherwise than before",
    Change.FIXED: "Fixed",
}


def diff_markdown(diff: Diff) -> Iterator[str]:
    """Yield the comparison as Markdown, cut, and saying so, where it would not fit into a comment.

    Examples:
        >>> from mateprobe.validator_audit import Obligation, ValidatorAuditReport
        >>> report = ValidatorAuditReport("asks", (Obligation("receipt", "A refund has a receipt."),), (), "0" * 64)
        >>> from mateprobe.diff import compare
        >>> next(iter(diff_markdown(compare(report, report)))).strip()
        '# Nothing changed'
    """
    return within(_lines(diff), COMMENT)


def _lines(diff: Diff) -> Iterator[str]:
    counts = diff.counts()
    old, new = diff.comparable()
    yield f"# {_headline(diff)}"
    yield ""
    if counts[Change.NO_LONGER_ASKED]:
        yield _shrunk(diff)
        yield ""
    yield f"On the {sum(bool(case.old and case.new and not case.parts) for case in diff.cases)} cases that both ask:"
    yield ""
    yield "| | old | new |"
    yield "|---|---:|---:|"
    yield f"| validator | {cell(diff.old.validator_id)} | {cell(diff.new.validator_id)} |"
    for name, before, after in (
        ("detection", (old.detected, old.faults, old.detection_score), (new.detected, new.faults, new.detection_score)),
        (
            "preservation",
            (old.preserved, old.controls, old.preservation_rate),
            (new.preserved, new.controls, new.preservation_rate),
        ),
    ):
        yield f"| {name} | {_rate(*before)} | {_rate(*after)} |"
    yield ""
    yield "| Of all cases | |"
    yield "|---|---:|"
    for change in Change:
        yield f"| {change.replace('_', ' ')} | {counts[change]} |"
    for change, title in TITLES.items():
        if counts[change]:
            yield from ("", f"## {title}", "", *map(_case, diff.of(change)))


def _headline(diff: Diff) -> str:
    counts = diff.counts()
    found = [f"{counts[change]} {words}" for change, words in _HEADLINES if counts[change]]
    return ", ".join(found) or "Nothing changed"


_HEADLINES = (
    (Change.REGRESSED, "regressed"),
    (Change.NOW_ERROR, "now an error"),
    (Change.NO_LONGER_ASKED, "no longer asked"),
    (Change.LABEL_CHANGED, "with another label"),
    (Change.NEWLY_ASKED, "newly asked"),
    (Change.FIXED, "fixed"),
    (Change.FAILS_OTHERWISE, "failing otherwise"),
)


def _shrunk(diff: Diff) -> str:
    gone = diff.of(Change.NO_LONGER_ASKED)
    failed = sum(case.case.outcome in FAILURES for case in gone)
    return f"**Cases lost: {len(gone)}, of which {failed} failed before: what is not asked is not fixed.**"


def _rate(part: int, whole: int, rate: float | None) -> str:
    return f"{part} of {whole} ({shown(rate)})"


def _case(change: CaseChange) -> str:
    where = f" at {code(change.case.source)}" if change.case.source else ""
    parts = f" ({', '.join(change.parts)})" if change.parts else ""
    ended = " → ".join(cell(told(case)) for case in (change.old, change.new) if case)
    return f"- **{cell(change.id)}** ({cell(change.case.obligation)}){where}{parts}: {ended}"
