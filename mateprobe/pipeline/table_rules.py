"""The tables of the built-in rules, audited in five languages: what they promise, and what they cannot see."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from mateprobe.pipeline.table import STUDY, VALIDATOR, Column, Row, Table, part_of, text, validators_of

LANGUAGES = {"en": "English", "ru": "Russian", "ar": "Arabic", "zh": "Chinese", "hi": "Hindi"}
ASKED = (("faults", "eligible_faults", "detected_faults"), ("controls", "eligible_controls", "preserved_controls"))


def guarantees(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a rule and what is asked of it: how many faults it detected, how many controls it kept."""
    for id, rule, asked, found in _rows(summary, edits=False):
        yield [summary["study"], id, rule, asked, *found]


def limits(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a rule and an edit, with the same figures."""
    for id, name, asked, found in _rows(summary, edits=True):
        rule, _, edit = name.partition("/")
        yield [summary["study"], id, rule, edit.removeprefix("kept.").replace("_", " "), asked, *found]


def _rows(summary: Mapping[str, Any], *, edits: bool) -> Iterator[tuple[str, str, str, list[str | None]]]:
    """Yield validator, name, what is asked, what came of it by language; families are called LANGUAGE/RULE/EDIT."""
    for id, validator in validators_of(summary):
        counted: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(dict)
        for family, figures in validator["families"].items():
            language, _, edit = family.partition("/")
            name = edit if edits else edit.partition("/")[0]
            for asked, eligible, right in ASKED:
                if figures[eligible]:
                    sums = counted[name, asked].setdefault(language, [0, 0])
                    sums[0] += figures[right]
                    sums[1] += figures[eligible]
        for (name, asked), found in sorted(counted.items()):
            yield id, name, asked, [part_of(*found.get(language, (0, 0))) for language in LANGUAGES]


_LANGUAGES = tuple(Column(id, name, absent="not asked") for id, name in LANGUAGES.items())
TABLES: Mapping[str, Table] = {
    "guarantees": Table(
        "Built-in rules by language: faults detected, controls accepted, of all",
        (STUDY, VALIDATOR, text("rule", "Rule"), text("asked", "Asked"), *_LANGUAGES),
        "summary",
        guarantees,
    ),
    "limits": Table(
        "Beyond what built-in rules promise: faults detected, controls accepted, of all",
        (STUDY, VALIDATOR, text("rule", "Rule"), text("edit", "Edit"), text("asked", "Asked"), *_LANGUAGES),
        "summary",
        limits,
    ),
}
