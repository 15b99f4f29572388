"""The operator that reads a schema: values at a bound of it, and one step past it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .constraints import Constraint
from .operator import Change, Example, Examples, Operator, Site

REACH = 100_000
"""No text or list is made longer than this to reach a bound."""

_STEPS = {
    "minimum": (0, -1), "maximum": (0, 1), "exclusiveMinimum": (1, 0), "exclusiveMaximum": (-1, 0),
    "minLength": (0, -1), "maxLength": (0, 1), "minItems": (0, -1), "maxItems": (0, 1),
}  # fmt: skip
"""From a bound to the last value it allows and the first it does not."""


def _boundary(site: Site) -> Iterator[Change]:
    for constraint in site.constraints:
        if constraint.keyword in _STEPS:
            inside, past = _STEPS[constraint.keyword]
            for word, step in (("at", inside), ("past", past)):
                for value in _of_size(site.value, constraint, constraint.argument + step):
                    yield Change(value, label=f"{word} {constraint.location}")


def _of_size(value: Any, constraint: Constraint, size: Any) -> Iterator[Any]:
    """Yield the value that measures ``size``, if the constraint speaks of such values and there is one."""
    if "imum" in constraint.keyword:
        if type(value) in (int, float):
            yield size
    elif 0 <= size <= REACH and isinstance(value, str if "Length" in constraint.keyword else list):
        filled = value or ("x" if isinstance(value, str) else [None])
        yield (filled * (size // len(filled) + 1))[:size]


_RANGE = {"properties": {"n": {"minimum": 1, "maximum": 9}}}
BOUNDS: tuple[Operator, ...] = (
    Operator(
        "boundary", "1", "a value is the last one that a bound of the schema allows, or the first that it does not",
        _boundary,
        Examples(
            Example({"n": 5}, {"n": 10}, _RANGE, "one past the largest"),
            Example({"percent": 40}, {"percent": 1000}, {"properties": {"percent": {"maximum": 1000}}}, "a bound too wide"),
            Example({"n": 5}, {"n": 9}, _RANGE, "the largest that is allowed"),
        ),
    ),
)  # fmt: skip
