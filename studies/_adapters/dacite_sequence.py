"""dacite: whether a value becomes the sequence of texts that a dataclass wants."""

from dataclasses import dataclass
from typing import Sequence

from dacite import DaciteError, from_dict


@dataclass
class Names:
    """A dataclass with one sequence."""

    names: Sequence[str]


def errors(sample):
    """Return ``EXCEPTION@$`` if the value is refused; ``as`` tells a tuple, which JSON does not have."""
    value = tuple(sample["value"]) if sample.get("as") == "tuple" else sample["value"]
    try:
        from_dict(Names, {"names": value})
    except DaciteError as refusal:
        return [f"{type(refusal).__name__}@$"]
    return []
