"""The JSON Schemas of the files people write: identified, closed, with a word on every key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import mateprobe

SCHEMAS = sorted((Path(mateprobe.__file__).parent / "schemas").glob("*.json"))
each = pytest.mark.parametrize("path", SCHEMAS, ids=[path.stem for path in SCHEMAS])


def load(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8"))  # type: ignore[no-any-return]


def subschemas(node: Any, place: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each schema in a schema, with its place; the names of properties are no schemas."""
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from subschemas(item, f"{place}[{index}]")
    elif isinstance(node, dict):
        yield place, node
        for key, value in node.items():
            if key in ("properties", "$defs", "patternProperties"):
                for name, inner in value.items():
                    yield from subschemas(inner, f"{place}.{name}")
            elif key not in ("enum", "const", "default", "examples"):
                yield from subschemas(value, f"{place}.{key}")


@each
def test_a_schema_is_one_of_its_dialect_and_has_a_name(path: Path) -> None:
    schema = load(path)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:mateprobe:schema:{path.name.partition('.')[0]}:1"


@each
def test_every_object_is_closed_or_says_what_its_further_keys_hold(path: Path) -> None:
    closed = ("additionalProperties", "patternProperties")
    found = subschemas(load(path))
    assert [place for place, node in found if "properties" in node and not any(key in node for key in closed)] == []


@pytest.mark.parametrize("name", ["audit", "study"])
def test_every_key_has_a_description(name: str) -> None:
    (path,) = [path for path in SCHEMAS if path.name == f"{name}.schema.json"]
    found = [(place, node["properties"]) for place, node in subschemas(load(path)) if "properties" in node]
    silent = [f"{place}.{key}" for place, keys in found for key, node in keys.items() if "description" not in node]
    assert silent == []


@each
def test_every_reference_leads_somewhere_and_every_definition_is_used(path: Path) -> None:
    schema = load(path)
    used = {node["$ref"] for _, node in subschemas(schema) if "$ref" in node}
    assert used == {f"#/$defs/{name}" for name in schema.get("$defs", {})}
