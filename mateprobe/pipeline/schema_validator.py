"""A JSON Schema as a validator: what it refuses is reported as ``KEYWORD@/json/pointer``.

The pointer is the place in the sample that broke the keyword. Of a keyword with alternatives it is the
place of the keyword itself (``anyOf@/items/0``): which alternative was meant, no one can say. What the
schema ``false`` refuses is reported as the keyword ``false`` of what holds it: jsonschema does not say
more. Formats are annotations, as the specification has it; nothing is fetched. Sources: JSON Schema (of
the draft that ``$schema`` names, else 2020-12), RFC 6901.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mateprobe.errors import InvalidValue, StudyError, one_of
from mateprobe.operators import pointer
from mateprobe.pipeline.schema_file import load_schema
from mateprobe.runner import Verdict

EVIDENCE_LIMIT = 300  # characters of a message, which may hold the whole sample

Find = Callable[[Any], Iterator[tuple[str, str]]]


def schema_validator(files: Path | Mapping[str, Path]) -> Callable[[Any], Verdict]:
    """Return the validator of a schema; or of several by name, for samples ``{"schema": NAME, "instance": …}``.

    Raises:
        StudyError: a file that is no JSON Schema, or of a draft that is not known; names the file.
    """
    if isinstance(files, Path):
        find = _finder(files)
        return lambda sample: _verdict(find(sample))
    finders = {name: _finder(path) for name, path in files.items()}

    def validate(sample: Any) -> Verdict:
        if not isinstance(sample, dict) or sample.keys() != {"schema", "instance"}:
            raise InvalidValue(f"sample {sample!r:.80}: expected an object with the keys instance, schema")
        if not isinstance(sample["schema"], str) or sample["schema"] not in finders:
            raise InvalidValue(f"sample schema={sample['schema']!r:.80}: {one_of(str(sample['schema']), finders)}")
        return _verdict(finders[sample["schema"]](sample["instance"]))

    return validate


def _finder(path: Path) -> Find:
    """Return what yields the id and message of everything a schema refuses of a sample."""
    import jsonschema
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    schema = load_schema(path)
    kinds = {kind.META_SCHEMA["$schema"].rstrip("#"): kind for kind in (getattr(jsonschema, name) for name in _DRAFTS)}
    draft = schema.get("$schema", _DEFAULT) if isinstance(schema, dict) else _DEFAULT
    kind = kinds.get(str(draft).rstrip("#"))
    if kind is None:
        raise StudyError(f"{path}: $schema={draft!r:.80}: {one_of(str(draft), kinds)}")
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as error:
        where = pointer(tuple(error.absolute_path)) or "the top"
        raise StudyError(f"{path}: expected a JSON Schema: {where}: {error.message:.200}") from None
    validator = kind(schema, registry=REGISTRY)  # the metaschemas and no other: nothing is fetched

    def find(sample: Any) -> Iterator[tuple[str, str]]:
        for error in validator.iter_errors(sample):
            place = pointer(tuple(error.absolute_path))
            yield f"{error.validator or 'false'}@{place}", error.message

    return find


_DRAFTS = (
    "Draft4Validator", "Draft6Validator", "Draft7Validator", "Draft201909Validator", "Draft202012Validator",
)  # fmt: skip
_DEFAULT = "https://json-schema.org/draft/2020-12/schema"


def _verdict(found: Iterator[tuple[str, str]]) -> Verdict:
    said = sorted(set(found))
    evidence = tuple(f"{id}: {message:.{EVIDENCE_LIMIT}}" for id, message in said)
    return Verdict(not said, tuple(dict.fromkeys(id for id, _ in said)), evidence=evidence)
