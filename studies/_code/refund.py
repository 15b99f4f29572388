"""A refund desk, as an example of a user's own domain: policy, custom contract, cases, validator.

A trusted function decides from an order whether a refund is due. A text generator writes the reply
and says which branch it speaks of. The library's rules check what the reply declares; which branch
it may speak of is this domain's own rule, ``BranchSelection``, a contract outside the library.

A sample is ``{"order": {…}, "reply": {"text", "branch", "claims": {…}}}``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mateprobe.engine import Rule, evaluate
from mateprobe.model import Check, Claim, Context, Document, Status, Surface
from mateprobe.rules import DeclaredClaimsConsistent, MinimumTokens
from mateprobe.runner import Verdict
from mateprobe.validator_audit import report_verdict

Data = Mapping[str, Any]

REFUND, REFUSE = "refund", "refuse"
ORDER = {
    "status": "delivered",
    "days_since_delivery": 10,
    "window_days": 30,
    "payment_captured": True,
    "final_sale": False,
}
PAID_BACK = {"decision": "refunded", "amount_returned": 40}
KEPT = {"decision": "refused", "amount_returned": 0}


def chosen_branch(order: Data) -> str:
    """Return the branch the policy takes: the authority every reply is held against."""
    due = (
        order["status"] == "delivered"
        and order["payment_captured"]
        and not order["final_sale"]
        and order["days_since_delivery"] <= order["window_days"]
    )
    return REFUND if due else REFUSE


@dataclass(frozen=True)
class BranchSelection(Rule):
    """The reply speaks of the branch the policy chose, whatever it declares there."""

    surface_id: str
    chosen: str

    def evaluate(self, document: Document, context: Context) -> tuple[Check, ...]:
        """Return one check, scope the surface."""
        spoken = document.surface(self.surface_id).state_ref
        status = Status.SATISFIED if spoken == self.chosen else Status.VIOLATED
        return (self.result(status, "BRANCH_NOT_CHOSEN", self.surface_id, f"{spoken!r}; policy: {self.chosen!r}"),)


def validate(sample: Data, *, own_rule: bool) -> Verdict:
    """Judge one sample with the built-in rules, and with ``BranchSelection`` if ``own_rule``."""
    reply = sample["reply"]
    claims = tuple(Claim(key, value) for key, value in sorted(reply["claims"].items()))
    document = Document((Surface("reply", reply["text"], reply["branch"], claims),))
    context = Context({"current": sample["order"], REFUND: PAID_BACK, REFUSE: KEPT})
    rules: tuple[Rule, ...] = (
        DeclaredClaimsConsistent("claims", ("reply",)),
        MinimumTokens("content", ("reply",), 6, 5),
    )
    if own_rule:
        rules = (BranchSelection("branch", "reply", chosen_branch(sample["order"])), *rules)
    return report_verdict(evaluate(document, context, rules))


GRANTED = "Your refund is approved and forty euros are on their way back to you."
REWORDED = "Good news: we have sent the forty euros you paid back to your card."
UNRELATED = "Our harbour café opens at nine and serves fresh bread with olives every morning."
DECLINED = "We are sorry, this order can no longer be refunded under our policy."

WRONG_BRANCH = "branch/BRANCH_NOT_CHOSEN@reply"
WRONG_CLAIM = "claims/CLAIM_STATE_MISMATCH@reply"

# Boundaries stand on both sides: what must be refused has a neighbour that must not.
GRANTS = {"text": GRANTED, "branch": REFUND, "claims": PAID_BACK}
REFUSES = {"text": DECLINED, "branch": REFUSE, "claims": KEPT}


def cases() -> Iterator[dict[str, Any]]:
    """Yield the cases: one eligible order with a valid reply, and one change to it each."""
    for flag, order in _INELIGIBLE.items():
        yield _fault(flag, "branch", WRONG_BRANCH, f"{flag}, still granted", GRANTS, **order)
        yield _control(f"{flag}_refused", "branch", f"{flag}, refused", REFUSES, **order)
    for days, shown in ((30, "last day of the window"), (29, "the day before the last"), (0, "day of delivery")):
        yield _control(f"day_{days}", "branch", f"{shown}, granted", GRANTS, days_since_delivery=days)
    yield _control("no_window", "branch", "no days of window, on day 0", GRANTS, days_since_delivery=0, window_days=0)
    yield _control("paraphrase", "claims", "the same refund in other words", {**GRANTS, "text": REWORDED})
    yield _fault("refused_though_due", "branch", WRONG_BRANCH, "refund due, refused", REFUSES)
    yield _fault(
        "cross_branch_state", "branch", WRONG_BRANCH, "speaks of the other branch so that its claims hold",
        {**REFUSES, "text": GRANTED},
    )  # fmt: skip
    yield _fault("wrong_branch_claim", "claims", WRONG_CLAIM, "claims of the other branch", {**GRANTS, "claims": KEPT})
    one_more = {**PAID_BACK, "amount_returned": 41}
    yield _fault("wrong_amount", "claims", WRONG_CLAIM, "one euro too many declared", {**GRANTS, "claims": one_more})
    # Without claims nothing was compared: the verdict is incomplete, and incomplete is no detection.
    yield _fault(
        "no_claims", "claims", WRONG_CLAIM, "nothing declared: rejected as incomplete", {**GRANTS, "claims": {}}
    )
    yield _fault(
        "arbitrary_prose", "grounding", WRONG_CLAIM,
        "other prose, right claims: accepted on purpose, since declarations are checked and prose is not",
        {**GRANTS, "text": UNRELATED},
    )  # fmt: skip


_INELIGIBLE: dict[str, dict[str, Any]] = {
    "window_over": {"days_since_delivery": 31},
    "not_delivered": {"status": "shipped"},
    "not_captured": {"payment_captured": False},
    "final_sale": {"final_sale": True},
}


def _fault(family: str, obligation: str, expected: str, shown: str, reply: Data, **order: Any) -> dict[str, Any]:
    return {**_control(family, obligation, shown, reply, **order), "relation": "violation", "expected": [expected]}


def _control(family: str, obligation: str, shown: str, reply: Data, **order: Any) -> dict[str, Any]:
    return {
        "id": f"refund/{family}",
        "group": "refund",
        "family": family,
        "obligation": obligation,
        "relation": "preserve",
        "validity": "valid",
        "provenance": f"Refund policy, by construction: {shown}.",
        "expected": [],
        "baseline": {"order": ORDER, "reply": GRANTS},
        "variant": {"order": {**ORDER, **order}, "reply": reply},
    }
