"""A page on the keys of a file that people write, made of the JSON Schema that the file is checked with."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mateprobe.reports.markdown import own

SCHEMAS = Path(__file__).resolve().parent.parent / "mateprobe" / "schemas"

HEADS = {
    "study": """\
# Keys of a study

A study is a YAML file, checked with `mateprobe/schemas/study.schema.json`, of which this page is made
(`python -m tools.pages`). Unknown keys are refused, and every problem is told at once, with file, line and key:
`mateprobe study check`. An editor that knows the schema completes the keys:
`# yaml-language-server: $schema=../mateprobe/schemas/study.schema.json`.
""",
    "audit": """\
# Keys of an audit file

What `mateprobe audit FILE` reads: JSON, TOML, or JSON Lines with all but the cases in the first line. The schema is
`mateprobe/schemas/audit.schema.json`, of which this page is made (`python -m tools.pages`). Unknown keys are refused.
""",
}


def schema_page(name: str) -> str:
    """Returns the page on the schema called ``name``."""
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    return HEADS[name] + "".join(_section(place, node, schema) for place, node in _objects(schema, "", schema))


def _resolved(node: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Returns a subschema with what it refers to, which it may say more about."""
    reference = node.get("$ref")
    if reference is None:
        return node
    named = schema["$defs"][reference.removeprefix("#/$defs/")]
    return {**_resolved(named, schema), **{key: value for key, value in node.items() if key != "$ref"}}


def _objects(node: dict[str, Any], place: str, schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields every object with keys of its own, and where it stands, each before those in it."""
    node = _resolved(node, schema)
    if "properties" in node:
        yield place, node
    for key, value in node.get("properties", {}).items():
        yield from _objects(value, f"{place}.{key}" if place else key, schema)
    if "then" in node:  # one such object, or a list of them
        yield from _objects(node["then"], place, schema)
    elif "items" in node:
        yield from _objects(node["items"], f"{place}[]", schema)


def _section(place: str, node: dict[str, Any], schema: dict[str, Any]) -> str:
    title = f"## `{place}`" if place else "## The file"
    rows = "".join(
        f"| `{key}`{' (required)' if key in node.get('required', ()) else ''} | {_kind(value, schema)} "
        f"| {own(_resolved(value, schema).get('description', ''))} |\n"
        for key, value in node["properties"].items()
    )
    table = f"| key | holds | meaning |\n|---|---|---|\n{rows}"
    return "\n".join(["", *(f"{part}\n" for part in (title, node.get("description"), _choice(node)) if part), table])


def _choice(node: dict[str, Any]) -> str:
    options = [f"`{option['required'][0]}`" for option in node.get("oneOf", ())]
    return f"Exactly one of {', '.join(options[:-1])} and {options[-1]}." if options else ""


def _kind(node: dict[str, Any], schema: dict[str, Any]) -> str:
    """Returns in words what a value may be."""
    node = _resolved(node, schema)
    if "enum" in node:
        return ", ".join(f"`{value}`" for value in node["enum"])
    kinds = node.get("type", "any")
    told = [_WORDS.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    if "items" in node:
        inner = _kind(node["items"], schema)
        told = [f"list of {inner}" if word == "list" and inner != "object" else word for word in told]
    bounds = [f"{words} {node[key]}" for key, words in _BOUNDS.items() if key in node]
    return own(" or ".join(told) + (f", {', '.join(bounds)}" if bounds else ""))


_WORDS = {"string": "text", "array": "list", "boolean": "true or false", "integer": "whole number", "any": "anything"}
_BOUNDS = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most"}
