"""Stage ``tables``: the tables of the report, each from the artifacts of the studies that name it.

What a table shows stands in ``table_specs``. It is written as JSON ``{"columns", "rows"}`` with
exact values, CSV with the same, Markdown for people and Typst for the paper. What is undefined is
the word undefined.
"""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.canonical import canonical_bytes
from mateprobe.errors import StageError, StudyError, one_of
from mateprobe.pipeline.files import write_bytes
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.stage import run_stage
from mateprobe.pipeline.table_rows import UNDEFINED, Row
from mateprobe.pipeline.table_specs import OWN, TABLES, Table
from mateprobe.pipeline.typst_text import string
from mateprobe.records import read_records
from mateprobe.reports.markdown import cell

FOLDER = RESULTS / "tables"
FORMS = ("json", "csv", "md", "typ")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--table", required=True, help="the table's name")
    parser.add_argument("--inputs", required=True, nargs="+", type=Path, help="the artifacts with its rows, in order")


def run(args: argparse.Namespace) -> int:
    """Write ``results/tables/NAME.{json,csv,md,typ}``; return 0.

    Raises:
        StudyError: no such table. StageError: the table has no rows.
    """
    inputs = {path.as_posix(): path for path in args.inputs}
    table = table_called(args.table, inputs)

    def make(partial: Mapping[str, Path]) -> None:
        rows = rows_of(table, inputs.values())
        if not rows:
            raise StageError(
                f"table {args.table!r} has no rows from {', '.join(inputs)}; an empty table proves nothing"
            )
        content = {"columns": [column.name for column in table.columns], "rows": rows}
        write_bytes(partial["json"], canonical_bytes(content) + b"\n")
        write_bytes(partial["csv"], csv_text(table, rows).encode())
        write_bytes(partial["md"], markdown_text(table, rows).encode())
        write_bytes(partial["typ"], typst_text(table, rows).encode())

    run_stage(
        "tables",
        inputs=inputs,
        params={"table": args.table, "inputs": list(inputs)},
        modules=[__name__],
        outputs={form: FOLDER / f"{args.table}.{form}" for form in FORMS},
        make=make,
        receipt=FOLDER / "receipts" / f"{args.table}.json",
    )
    return 0


def table_called(name: str, inputs: Collection[str]) -> Table:
    """Return what a table shows: one of ``TABLES``, or the own table of the study it is called like.

    Raises:
        StudyError: neither.
    """
    if name in TABLES:
        return TABLES[name]
    if [*inputs] == TABLES[OWN].inputs(name, ()):
        return TABLES[OWN]
    raise StudyError(f"table {name!r}: {one_of(name, TABLES)}")


def rows_of(table: Table, paths: Iterable[Path]) -> list[Row]:
    """Return the rows of a table from the artifacts of its studies, in their order, undefined being a word."""
    return [
        [UNDEFINED if value is None else value for value in row]
        for path in paths
        for row in table.rows(read_records(path, "outcomes") if path.suffix == ".jsonl" else strict_json.load(path))
    ]


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
    head = " | ".join(column.heading for column in table.columns)
    rule = "|".join("---:" if right else "---" for right in numeric(table, rows))
    body = [" | ".join(cell(text) for text in shown(table, row)) for row in rows]
    return "\n".join([f"**{table.title}**", "", f"| {head} |", f"|{rule}|", *(f"| {line} |" for line in body), ""])


def typst_text(table: Table, rows: Sequence[Row]) -> str:
    """Return the table as a Typst table: no markup in it, every cell is a string."""
    align = ", ".join("right" if right else "left" for right in numeric(table, rows))
    head = ", ".join(string(column.heading) for column in table.columns)
    body = [f"  {', '.join(map(string, shown(table, row)))}," for row in rows]
    begin = [f"#table(columns: {len(table.columns)}, align: ({align},),", f"  table.header({head}),"]
    return "\n".join([*begin, *body, ")", ""])


def numeric(table: Table, rows: Sequence[Row]) -> list[bool]:
    """Tell for each column whether it holds numbers and nothing else."""
    return [all(isinstance(row[index], int | float) for row in rows) for index in range(len(table.columns))]


def shown(table: Table, row: Row) -> list[str]:
    """Return the cells of a row for people."""
    return [column.shown(value) for column, value in zip(table.columns, row, strict=True)]
