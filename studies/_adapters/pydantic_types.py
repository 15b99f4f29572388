"""pydantic 2: the type and place of every error; the types are the ones defects were reported of."""

from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError


class Coercing(BaseModel):
    """A model that turns numbers into texts."""

    model_config = ConfigDict(coerce_numbers_to_str=True)
    id: str


TYPES = {
    "int": int,
    "coercing": Coercing,
    "short": Annotated[str, Field(max_length=32)],
    "five_digits": Annotated[Decimal, Field(max_digits=5)],
}


def errors(sample):
    """Return ``TYPE@PLACE`` for every error."""
    try:
        TypeAdapter(TYPES[sample["type"]]).validate_python(sample["value"])
    except ValidationError as refusal:
        return [f"{error['type']}@{''.join(f'/{part}' for part in error['loc']) or '$'}" for error in refusal.errors()]
    return []
