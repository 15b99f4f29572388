"""Attribution: which ids were reported where which were expected, and what nobody expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from mateprobe.outcome import INELIGIBLE, Outcome, Relation
from mateprobe.tally import ratio

NOTHING = "(nothing)"
"""Stands in the matrix for a fault without any reported id, and for a control's expectation."""


class Attribution:
    """The confusion matrix of finding ids over the eligible cases of one validator.

    A case counts once for every pair of an expected and a reported id. Precision is the share of the
    ids reported on faults that were expected; a validator that reports every id has full detection
    and little precision.
    """

    def __init__(self) -> None:
        self._matrix: Counter[tuple[str, str]] = Counter()
        self._unexpected: Counter[tuple[str, str]] = Counter()
        self._reported = self._attributed = 0

    def add(
        self, relation: Relation, outcome: Outcome, expected: Sequence[str], reported: Sequence[str], cases: int = 1
    ) -> None:
        """Count so many cases that are alike."""
        if outcome in INELIGIBLE:
            return
        for wanted in expected or [NOTHING]:
            for found in reported or [NOTHING]:
                self._matrix[wanted, found] += cases
        surplus = set(reported) - set(expected)
        for found in surplus:
            self._unexpected[relation.value, found] += cases
        if relation is Relation.VIOLATION:
            self._reported += cases * len(reported)
            self._attributed += cases * (len(reported) - len(surplus))

    def figures(self) -> dict[str, Any]:
        """Return the matrix, the unexpected findings and the precision, as JSON data in sorted order."""
        return {
            "matrix": [
                {"expected": wanted, "reported": found, "cases": cases}
                for (wanted, found), cases in sorted(self._matrix.items())
            ],
            "unexpected": [
                {"relation": relation, "reported": found, "cases": cases}
                for (relation, found), cases in sorted(self._unexpected.items())
            ],
            "reported_on_faults": self._reported,
            "expected_among_them": self._attributed,
            "precision": ratio(self._attributed, self._reported),
        }
