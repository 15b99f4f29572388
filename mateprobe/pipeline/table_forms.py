"""The forms a table is written in, each from its frame: JSON, CSV, Markdown, Typst.

JSON and CSV hold exact values, Markdown and Typst what people read. What is undefined is a word in all.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mateprobe.canonical import canonical_bytes
from mateprobe.pipeline.table import Table
from mateprobe.pipeline.typst_text import string
from mateprobe.reports.markdown import cell

if TYPE_CHECKING:
    from pandas import DataFrame

FORMULA = "=+-@\t\r\n＝＋－＠"  # noqa: RUF001 - what begins a formula in one spreadsheet or another. Source: OWASP


def values(table: Table, frame: DataFrame) -> list[tuple[Any, ...]]:
    """Return the rows with exact values, and words for what is undefined."""
    columns = (_words(frame, column.name, column.absent) for column in table.columns)
    return list(zip(*columns, strict=True))


def _words(frame: DataFrame, name: str, absent: str) -> list[Any]:
    series = frame[name]
    return [absent if missing else value for value, missing in zip(series.tolist(), series.isna(), strict=True)]


def shown(table: Table, frame: DataFrame) -> list[list[str]]:
    """Return the rows for people."""
    return [
        [column.shown(value) for column, value in zip(table.columns, row, strict=True)] for row in values(table, frame)
    ]


def numeric(table: Table, frame: DataFrame) -> list[bool]:
    """Tell for each column whether it holds numbers and nothing else."""
    return [column.dtype != "string" and not frame[column.name].hasnans for column in table.columns]


def json_text(table: Table, frame: DataFrame) -> str:
    """Return the table as JSON: ``{"columns": [NAME, …], "rows": [[VALUE, …], …]}``."""
    content = {"columns": [column.name for column in table.columns], "rows": values(table, frame)}
    return f"{canonical_bytes(content).decode()}\n"


def csv_text(table: Table, frame: DataFrame) -> str:
    """Return the table as CSV. Texts a spreadsheet would run as formulas are quoted."""
    head = [column.name for column in table.columns]
    return "".join(_csv_line(row) for row in (head, *values(table, frame)))


def _csv_line(row: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow([_inert(value) for value in row])  # its own line end has a CR: so it quotes one within
    return line.getvalue().removesuffix("\r\n") + "\n"


def _inert(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in FORMULA and value else value


def markdown_text(table: Table, frame: DataFrame) -> str:
    """Return the table as Markdown, with its title. What would be markup in a cell is shown as text."""
    head = " | ".join(_head(table))
    rule = "|".join("---:" if right else "---" for right in numeric(table, frame))
    body = [f"| {' | '.join(cell(text) for text in row)} |" for row in shown(table, frame)]
    return "\n".join([f"**{table.title}**", "", f"| {head} |", f"|{rule}|", *body, ""])


def typst_text(table: Table, frame: DataFrame) -> str:
    """Return the table as a Typst table: no markup in it, every cell is a string."""
    align = ", ".join("right" if right else "left" for right in numeric(table, frame))
    begin = [f"#table(columns: {len(table.columns)}, align: ({align},),", f"  table.header({_strings(_head(table))}),"]
    return "\n".join([*begin, *(f"  {_strings(row)}," for row in shown(table, frame)), ")", ""])


def _head(table: Table) -> Sequence[str]:
    return [column.heading for column in table.columns]


def _strings(cells: Iterable[str]) -> str:
    return ", ".join(map(string, cells))


FORMS: Mapping[str, Callable[[Table, DataFrame], str]] = {
    "json": json_text, "csv": csv_text, "md": markdown_text, "typ": typst_text
}  # fmt: skip
"""How each form is written, by the ending of its file."""
