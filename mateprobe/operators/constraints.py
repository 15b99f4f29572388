"""The constraints of a JSON Schema: where they stand, which apply to a place of a sample, which it breaks.

Only what is certain is said. A constraint applies where it is reached from the top through properties,
items, ``allOf`` and references inside the schema; what stands under ``anyOf``, ``oneOf``, ``not``, ``if``
or in another document may or may not count, so nothing is said of it. This is no validator: a sample
that breaks nothing here may still be invalid; one that breaks something is. Sources: JSON Schema
drafts 06, 07, 2019-09 and 2020-12, sections on assertions and applicators.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from mateprobe.operators.keywords import KEYWORDS, is_additional, is_pattern
from mateprobe.operators.places import Path, at, pointer

Schema = dict[str, Any] | bool
_Node = tuple[str, Any]  # a location in the schema, as a JSON Pointer, and the subschema there

_SUBSCHEMAS = frozenset({
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_MAPS = frozenset({"$defs", "definitions", "dependentSchemas", "dependencies", "patternProperties", "properties"})
_UNDECIDED = frozenset({
    "anyOf", "contains", "dependencies", "dependentRequired", "dependentSchemas", "if", "maxContains", "minContains",
    "not", "oneOf", "propertyNames", "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
_HIDES = re.compile(r"draft-0[3-7]/")  # drafts in which a reference hides the keywords beside it


@dataclass(frozen=True, slots=True)
class Constraint:
    """One keyword of a schema that can refuse a value.

    Attributes:
        keyword: its name.
        location: where it stands in the schema, as a JSON Pointer.
        argument: what it is set to; of ``additionalProperties: false``, the names and patterns beside it.
    """

    keyword: str
    location: str
    argument: Any

    def holds(self, value: Any) -> bool:
        """Tell whether a value meets it; one the keyword does not speak of does."""
        return KEYWORDS[self.keyword].holds(self.argument, value)


def constraints(schema: Schema) -> dict[str, str]:
    """Return the keyword of every constraint of a schema, conditional ones included, by location."""
    return {
        f"{location}/{keyword}": keyword
        for location, node in _all(("", schema))
        if not _is_reference(schema, node)
        for keyword in sorted(node)
        if keyword in _UNDECIDED or _constraint(node, keyword, location) is not None
    }


def certain(schema: Schema) -> frozenset[str]:
    """Return the locations of the constraints that apply to some place of any sample without condition."""
    seen: set[str] = set()
    waiting: list[_Node] = [("", schema)]
    while waiting:
        location, node = waiting.pop()
        if location not in seen:
            seen.add(location)
            waiting += [inner for _, inner in _certain_steps(schema, location, node)]
    nodes = (node for node in _all(("", schema)) if node[0] in seen)
    return frozenset(found.location for location, node in nodes for found in _own(schema, location, node))


def applying(schema: Schema, sample: Any) -> dict[Path, list[Constraint]]:
    """Return the constraints that certainly apply to each place of a sample."""
    found: dict[Path, list[Constraint]] = {}
    seen: set[tuple[Path, str]] = set()
    waiting: list[tuple[Path, Any, _Node]] = [((), sample, ("", schema))]
    while waiting:
        path, value, (location, node) = waiting.pop()
        if (path, location) in seen:
            continue
        seen.add((path, location))
        found.setdefault(path, []).extend(_own(schema, location, node))
        for select, inner in _certain_steps(schema, location, node):
            waiting += [((*path, *step), value[step[0]] if step else value, inner) for step in select(value)]
    return {path: sorted(own, key=lambda constraint: constraint.location) for path, own in found.items()}


def broken(schema: Schema, sample: Any) -> list[tuple[Path, Constraint]]:
    """Return the constraints that a sample certainly breaks, each with the place that breaks it, sorted."""
    found = []
    for path, own in applying(schema, sample).items():
        found += [(path, constraint) for constraint in own if not constraint.holds(at(sample, path))]
    return sorted(found, key=lambda item: (pointer(item[0]), item[1].location))


def _all(top: _Node) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every subschema that is an object, wherever it stands, with its location."""
    waiting = [top]
    while waiting:
        location, node = waiting.pop()
        if isinstance(node, dict):
            yield location, node
            for keyword, value in node.items():
                waiting += _inner(f"{location}{pointer((keyword,))}", keyword, value)


def _inner(location: str, keyword: str, value: Any) -> list[_Node]:
    if keyword in _MAPS and isinstance(value, dict):
        return [(f"{location}{pointer((name,))}", inner) for name, inner in value.items()]
    if keyword in _LISTS and isinstance(value, list):
        return [(f"{location}/{index}", inner) for index, inner in enumerate(value)]
    return [(location, value)] if keyword in _SUBSCHEMAS else []


