"""LifeCards as documents: every text has its path for an id and its branch for a state."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from mateprobe.adapters import lifecard_document
from mateprobe.errors import InvalidType, InvalidValue
from mateprobe.model import Claim, Document, Surface

CARD: dict[str, Any] = {
    "title_template": "A letter",
    "body_template": "It lies on the table.",
    "mood": "not read",
    "options": [
        {
            "id": "open",
            "label_template": "Open it",
            "outcomes": [
                {"id": "good", "title_template": "Luck", "body_template": "You are paid."},
                {"id": "bad", "title_template": "No luck", "body_template": "You pay."},
            ],
        },
        {"id": 2, "label_template": "Burn it", "outcomes": []},
    ],
}

SURFACES = (
    Surface("$.title_template", "A letter"),
    Surface("$.body_template", "It lies on the table."),
    Surface("$.options[0].label_template", "Open it"),
    Surface("$.options[0].outcomes[0].title_template", "Luck", "open/good"),
    Surface("$.options[0].outcomes[0].body_template", "You are paid.", "open/good"),
    Surface("$.options[0].outcomes[1].title_template", "No luck", "open/bad"),
    Surface("$.options[0].outcomes[1].body_template", "You pay.", "open/bad"),
    Surface("$.options[1].label_template", "Burn it"),
)


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    card = copy.deepcopy(CARD)
    change(card)
    return card


def test_every_text_of_a_card_is_a_surface_in_reading_order() -> None:
    assert lifecard_document(CARD) == Document(SURFACES)


def test_claims_go_to_the_surface_whose_path_they_are_listed_under() -> None:
    paid = Claim("paid", True)
    document = lifecard_document(CARD, claims_by_surface={"$.options[0].outcomes[0].body_template": [paid]})
    assert {surface.id: surface.claims for surface in document.surfaces if surface.claims} == {
        "$.options[0].outcomes[0].body_template": (paid,)
    }


def test_an_option_id_may_be_a_number() -> None:
    card = changed(lambda card: card["options"][1].update(outcomes=CARD["options"][0]["outcomes"][:1]))
    assert [surface.state_ref for surface in lifecard_document(card).surfaces[-2:]] == ["2/good", "2/good"]


def test_tuples_serve_as_lists() -> None:
    assert lifecard_document({**CARD, "options": tuple(CARD["options"])}) == Document(SURFACES)


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "no card": (None, InvalidType, "$ has type NoneType; expected a mapping with 'title_template'"),
    "no title": (
        changed(lambda card: card.pop("title_template")),
        InvalidValue,
        "$ has no 'title_template'; found 'body_template', 'mood', 'options'",
    ),
    "no options": (changed(lambda card: card.pop("options")), InvalidValue, "$ has no 'options'; found"),
    "options by name": (
        changed(lambda card: card.update(options={"open": {}})),
        InvalidType,
        "$.options has type dict; expected a list",
    ),
    "an empty outcome": (
        changed(lambda card: card["options"][0]["outcomes"].append({})),
        InvalidValue,
        "$.options[0].outcomes[2] has no 'id'; found no keys",
    ),
    "an option that is text": (
        changed(lambda card: card["options"].append("Wait")),
        InvalidType,
        "$.options[2] has type str; expected a mapping with 'label_template'",
    ),
    "an empty id": (
        changed(lambda card: card["options"][0]["outcomes"][1].update(id="")),
        InvalidValue,
        "$.options[0].outcomes[1].id=''; expected a nonempty string or an integer",
    ),
    "an id that is no name": (
        changed(lambda card: card["options"][0].update(id=True)),
        InvalidValue,
        "$.options[0].id=True; expected a nonempty string or an integer",
    ),
    "a text that is none": (
        changed(lambda card: card["options"][0].update(label_template=None)),
        InvalidType,
        "surface '$.options[0].label_template' text has type NoneType; expected str",
    ),
    "two outcomes of one branch": (
        changed(lambda card: card["options"][0]["outcomes"][1].update(id="good")),
        InvalidValue,
        "$.options[0].outcomes[1] has branch 'open/good', which $.options[0].outcomes[0] has already",
    ),
}


@pytest.mark.parametrize(("card", "kind", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_card_is_refused_with_its_place(card: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as error:
        lifecard_document(card)
    assert str(error.value).startswith(message)


def test_claims_for_a_path_the_card_lacks_are_refused_with_the_near_miss() -> None:
    with pytest.raises(InvalidValue, match=r"has '\$\.titel_template', .*did you mean '\$\.title_template'\?"):
        lifecard_document(CARD, claims_by_surface={"$.titel_template": (Claim("paid", True),)})
