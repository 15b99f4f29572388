"""isodate: whether parse_date takes a text."""

import isodate


def errors(sample):
    """Return ``ISO8601Error@$`` if the text is refused."""
    try:
        isodate.parse_date(sample)
    except isodate.ISO8601Error as refusal:
        return [f"{type(refusal).__name__}@$"]
    return []