def _own(schema: Schema, location: str, node: Any) -> list[Constraint]:
    if not isinstance(node, dict) or _is_reference(schema, node):
        return []
    found = (_constraint(node, keyword, location) for keyword in sorted(node))
    return [constraint for constraint in found if constraint is not None]


def _is_reference(schema: Schema, node: dict[str, Any]) -> bool:
    """Tell a node of which only the reference counts."""
    return "$ref" in node and isinstance(schema, dict) and _HIDES.search(str(schema.get("$schema"))) is not None


def _constraint(node: dict[str, Any], keyword: str, location: str) -> Constraint | None:
    """Return the constraint a keyword makes, if it makes one that can be decided here."""
    argument = node[keyword]
    if keyword not in KEYWORDS or not KEYWORDS[keyword].readable(argument):
        return None
    if keyword == "additionalProperties":
        argument = (tuple(node.get("properties", ())), tuple(node.get("patternProperties", ())))
        if not all(map(is_pattern, argument[1])):
            return None
    return Constraint(keyword, f"{location}/{keyword}", argument)


# Which places of a value a subschema speaks of: itself, as (), or children, as (key,) or (index,).
_Select = Callable[[Any], list[tuple[Any, ...]]]


def _certain_steps(schema: Schema, location: str, node: Any) -> Iterator[tuple[_Select, _Node]]:
    """Yield the subschemas that apply whenever ``node`` does, each with the places it applies to."""
    if not isinstance(node, dict) or (location and not str(node.get("$id", "#")).startswith("#")):
        return  # a resource of its own: what its references mean is not followed
    if "$ref" in node:
        target = _resolved(schema, node["$ref"])
        if target is not None:
            yield _itself, target
        if _is_reference(schema, node):
            return
    for index, inner in enumerate(_list(node.get("allOf"))):
        yield _itself, (f"{location}/allOf/{index}", inner)
    yield from _of_keys(location, node)
    yield from _of_items(location, node)


def _of_keys(location: str, node: dict[str, Any]) -> Iterator[tuple[_Select, _Node]]:
    names, patterns = _map(node.get("properties")), _map(node.get("patternProperties"))
    for name, inner in names.items():
        yield _keys(name.__eq__), (f"{location}/properties{pointer((name,))}", inner)
    for pattern, inner in patterns.items():
        if is_pattern(pattern):
            fitting = _keys(re.compile(pattern).search)
            yield fitting, (f"{location}/patternProperties{pointer((pattern,))}", inner)
    if "additionalProperties" in node and all(map(is_pattern, patterns)):
        others = _keys(lambda key: is_additional(key, names, patterns))
        yield others, (f"{location}/additionalProperties", node["additionalProperties"])


def _of_items(location: str, node: dict[str, Any]) -> Iterator[tuple[_Select, _Node]]:
    first, rest = ("prefixItems", "items") if "prefixItems" in node else ("items", "additionalItems")
    fixed = _list(node.get(first))
    for index, inner in enumerate(fixed):
        yield _indices(index, index + 1), (f"{location}/{first}/{index}", inner)
    if first == "items" and not isinstance(node.get("items"), list):
        rest = "items"
    if rest in node:
        yield _indices(len(fixed), None), (f"{location}/{rest}", node[rest])


def _itself(_: Any) -> list[tuple[Any, ...]]:
    return [()]


def _keys(wanted: Callable[[str], object]) -> _Select:
    return lambda value: [(key,) for key in value if wanted(key)] if isinstance(value, dict) else []


def _indices(start: int, stop: int | None) -> _Select:
    return lambda value: [(index,) for index in range(len(value))[start:stop]] if isinstance(value, list) else []


def _resolved(schema: Schema, reference: Any) -> _Node | None:
    """Return what a reference inside the schema refers to, or None of any other."""
    if not isinstance(reference, str) or not isinstance(schema, dict):
        return None
    fragment = reference.removeprefix(str(schema.get("$id", "")).rstrip("#")) if reference[:1] != "#" else reference
    if fragment[:1] != "#" or (fragment != "#" and fragment[:2] != "#/"):
        return None
    node: Any = schema
    parts = [unquote(part).replace("~1", "/").replace("~0", "~") for part in fragment[2:].split("/") if fragment != "#"]
    for part in parts:
        if isinstance(node, list) and part.isdecimal() and int(part) < len(node):
            node = node[int(part)]
        elif isinstance(node, dict) and part in node:
            node = node[part]
        else:
            return None
    return pointer(tuple(parts)), node


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
