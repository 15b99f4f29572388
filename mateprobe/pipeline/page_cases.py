"""The cases of a study as data files of the page: an index of all, and their samples in parts.

The index holds what cases are listed, chosen and searched by, column by column. A part holds the
samples and verdicts of consecutive cases, each sample once; it is loaded when one of them is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from mateprobe.canonical import canonical
from mateprobe.errors import StageError
from mateprobe.pipeline.page_script import write_script

Row = Mapping[str, Any]
CODED = ("group", "family", "obligation", "relation", "validity")
READINGS = frozenset({"boolean", "detailed"})
"""Other ways to read the same observations, where a study compares them."""

NOT_ASKED = "not_asked"
"""What stands for the outcome of a sample that no validator was asked about."""


class Coded:
    """A column of few distinct words: each word once, and for each case the place of its word."""

    __slots__ = ("_codes", "_names")

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._codes: list[int] = []

    def add(self, name: str | None) -> None:
        """Add the word of the next case; None is the empty word."""
        self._codes.append(self._names.setdefault(name or "", len(self._names)))

    def to_dict(self) -> dict[str, Any]:
        """Return ``names`` and ``codes``."""
        return {"names": [*self._names], "codes": self._codes}


def joined(cases: Iterable[Row], outcomes: Mapping[str, Iterable[Row]]) -> Iterator[tuple[Row, list[Row]]]:
    """Yield each case with its outcome row of every validator.

    Raises:
        StageError: the files are not of the same cases in the same order.
    """
    try:
        for case, *ended in zip(cases, *outcomes.values(), strict=True):
            for validator, row in zip(outcomes, ended, strict=True):
                if row["id"] != case["id"]:
                    raise StageError(f"case {case['id']!r}: the outcomes of {validator!r} have {row['id']!r} there")
            yield case, ended
    except ValueError:
        raise StageError(f"the outcomes of {', '.join(outcomes)} are not of as many cases as there are") from None


def write_cases(
    rows: Iterator[tuple[Row, list[Row]]],
    total: int,
    validators: Sequence[str],
    index: tuple[str, Path],
    parts: Sequence[tuple[str, Path]],
) -> None:
    """Write the index and the parts.

    Args:
        rows: what ``joined`` yields; read once.
        total: the number of cases.
        validators: the validators' ids, in the order of the outcome rows.
        index: name and path of the index.
        parts: name and path of each part.

    Raises:
        StageError: another number of cases than ``total``.
    """
    size = -(-total // len(parts))
    ids: list[str] = []
    columns = {name: Coded() for name in CODED}
    ends = {validator: Coded() for validator in validators}
    for name, path in parts:
        part = Part()
        for case, ended in islice(rows, size):
            ids.append(case["id"])
            for key, column in columns.items():
                column.add(case[key])
            for column, row in zip(ends.values(), ended, strict=True):
                column.add(row["outcome"] or row["baseline"] or NOT_ASKED)
            part.add(case, ended)
        write_script(path, name, part.to_dict())
    if len(ids) != total or next(rows, None) is not None:
        raise StageError(f"{index[0]}: expected {total} cases as in the summary, found another number")
    coded = {name: column.to_dict() for name, column in columns.items()}
    outcomes = {validator: column.to_dict() for validator, column in ends.items()}
    write_script(index[1], index[0], {"size": size, "ids": ids, **coded, "outcomes": outcomes})


class Part:
    """Consecutive cases in full."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._texts: list[str] = []
        self._cases: list[list[Any]] = []

    def add(self, case: Row, ended: Iterable[Row]) -> None:
        """Add the next case with its outcome rows."""
        about = canonical(case["about"]) if "about" in case else None
        samples = [self._place(case, side) for side in ("baseline", "variant")]
        said = [
            [
                row["baseline"],
                row["variant"],
                row["reported"],
                row["reason"],
                {key: row[key] for key in sorted(READINGS & row.keys())},
            ]
            for row in ended
        ]
        self._cases.append([*samples, case["expected"], case["provenance"], about, said])

    def _place(self, case: Row, side: str) -> int | None:
        """Return the place of a sample's text; the text is canonical JSON, in which 1 and 1.0 stay two values."""
        sha256 = case[f"{side}_sha256"]
        if sha256 is None:
            return None
        place = self._places.setdefault(sha256, len(self._texts))
        if place == len(self._texts):
            self._texts.append(canonical(case[side]))
        return place

    def to_dict(self) -> dict[str, Any]:
        """Return ``texts`` and ``cases``, which name a text by its place."""
        return {"texts": self._texts, "cases": self._cases}
