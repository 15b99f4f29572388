"""Any JSON either loads or is refused by an error of ours that has a path; nothing else ever comes out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from mateprobe.canonical import plain
from mateprobe.errors import InvalidType, InvalidValue
from mateprobe.serialization import RULES, contracts_from_data, load_bundle, sample_from_data

# Words of the format, so that random data get past the outer checks often enough.
WORDS = [
    *("document", "context", "contracts", "policy", "surfaces", "id", "text", "state_ref", "claims", "key"),
    *("value", "states", "closed_premises", "history", "type", "rule_id", "surface_ids", "patterns", "minimum"),
    *("expected", "left", "right", "operator", "allowed", "before", "after", "keys", "block_heuristics", *RULES),
]
words = st.sampled_from(WORDS)
texts = (
    words | st.text(max_size=8) | st.sampled_from(["", "(", "(?", "[[a]", "(?i)a", "a{2", "\\", "\ud800", "(?<a>b)"])
)
scalars = st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | texts
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=6), max_leaves=30
)

names = st.sampled_from(["a", "b"])
claims = st.fixed_dictionaries({"key": names, "value": st.booleans() | st.integers() | names})
surfaces = st.lists(
    st.fixed_dictionaries(
        {"id": names, "text": st.text(max_size=8)},
        optional={"state_ref": names, "claims": st.lists(claims, max_size=2)},
    ),
    min_size=1,
    max_size=2,
    unique_by=lambda surface: str(surface["id"]),
)
facts = st.dictionaries(
    names, st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
samples = st.fixed_dictionaries(
    {
        "document": st.fixed_dictionaries({"surfaces": surfaces}),
        "context": st.fixed_dictionaries(
            {"states": st.dictionaries(names, facts)},
            optional={
                "closed_premises": st.lists(names, max_size=2),
                "history": st.lists(st.text(max_size=8), max_size=2),
            },
        ),
    }
)


@st.composite
def bundles_with_a_defect(draw: st.DrawFn) -> Any:
    """A bundle in which something random stands in the place of some part of it."""
    rule = {"type": draw(st.sampled_from(sorted(RULES))), "rule_id": "r", draw(words): draw(anything)}
    data = {**draw(samples), "contracts": [rule, draw(anything)], "policy": {"block_heuristics": True}}
    inner: Any = data
    for _ in range(draw(st.integers(0, 4))):
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner))) if isinstance(inner, list) else []
        if not keys:
            break
        key = draw(st.sampled_from(keys))
        if draw(st.booleans()):
            inner[key] = draw(anything)
        inner = inner[key]
    return data


def refusal(load: Callable[[Any], object], data: Any) -> str | None:
    """Return the message with which ``data`` are refused, or None if they load."""
    try:
        load(data)
    except (InvalidType, InvalidValue) as error:
        return str(error)
    return None


@given(anything | bundles_with_a_defect())
def test_any_json_loads_as_a_bundle_or_is_refused_with_a_path(data: Any) -> None:
    assert (refusal(load_bundle, data) or "$").startswith("$")


named = st.fixed_dictionaries({"type": st.sampled_from(sorted(RULES)), "rule_id": texts})
matching = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["ForbiddenPattern", "SettledPremise"]),
        "rule_id": texts,
        "patterns": st.lists(texts | st.tuples(texts, texts)),
        "surface_ids": st.lists(names),
    }
)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # patterns whose meaning a later Python may change
@given(st.lists(anything | named | matching))
def test_any_json_loads_as_contracts_or_is_refused_with_a_path(data: Any) -> None:
    assert (refusal(contracts_from_data, data) or "$").startswith("$")


@given(samples)
def test_a_sample_survives_the_way_to_json_and_back(data: Any) -> None:
    sample = sample_from_data(data)
    assert sample_from_data(json.loads(json.dumps(plain(sample)))) == sample


@given(anything)
def test_what_is_refused_once_is_refused_again_with_the_same_words(data: Any) -> None:
    assert refusal(sample_from_data, data) == refusal(sample_from_data, data)
