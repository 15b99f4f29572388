"""Operators that put another value in a place: of another type, or next to the right one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mateprobe.operators.keywords import kind
from mateprobe.operators.operator import Change, Example, Examples, Operator, Site

COUNT = {"type": "integer", "minimum": 1}
_OF_KIND: dict[str, Any] = {"null": None, "boolean": True, "number": 0.5, "string": "text", "array": [], "object": {}}
"""A value of each JSON type. The number is no integer: it is of another type than an integer too."""


def _wrong_type(site: Site) -> Iterator[Change]:
    name = site.chance.choice([name for name in _OF_KIND if name != kind(site.value)])
    yield Change(_OF_KIND[name], label=name)


def _boolean_for_integer(site: Site) -> Iterator[Change]:
    if type(site.value) is int:
        yield Change(bool(site.value))


def _off_by_one(site: Site) -> Iterator[Change]:
    if type(site.value) is int:
        yield Change(site.value - 1, label="less")
        yield Change(site.value + 1, label="more")


VALUES: tuple[Operator, ...] = (
    Operator(
        "wrong_type", "1", "a value is of another JSON type", _wrong_type,
        Examples(
            Example({"n": 3}, {"n": True}, {"properties": {"n": COUNT}}, "a flag for a number"),
            Example({"n": 3}, {"n": True}, {"required": ["n"]}, "the key is there, and nothing asks for its type"),
            Example({"n": 3}, {"n": True}, {"properties": {"n": {"type": ["integer", "boolean"]}}}, "both are allowed"),
        ),
    ),
    Operator(
        "boolean_for_integer", "1", "a whole number became true, or false if it was zero", _boolean_for_integer,
        Examples(
            Example(1, True, COUNT, "true is not 1"),
            Example([1], [True], {"type": "array"}, "nothing asks for the type of an element"),
            Example({"on": 1}, {"on": True}, {"properties": {"on": {"enum": [0, 1, False, True]}}}, "a switch"),
        ),
    ),
    Operator(
        "off_by_one", "1", "a whole number is one less or one more", _off_by_one,
        Examples(
            Example(1, 0, COUNT, "one below the least"),
            Example({"paid": 30}, {"paid": 31}, {"properties": {"paid": COUNT}}, "the wrong amount is a fine number"),
            Example({"retries": 3}, {"retries": 4}, {"properties": {"retries": COUNT}}, "one more does no harm"),
        ),
    ),
)  # fmt: skip
