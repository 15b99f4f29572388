"""Samples without a pair, such as what a model was asked once: how far each came, and what was said of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from statistics import median
from typing import Any

RECORDED = frozenset({"output_tokens", "prompt_tokens", "wall_seconds"})
"""Facts of a record that are summed up: recorded when it was made, not measured here."""


def _figures(values: list[float]) -> dict[str, float]:
    """Return total, median and 95th percentile (nearest rank) of at least one value."""
    in_order = sorted(values)
    rank = -(-95 * len(in_order) // 100)
    return {"total": sum(in_order), "median": median(in_order), "p95": in_order[rank - 1]}


class Samples:
    """Counts over unpaired outcome rows, by family. No rate: acceptance is not accuracy."""

    def __init__(self) -> None:
        self.total = 0
        self._attempts: Counter[str] = Counter()
        self._statuses: dict[str, Counter[str]] = defaultdict(Counter)
        self._said: dict[str, Counter[str]] = defaultdict(Counter)
        self._recorded: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self._kinds: dict[str, Counter[str]] = defaultdict(Counter)
        self._findings: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one row."""
        family = row["family"]
        self.total += 1
        self._attempts[family] += 1
        about = row.get("about", {})
        self._statuses[family][about.get("status", "evaluated")] += 1
        if row["baseline"] is not None:
            self._said[family][row["baseline"]] += 1
        repeated = row.get("repeated", {})
        self._findings[family].update({id: repeated.get(id, 1) for id in row["reported"]})
        for name in RECORDED & about.keys():
            if about[name] is not None:
                self._recorded[family][name].append(about[name])
        if "kind" in about:
            self._kinds[family][about["kind"]] += 1

    def figures(self) -> dict[str, Any]:
        """Return by family: attempts, statuses, kinds of failure, what was said, recorded facts, findings by id."""
        return {
            family: {
                "attempts": attempts,
                "statuses": dict(sorted(self._statuses[family].items())),
                "said": dict(sorted(self._said[family].items())),
                "kinds": dict(sorted(self._kinds[family].items())),
                "recorded": {name: _figures(values) for name, values in sorted(self._recorded[family].items())},
                "findings": dict(sorted(self._findings[family].items())),
            }
            for family, attempts in sorted(self._attempts.items())
        }
