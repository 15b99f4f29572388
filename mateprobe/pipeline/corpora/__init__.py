"""Seeded corpora: generators of case rows, and the parts the document corpora are built from.

A generator is ``cases(*, seed, …) -> Iterator[Row]``. A row is plain JSON data in the pipeline's case
format; a sample is the ``{"document", "context"}`` object a contract profile judges. An edit copies
only what it changes, so the rows of a group share their baseline: read them, never write to them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Row = dict[str, Any]
Sample = dict[str, Any]
Edit = Callable[[Sample], Sample]

# Settings of the narrative profiles, as a writer would spell them: the stock phrase no scene may use,
# and the phrase that makes the settled offer again.
FORMULAS = {"es": "la reunión salió bien", "en": "the meeting went well"}
REOFFERS = {"es": "te ofrecen otra vez el mismo contrato", "en": "they offer you the same contract again"}


def as_sentence(phrase: str) -> str:
    """Return the phrase with a capital and a full stop."""
    return f"{phrase[0].upper()}{phrase[1:]}."


def narrative(*, body: str, label: str, outcome: str, history: str, balance: int) -> Sample:
    """Return a baseline: a scene, the label of one option, and what follows when it is taken.

    Taking the offer adds ten credits to the balance, leaving it adds none. The outcome declares the
    decision of the branch it narrates; the offer is settled; ``history`` is the scene shown before.
    """
    accepted = {"key": "decision", "value": "accepted"}
    return {
        "document": {
            "surfaces": [
                {"id": "body", "text": body, "state_ref": "current", "claims": []},
                {"id": "label", "text": label, "state_ref": "current", "claims": []},
                {"id": "outcome", "text": outcome, "state_ref": "take", "claims": [accepted]},
            ]
        },
        "context": {
            "states": {
                "current": {"credits": balance, "status": "pending"},
                "take": {"credits": balance + 10, "decision": "accepted"},
                "leave": {"credits": balance, "decision": "declined"},
            },
            "closed_premises": ["offer"],
            "history": [history],
        },
    }


def edit_surface(surface_id: str, **fields: Any) -> Edit:
    """Return the edit that sets those fields of one surface."""

    def edit(sample: Sample) -> Sample:
        surfaces = sample["document"]["surfaces"]
        edited = [{**surface, **fields} if surface["id"] == surface_id else surface for surface in surfaces]
        return {**sample, "document": {"surfaces": edited}}

    return edit


def edit_state(state_ref: str, **facts: Any) -> Edit:
    """Return the edit that sets those facts of one state."""

    def edit(sample: Sample) -> Sample:
        context = sample["context"]
        states = context["states"]
        edited = {**states, state_ref: {**states[state_ref], **facts}}
        return {**sample, "context": {**context, "states": edited}}

    return edit


def freeze_credits(sample: Sample) -> Sample:
    """Return the sample with the credits unchanged by taking the offer."""
    return edit_state("take", credits=sample["context"]["states"]["current"]["credits"])(sample)


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of edit, and what its author holds of it before any validator runs.

    ``target`` is the ``CODE@SCOPE`` that the rule ``obligation`` must raise on a fault. A control has none:
    its obligation is the rule that reads what was edited and must not be disturbed by it.
    """

    name: str
    obligation: str
    target: str | None
    provenance: str
    edit: Edit
    validity: Literal["valid", "equivalent", "unreviewed"] = "valid"

    def row(self, group: str, baseline: Sample) -> Row:
        """Return the case ``GROUP/NAME``: the baseline beside its edited copy."""
        return {
            "id": f"{group}/{self.name}",
            "group": group,
            "family": self.name,
            "obligation": self.obligation,
            "relation": "violation" if self.target else "preserve",
            "validity": self.validity,
            "provenance": self.provenance,
            "expected": [f"{self.obligation}/{self.target}"] if self.target else [],
            "baseline": baseline,
            "variant": self.edit(baseline),
        }
