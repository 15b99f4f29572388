"""email-validator: whether a text is an address, with no look at the network."""

import email_validator


def errors(sample):
    """Return ``EXCEPTION@$`` if the address is refused."""
    try:
        email_validator.validate_email(sample, check_deliverability=False)
    except email_validator.EmailNotValidError as refusal:
        return [f"{type(refusal).__name__}@$"]
    return []
