"""pydantic 1: whether a model takes an optional list of unique texts."""

from typing import Optional

from pydantic import BaseModel, ValidationError, conlist


class Unique(BaseModel):
    """A model with one optional list."""

    v: Optional[conlist(str, min_items=1, unique_items=True)]


def errors(sample):
    """Return ``TYPE@PLACE`` for every error."""
    try:
        Unique(v=sample)
    except ValidationError as refusal:
        return [f"{error['type']}@{''.join(f'/{part}' for part in error['loc'])}" for error in refusal.errors()]
    return []
