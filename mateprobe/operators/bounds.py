"""The operator that reads a schema: values at a bound of it, and one step past it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mateprobe.operators.keywords import kind
from mateprobe.operators.operator import Change, Example, Examples, Operator, Site

REACH = 100_000
"""No text or list is made longer than this to reach a bound."""

_BOUNDS = {
    "minimum": ("number", 0, -1), "maximum": ("number", 0, 1),
    "exclusiveMinimum": ("number", 1, 0), "exclusiveMaximum": ("number", -1, 0),
    "minLength": ("string", 0, -1), "maxLength": ("string", 0, 1),
    "minItems": ("array", 0, -1), "maxItems": ("array", 0, 1),
}  # fmt: skip
"""What a keyword measures, and the steps from its bound to the last value allowed and the first that is not."""


def _boundary(site: Site) -> Iterator[Change]:
    for constraint in site.constraints:
        measured, inside, past = _BOUNDS.get(constraint.keyword, (None, 0, 0))
        if kind(site.value) == measured:
            for word, step in (("at", inside), ("past", past)):
                size = constraint.argument + step
                if measured == "number":
                    yield Change(size, label=f"{word} {constraint.location}")
                elif 0 <= size <= REACH:
                    yield Change(_of_size(site.value, size), label=f"{word} {constraint.location}")


def _of_size(value: Any, size: int) -> Any:
    """Return a text or list cut or repeated to a size; an empty one is filled."""
    filled = value or ("x" if isinstance(value, str) else [None])
    return (filled * (size // len(filled) + 1))[:size]


_RANGE = {"properties": {"n": {"minimum": 1, "maximum": 9}}}
BOUNDS: tuple[Operator, ...] = (
    Operator(
        "boundary", "1", "a value is the last that a bound of the schema allows, or the first that it does not",
        _boundary,
        Examples(
            Example({"n": 5}, {"n": 10}, _RANGE, "one past the largest"),
            Example({"share": 4}, {"share": 999}, {"properties": {"share": {"maximum": 999}}}, "too wide a bound"),
            Example({"n": 5}, {"n": 9}, _RANGE, "the largest that is allowed"),
        ),
    ),
)  # fmt: skip
