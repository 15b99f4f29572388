"""Operators that change which keys and elements there are, and where."""

from __future__ import annotations

from collections.abc import Iterator

from mateprobe.operators.keywords import kind
from mateprobe.operators.operator import Change, Example, Examples, Operator, Site

NUMBERED = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}


def _drop_key(site: Site) -> Iterator[Change]:
    if isinstance(site.value, dict):
        for key in sorted(site.value):
            yield Change({name: value for name, value in site.value.items() if name != key}, (key,))


def _unknown_key(site: Site) -> Iterator[Change]:
    if isinstance(site.value, dict):
        key = f"unknown_{site.chance.randrange(16**6):06x}"
        while key in site.value:
            key += "_"
        yield Change({**site.value, key: None})


def _swap_siblings(site: Site) -> Iterator[Change]:
    if not isinstance(site.value, dict):
        return
    keys = sorted(site.value)
    for position, key in enumerate(keys):
        value = site.value[key]
        others = [name for name in keys[position + 1 :] if kind(site.value[name]) == kind(value)]
        if others:
            other = site.chance.choice(others)
            yield Change({**site.value, key: site.value[other], other: value}, (key,), other)


def _duplicate_element(site: Site) -> Iterator[Change]:
    if isinstance(site.value, list):
        for index, element in enumerate(site.value):
            yield Change([*site.value[: index + 1], element, *site.value[index + 1 :]], (index + 1,))


def _reorder(site: Site) -> Iterator[Change]:
    if isinstance(site.value, list) and len(site.value) > 1:
        turn = site.chance.randrange(1, len(site.value))
        yield Change([*site.value[turn:], *site.value[:turn]])


SHAPES: tuple[Operator, ...] = (
    Operator(
        "drop_key", "1", "a key is gone", _drop_key,
        Examples(
            Example({"id": 7}, {}, NUMBERED, "the key is required"),
            Example({"id": 7, "total": 30}, {"id": 7}, NUMBERED, "an order needs a total, and nothing requires it"),
            Example({"id": 7, "note": "hi"}, {"id": 7}, NUMBERED, "a note is optional"),
        ),
    ),
    Operator(
        "unknown_key", "1", "an object has a key more, of a name nobody gave", _unknown_key,
        Examples(
            Example({}, {"unknown_b7e052": None}, {"additionalProperties": False}, "no other key is allowed"),
            Example({"id": 7}, {"id": 7, "unknown_b7e052": None}, NUMBERED, "a key misspelt like that goes unseen"),
            Example({}, {"unknown_b7e052": None}, {"patternProperties": {"^x": {}}}, "other keys are welcome"),
        ),
    ),
    Operator(
        "swap_siblings", "1", "two keys of an object have each other's values, both of one JSON type", _swap_siblings,
        Examples(
            Example(
                {"max": 9, "min": 1}, {"max": 1, "min": 9}, {"properties": {"min": {"maximum": 5}}},
                "the one is too large for the other's place",
            ),
            Example({"max": 9, "min": 1}, {"max": 1, "min": 9}, {}, "the range is upside down, and nobody compares"),
            Example({"x": "a", "y": "b"}, {"x": "b", "y": "a"}, {}, "two tags in no order"),
        ),
    ),
    Operator(
        "duplicate_element", "1", "an element of a list stands there twice", _duplicate_element,
        Examples(
            Example([1, 2], [1, 1, 2], {"uniqueItems": True}, "elements must differ"),
            Example([{"id": 1}], [{"id": 1}, {"id": 1}], {"type": "array"}, "an id twice, and nothing forbids it"),
            Example(["a"], ["a", "a"], {"type": "array"}, "a log may repeat itself"),
        ),
    ),
    Operator(
        "reorder", "1", "a list begins elsewhere: its elements are rotated", _reorder,
        Examples(
            Example([1, "a"], ["a", 1], {"prefixItems": [{"type": "integer"}]}, "each place has its own type"),
            Example([1, 2], [2, 1], {"items": {"type": "integer"}}, "steps out of order, each fine by itself"),
            Example(["a", "b"], ["b", "a"], {"uniqueItems": True}, "a set has no order"),
        ),
    ),
)  # fmt: skip
