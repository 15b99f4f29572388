"""strictyaml: whether a document has a key whose value matches a pattern."""

import strictyaml


def errors(sample):
    """Return ``EXCEPTION@$`` if the document is refused."""
    schema = strictyaml.Map({key: strictyaml.Regex(pattern) for key, pattern in sample["patterns"].items()})
    try:
        strictyaml.load(sample["text"], schema)
    except strictyaml.YAMLError as refusal:
        return [f"{type(refusal).__name__}@$"]
    return []
