"""What the keywords of JSON Schema that look at one value alone ask of it.

A keyword holds of every value it does not speak of: ``minLength`` of a number, ``minimum`` of a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mateprobe.canonical import canonical


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword: the arguments it can be read with here, and whether a value meets one."""

    readable: Callable[[Any], bool]
    holds: Callable[[Any, Any], bool]


def kind(value: Any) -> str:
    """Return the JSON type of a value; every number is a number."""
    for name, types in _TYPES.items():
        if isinstance(value, types):
            return name
    return "null"


_TYPES: dict[str, type | tuple[type, ...]] = {
    "boolean": bool, "number": (int, float), "string": str, "array": list, "object": dict
}  # fmt: skip
"""Python's name of each type; true is an int too, so booleans come first."""


def identity(value: Any) -> str:
    """Return a text that two values share if they are equal as JSON Schema sees it: 1 and 1.0 are, 1 and true not."""
    return canonical(_integral(value))


def _integral(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _integral(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_integral(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def is_pattern(text: Any) -> bool:
    """Tell a pattern that Python reads too; how the dialects differ beyond that is a matter of corners."""
    try:
        return isinstance(text, str) and re.compile(text) is not None
    except re.error:
        return False


def is_additional(key: str, properties: Any, patterns: Any) -> bool:
    """Tell a key that is neither one of the properties nor fits a pattern."""
    return key not in properties and not any(re.search(pattern, key) for pattern in patterns)


def _is_type(names: Any, value: Any) -> bool:
    wanted = [names] if isinstance(names, str) else names
    return kind(value) in wanted or ("integer" in wanted and kind(value) == "number" and value == int(value))


def _is_multiple(step: int, value: Any) -> bool:
    return type(value) is not int or value % step == 0  # of fractions, only exact arithmetic could tell


def _number(compare: Callable[[Any, Any], bool]) -> Keyword:
    return Keyword(
        lambda argument: kind(argument) == "number",
        lambda bound, value: kind(value) != "number" or compare(value, bound),
    )


def _size(of: str, compare: Callable[[int, int], bool]) -> Keyword:
    return Keyword(
        lambda argument: type(argument) is int and argument >= 0,
        lambda bound, value: kind(value) != of or compare(len(value), bound),
    )


def _names(argument: Any) -> bool:
    return isinstance(argument, list) and all(isinstance(name, str) for name in argument)


KEYWORDS: Mapping[str, Keyword] = {
    "additionalProperties": Keyword(
        lambda argument: argument is False,
        lambda known, value: kind(value) != "object" or not any(is_additional(key, *known) for key in value),
    ),
    "const": Keyword(lambda _: True, lambda wanted, value: identity(value) == identity(wanted)),
    "enum": Keyword(
        lambda argument: isinstance(argument, list),
        lambda allowed, value: identity(value) in map(identity, allowed),
    ),
    "exclusiveMaximum": _number(lambda value, bound: value < bound),
    "exclusiveMinimum": _number(lambda value, bound: value > bound),
    "maxItems": _size("array", lambda size, bound: size <= bound),
    "maxLength": _size("string", lambda size, bound: size <= bound),
    "maxProperties": _size("object", lambda size, bound: size <= bound),
    "maximum": _number(lambda value, bound: value <= bound),
    "minItems": _size("array", lambda size, bound: size >= bound),
    "minLength": _size("string", lambda size, bound: size >= bound),
    "minProperties": _size("object", lambda size, bound: size >= bound),
    "minimum": _number(lambda value, bound: value >= bound),
    "multipleOf": Keyword(lambda argument: type(argument) is int and argument > 0, _is_multiple),
    "pattern": Keyword(
        is_pattern, lambda pattern, value: kind(value) != "string" or re.search(pattern, value) is not None
    ),
    "required": Keyword(_names, lambda names, value: kind(value) != "object" or value.keys() >= set(names)),
    "type": Keyword(lambda argument: isinstance(argument, str) or _names(argument), _is_type),
    "uniqueItems": Keyword(
        lambda argument: argument is True,
        lambda _, value: kind(value) != "array" or len({identity(item) for item in value}) == len(value),
    ),
}
"""The keywords that can be decided here. ``additionalProperties`` holds of (properties, patterns) beside it."""
