"""The envelope models were asked for: its structure, its document, and a length check on it.

An envelope is ``{"body", "options": [{"id", "label", "outcome", "claims": {"status", "credits"}} × 2]}``.
A sample is ``{"envelope": …, "scenario": …}``; the scenario is the trusted side: the current state and
each option's id and after-state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mateprobe import strict_json
from mateprobe.errors import InvalidStructure, InvalidValue
from mateprobe.model import Claim, Context, Document, Surface
from mateprobe.mutations import Sample
from mateprobe.runner import Verdict

Data = Mapping[str, Any]
CLAIMS = {"status": str, "credits": int}
BODY_LENGTH, OUTCOME_LENGTH = 70, 60
"""Trimmed characters the length comparator asks for."""


class Misshapen(InvalidStructure):
    """An envelope of another structure; ``kind`` names the first way in which it differs."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


def parse_envelope(text: str, scenario: Data) -> dict[str, Any]:
    """Return the envelope a generation holds.

    Raises:
        Misshapen: no strict JSON (duplicate keys and NaN are refused), or another structure.
    """
    try:
        envelope = strict_json.loads(text, "generation")
    except InvalidValue as error:
        raise Misshapen("no_json", str(error)) from None
    check_envelope(envelope, scenario)
    return dict(envelope)


def check_envelope(envelope: Any, scenario: Data) -> None:
    """Check that an envelope has exactly the structure the scenario asks for.

    Raises:
        Misshapen: the first way in which it has not.
    """
    _keys("envelope", envelope, {"body", "options"})
    _text("body", envelope["body"])
    options, wanted = envelope["options"], scenario["options"]
    if not isinstance(options, list) or len(options) != len(wanted):
        found = len(options) if isinstance(options, list) else type(options).__name__
        raise Misshapen("options_count", f"expected {len(wanted)} options, found {found}")
    for option, expected in zip(options, wanted, strict=True):
        _keys("option", option, {"id", "label", "outcome", "claims"})
        if option["id"] != expected["id"]:
            raise Misshapen("option_id", f"expected id {expected['id']!r} in this place, found {option['id']!r:.100}")
        _text("label", option["label"])
        _text("outcome", option["outcome"])
        _keys("claims", option["claims"], set(CLAIMS))
        for key, kind in CLAIMS.items():
            if type(option["claims"][key]) is not kind:
                found = type(option["claims"][key]).__name__
                raise Misshapen("claim_type", f"expected {key} as {kind.__name__}, found {found}")


def _keys(what: str, value: Any, keys: set[str]) -> None:
    if not isinstance(value, dict):
        raise Misshapen(f"{what}_type", f"expected an object, found {type(value).__name__}")
    if set(value) != keys:
        raise Misshapen(f"{what}_keys", f"expected exactly {sorted(keys)}, found {sorted(value)!r:.200}")


def _text(what: str, value: Any) -> None:
    if not isinstance(value, str):
        raise Misshapen(f"{what}_type", f"expected text, found {type(value).__name__}")


def document(sample: Data) -> Sample:
    """Return the document and context a contract profile judges.

    Surfaces are body, label.0, outcome.0, label.1, outcome.1; an outcome speaks of its option's state
    and carries its claims, sorted by key. States are the current one and each option's after-state.

    Raises:
        Misshapen: the envelope has another structure.
    """
    envelope, scenario = sample["envelope"], sample["scenario"]
    check_envelope(envelope, scenario)
    states = {"current": scenario["current"], **{option["id"]: option["after"] for option in scenario["options"]}}
    return Sample(Document((Surface("body", envelope["body"]), *_surfaces(envelope))), Context(states))


def _surfaces(envelope: Data) -> Iterator[Surface]:
    for index, option in enumerate(envelope["options"]):
        claims = tuple(Claim(key, value) for key, value in sorted(option["claims"].items()))
        yield Surface(f"label.{index}", option["label"])
        yield Surface(f"outcome.{index}", option["outcome"], option["id"], claims)


def length_check(sample: Data) -> Verdict:
    """Judge an envelope by trimmed length alone, as a simple assertion would."""
    try:
        check_envelope(sample["envelope"], sample["scenario"])
    except Misshapen as error:
        return Verdict(accepted=False, violations=("structure",), evidence=(str(error),))
    texts = {"body": (sample["envelope"]["body"], BODY_LENGTH)}
    texts |= {
        f"outcome.{index}": (option["outcome"], OUTCOME_LENGTH)
        for index, option in enumerate(sample["envelope"]["options"])
    }
    short = tuple(f"length@{surface}" for surface, (text, least) in texts.items() if len(text.strip()) < least)
    return Verdict(accepted=not short, violations=short)
