"""validators: what one of its functions says of a value."""

import validators


def errors(sample):
    """Return ``FUNCTION.invalid@$`` if the function refuses the value."""
    taken = getattr(validators, sample["function"])(sample["value"]) is True
    return [] if taken else [f"{sample['function']}.invalid@$"]
