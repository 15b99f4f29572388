"""The JSON Schemas of our own files, ``mateprobe/schemas/NAME.schema.json``, and what they find wrong in one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def own_schema(name: str) -> Any:
    """Return the jsonschema validator of a kind of file."""
    from jsonschema import Draft202012Validator

    text = files("mateprobe").joinpath("schemas", f"{name}.schema.json").read_text("utf-8")
    text = text.replace('$"', r'\\Z"')  # in JSON Schema $ is the end; Python's also stands before a last line break
    return Draft202012Validator(json.loads(text))


def schema_problems(name: str, content: Any) -> Iterator[str]:
    """Yield a line for everything that a schema finds wrong, sorted by place."""
    for error in sorted(own_schema(name).iter_errors(content), key=lambda error: [*map(str, error.absolute_path)]):
        place = ".".join(map(str, error.absolute_path)) or "the file"
        expected = f"{error.validator} {json.dumps(error.validator_value):.100}"
        yield f"{place}: expected {expected}, found {error.instance!r:.80}"
