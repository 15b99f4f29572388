"""schema: whether a value is of a type."""

import schema

TYPES = {"int": int, "str": str}


def errors(sample):
    """Return ``EXCEPTION@$`` if the value is refused."""
    try:
        schema.Schema(TYPES[sample["type"]]).validate(sample["value"])
    except schema.SchemaError as refusal:
        return [f"{type(refusal).__name__}@$"]
    return []
