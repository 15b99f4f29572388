"""JSON from outside, read strictly: what is ambiguous or endless is refused, with its place.

Python's own reader keeps the last of two equal keys, takes NaN and infinities for numbers, turns
1e999 into an infinity and dies on deep nesting. RFC 8259 leaves the first open and has no form for
the others; here each of them is an error that names the file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from math import isinf
from pathlib import Path
from typing import IO, Any, NoReturn, TypeVar

from .errors import InvalidValue

Data = TypeVar("Data", bound=bytes | bytearray | str)

LIMIT = 64 << 20  # bytes of one JSON text: far above any sample, far below what hurts a machine
VALUES = 4_000_000  # of one JSON text, roughly: each takes up to 100 bytes of memory
DEPTH = 200  # levels of nesting: what recursive code can still walk


def loads(text: str | bytes, where: str) -> Any:
    """Return the value of one JSON text; ``where`` names it in errors.

    Raises:
        InvalidValue: not UTF-8, not JSON, a key twice in one object, a number that is not finite,
            nesting beyond ``DEPTH`` levels, or more than ``VALUES`` values.
    """
    if isinstance(text, bytes):
        text = _decoded(text, where)
    if text.startswith("\ufeff"):
        raise InvalidValue(f"{where}: begins with a byte order mark; save it as UTF-8 without one")
    if len(text) > VALUES and sum(map(text.count, ",[{:")) > VALUES:  # so many values have so many signs before them
        raise InvalidValue(f"{where}: expected at most {VALUES:,} values in one JSON text, found more; split it")
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise InvalidValue(f"{_place(error, where)}: not JSON: {error.msg}; found {_excerpt(error)}") from None
    except RecursionError:
        raise _too_deep(where) from None
    except ValueError as error:  # one of ours below, or an integer beyond the interpreter's digits
        raise InvalidValue(f"{where}: {error}") from None
    if _deeper_than(DEPTH, value):
        raise _too_deep(where)
    return value


def loads_quickly(line: bytes, where: str) -> Any:
    """Return the value of one JSON text, in a third of the time; for what our own code has written.

    Of two equal keys the last counts, 1e999 is an infinity, and nesting is limited by the interpreter alone; of
    anything else that ``loads`` refuses it says the same.

    Raises:
        InvalidValue: as ``loads``.
    """
    if len(line) > VALUES:  # it may hold more than memory should
        return loads(line, where)
    try:
        return _QUICK.decode(line.decode())
    except (ValueError, RecursionError):
        return loads(line, where)  # which says what is wrong


def load(path: Path) -> Any:
    """Return the value of a JSON file of at most ``LIMIT`` bytes.

    Raises:
        InvalidValue: as ``loads``, or the file is too large.
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        return read(stream, str(path))


def read(stream: IO[bytes] | IO[str], where: str) -> Any:
    """Return the value of the one JSON text of an open stream; ``where`` names it in errors.

    Raises:
        InvalidValue: as ``loads``, or there is more than ``LIMIT``.
        OSError: it cannot be read.
    """
    data: bytes | str = stream.read(LIMIT + 1)
    return loads(within_limit(data, where), where)


def lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield (line number from 1, value) for each line of a JSON Lines file; blank lines are skipped.

    Raises:
        InvalidValue: as ``loads``, naming the line; also a line of more than ``LIMIT`` bytes.
        OSError: the file cannot be read.
    """
    with path.open("rb") as stream:
        for number, line in raw_lines(stream, str(path)):
            if text := line.strip():
                yield number, loads(text, f"{path}, line {number}")


def raw_lines(stream: IO[bytes] | IO[str], where: str) -> Iterator[tuple[int, bytes]]:
    """Yield (line number from 1, line with its end) for each line of an open stream, as it is.

    Raises:
        InvalidValue: a line of more than ``LIMIT``; the message names it.
        OSError: the stream cannot be read.
    """
    number = 0
    while line := stream.readline(LIMIT + 1):
        number += 1
        data = line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass")  # refused when decoded
        yield number, within_limit(data, f"{where}, line {number}")


def within_limit(data: Data, where: str) -> Data:
    """Return ``data`` if it is at most ``LIMIT`` long.

    Raises:
        InvalidValue: it is longer; ``where`` names it.
    """
    if len(data) > LIMIT:
        raise InvalidValue(f"{where}: expected at most {LIMIT:,} bytes of JSON, found more")
    return data


def _decoded(data: bytes, where: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidValue(f"{where}: expected UTF-8, found byte 0x{data[error.start]:02x} at {error.start}") from None


def _place(error: json.JSONDecodeError, where: str) -> str:
    line = f", line {error.lineno}" if "\n" in error.doc.rstrip() else ""
    return f"{where}{line}, column {error.colno}"


def _excerpt(error: json.JSONDecodeError) -> str:
    return repr(error.doc[error.pos : error.pos + 40]) if error.pos < len(error.doc) else "the end of the text"


def _too_deep(where: str) -> InvalidValue:
    return InvalidValue(f"{where}: nested deeper than {DEPTH} levels; flatten it")


def _deeper_than(limit: int, value: Any) -> bool:
    """Tell whether containers stand in one another more than ``limit`` times; level by level, no recursion."""
    containers = [value] if isinstance(value, (dict, list)) else []
    for _ in range(limit):
        if not containers:
            return False
        containers = [
            child
            for node in containers
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, (dict, list))
        ]
    return bool(containers)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        twice = next(key for key, number in Counter(key for key, _ in pairs).items() if number > 1)
        raise ValueError(f"key {twice!r} occurs twice in one object; keep one")
    return value


def _float(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise ValueError(f"number {text} is beyond what a double can hold")
    return number


def refuse_constant(name: str) -> NoReturn:
    """Raise for NaN or an infinity: the ``parse_constant`` of a decoder that refuses them."""
    raise ValueError(f"{name} is not JSON; expected a finite number, a string or null")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_constant=refuse_constant)
_QUICK = json.JSONDecoder(parse_constant=refuse_constant)
