"""Audit cases as a table: CSV with a row a case, as any spreadsheet writes it.

The first line names the columns, in any order. ``id``, ``obligation``, ``relation``, ``baseline`` and
``variant`` must be there; ``expected``, ``validity``, ``provenance``, ``group`` and ``family`` may be, and
an empty cell of these says nothing. A sample is JSON text, so a sample that is a text stands in quotes
of its own. Expected ids are separated by white space or semicolons. Blanks after a comma say nothing.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from typing import IO, Any

from . import strict_json
from .errors import InvalidValue, one_of

REQUIRED = ("id", "obligation", "relation", "baseline", "variant")
COLUMNS = (*REQUIRED, "expected", "validity", "provenance", "group", "family")
SAMPLES = ("baseline", "variant")

Row = tuple[str, dict[str, Any]]


def csv_rows(stream: IO[str], where: str) -> Iterator[Row]:
    """Yield (place, case as JSON data) for every row; ``where`` names the file in errors.

    Args:
        stream: text opened with ``newline=""``, so that cells may hold line ends.
        where: the file's name.

    Raises:
        InvalidValue: no UTF-8, no CSV, an unknown, repeated or missing column, a row of another
            length, a sample that is no JSON. The message names the line, and the column if it is one.
    """
    reader = csv.reader(_within_limit(stream, where), strict=True, skipinitialspace=True)
    header: list[str] | None = None
    while True:
        place = f"{where}, line {reader.line_num + 1}"
        try:
            cells = next(reader, None)
        except (csv.Error, UnicodeDecodeError) as error:
            raise InvalidValue(f"{where}, line {max(reader.line_num, 1)}: expected CSV in UTF-8: {error}") from None
        if cells is None:
            break
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = _columns(cells, place)
        else:
            yield place, _case(header, cells, place)
    if header is None:
        raise InvalidValue(f"{where}: expected a first line that names the columns {', '.join(COLUMNS)}, found no line")


def _within_limit(stream: IO[str], where: str) -> Iterable[str]:
    number = 0
    while line := stream.readline(strict_json.LIMIT + 1):
        number += 1
        yield strict_json.within_limit(line, f"{where}, line {number}")


def _columns(cells: list[str], place: str) -> list[str]:
    names = [cell.strip() for cell in cells]
    if len(names) == 1:
        raise InvalidValue(f"{place}: expected columns separated by commas, found {names[0]!r:.80}")
    for name in names:
        if name not in COLUMNS:
            raise InvalidValue(f"{place}: column {name!r}: {one_of(name, COLUMNS)}")
        if names.count(name) > 1:
            raise InvalidValue(f"{place}: column {name!r} stands twice; keep one")
    if missing := [name for name in REQUIRED if name not in names]:
        raise InvalidValue(f"{place}: expected the column {' and '.join(map(repr, missing))}, found {', '.join(names)}")
    return names


def _case(header: list[str], cells: list[str], place: str) -> dict[str, Any]:
    if len(cells) != len(header):
        raise InvalidValue(
            f"{place}: expected {len(header)} cells ({', '.join(header)}), found {len(cells)}; "
            "a cell with a comma or a quote stands in quotes, and a quote in it is doubled"
        )
    case: dict[str, Any] = {}
    for name, cell in zip(header, cells, strict=True):
        if name in SAMPLES:
            case[name] = _sample(cell, f"{place}, column {name}")
        elif name == "expected":
            case[name] = [id for id in re.split(r"[\s;]+", cell) if id]
        elif cell or name in REQUIRED:
            case[name] = cell
    return case


def _sample(cell: str, place: str) -> Any:
    try:
        return strict_json.loads(cell, place)
    except InvalidValue as error:
        raise InvalidValue(f'{error}; a sample is JSON, so that a text is written """text"""') from None
