"""marshmallow: whether a field takes a value; the sample names the field and its arguments."""

from marshmallow import Schema, ValidationError, fields


def deserialized(sample):
    """Return ``field@$`` if the field refuses the value."""
    try:
        _field(sample["field"], sample.get("with", {})).deserialize(sample["value"])
    except ValidationError:
        return ["field@$"]
    return []


def loaded(sample):
    """Return ``NAME.invalid@/value`` if a schema with this field refuses the value."""
    schema = Schema.from_dict({"value": _field(sample["field"], sample.get("with", {}))})()
    try:
        schema.load({"value": sample["value"]})
    except ValidationError:
        return [f"{sample['field'].lower()}.invalid@/value"]
    return []


def _field(name, arguments):
    """Return a field; ``of`` a list and ``fields`` of a nested schema hold ``[name, arguments]`` of the inner ones."""
    arguments = dict(arguments)
    if "schemes" in arguments:
        arguments["schemes"] = set(arguments["schemes"])
    if name == "List":
        return fields.List(_field(*arguments.pop("of")), **arguments)
    if name == "Nested":
        inner = {key: _field(*field) for key, field in arguments.pop("fields").items()}
        return fields.Nested(Schema.from_dict(inner), **arguments)
    return getattr(fields, name)(**arguments)
