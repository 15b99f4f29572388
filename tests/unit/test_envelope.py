"""The envelope models were asked for: what has its structure, what it becomes, what length alone says."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from mateprobe.errors import InvalidStructure
from mateprobe.model import Claim
from mateprobe.pipeline.corpora.envelope import Misshapen, check_envelope, document, length_check, parse_envelope
from mateprobe.runner import Verdict

SCENARIO: dict[str, Any] = {
    "current": {"status": "open", "credits": 20},
    "language": "en",
    "options": [
        {"id": "pay", "after": {"status": "paid", "credits": 30}},
        {"id": "wait", "after": {"status": "waiting", "credits": 20}},
    ],
}
ENVELOPE: dict[str, Any] = {
    "body": "The clerk has looked at the parcel, and now two ways are open to you from here on.",
    "options": [
        {
            "id": "pay",
            "label": "Take the credits",
            "outcome": "Ten more credits stand in your account as soon as you agree to this.",
            "claims": {"status": "paid", "credits": 30},
        },
        {
            "id": "wait",
            "label": "Wait a little",
            "outcome": "Nothing changes today, and the clerk puts your papers back into the tray.",
            "claims": {"status": "waiting", "credits": 20},
        },
    ],
}


def edited(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """Return the envelope after ``change`` worked on it."""
    envelope = deepcopy(ENVELOPE)
    change(envelope)
    return envelope


def option(index: int, **fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda envelope: envelope["options"][index].update(fields)


def test_an_envelope_of_the_asked_structure_is_read_as_it_is() -> None:
    assert parse_envelope(json.dumps(ENVELOPE), SCENARIO) == ENVELOPE


MISSHAPEN: dict[str, tuple[Any, str]] = {
    "a list": ([], "envelope_type"),
    "no body": (edited(lambda e: e.pop("body")), "envelope_keys"),
    "a key too many": (edited(lambda e: e.update(note="x")), "envelope_keys"),
    "a body that is a number": (edited(lambda e: e.update(body=3)), "body_type"),
    "options that are an object": (edited(lambda e: e.update(options={})), "options_count"),
    "one option": (edited(lambda e: e["options"].pop()), "options_count"),
    "three options": (edited(lambda e: e["options"].append(e["options"][0])), "options_count"),
    "an option that is a text": (edited(lambda e: e["options"].__setitem__(0, "pay")), "option_type"),
    "an option without a label": (edited(lambda e: e["options"][0].pop("label")), "option_keys"),
    "options out of order": (edited(lambda e: e["options"].reverse()), "option_id"),
    "another option": (edited(option(1, id="leave")), "option_id"),
    "a label that is null": (edited(option(0, label=None)), "label_type"),
    "an outcome that is a list": (edited(option(0, outcome=["x"])), "outcome_type"),
    "claims that are a list": (edited(option(0, claims=[])), "claims_type"),
    "a claim too few": (edited(option(0, claims={"status": "paid"})), "claims_keys"),
    "a claim too many": (edited(option(0, claims={"status": "paid", "credits": 1, "x": 1})), "claims_keys"),
    "credits that are true": (edited(option(0, claims={"status": "paid", "credits": True})), "claim_type"),
    "credits that are 30.0": (edited(option(0, claims={"status": "paid", "credits": 30.0})), "claim_type"),
    "a status that is a number": (edited(option(0, claims={"status": 1, "credits": 30})), "claim_type"),
}


@pytest.mark.parametrize(("envelope", "kind"), MISSHAPEN.values(), ids=MISSHAPEN.keys())
def test_another_structure_is_refused_with_its_kind(envelope: Any, kind: str) -> None:
    with pytest.raises(Misshapen) as refused:
        check_envelope(envelope, SCENARIO)
    assert (refused.value.kind, str(refused.value).partition(":")[0]) == (kind, kind)


NO_JSON = {
    "prose": "Here is your JSON:",
    "a key that stands twice": json.dumps(ENVELOPE).replace('"body":', '"body": "x", "body":'),
    "NaN": json.dumps(ENVELOPE).replace("30", "NaN", 1),
    "a fence around it": f"```json\n{json.dumps(ENVELOPE)}\n```",
    "a raw line break in a text": json.dumps(ENVELOPE).replace("parcel", "par\ncel"),
    "deep nesting": "[" * 100_000,
    "nothing": "",
}


@pytest.mark.parametrize("text", NO_JSON.values(), ids=NO_JSON.keys())
def test_what_is_no_strict_json_is_refused_and_nothing_is_repaired(text: str) -> None:
    with pytest.raises(Misshapen) as refused:
        parse_envelope(text, SCENARIO)
    assert refused.value.kind == "no_json"


def test_surfaces_states_and_claims_follow_the_scenario() -> None:
    sample = document({"envelope": ENVELOPE, "scenario": SCENARIO})
    assert [(surface.id, surface.state_ref) for surface in sample.document.surfaces] == [
        ("body", "current"),
        ("label.0", "current"),
        ("outcome.0", "pay"),
        ("label.1", "current"),
        ("outcome.1", "wait"),
    ]
    assert sample.document.surface("outcome.0").claims == (Claim("credits", 30), Claim("status", "paid"))
    assert dict(sample.context.states) == {
        "current": SCENARIO["current"],
        "pay": SCENARIO["options"][0]["after"],
        "wait": SCENARIO["options"][1]["after"],
    }


def test_a_misshapen_envelope_becomes_no_document() -> None:
    with pytest.raises(InvalidStructure):
        document({"envelope": {}, "scenario": SCENARIO})


@pytest.mark.parametrize(
    ("envelope", "violations"),
    [
        (ENVELOPE, ()),
        (edited(lambda e: e.update(body=f"  {'x' * 69}\n")), ("length@body",)),
        (edited(lambda e: e.update(body="x" * 70)), ()),
        (edited(option(1, outcome="x" * 59 + " ")), ("length@outcome.1",)),
        (edited(option(1, outcome="x" * 60)), ()),
        (edited(lambda e: e.update(body="")), ("length@body",)),
    ],
    ids=["long enough", "69 and white space", "70", "59 and white space", "60", "empty"],
)
def test_length_is_counted_in_trimmed_characters(envelope: dict[str, Any], violations: tuple[str, ...]) -> None:
    verdict = length_check({"envelope": envelope, "scenario": SCENARIO})
    assert (verdict.accepted, verdict.violations) == (not violations, violations)


def test_length_of_another_structure_is_not_measured() -> None:
    verdict = length_check({"envelope": {"body": ""}, "scenario": SCENARIO})
    assert isinstance(verdict, Verdict)
    assert (verdict.accepted, verdict.violations) == (False, ("structure",))
