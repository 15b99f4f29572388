"""Three JSON Schema libraries, asked alike: is this instance valid against this schema of this draft?

Each is used with its own defaults, and told where other schemas are found: the remotes of the
sample, and the metaschemas. No one fetches anything. A draft that a library does not implement
gives an incomplete verdict that says so: neither a failure nor a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mateprobe.errors import InvalidValue, one_of
from mateprobe.pipeline.corpora.conformance import INVALID, Schema
from mateprobe.runner import Verdict

Sample = Mapping[str, Any]
DRAFTS = {"draft7": "Draft7", "draft2020-12": "Draft202012"}
"""What jsonschema and jsonschema-rs call the drafts."""


def jsonschema(sample: Sample) -> Verdict:
    """Ask jsonschema."""
    import jsonschema
    from referencing.jsonschema import specification_with

    validator = getattr(jsonschema, f"{_draft(sample)}Validator")
    specification = specification_with(validator.META_SCHEMA["$schema"])
    remotes = {uri: specification.create_resource(schema) for uri, schema in _remotes(sample).items()}
    registry = _metaschemas().with_resources(remotes.items())
    return _verdict(validator(sample["schema"], registry=registry).is_valid(sample["instance"]))


def jsonschema_rs(sample: Sample) -> Verdict:
    """Ask jsonschema-rs."""
    import jsonschema_rs

    draft = _draft(sample)
    registry = jsonschema_rs.Registry([*_remotes(sample).items()], draft=getattr(jsonschema_rs, draft))
    validator = getattr(jsonschema_rs, f"{draft}Validator")(sample["schema"], registry=registry, offline=True)
    return _verdict(validator.is_valid(sample["instance"]))


def fastjsonschema(sample: Sample) -> Verdict:
    """Ask fastjsonschema, which knows drafts 4, 6 and 7 and takes every other schema for draft 7."""
    import fastjsonschema

    if sample["draft"] != "draft7":
        said = f"{sample['draft']} is not among the drafts that fastjsonschema implements: 04, 06, 07"
        return Verdict(False, complete=False, evidence=(said,))
    metaschemas = {uri.rstrip("#"): resource.contents for uri, resource in _metaschemas().items()}
    found = _finder({**metaschemas, **_remotes(sample)})
    validate: Callable[[Any], Any] = fastjsonschema.compile(sample["schema"], handlers={"http": found, "https": found})
    try:
        validate(sample["instance"])
    except fastjsonschema.JsonSchemaValueException:
        return _verdict(valid=False)
    return _verdict(valid=True)


def _metaschemas() -> Any:
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    return REGISTRY


def _draft(sample: Sample) -> str:
    if sample["draft"] not in DRAFTS:
        raise InvalidValue(f"sample draft={sample['draft']!r}: {one_of(str(sample['draft']), DRAFTS)}")
    return DRAFTS[sample["draft"]]


def _remotes(sample: Sample) -> dict[str, Schema]:
    return dict(sample.get("remotes", {}))


def _finder(known: Mapping[str, Schema]) -> Callable[[str], Schema]:
    """Return what a library asks for a schema elsewhere."""

    def found(uri: str) -> Schema:
        if uri not in known:
            raise InvalidValue(f"no schema is known as {uri!r}")
        return known[uri]

    return found


def _verdict(valid: bool) -> Verdict:
    return Verdict(True) if valid else Verdict(False, (INVALID,))
