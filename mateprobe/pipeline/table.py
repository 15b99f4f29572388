"""What a table is: its columns, each of one type, and the frame with the rows of all its studies.

Whatever is made of a table, a file, a figure or a page, is made of that frame. What is undefined is NA
in it, whatever the type of the column, and the column knows the word that people read instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mateprobe import strict_json
from mateprobe.errors import StageError
from mateprobe.records import read_records

if TYPE_CHECKING:
    from pandas import DataFrame
    from pandas.api.extensions import ExtensionArray

UNDEFINED = "undefined"
NOT_EVALUATED = "not evaluated"
HOLDS: Mapping[str, tuple[type, ...]] = {"string": (str,), "Int64": (int,), "Float64": (float, int)}
"""The types of columns, those of pandas that know NA, and what may stand in them beside it."""

Row = Sequence[Any]
"""The values of a row, column by column; None for what is undefined."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        name: what it is called in JSON and CSV.
        heading: what people read above it.
        dtype: one of ``HOLDS``.
        share: whether its values are shares.
        absent: the word for what is undefined.
    """

    name: str
    heading: str
    dtype: str = "string"
    share: bool = False
    absent: str = UNDEFINED

    def array(self, values: Iterable[Any]) -> ExtensionArray:
        """Return values as they stand in the frame.

        Raises:
            StageError: one is of another type than the column.
        """
        import pandas

        listed = list(values)
        kinds = HOLDS[self.dtype]
        for value in listed:
            if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
                raise StageError(f"column {self.name!r}: expected {kinds[0].__name__} or nothing, found {value!r:.80}")
        return pandas.array(listed, dtype=self.dtype)  # type: ignore[call-overload, no-any-return]

    def shown(self, value: Any) -> str:
        """Return a value for people: shares as percentages, other fractions to three digits, counts in thousands."""
        if isinstance(value, float):
            return f"{value:.1%}" if self.share else f"{value:.3g}"
        return f"{value:,}" if isinstance(value, int) else str(value)


def text(name: str, heading: str) -> Column:
    """Return a column of texts."""
    return Column(name, heading)


def count(name: str, heading: str, absent: str = UNDEFINED) -> Column:
    """Return a column of whole numbers."""
    return Column(name, heading, "Int64", absent=absent)


def share(name: str, heading: str) -> Column:
    """Return a column of shares, from 0 to 1 and shown in per cent."""
    return Column(name, heading, "Float64", share=True)


def fraction(name: str, heading: str) -> Column:
    """Return a column of other fractions."""
    return Column(name, heading, "Float64")


STUDY, VALIDATOR = text("study", "Study"), text("validator", "Validator")


@dataclass(frozen=True, slots=True)
class Table:
    """A table: what it shows, its columns, the artifact of each study it reads, and the rows in one of these."""

    title: str
    columns: tuple[Column, ...]
    artifact: str
    rows: Callable[[Any], Iterator[Row]]

    def inputs(self, study: str, validators: Sequence[str]) -> list[str]:
        """Return the artifacts of a study the table is made from: one, or one a validator."""
        if self.artifact == "outcomes":
            return [f"results/{study}/outcomes/{validator}.jsonl" for validator in validators]
        return [f"results/{study}/{self.artifact}.json"]

    def read(self, paths: Iterable[Path]) -> DataFrame:
        """Return the frame with the rows from the artifacts of its studies, in their order."""
        artifacts = (
            read_records(path, "outcomes") if path.suffix == ".jsonl" else strict_json.load(path) for path in paths
        )
        return self.frame(row for artifact in artifacts for row in self.rows(artifact))

    def frame(self, rows: Iterable[Row]) -> DataFrame:
        """Return the frame of these rows.

        Raises:
            StageError: a value is of another type than its column. ValueError: a row is too short or too long.
        """
        from pandas import DataFrame

        cells = list(zip(*rows, strict=True)) or [()] * len(self.columns)
        return DataFrame(
            {column.name: column.array(values) for column, values in zip(self.columns, cells, strict=True)}
        )


def part_of(part: int, whole: int) -> str | None:
    """Return ``part/whole`` as a reader would check it, or None where there is nothing to count."""
    return f"{part}/{whole}" if whole else None


def validators_of(summary: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what a summary has of each validator, by its id, in the order of the study."""
    for id in summary["order"]:
        yield id, summary["validators"][id]
