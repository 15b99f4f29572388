"""Stage ``tables``: the tables of the report, each from the artifacts of the studies that name it.

What a table shows stands in ``table_specs``. It is written as JSON ``{"columns", "rows"}`` with
exact values, CSV with the same, and Markdown for people. What is undefined is the word
undefined.
"""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.canonical import canonical_bytes
from mateprobe.errors import StageError, StudyError, one_of
from mateprobe.pipeline.files import write_bytes
from mateprobe.pipeline.records import read_records
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.stage import run_stage
from mateprobe.pipeline.table_specs import TABLES, UNDEFINED, Row, Table
from mateprobe.reports.markdown import cell

FOLDER = RESULTS / "tables"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--table", required=True, help="the table's name")
    parser.add_argument("--inputs", required=True, nargs="+", type=Path, help="the artifacts with its rows, in order")


def run(args: argparse.Namespace) -> int:
    """Write ``results/tables/NAME.{json,csv,md}``; return 0.

    Raises:
        StudyError: no such table. StageError: the table has no rows.
    """
    if args.table not in TABLES:
        raise StudyError(f"table {args.table!r}: {one_of(args.table, TABLES)}")
    table = TABLES[args.table]
    inputs = {path.as_posix(): path for path in args.inputs}

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
        params={"table": args.table, "inputs": list(inputs)},
        modules=[__name__],
        outputs={form: FOLDER / f"{args.table}.{form}" for form in ("json", "csv", "md")},
        make=make,
        receipt=FOLDER / "receipts" / f"{args.table}.json",
    )
    return 0


def _rows(table: Table, inputs: Mapping[str, Path]) -> Iterator[Row]:
    for path in inputs.values():
        yield from table.rows(read_records(path, "outcomes") if path.suffix == ".jsonl" else strict_json.load(path))


def csv_text(table: Table, rows: Sequence[Row]) -> str:
    """Return the table as CSV with exact values. Texts a spreadsheet would run as formulas are quoted."""
    head = [column.name for column in table.columns]
    return "".join(_csv_line(row) for row in (head, *rows))


def _csv_line(row: Row) -> str:
    line = io.StringIO()
    csv.writer(line).writerow([_inert(value) for value in row])  # its own line end has a CR: so it quotes one within
    return line.getvalue().removesuffix("\r\n") + "\n"


def _inert(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def markdown_text(table: Table, rows: Sequence[Row]) -> str:
    """Return the table as Markdown, with its title."""
    numeric = [all(isinstance(row[i], int | float) for row in rows) for i in range(len(table.columns))]
    head = " | ".join(column.heading for column in table.columns)
    rule = "|".join("---:" if right else "---" for right in numeric)
    body = [" | ".join(cell(c.shown(value)) for c, value in zip(table.columns, row, strict=True)) for row in rows]
    return "\n".join([f"**{table.title}**", "", f"| {head} |", f"|{rule}|", *(f"| {line} |" for line in body), ""])
