"""voluptuous: whether a schema takes a value; the schemas are the ones defects were reported of."""

import voluptuous

SCHEMAS = {
    "email": voluptuous.Email,
    "one_of_or_float": lambda: voluptuous.Any(voluptuous.In([1, "a", None]), float),
}


def errors(sample):
    """Return ``EXCEPTION@PLACE`` if the schema refuses the value."""
    schema = voluptuous.Schema(SCHEMAS[sample["schema"]]())
    try:
        schema(sample["value"])
    except voluptuous.MultipleInvalid as refusal:
        return [f"{type(error).__name__}@{_place(error.path)}" for error in refusal.errors]
    return []


def _place(path):
    return "".join(f"/{part}" for part in path) or "$"
