"""Two reports, case by case: what was fixed, what regressed, and what is not asked any more.

Every case of either report falls in exactly one class. What is not asked any more is in a class of its own,
and rates are compared on the cases that both reports ask: a corpus that shrank never looks like progress.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .outcome import FAILURES, INCOMPLETE, WELL
from .tally import Rates, rates
from .validator_audit import AuditResult, ValidatorAuditReport


class Change(StrEnum):
    """What became of a case from one report to the next."""

    REGRESSED = "regressed"
    NOW_ERROR = "now_error"
    FIXED = "fixed"
    LABEL_CHANGED = "label_changed"
    NEWLY_ASKED = "newly_asked"
    NO_LONGER_ASKED = "no_longer_asked"
    FAILS_OTHERWISE = "fails_otherwise"
    UNCHANGED = "unchanged"


WORSE = frozenset({Change.REGRESSED, Change.NOW_ERROR})
"""Where a case ended worse than before."""

LABEL = ("obligation", "relation", "validity", "expected", "baseline_digest", "variant_digest")
"""What a case asks: with another of these it is another question under the old id."""


@dataclass(frozen=True, slots=True)
class CaseChange:
    """One case in both reports, or in one of them; ``parts`` are those of its label that differ."""

    id: str
    change: Change
    old: AuditResult | None
    new: AuditResult | None
    parts: tuple[str, ...] = ()

    @property
    def case(self) -> AuditResult:
        """The case as it is now, or as it was last."""
        case = self.new or self.old
        assert case is not None, "a change is of a case in one of two reports"  # noqa: S101 - for the type checker
        return case

    def to_dict(self) -> dict[str, Any]:
        """Return the change as JSON data."""
        ended = {
            name: case and {"outcome": case.outcome.value, "reason": case.reason}
            for name, case in (("old", self.old), ("new", self.new))
        }
        return {"id": self.id, "obligation": self.case.obligation, "parts": [*self.parts], **ended}


@dataclass(frozen=True, slots=True)
class Diff:
    """Two reports and what became of each case: cases of the new report in its order, then those it lacks."""

    old: ValidatorAuditReport
    new: ValidatorAuditReport
    cases: tuple[CaseChange, ...]

    def of(self, change: Change) -> tuple[CaseChange, ...]:
        """Return the cases of one class."""
        return tuple(case for case in self.cases if case.change is change)

    def counts(self) -> dict[Change, int]:
        """Return how many cases are in each class; together they are all cases of either report."""
        count = Counter(case.change for case in self.cases)
        return {change: count[change] for change in Change}

    @property
    def worse(self) -> bool:
        """Some case ended worse than before."""
        return any(case.change in WORSE for case in self.cases)

    @property
    def empty(self) -> bool:
        """Every case is in both reports, asks the same and ended the same."""
        return all(case.change is Change.UNCHANGED for case in self.cases)

    def comparable(self) -> tuple[Rates, Rates]:
        """Return the old and the new rates of the cases that ask the same in both reports."""
        pairs = [(case.old, case.new) for case in self.cases if case.old and case.new and not case.parts]
        return _rates(old for old, _ in pairs), _rates(new for _, new in pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON data: the cases of each class but the unchanged, which are counted."""
        named = (("old", self.old), ("new", self.new))
        return {
            "format": "mateprobe.diff",
            "version": 1,
            **{name: {"validator_id": one.validator_id, "corpus_digest": one.corpus_digest} for name, one in named},
            "counts": {change.value: number for change, number in self.counts().items()},
            "cases": {
                change.value: [case.to_dict() for case in self.of(change)]
                for change in Change
                if change is not Change.UNCHANGED
            },
            "worse": self.worse,
        }


def compare(old: ValidatorAuditReport, new: ValidatorAuditReport) -> Diff:
    """Return what became of every case of either report."""
    before = {case.id: case for case in old.cases}
    after = {case.id for case in new.cases}
    changes = [_change(before.get(case.id), case) for case in new.cases]
    changes += [CaseChange(case.id, Change.NO_LONGER_ASKED, case, None) for case in old.cases if case.id not in after]
    return Diff(old, new, tuple(changes))


def _change(old: AuditResult | None, new: AuditResult) -> CaseChange:
    if old is None:
        return CaseChange(new.id, Change.NEWLY_ASKED, None, new)
    parts = tuple(part for part in LABEL if getattr(old, part) != getattr(new, part))
    change = next(change for holds, change in _LADDER if holds(old, new, parts))
    return CaseChange(new.id, change, old, new, parts)


# The first that holds decides: what is asked before how it ended, failure of the audit before a wrong answer.
_LADDER: tuple[tuple[Callable[[AuditResult, AuditResult, tuple[str, ...]], bool], Change], ...] = (
    (lambda _, __, parts: bool(parts), Change.LABEL_CHANGED),
    (lambda old, new, _: old.outcome is new.outcome, Change.UNCHANGED),
    (lambda old, new, _: new.outcome in INCOMPLETE and old.outcome not in INCOMPLETE, Change.NOW_ERROR),
    (lambda old, new, _: old.outcome in FAILURES and new.outcome in WELL, Change.FIXED),
    (lambda old, new, _: old.outcome in WELL and new.outcome in FAILURES, Change.REGRESSED),
    (lambda *_: True, Change.FAILS_OTHERWISE),
)


def _rates(cases: Iterable[AuditResult]) -> Rates:
    return rates((case.relation, case.outcome) for case in cases)
