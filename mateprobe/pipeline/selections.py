"""Selections: how a claim says where in an artifact its value is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mateprobe.canonical import same

SELECTIONS = frozenset({"pointer", "count", "cell", "rows", "sum"})


def select(content: Any, claim: Mapping[str, Any]) -> Any:
    """Return what a claim's selection finds in its artifact.

    It is one of: ``pointer``, what an RFC 6901 JSON pointer leads to; ``count``, the length of that;
    ``cell``, the value in ``column`` of the one row of a table in which the other columns named have the
    values given; ``rows``, how many rows have them; ``sum``, the total of ``column`` over these rows, or of
    what a pointer leads to in which a part ``*`` stands for every key.

    Raises:
        KeyError, IndexError, ValueError, TypeError: nothing, or more than one thing.
    """
    if "pointer" in claim:
        return resolve(content, claim["pointer"])
    if "count" in claim:
        return len(resolve(content, claim["count"]))
    if "rows" in claim:
        return len(_rows(content, claim["rows"]))
    if "cell" in claim:
        return _cell(content, claim["cell"])
    if isinstance(claim["sum"], str):
        return sum(_several(resolve_all(content, claim["sum"]), claim["sum"]))
    column = content["columns"].index(claim["sum"]["column"])
    return sum(row[column] for row in _several(_rows(content, claim["sum"]), claim["sum"]))


def resolve(content: Any, pointer: str) -> Any:
    """Return what an RFC 6901 JSON pointer leads to.

    Raises:
        KeyError, IndexError, ValueError, TypeError: nothing.
    """
    for key in _parts(pointer):
        content = _step(content, key)
    return content


def resolve_all(content: Any, pointer: str) -> list[Any]:
    """Return everything a pointer leads to in which a part ``*`` stands for every key or index."""
    found = [content]
    for key in _parts(pointer):
        found = [item for each in found for item in (_every(each) if key == "*" else [_step(each, key)])]
    return found


def _parts(pointer: str) -> list[str]:
    if pointer and not pointer.startswith("/"):
        raise ValueError(f"pointer {pointer!r} must begin with /")
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _step(content: Any, key: str) -> Any:
    if isinstance(content, list):
        if not key.isdecimal():
            raise ValueError(f"{key!r} is no place in a list")
        return content[int(key)]
    return content[key]


def _every(content: Any) -> Iterator[Any]:
    yield from content.values() if isinstance(content, dict) else content


def _several(found: Sequence[Any], what: object) -> Sequence[Any]:
    if not found:
        raise ValueError(f"nothing matches {what!r}; a sum over nothing proves nothing")
    return found


def _cell(table: Mapping[str, Any], cell: Mapping[str, Any]) -> Any:
    rows = _rows(table, cell)
    if len(rows) != 1:
        raise ValueError(f"{len(rows)} rows match {dict(cell)!r}; expected one")
    return rows[0][table["columns"].index(cell["column"])]


def _rows(table: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[Sequence[Any]]:
    """Return the rows in which each column named, but for ``column``, has the value given."""
    columns = table["columns"]
    values = {columns.index(name): value for name, value in wanted.items() if name != "column"}
    return [row for row in table["rows"] if all(same(row[index], value) for index, value in values.items())]
