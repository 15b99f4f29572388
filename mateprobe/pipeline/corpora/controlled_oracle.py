"""What the controlled study's policies say, written a second time, to check its labels against.

The generator and its validators share one reading of the policies, so a slip in it would be in the labels
and in the verdicts alike and cancel out. This reading shares no code with theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mateprobe.errors import StudyError, one_of

Sample = Mapping[str, Any]
Predicate = Callable[[Sample], bool]

LEGAL_MOVES = {("queued", "packed"), ("packed", "shipped"), ("shipped", "delivered")}

# By policy and obligation: the predicates that together are the obligation.
SPECIFICATION: Mapping[str, Mapping[str, Mapping[str, Predicate]]] = {
    "refund": {
        "completion_status": {
            "a receipt exists": lambda s: s["receipt"] is not None,
            "its status is completed": lambda s: s["receipt"] is None or s["receipt"]["status"] == "completed",
        },
        "receipt_request": {
            "no receipt is for another request": lambda s: (
                s["receipt"] is None or s["receipt"]["request"] == s["request"]
            ),
        },
    },
    "shipping": {
        "transition": {"the move is a legal one": lambda s: (s["before"], s["after"]) in LEGAL_MOVES},
        "customer": {"the owner is the customer": lambda s: bool(s["owner"] == s["customer"])},
    },
    "reservation": {
        "quantity": {
            "the quantity is a whole number": lambda s: type(s["quantity"]) is int,
            "the quantity is one there is room for": lambda s: s["quantity"] in range(1, s["capacity"] + 1),
        },
        "resource": {
            "the resource is the authoritative one": lambda s: bool(s["authoritative_resource"] == s["resource"]),
        },
    },
}


def verify(row: Mapping[str, Any]) -> None:
    """Return if the specification agrees with everything a case row claims.

    Raises:
        StudyError: no such policy or obligation; a baseline that breaks its policy; a relation, target or
            obligation that is not what the variant breaks; a sample the predicates cannot read. The
            message names the case.
    """
    name, obligation = f"case {row['id']!r}", row["obligation"]
    policy = row["family"].partition("/")[0]
    if policy not in SPECIFICATION:
        raise StudyError(f"{name} family={row['family']!r}: policy {policy!r}: {one_of(policy, SPECIFICATION)}")
    if obligation not in SPECIFICATION[policy]:
        raise StudyError(f"{name} obligation={obligation!r}: {one_of(obligation, SPECIFICATION[policy])}")
    if broken := _broken(policy, row["baseline"], f"{name} baseline"):
        raise StudyError(f"{name}: its baseline breaks {_listed(broken)}; expected one that keeps the {policy} policy")
    broken = _broken(policy, row["variant"], f"{name} variant")
    claims = {
        "relation": (row["relation"], "violation" if broken else "preserve"),
        "expected": (sorted(row["expected"]), sorted(broken)),
    }
    for key, (claimed, true) in claims.items():
        if claimed != true:
            raise StudyError(f"{name} {key}={claimed!r}: expected {true!r}; its variant breaks {_listed(broken)}")
    if broken and obligation not in broken:
        raise StudyError(f"{name} obligation={obligation!r}: its variant breaks {_listed(broken)} instead")


def _broken(policy: str, sample: Sample, where: str) -> dict[str, list[str]]:
    """Return the obligations a sample breaks, each with the predicates that do not hold."""
    broken: dict[str, list[str]] = {}
    for obligation, predicates in SPECIFICATION[policy].items():
        for text, holds in predicates.items():
            try:
                held = holds(sample)
            except (KeyError, TypeError) as error:
                raise StudyError(f"{where}: no telling whether {text}: {error!r}; expected a {policy} sample") from None
            if not held:
                broken.setdefault(obligation, []).append(text)
    return broken


def _listed(broken: Mapping[str, list[str]]) -> str:
    return "; ".join(f"{obligation} (not so: {', '.join(texts)})" for obligation, texts in broken.items()) or "nothing"
