"""Samples without a pair, such as what a model was asked once: how far each came, and what was said of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any


class Samples:
    """Counts over unpaired outcome rows, by family. No rate: acceptance is not accuracy."""

    def __init__(self) -> None:
        self.total = 0
        self._attempts: Counter[str] = Counter()
        self._statuses: dict[str, Counter[str]] = defaultdict(Counter)
        self._said: dict[str, Counter[str]] = defaultdict(Counter)
        self._findings: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one row."""
        family = row["family"]
        self.total += 1
        self._attempts[family] += 1
        self._statuses[family][row.get("about", {}).get("status", "evaluated")] += 1
        if row["baseline"] is not None:
            self._said[family][row["baseline"]] += 1
        self._findings[family].update(row["reported"])

    def figures(self) -> dict[str, Any]:
        """Return by family: attempts, statuses, what the validator said, and its findings by id."""
        return {
            family: {
                "attempts": attempts,
                "statuses": dict(sorted(self._statuses[family].items())),
                "said": dict(sorted(self._said[family].items())),
                "findings": dict(sorted(self._findings[family].items())),
            }
            for family, attempts in sorted(self._attempts.items())
        }
