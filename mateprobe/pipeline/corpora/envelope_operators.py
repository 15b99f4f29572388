"""Twelve operators on accepted envelopes, in five lanes that are never pooled.

exact      typed declarations that must be caught
heuristic  texts a declared heuristic must catch
schema     structures the adapter must refuse
control    edits that change no word and must be let pass
challenge  prose that contradicts the state while every declaration stays right: beyond any rule here
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mateprobe.errors import StudyError
from mateprobe.pipeline.corpora import Row
from mateprobe.records import read_records

Data = Mapping[str, Any]
Envelope = dict[str, Any]
Change = Callable[[Envelope, Data], object]

FORMULA = {"en": "Without a doubt, ", "es": "Sin duda, "}
WRONG_CREDITS = {
    "en": " Your balance after this choice is exactly {} credits.",
    "es": " Tu saldo después de esta elección es exactamente {} créditos.",
}
WRONG_STATUS = {
    "en": " The status after this choice is exactly {}.",
    "es": " El estado después de esta elección es exactamente {}.",
}
STRUCTURE = "structure"
BEYOND = "prose/CONTRADICTS_STATE@outcome.0"
"""What a reader of the prose would report; no validator here can."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A named edit: ``change`` edits a copy of the envelope in place; ``expected`` is None for controls."""

    name: str
    lane: str
    expected: str | None
    change: Change
    states: str

    def apply(self, envelope: Data, scenario: Data) -> Envelope:
        """Return the edited copy of an envelope."""
        edited: Envelope = deepcopy(dict(envelope))
        self.change(edited, scenario)
        return edited


def claim_credits(envelope: Envelope, _: Data) -> None:
    """Declare one credit more for option 0: 30 becomes 31."""
    envelope["options"][0]["claims"]["credits"] += 1


def branch_claims(envelope: Envelope, _: Data) -> None:
    """Give option 0 the claims of option 1."""
    envelope["options"][0]["claims"] = dict(envelope["options"][1]["claims"])


def empty_body(envelope: Envelope, _: Data) -> None:
    """Leave nothing of the body."""
    envelope["body"] = ""


def lexical_restatement(envelope: Envelope, _: Data) -> None:
    """Make outcome 0 its own label, twelve times over."""
    option = envelope["options"][0]
    option["outcome"] = " ".join([option["label"]] * 12)


def literal_formula(envelope: Envelope, scenario: Data) -> None:
    """Open the body with the stock phrase of its language."""
    envelope["body"] = FORMULA[scenario["language"]] + envelope["body"]


def missing_claim(envelope: Envelope, _: Data) -> None:
    """Drop the credits that option 0 declares."""
    del envelope["options"][0]["claims"]["credits"]


def boolean_credits(envelope: Envelope, _: Data) -> None:
    """Declare true where a number belongs; true is not 1."""
    envelope["options"][0]["claims"]["credits"] = True


def branch_order(envelope: Envelope, _: Data) -> None:
    """Reverse the options: ids out of the scenario's order."""
    envelope["options"].reverse()


def whitespace(envelope: Envelope, _: Data) -> None:
    r"""Spread every text: ``a b`` becomes ``\n a  \nb\n`` and the like; no word changes."""
    _every_text(envelope, lambda text: " \n" + re.sub(r"\s+", "  \n", text) + "\n ")


def unicode_nfd(envelope: Envelope, _: Data) -> None:
    """Write every text in NFD: é as e and a mark. A text without marks stays as it is."""
    _every_text(envelope, lambda text: unicodedata.normalize("NFD", text))


def prose_wrong_credits(envelope: Envelope, scenario: Data) -> None:
    """End outcome 0 with a sentence that names 100 credits too many; the claims stay right."""
    option = envelope["options"][0]
    option["outcome"] += WRONG_CREDITS[scenario["language"]].format(option["claims"]["credits"] + 100)


def prose_wrong_status(envelope: Envelope, scenario: Data) -> None:
    """End outcome 0 with a sentence that names the other option's status; the claims stay right."""
    sentence = WRONG_STATUS[scenario["language"]].format(envelope["options"][1]["claims"]["status"])
    envelope["options"][0]["outcome"] += sentence


def _every_text(envelope: Envelope, edit: Callable[[str], str]) -> None:
    envelope["body"] = edit(envelope["body"])
    for option in envelope["options"]:
        option["label"], option["outcome"] = edit(option["label"]), edit(option["outcome"])


_CLAIM = "claims/CLAIM_STATE_MISMATCH@outcome.0"
_RESTATED = "restatement.0/LEXICAL_RESTATEMENT@outcome.0"
_FIRST_OPTION_IS_WRONG = "the first option's declaration is no longer its after-state"
OPERATORS: tuple[Operator, ...] = (
    Operator("claim_credits", "exact", _CLAIM, claim_credits, _FIRST_OPTION_IS_WRONG),
    Operator("branch_claims", "exact", _CLAIM, branch_claims, _FIRST_OPTION_IS_WRONG),
    Operator("empty_body", "heuristic", "content/LOW_LEXICAL_CONTENT@body", empty_body, "the body has no word"),
    Operator("lexical_restatement", "heuristic", _RESTATED, lexical_restatement, "the outcome only repeats its label"),
    Operator("literal_formula", "heuristic", "formula/FORBIDDEN_PATTERN@body", literal_formula, "a forbidden phrase"),
    Operator("missing_claim", "schema", STRUCTURE, missing_claim, "a required key is gone"),
    Operator("boolean_credits", "schema", STRUCTURE, boolean_credits, "a number became true"),
    Operator("branch_order", "schema", STRUCTURE, branch_order, "the options are out of order"),
    Operator("whitespace", "control", None, whitespace, "white space alone changed"),
    Operator("unicode_nfd", "control", None, unicode_nfd, "the Unicode form alone changed"),
    Operator("prose_wrong_credits", "challenge", BEYOND, prose_wrong_credits, "the prose names other credits"),
    Operator("prose_wrong_status", "challenge", BEYOND, prose_wrong_status, "the prose names another status"),
)


def cases(*, samples: Path, outcomes: Path) -> Iterator[Row]:
    """Yield one case per operator and accepted envelope.

    Args:
        samples: the case records of a collection.
        outcomes: what the validator said of them; only accepted envelopes are baselines.

    Raises:
        StudyError: no envelope was accepted, so there is nothing to change.
    """
    accepted = {row["id"] for row in read_records(outcomes, "outcomes") if row["baseline"] == "accepted"}
    if not accepted:
        raise StudyError(f"{outcomes}: expected accepted envelopes to change, found none")
    for sample in read_records(samples, "cases"):
        if sample["id"] in accepted:
            yield from _rows(sample)


def _rows(sample: Data) -> Iterator[Row]:
    baseline = sample["baseline"]
    for operator in OPERATORS:
        yield {
            "id": f"{sample['id']}/{operator.name}",
            "group": sample["group"],
            "family": operator.name,
            "obligation": operator.lane,
            "relation": "violation" if operator.expected else "preserve",
            "validity": "valid",
            "provenance": f"Operator {operator.name} on an accepted envelope, by construction: {operator.states}.",
            "expected": [operator.expected] if operator.expected else [],
            "baseline": baseline,
            "variant": {**baseline, "envelope": operator.apply(baseline["envelope"], baseline["scenario"])},
            "about": {"model": sample["about"]["model"], "lane": operator.lane},
        }
