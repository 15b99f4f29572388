"""Operators: named, versioned, seeded edits of JSON samples, from which the cases of a study are made.

An operator knows what it does, not what that means: whether an edit is a fault or a control, and which
finding must be reported, the study says. ``OPERATORS`` holds all by name; each carries an edit that
a validator detects, one that it lets pass and one that does no harm.
"""

from __future__ import annotations

from collections.abc import Mapping

from mateprobe.operators.bounds import BOUNDS
from mateprobe.operators.operator import Change, Edit, Example, Examples, Operator, Site, chain, edits
from mateprobe.operators.places import Pattern, pointer
from mateprobe.operators.shapes import SHAPES
from mateprobe.operators.texts import TEXTS
from mateprobe.operators.values import VALUES

__all__ = [
    "OPERATORS",
    "Change",
    "Edit",
    "Example",
    "Examples",
    "Operator",
    "Pattern",
    "Site",
    "chain",
    "edits",
    "pointer",
]

OPERATORS: Mapping[str, Operator] = {operator.name: operator for operator in (*SHAPES, *VALUES, *TEXTS, *BOUNDS)}
"""Every operator by its name."""
