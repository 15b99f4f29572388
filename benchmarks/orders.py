"""Orders as plain dicts, right and wrong, and a validator of five rules: the code of a study that is measured.

Loaded from a copy in the study's ``_code``. No two pairs share a sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mateprobe import Verdict

ID = re.compile(r"R-\d{7}")
STATES = {"open", "paid", "sent"}


def cases(*, pairs: int) -> Iterator[dict[str, Any]]:
    """Yield faults and controls in turn."""
    for n in range(pairs):
        fault = bool(n % 2)
        yield {
            "id": f"{n:07}",
            "group": f"{n // 10:06}",
            "family": "wrong_total" if fault else "other_note",
            "obligation": "total",
            "relation": "violation" if fault else "preserve",
            "validity": "valid",
            "provenance": "Made so.",
            "expected": ["total"] if fault else [],
            "baseline": order(n),
            "variant": order(n, total=4000) if fault else order(n, note="On its way."),
        }


def order(number: int, **changes: Any) -> dict[str, Any]:
    """Return an order of two items that is right but for the changes."""
    items = [{"sku": f"A{number}", "price": 30, "count": 1}, {"sku": "B7", "price": 5, "count": 2}]
    return {"id": f"R-{number:07}", "status": "paid", "total": 40, "items": items, "note": "Thank you.", **changes}


def judge(given: dict[str, Any]) -> Verdict:
    """Apply the rules to an order."""
    right = {
        "id": bool(ID.fullmatch(given["id"])),
        "status": given["status"] in STATES,
        "total": given["total"] == sum(item["price"] * item["count"] for item in given["items"]),
        "items": all(item["sku"] and item["count"] > 0 for item in given["items"]),
        "note": bool(given["note"].strip()),
    }
    found = tuple(id for id, holds in right.items() if not holds)
    return Verdict(not found, found)
