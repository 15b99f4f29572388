"""Counts, rates and assessments over outcomes. An empty denominator gives None, never 0 or 1.

What is counted may be given one by one, or as a ``Counter`` that says how often each occurs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any, Protocol

from .errors import InvalidValue
from .outcome import FAILURES, FATAL, GAPS, INCOMPLETE, INELIGIBLE, Assessment, Outcome, Relation
from .visible import visible


class Ended(Protocol):
    """A case that has ended."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def relation(self) -> Relation: ...  # noqa: D102
    @property
    def outcome(self) -> Outcome: ...  # noqa: D102
    @property
    def reason(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Rates:
    """Eligible faults and controls, and how many of them ended well. Counts are of cases."""

    faults: int
    detected: int
    controls: int
    preserved: int

    @property
    def detection_score(self) -> float | None:
        """Detected faults per eligible fault, 0 to 1; None without an eligible fault."""
        return ratio(self.detected, self.faults)

    @property
    def preservation_rate(self) -> float | None:
        """Preserved controls per eligible control, 0 to 1; None without an eligible control."""
        return ratio(self.preserved, self.controls)


def ratio(part: int, whole: int) -> float | None:
    """Return ``part / whole``, or None where ``whole`` is 0: undefined is neither 0 nor 1."""
    return part / whole if whole else None


def rates(ended: Iterable[tuple[Relation, Outcome]]) -> Rates:
    """Count eligible faults and controls; excluded cases and failed baselines stand outside."""
    count = Counter(ended)
    eligible = {Relation.VIOLATION: 0, Relation.PRESERVE: 0}
    for (relation, outcome), number in count.items():
        if outcome not in INELIGIBLE:
            eligible[relation] += number
    return Rates(
        faults=eligible[Relation.VIOLATION],
        detected=count[Relation.VIOLATION, Outcome.DETECTED],
        controls=eligible[Relation.PRESERVE],
        preserved=count[Relation.PRESERVE, Outcome.PRESERVED],
    )


def by_outcome(ended: Iterable[tuple[Relation, Outcome]]) -> Counter[Outcome]:
    """Return how often each outcome occurs, of faults and controls together."""
    found: Counter[Outcome] = Counter()
    for (_, outcome), number in Counter(ended).items():
        found[outcome] += number
    return found


def counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Return how often each outcome occurs, sorted by its word; absent outcomes are left out."""
    return {outcome.value: number for outcome, number in sorted(Counter(outcomes).items())}


def assess(ended: Iterable[tuple[Relation, Outcome]]) -> dict[str, Any]:
    """Return what the evidence for one obligation amounts to: ``assessment``, flags and ``counts``."""
    count = Counter(ended)
    found = by_outcome(count)
    outcomes, tested = found.keys(), rates(count)
    flags = {
        "has_known_gaps": bool(outcomes & GAPS),
        "has_incomplete_evidence": bool(outcomes & INCOMPLETE),
        "has_fault_tests": bool(tested.faults),
        "has_controls": bool(tested.controls),
        "has_exclusions": Outcome.EXCLUDED in outcomes,
    }
    return {"assessment": _assessment(outcomes, flags), **flags, "counts": counts(found)}


def _assessment(outcomes: Set[Outcome], flags: Mapping[str, bool]) -> Assessment:
    ladder = (
        (not outcomes, Assessment.UNTESTED),
        (outcomes == {Outcome.EXCLUDED}, Assessment.NOT_EVALUATED),
        (flags["has_known_gaps"], Assessment.KNOWN_GAPS),
        (flags["has_incomplete_evidence"], Assessment.INCOMPLETE_EVIDENCE),
        (flags["has_exclusions"], Assessment.PARTIAL_EVIDENCE),
        (not flags["has_controls"], Assessment.FAULTS_ONLY),
        (not flags["has_fault_tests"], Assessment.CONTROLS_ONLY),
    )
    return next((assessment for applies, assessment in ladder if applies), Assessment.NO_FAILURES)


def shortfalls(ended: Iterable[Ended], *, detection: float, preservation: float) -> list[str]:
    """Return the lines that say why thresholds are not met; none when they are.

    A rate that is undefined meets no threshold, not even 0. An error or a failed baseline is fatal
    whatever the rates: the audit itself did not work. Every failing case is listed.

    Raises:
        InvalidValue: a threshold no rate can have.
    """
    cases = list(ended)
    found = rates((case.relation, case.outcome) for case in cases)
    lines = short_rates(found, detection=detection, preservation=preservation)
    listed = FAILURES if lines else FATAL
    lines += [
        visible(f"{flat(case.id)}: {case.outcome} ({flat(case.reason)})") for case in cases if case.outcome in listed
    ]
    return lines


def short_rates(found: Rates, *, detection: float, preservation: float) -> list[str]:
    """Return a line for each rate that is undefined or below its threshold.

    Raises:
        InvalidValue: as ``check_thresholds``.
    """
    check_thresholds(detection, preservation)
    return [
        f"{name}={value}, required >= {threshold}"
        for name, value, threshold in (
            ("detection_score", found.detection_score, detection),
            ("preservation_rate", found.preservation_rate, preservation),
        )
        if value is None or not value >= threshold
    ]


def check_thresholds(detection: float, preservation: float) -> None:
    """Do nothing if both are shares.

    Raises:
        InvalidValue: a threshold no rate can have.
    """
    for name, threshold in (("detection", detection), ("preservation", preservation)):
        if not 0 <= threshold <= 1:
            raise InvalidValue(f"threshold {name}={threshold!r}; expected a number from 0 to 1")


def flat(text: str) -> str:
    """Return ``text`` on one line: every run of white space becomes one space."""
    return " ".join(text.split())
