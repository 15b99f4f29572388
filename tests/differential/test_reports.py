"""Texts, identities, evaluations and bindings: what the published engine says, ours says too, but for the wording."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.differential import strategies as drawn
from tests.differential.conftest import Ask


def agreed(ours: Ask, peer: Ask, **request: Any) -> Any:
    """Return the common answer, or None where both refuse; each may refuse with an error of its own."""
    mine, theirs = ours(request), peer(request)
    if "refused" in mine and "refused" in theirs:
        return None
    assert mine == theirs
    return mine["answer"]


@given(text=drawn.texts, fold=st.booleans())
@drawn.many
def test_texts_normalise_to_the_same_tokens(ours: Ask, peer: Ask, text: str, fold: bool) -> None:
    agreed(ours, peer, do="text", text=text, fold=fold)


@given(value=drawn.values, other=drawn.values)
@drawn.many
def test_values_have_the_same_canonical_text_and_digest(ours: Ask, peer: Ask, value: Any, other: Any) -> None:
    agreed(ours, peer, do="identity", value=value, other=other)


@pytest.mark.parametrize("name", drawn.CONTRACTS)
def test_a_contract_of_each_type_says_the_same_of_any_document(ours: Ask, peer: Ask, name: str) -> None:
    seen: set[str] = set()

    @given(evaluation=drawn.evaluations(st.tuples(drawn.contract(name)).map(list)))
    def agree(evaluation: dict[str, Any]) -> None:
        answer = agreed(ours, peer, do="check", **evaluation)
        seen.update(check["status"] for check in answer["checks"]) if answer else None

    agree()
    assert len(seen) > 1, "the drawn documents bring about one status alone: they compare too little"


@given(evaluation=drawn.evaluations(drawn.profiles))
@drawn.many
def test_profiles_say_the_same_of_any_document(ours: Ask, peer: Ask, evaluation: dict[str, Any]) -> None:
    agreed(ours, peer, do="check", **evaluation)


@given(output=drawn.facts, state=drawn.facts, bindings=st.dictionaries(*2 * [st.sampled_from(drawn.KEYS)]))
def test_bindings_say_the_same_of_any_fields(ours: Ask, peer: Ask, output: Any, state: Any, bindings: Any) -> None:
    agreed(ours, peer, do="bind", output=output, state=state, bindings=bindings)
