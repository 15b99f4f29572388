"""Places in a JSON value: paths, JSON Pointers, patterns that select them, and copies with one place changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mateprobe.errors import InvalidValue

Path = tuple[str | int, ...]
"""The keys and indices that lead from the top to a place."""

_STEP = re.compile(r'\.(?P<name>[\w$-]+|\*)|\[(?P<index>\d{1,9}|\*)\]|\[(?P<quoted>"(?:[^"\\]|\\.)*")\]')


def pointer(path: Path) -> str:
    """Return a path as a JSON Pointer (RFC 6901); the top is the empty text.

    Examples:
        >>> pointer(("a/b", 0))
        '/a~1b/0'
    """
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


def walk(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every place of a JSON value with what stands there, the top first, keys sorted."""
    yield path, value
    for key in steps(value):
        yield from walk(value[key], (*path, key))


def steps(value: Any) -> list[Any]:
    """Return the sorted keys of an object or the indices of a list; of anything else, none."""
    if isinstance(value, dict):
        return sorted(value)
    return list(range(len(value))) if isinstance(value, list) else []


def at(value: Any, path: Path) -> Any:
    """Return what stands at a path.

    Raises:
        LookupError: nothing does.
    """
    for part in path:
        value = value[part]
    return value


def put(value: Any, path: Path, new: Any) -> Any:
    """Return a copy of ``value`` with ``new`` at an existing path; what is not on the way is shared."""
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


@dataclass(frozen=True, slots=True)
class Pattern:
    """Selects places: ``$.items[*].id``, ``$["odd key"][0].*``. A star stands for any one key or index.

    Examples:
        >>> Pattern.parse("$.items[*].id").selects(("items", 3, "id"))
        True
    """

    text: str
    steps: tuple[str | int | None, ...]

    @classmethod
    def parse(cls, text: str) -> Pattern:
        """Return the pattern of a text.

        Raises:
            InvalidValue: it is none; shows from where on.
        """
        found: list[str | int | None] = []
        position = 1
        while position < len(text) and (step := _STEP.match(text, position)):
            name, index, quoted = step.group("name", "index", "quoted")
            if "*" in (name, index):
                found.append(None)
            else:
                found.append(name or (int(index) if index else _unquoted(text, quoted)))
            position = step.end()
        if text[:1] != "$" or position < len(text):
            rest = text[position:] if text[:1] == "$" else text
            raise InvalidValue(
                f'pattern {text!r}: expected $ and steps such as .name, .*, [0], [*], ["odd key"], found {rest!r:.80}'
            )
        return cls(text, tuple(found))

    def selects(self, path: Path) -> bool:
        """Tell whether the path is one of those meant."""
        return len(path) == len(self.steps) and all(
            step is None or step == part for step, part in zip(self.steps, path, strict=True)
        )


def _unquoted(text: str, quoted: str) -> str:
    try:
        return str(json.loads(quoted))
    except json.JSONDecodeError as error:
        raise InvalidValue(f"pattern {text!r}: expected a key in JSON's quotes, found {quoted}: {error.msg}") from None
