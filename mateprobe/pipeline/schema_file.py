"""JSON Schema files that a study names."""

from __future__ import annotations

from pathlib import Path

from mateprobe import strict_json
from mateprobe.errors import StudyError
from mateprobe.operators.constraints import Schema


def load_schema(path: Path) -> Schema:
    """Return a JSON Schema.

    Raises:
        StudyError: neither an object nor a boolean. InvalidValue: no JSON.
    """
    schema = strict_json.load(path)
    if not isinstance(schema, dict | bool):
        raise StudyError(f"{path}: expected a JSON Schema, found {schema!r:.80}")
    return schema
