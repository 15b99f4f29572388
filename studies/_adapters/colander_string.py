"""colander: whether a text passes one of its validators."""

import colander

VALIDATORS = {"email": colander.Email, "url": lambda: colander.url}


def errors(sample):
    """Return ``Invalid@$`` if the text is refused."""
    node = colander.SchemaNode(colander.String(), validator=VALIDATORS[sample["validator"]]())
    try:
        node.deserialize(sample["text"])
    except colander.Invalid as refusal:
        return [f"{type(refusal).__name__}@$"]
    return []
