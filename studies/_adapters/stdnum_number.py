"""python-stdnum: whether a module takes a number."""

from importlib import import_module

from stdnum.exceptions import ValidationError


def errors(sample):
    """Return ``EXCEPTION@$`` if the number is refused."""
    try:
        import_module(f"stdnum.{sample['module']}").validate(sample["number"])
    except ValidationError as refusal:
        return [f"{type(refusal).__name__}@$"]
    return []
