"""Documents from other shapes of output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .errors import InvalidType, InvalidValue, one_of
from .model import Claim, Document, Surface


def lifecard_document(
    card: Mapping[str, Any], *, claims_by_surface: Mapping[str, Iterable[Claim]] | None = None
) -> Document:
    """Return the document of a LifeCard: a card with options, each with its possible outcomes.

    A surface's id is the path of its text in the card, such as ``$.options[0].label_template``.
    Texts of the card and of an option's label speak of state ``current``, texts of an outcome of
    ``OPTION_ID/OUTCOME_ID``.

    Args:
        card: ``title_template``, ``body_template`` and ``options``; each option ``id``,
            ``label_template`` and ``outcomes``; each outcome ``id``, ``title_template`` and
            ``body_template``. Other keys are not read.
        claims_by_surface: the claims declared for a surface, by its id.

    Raises:
        InvalidValue: a key is missing, an id is empty, two outcomes have one branch
            ``OPTION_ID/OUTCOME_ID``, or claims name no surface.
        InvalidType: a part of the card has another type.

    Examples:
        >>> outcome = {"id": "won", "title_template": "You won", "body_template": "The prize is yours."}
        >>> option = {"id": "play", "label_template": "Play", "outcomes": [outcome]}
        >>> card = {"title_template": "A game", "body_template": "Shall we?", "options": [option]}
        >>> document = lifecard_document(card)
        >>> document.surface("$.options[0].outcomes[0].body_template").state_ref
        'play/won'
    """
    claims = dict(claims_by_surface or {})
    surfaces = tuple(Surface(path, text, state, tuple(claims.pop(path, ()))) for path, text, state in _texts(card))
    for path in claims:
        paths = (surface.id for surface in surfaces)
        raise InvalidValue(f"claims_by_surface has {path!r}, which no text of the card has; {one_of(path, paths)}")
    return Document(surfaces)


def _texts(card: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (path, text, state) of every text, in reading order."""
    yield from _own(card, "$", ("title_template", "body_template"), "current")
    branches: dict[str, str] = {}
    for option, option_path in _items(card, "$", "options"):
        yield from _own(option, option_path, ("label_template",), "current")
        for outcome, path in _items(option, option_path, "outcomes"):
            branch = f"{_id(option, option_path)}/{_id(outcome, path)}"
            if branch in branches:
                raise InvalidValue(
                    f"{path} has branch {branch!r}, which {branches[branch]} has already; "
                    "give every outcome of an option an id of its own"
                )
            branches[branch] = path
            yield from _own(outcome, path, ("title_template", "body_template"), branch)


def _own(part: object, path: str, keys: tuple[str, ...], state: str) -> Iterator[tuple[str, str, str]]:
    for key in keys:
        yield f"{path}.{key}", _member(part, path, key), state  # Surface refuses what is no text, naming this path


def _member(part: object, path: str, key: str) -> Any:
    if not isinstance(part, Mapping):
        raise InvalidType(f"{path} has type {type(part).__name__}; expected a mapping with {key!r}")
    if key not in part:
        raise InvalidValue(f"{path} has no {key!r}; found {', '.join(map(repr, part)) or 'no keys'}")
    return part[key]


def _items(part: object, path: str, key: str) -> Iterator[tuple[Any, str]]:
    items = _member(part, path, key)
    if not isinstance(items, (list, tuple)):
        raise InvalidType(f"{path}.{key} has type {type(items).__name__}; expected a list")
    for index, item in enumerate(items):
        yield item, f"{path}.{key}[{index}]"


def _id(part: object, path: str) -> str:
    found = _member(part, path, "id")
    if type(found) not in (str, int) or found == "":
        raise InvalidValue(f"{path}.id={found!r}; expected a nonempty string or an integer")
    return str(found)
