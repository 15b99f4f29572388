"""marshmallow: whether one field takes a value; the sample names the field and its arguments."""

from marshmallow import ValidationError, fields


def deserialized(sample):
    """Return ``field@$`` if the field refuses the value."""
    arguments = dict(sample.get("with", {}))
    if "schemes" in arguments:
        arguments["schemes"] = set(arguments["schemes"])
    field = getattr(fields, sample["field"])(**arguments)
    try:
        field.deserialize(sample["value"])
    except ValidationError:
        return ["field@$"]
    return []
