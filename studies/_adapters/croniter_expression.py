"""croniter: whether an expression is valid."""

from croniter import croniter


def errors(sample):
    """Return ``cron.invalid@$`` if the expression is said to be none."""
    return [] if croniter.is_valid(sample["expression"], **sample.get("with", {})) else ["cron.invalid@$"]
