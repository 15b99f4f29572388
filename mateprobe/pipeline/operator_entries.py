"""The entries of a study's ``cases.operators``: which operator, at which places, and what its edits are."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mateprobe.errors import InvalidValue, one_of
from mateprobe.operators import OPERATORS, Edit, Operator, Pattern, chain, pointer

SCHEMA = "schema"
"""As ``expected``: the ids of the constraints that an edit certainly breaks."""

PLACEHOLDERS = ("key", "parent", "path")
"""What an expected id may hold, in braces: of the changed place, its key, the place above it, itself."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: an operator, and where it is applied."""

    data: Mapping[str, Any]
    operator: Operator
    where: tuple[Pattern, ...]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Entry:
        """Return the entry of a mapping without problems."""
        operator = chain(*(OPERATORS[name] for name in _listed(data["use"])))
        return cls(data, operator, tuple(map(Pattern.parse, _listed(data.get("at", [])))))

    @property
    def family(self) -> str:
        """The name of its cases."""
        return str(self.data.get("name", self.operator.name))

    @property
    def fault(self) -> bool:
        """Whether its edits are faults, else controls."""
        return bool(self.data["as"] == "fault")

    @property
    def validity(self) -> str:
        """Whether its labels count."""
        return str(self.data.get("validity", "unreviewed"))

    def expected(self, edit: Edit, broken: Sequence[str]) -> list[str]:
        """Return the ids an edit must raise, or none if it is not what the entry says of it.

        Args:
            edit: the edit.
            broken: the ids of the constraints it certainly breaks.
        """
        named = self.data.get("expected", [])
        if named == SCHEMA:
            return sorted(set(broken))
        *above, key = edit.path or ("",)
        filled = {"key": str(key), "parent": pointer(tuple(above)), "path": pointer(edit.path)}
        return [re.sub(r"\{(\w+)\}", lambda name: filled[name[1]], id) for id in named]

    def provenance(self, edit: Edit, seed: int) -> str:
        """Return what was done to make an edit, and what the study says of its label."""
        operator, place = self.operator, pointer(edit.path) or "the top"
        made = f"Operator {operator.name} version {operator.version}, seed {seed}, at {place}: {operator.states}."
        return " ".join(filter(None, (made, self.data.get("provenance"))))


def problems(
    entries: Sequence[Mapping[str, Any]], *, obligations: Collection[str], schema: bool
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield what is wrong with entries that have the right form, each with the key path below the list.

    Args:
        entries: the list.
        obligations: the ids of the study's.
        schema: whether the study gives the schema of its samples.
    """
    for index, entry in enumerate(entries):
        for key, problem in (*_name_problems(entry, obligations), *_label_problems(entry, schema=schema)):
            yield (index, key), problem


def _name_problems(entry: Mapping[str, Any], obligations: Collection[str]) -> Iterator[tuple[str, str]]:
    if entry["obligation"] not in obligations:
        yield "obligation", f"{entry['obligation']!r}: {one_of(entry['obligation'], obligations)}"
    for name in _listed(entry["use"]):
        if name not in OPERATORS:
            yield "use", f"{name!r}: {one_of(name, OPERATORS)}"
    for pattern in _listed(entry.get("at", [])):
        try:
            Pattern.parse(pattern)
        except InvalidValue as error:
            yield "at", str(error)


def _label_problems(entry: Mapping[str, Any], *, schema: bool) -> Iterator[tuple[str, str]]:
    expected = entry.get("expected", [])
    if (entry["as"] == "fault") is not bool(expected):
        yield "expected", f"found {expected!r} of a {entry['as']}; a fault names the ids it raises, a control none"
    if expected == SCHEMA and not schema:
        yield "expected", "'schema': expected the key cases.schema too, from which ids are read"
    for name in re.findall(r"\{(.*?)\}", "" if expected == SCHEMA else " ".join(expected)):
        if name not in PLACEHOLDERS:
            yield "expected", f"{{{name}}}: {one_of(name, PLACEHOLDERS)}"
    if entry.get("validity") == "valid" and "provenance" not in entry:
        yield "validity", "'valid' without provenance; say who or what established the label"


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
