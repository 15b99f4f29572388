"""The lines on which the items of an array begin, in the text of a file that has been read already."""

from __future__ import annotations

import json
import re

_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")


def json_lines(text: str, key: str) -> tuple[int, ...]:
    """Return the line, from 1, of each item of the array that a JSON text is, or holds at its top under ``key``."""
    start = _array(text, key)
    lines: list[int] = []
    line, counted, at = 1, 0, _next(text, start)
    while text[at] != "]":
        line, counted = line + text.count("\n", counted, at), at
        lines.append(line)
        at = _next(text, _DECODER.raw_decode(text, at)[1])
        at = _next(text, at + 1) if text[at] == "," else at
    return tuple(lines)


def toml_lines(text: str, key: str) -> tuple[int, ...]:
    """Return the line, from 1, of each header ``[[key]]`` of a TOML text.

    A line of a long text may look like one: trust them only if there are as many as items.
    """
    header = re.compile(rf"[ \t]*\[\[[ \t]*{re.escape(key)}[ \t]*\]\]")
    return tuple(number for number, line in enumerate(text.split("\n"), 1) if header.match(line))


def _array(text: str, key: str) -> int:
    """Return where the items of the array begin; the text is known to hold it."""
    at = _next(text, 0)
    while text[at] != "[":  # at the brace or comma before a key
        name, at = _DECODER.raw_decode(text, _next(text, at + 1))
        at = _next(text, _next(text, at) + 1)
        if name != key:
            at = _next(text, _DECODER.raw_decode(text, at)[1])
    return at + 1


def _next(text: str, at: int) -> int:
    """Return where the blanks after ``at`` end."""
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at
