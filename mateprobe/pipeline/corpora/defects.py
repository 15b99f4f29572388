"""Cases from a file of defects: for each defect its trigger, its control and, if it has one, its negative."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mateprobe.pipeline.defects import ROLES, case_id, read_defects


def cases(defects: Path) -> Iterator[dict[str, Any]]:
    """Yield the cases of every defect.

    A sample names its defect, which decides whose validator is asked, and holds the input, which is all
    that validator sees. Neither tells a trigger from a control.
    """
    for defect in read_defects(defects)["defects"]:
        yield from defect_cases(defect)


def defect_cases(defect: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the cases of one defect."""
    for role in ROLES:
        if role in defect["cases"]:
            yield _case(defect, role)


def _case(defect: Mapping[str, Any], role: str) -> dict[str, Any]:
    pair = defect["cases"][role]
    expected = pair.get("expected", [])
    return {
        "id": case_id(defect, role),
        "group": defect["cluster"],
        "family": role,
        "obligation": defect["obligation"],
        "relation": "violation" if expected else "preserve",
        "validity": "valid",
        "provenance": defect["label"],
        "expected": expected,
        "baseline": {"defect": defect["id"], "input": pair["baseline"]},
        "variant": {"defect": defect["id"], "input": pair["variant"]},
    }
