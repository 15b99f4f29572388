"""python-dateutil: whether isoparse takes a text."""

from dateutil.parser import isoparse


def errors(sample):
    """Return ``ValueError@$`` if the text is refused."""
    try:
        isoparse(sample)
    except ValueError as refusal:
        return [f"{type(refusal).__name__}@$"]
    return []
