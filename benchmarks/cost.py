"""What ten million pairs cost: rates measured here, worked out in ``docs/scaling.md``.

``python -m benchmarks.cost`` measures and renews the two tables of that page. A shard reads all cases and judges its
own, so what it costs has two parts: reading, paid by every shard, and judging, divided among them. They are told apart
by measuring one shard of one and one of ``OF``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields

from benchmarks.measure import ROOT, Cost, table
from benchmarks.stages import study

PAGE = ROOT / "docs" / "scaling.md"
RATES, WORKED = "measured", "worked"
SMALL, LARGE = 80, 800
"""Variations: 7,200 and 72,000 cases. What a case costs is the difference, without the start of the process."""

OF = 16
PAIRS = 10_000_000
SHARDS = (1, 16, 64, 256)


@dataclass(frozen=True, slots=True)
class Rate:
    """What a stage costs a case, in the order of the table's columns: ns, bytes on disk, bytes resident."""

    nanoseconds: float
    disk: float
    memory: float


def measure() -> dict[str, Rate]:
    """Return what a case costs each stage; ``observe`` in two parts."""
    whole, shard = _slopes(1), _slopes(OF)
    judging = (whole["observe"].nanoseconds - shard["observe"].nanoseconds) * OF / (OF - 1)
    reading = whole["observe"].nanoseconds - judging
    return {
        "cases": whole["cases"],
        "observe, reading": Rate(reading, 0, shard["observe"].memory),
        "observe, judging": Rate(judging, whole["observe"].disk, 0),
        "outcomes": whole["outcomes"],
        "summary": whole["summary"],
    }


def _slopes(shards: int) -> dict[str, Rate]:
    small, large = (study(variations, shards) for variations in (SMALL, LARGE))
    cases = 90 * (LARGE - SMALL)

    def rate(less: tuple[Cost, int], more: tuple[Cost, int]) -> Rate:
        return Rate(
            1e9 * (more[0].processor - less[0].processor) / cases,
            (more[1] - less[1]) / cases,
            max(0, more[0].memory - less[0].memory) / cases,
        )

    return {stage: rate(small[stage], large[stage]) for stage in small}


def worked(rates: Mapping[str, Rate], shards: int, pairs: int = PAIRS) -> dict[str, float]:
    """Return what a study of so many pairs costs with so many shards, by the heading of its column."""
    minutes = {stage: rate.nanoseconds * pairs / 6e10 for stage, rate in rates.items()}
    once = minutes["cases"] + minutes["outcomes"] + minutes["summary"]
    reading, judging = minutes["observe, reading"], minutes["observe, judging"]
    return {
        "processor, min": once + shards * reading + judging,
        "by the clock, min": once + reading + judging / shards,
        "read by shards, GB": shards * rates["cases"].disk * pairs / 1e9,
        "on disk, GB": sum(rate.disk for rate in rates.values()) * pairs / 1e9,
        "largest job, GB resident": max(rate.memory for rate in rates.values()) * pairs / 1e9,
    }


def rates_of(page: str) -> dict[str, Rate]:
    """Return the rates that a page shows."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in _place(page, RATES).splitlines()[2:]]
    return {stage: Rate(*(float(cell.replace(",", "")) for cell in cells)) for stage, *cells in rows}


def renewed(page: str, rates: Mapping[str, Rate]) -> str:
    """Return the page with both tables of these rates."""
    columns = ("a case costs", *(field.name for field in fields(Rate)))
    measured = table(columns, [(stage, *map(_figure, astuple(rate))) for stage, rate in rates.items()])
    page = page.replace(_place(page, RATES), measured)
    rates = rates_of(page)  # rounded: what the page works out follows from what it shows
    rows = {shards: worked(rates, shards) for shards in SHARDS}
    costs = table(("shards", *rows[1]), [(str(shards), *map(_figure, row.values())) for shards, row in rows.items()])
    return page.replace(_place(page, WORKED), costs)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or round(value, 1) == round(value) else f"{value:.1f}"


def _place(page: str, name: str) -> str:
    """Return the table that stands after the comment which begins with a name."""
    found = re.search(rf"<!-- {name}\b[^>]*-->\n\n(.*?)\n\n", page, re.DOTALL)
    if not found:
        raise SystemExit(f"{PAGE}: expected a table after a comment that begins with {name!r}, found none")
    return found[1]


if __name__ == "__main__":
    text = PAGE.read_text("utf-8")
    renewed(text, rates_of(text))  # measuring takes a minute: a page without a place for it is found before
    PAGE.write_text(renewed(text, measure()), "utf-8")
