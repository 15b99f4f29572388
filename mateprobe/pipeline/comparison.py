"""What every comparison with a frozen report is made of: values held side by side, and reports of checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mateprobe.canonical import same
from mateprobe.records import RecordFile, read_records


class Comparison:
    """Values compared so far, by field, and every difference as a line."""

    def __init__(self) -> None:
        self.compared: Counter[str] = Counter()
        self.differences: list[str] = []

    def expect(self, where: str, field: str, ours: Any, frozen: Any) -> None:
        """Compare one value, types included."""
        self.compared[field] += 1
        if not same(ours, frozen):
            self.differences.append(f"{where} {field}: ours {ours!r:.200}, frozen {frozen!r:.200}")

    def matched(
        self, ours: Iterable[Mapping[str, Any]], frozen: Iterable[Mapping[str, Any]]
    ) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        """Yield our rows with the frozen ones of the same id; what either side has alone is a difference."""
        theirs = {row["id"]: row for row in frozen}
        for row in ours:
            if row["id"] in theirs:
                yield row, theirs.pop(row["id"])
            else:
                self.differences.append(f"case {row['id']!r}: ours alone; the frozen report has no such case")
        self.differences += [f"case {id!r}: frozen alone; ours has no such case" for id in sorted(theirs)]

    def report(self, where: str, ours: Mapping[str, Any], header: Mapping[str, Any], frozen: Mapping[str, Any]) -> None:
        """Compare one contract report: digests, verdict, policy and every field of every check but its prose."""
        self.expect(where, "input_digest", ours["input_digest"], frozen["input_digest"])
        self.expect(where, "contracts_digest", header["contracts_digest"], frozen["contracts_digest"])
        self.expect(where, "policy", header["policy"], frozen["policy"])
        self.expect(where, "accepted", ours["accepted"], frozen["accepted"])
        self.expect(where, "complete", ours["complete"], frozen["complete"])
        self.expect(where, "checks", len(ours["checks"]), len(frozen["checks"]))
        for check, theirs in zip(ours["checks"], frozen["checks"], strict=False):
            for field in sorted(theirs.keys() - {"evidence"}):
                self.expect(f"{where} check {theirs['rule_id']}", field, check[field], theirs[field])


class Reports:
    """A validator's observations by sample."""

    def __init__(self, path: Path) -> None:
        self.file: RecordFile = read_records(path, "observations")
        self._rows = {row["sample"]: row for row in self.file}

    def of(self, sample: str) -> Mapping[str, Any]:
        """Return the observation of a sample, by its digest."""
        row: Mapping[str, Any] = self._rows[sample]
        return row


def finding_ids(targets: Iterable[Mapping[str, str]]) -> list[str]:
    """Return published targets as finding ids."""
    return [f"{target['rule_id']}/{target['code']}@{target['scope']}" for target in targets]
