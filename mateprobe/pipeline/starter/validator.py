"""The validator of the study NAME. Put your own in its place, or call it from here."""

from __future__ import annotations

from typing import Any

from mateprobe import Verdict


def validate(order: dict[str, Any]) -> Verdict:
    """Return what is wrong with an order: the ids of the obligations it breaks."""
    found = []
    if sum(order["items"]) != order["total"]:
        found.append("total")
    if min(order["items"], default=0) < 0:
        found.append("items")
    return Verdict(accepted=not found, violations=tuple(found))
