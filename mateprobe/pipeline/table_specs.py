"""Every table of the report by its name, in the order to show them, and which are made together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mateprobe.pipeline import (
    table_campaigns as campaigns,
    table_defects as defects,
    table_outputs as outputs,
    table_rates as rates,
    table_rules as rules,
    table_schemas as schemas,
    table_timelines as timelines,
)
from mateprobe.pipeline.table import Table

OWN = campaigns.OWN
FAMILIES: Mapping[str, Mapping[str, Table]] = {
    "constructed-cases": campaigns.TABLES,
    "rates-and-agreement": rates.TABLES,
    "model-outputs": outputs.TABLES,
    "released-defects": defects.TABLES,
    "release-timelines": timelines.TABLES,
    "json-schemas": schemas.TABLES,
    "built-in-rules": rules.TABLES,
}
"""Tables of a kind. One process makes them all; a hyphen, which no study has in its id, keeps the names apart."""

TABLES: Mapping[str, Table] = {name: table for family in FAMILIES.values() for name, table in family.items()}


def table_called(name: str) -> Table:
    """Return what a table shows: one of ``TABLES``, or the own table of the study it is called like."""
    return TABLES.get(name, TABLES[OWN])


def together(names: Iterable[str]) -> dict[str, list[str]]:
    """Return which of these tables one process makes: those of a family, and alone the own table of a study."""
    found: dict[str, list[str]] = {}
    for name in names:
        family = next((family for family, tables in FAMILIES.items() if name in tables), name)
        found.setdefault(family, []).append(name)
    return found
