"""Each operator by an example: what it changes, that it changes nothing else, and what is expected of it."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from mateprobe.pipeline.corpora.envelope_operators import OPERATORS, Operator
from tests.unit.test_envelope import ENVELOPE, SCENARIO

BY_NAME = {operator.name: operator for operator in OPERATORS}
ES = {**SCENARIO, "language": "es"}


def at(envelope: Any, path: str) -> Any:
    for part in path.split("."):
        envelope = envelope[int(part)] if isinstance(envelope, list) else envelope[part]
    return envelope


def leaves(value: Any, path: str = "") -> dict[str, Any]:
    """Return every scalar of an envelope by its path."""
    if isinstance(value, dict):
        return {p: v for key, item in value.items() for p, v in leaves(item, f"{path}.{key}".lstrip(".")).items()}
    if isinstance(value, list):
        return {p: v for i, item in enumerate(value) for p, v in leaves(item, f"{path}.{i}").items()}
    return {path: value}


BODY, OUTCOME = ENVELOPE["body"], ENVELOPE["options"][0]["outcome"]
EXAMPLES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "one credit more": ("claim_credits", SCENARIO, {"options.0.claims.credits": 31}),
    "the other option's claims": (
        "branch_claims",
        SCENARIO,
        {"options.0.claims.status": "waiting", "options.0.claims.credits": 20},
    ),
    "nothing left of the body": ("empty_body", SCENARIO, {"body": ""}),
    "the label twelve times": (
        "lexical_restatement",
        SCENARIO,
        {"options.0.outcome": "Take the credits " * 11 + "Take the credits"},
    ),
    "the phrase in English": ("literal_formula", SCENARIO, {"body": f"Without a doubt, {BODY}"}),
    "the phrase in Spanish": ("literal_formula", ES, {"body": f"Sin duda, {BODY}"}),
    "true for a number": ("boolean_credits", SCENARIO, {"options.0.claims.credits": True}),
    "credits in English prose": (
        "prose_wrong_credits",
        SCENARIO,
        {"options.0.outcome": f"{OUTCOME} Your balance after this choice is exactly 130 credits."},
    ),
    "credits in Spanish prose": (
        "prose_wrong_credits",
        ES,
        {"options.0.outcome": f"{OUTCOME} Tu saldo después de esta elección es exactamente 130 créditos."},
    ),
    "status in English prose": (
        "prose_wrong_status",
        SCENARIO,
        {"options.0.outcome": f"{OUTCOME} The status after this choice is exactly waiting."},
    ),
    "status in Spanish prose": (
        "prose_wrong_status",
        ES,
        {"options.0.outcome": f"{OUTCOME} El estado después de esta elección es exactamente waiting."},
    ),
}


@pytest.mark.parametrize(("name", "scenario", "changed"), EXAMPLES.values(), ids=EXAMPLES.keys())
def test_an_operator_changes_what_its_example_shows_and_nothing_else(
    name: str, scenario: dict[str, Any], changed: dict[str, Any]
) -> None:
    assert leaves(BY_NAME[name].apply(ENVELOPE, scenario)) == {**leaves(ENVELOPE), **changed}


def test_a_claim_is_dropped() -> None:
    assert at(BY_NAME["missing_claim"].apply(ENVELOPE, SCENARIO), "options.0.claims") == {"status": "paid"}


def test_the_options_change_places() -> None:
    assert BY_NAME["branch_order"].apply(ENVELOPE, SCENARIO)["options"] == ENVELOPE["options"][::-1]


def test_white_space_is_spread_in_every_text_and_no_word_changes() -> None:
    spread = BY_NAME["whitespace"].apply(ENVELOPE, SCENARIO)
    assert at(spread, "options.1.label") == " \nWait  \na  \nlittle\n "
    assert [str(text).split() for text in leaves(spread).values()] == [
        str(text).split() for text in leaves(ENVELOPE).values()
    ]


def test_nfd_takes_marks_apart_and_leaves_a_text_without_marks_as_it_is() -> None:
    marked = {**ENVELOPE, "body": "caf\u00e9"}
    assert BY_NAME["unicode_nfd"].apply(marked, SCENARIO)["body"] == "cafe\u0301"
    assert BY_NAME["unicode_nfd"].apply(ENVELOPE, SCENARIO) == ENVELOPE


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_an_operator_leaves_its_envelope_alone_and_gives_the_same_twice(operator: Operator) -> None:
    envelope = deepcopy(ENVELOPE)
    first, second = operator.apply(envelope, SCENARIO), operator.apply(envelope, SCENARIO)
    assert envelope == ENVELOPE
    assert json.dumps(first) == json.dumps(second)


def test_every_lane_expects_what_it_is_for() -> None:
    assert {operator.name: (operator.lane, operator.expected) for operator in OPERATORS} == {
        "claim_credits": ("exact", "claims/CLAIM_STATE_MISMATCH@outcome.0"),
        "branch_claims": ("exact", "claims/CLAIM_STATE_MISMATCH@outcome.0"),
        "empty_body": ("heuristic", "content/LOW_LEXICAL_CONTENT@body"),
        "lexical_restatement": ("heuristic", "restatement.0/LEXICAL_RESTATEMENT@outcome.0"),
        "literal_formula": ("heuristic", "formula/FORBIDDEN_PATTERN@body"),
        "missing_claim": ("schema", "structure"),
        "boolean_credits": ("schema", "structure"),
        "branch_order": ("schema", "structure"),
        "whitespace": ("control", None),
        "unicode_nfd": ("control", None),
        "prose_wrong_credits": ("challenge", "prose/CONTRADICTS_STATE@outcome.0"),
        "prose_wrong_status": ("challenge", "prose/CONTRADICTS_STATE@outcome.0"),
    }
