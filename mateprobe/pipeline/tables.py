"""Stage ``tables``: the tables of the report, each from the artifacts of the studies that name it.

This is the one place that knows a table's columns. A table is JSON ``{"columns", "rows"}`` with
exact values, CSV with the same, and Markdown for people. What is undefined is the word undefined.
"""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mateprobe.canonical import canonical_bytes
from mateprobe.errors import StageError, StudyError, one_of
from mateprobe.pipeline import strict_json
from mateprobe.pipeline.files import write_bytes
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.stage import run_stage
from mateprobe.reports.markdown import cell

UNDEFINED = "undefined"
FOLDER = RESULTS / "tables"
Row = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in JSON and CSV, its heading for people, and whether its values are shares."""

    name: str
    heading: str
    share: bool = False

    def shown(self, value: Any) -> str:
        """Return a value for people: shares as percentages, counts with thousands separators."""
        if isinstance(value, float) and self.share:
            return f"{value:.1%}"
        if isinstance(value, int) and not isinstance(value, bool):
            return f"{value:,}"
        return str(value)


@dataclass(frozen=True, slots=True)
class Table:
    """A table: what it shows, its columns, the artifact of each study it reads, and its rows."""

    title: str
    columns: tuple[Column, ...]
    artifact: str
    rows: Callable[[Mapping[str, Any]], Iterator[Row]]


def _feasibility(summary: Mapping[str, Any]) -> Iterator[Row]:
    for id in summary["order"]:
        binary = summary["validators"][id]["binary"]
        counts = [binary[key] for key in ("tp", "fn", "fp", "tn")]
        shares = [binary[key] for key in ("precision", "recall", "valid_acceptance")]
        yield [summary["study"], id, *counts, *shares]


def _agreement(agreement: Mapping[str, Any]) -> Iterator[Row]:
    differences = len(agreement["differences"])
    yield [agreement["study"], agreement["frozen"], agreement["cases"], agreement["values"], differences]


TABLES: Mapping[str, Table] = {
    "feasibility": Table(
        "Feasibility: each validator's verdict on the variants, by rejection alone",
        (
            Column("study", "Study"),
            Column("validator", "Validator"),
            Column("tp", "TP"),
            Column("fn", "FN"),
            Column("fp", "FP"),
            Column("tn", "TN"),
            Column("precision", "Precision", share=True),
            Column("recall", "Recall", share=True),
            Column("valid_acceptance", "Valid-variant acceptance", share=True),
        ),
        "summary",
        _feasibility,
    ),
    "agreement": Table(
        "Agreement with the frozen reports, every value of every case",
        (
            Column("study", "Study"),
            Column("frozen", "Frozen report"),
            Column("cases", "Cases"),
            Column("values", "Values compared"),
            Column("differences", "Differences"),
        ),
        "agreement",
        _agreement,
    ),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--table", required=True, help="the table's name")
    parser.add_argument("--studies", required=True, nargs="+", help="the studies that have rows in it")


def run(args: argparse.Namespace) -> int:
    """Write ``results/tables/NAME.{json,csv,md}``; return 0.

    Raises:
        StudyError: no such table. StageError: the table has no rows.
    """
    if args.table not in TABLES:
        raise StudyError(f"table {args.table!r}: {one_of(args.table, TABLES)}")
    table = TABLES[args.table]
    inputs = {study: RESULTS / study / f"{table.artifact}.json" for study in args.studies}

    def make(partial: Mapping[str, Path]) -> None:
        rows = [[UNDEFINED if value is None else value for value in row] for row in _rows(table, inputs)]
        if not rows:
            raise StageError(
                f"table {args.table!r} has no rows from {', '.join(inputs)}; an empty table proves nothing"
            )
        content = {"columns": [column.name for column in table.columns], "rows": rows}
        write_bytes(partial["json"], canonical_bytes(content) + b"\n")
        write_bytes(partial["csv"], csv_text(table, rows).encode())
        write_bytes(partial["md"], markdown_text(table, rows).encode())

    run_stage(
        "tables",
        inputs=inputs,
        params={"table": args.table, "studies": list(args.studies)},
        modules=[__name__],
        outputs={form: FOLDER / f"{args.table}.{form}" for form in ("json", "csv", "md")},
        make=make,
        receipt=FOLDER / "receipts" / f"{args.table}.json",
    )
    return 0


def _rows(table: Table, inputs: Mapping[str, Path]) -> Iterator[Row]:
    for path in inputs.values():
        yield from table.rows(strict_json.load(path))


def csv_text(table: Table, rows: Sequence[Row]) -> str:
    """Return the table as CSV with exact values. Texts a spreadsheet would run as formulas are quoted."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    writer.writerows([[_inert(value) for value in row] for row in rows])
    return stream.getvalue()


def _inert(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def markdown_text(table: Table, rows: Sequence[Row]) -> str:
    """Return the table as Markdown, with its title."""
    numeric = [all(isinstance(row[i], int | float) for row in rows) for i in range(len(table.columns))]
    head = " | ".join(column.heading for column in table.columns)
    rule = "|".join("---:" if right else "---" for right in numeric)
    body = [" | ".join(cell(c.shown(value)) for c, value in zip(table.columns, row, strict=True)) for row in rows]
    return "\n".join([f"**{table.title}**", "", f"| {head} |", f"|{rule}|", *(f"| {line} |" for line in body), ""])
