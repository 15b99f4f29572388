"""The tables of rates and what they stand on: attribution, error policies, intervals, agreement with frozen reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mateprobe.pipeline.table import STUDY, VALIDATOR, Row, Table, count, fraction, share, text, validators_of


def confusion(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator, expected id and reported id."""
    for id, validator in validators_of(summary):
        for entry in validator["attribution"]["matrix"]:
            yield [summary["study"], id, entry["expected"], entry["reported"], entry["cases"]]


def attribution(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator, its ids on faults."""
    for id, validator in validators_of(summary):
        found = validator["attribution"]
        surplus = dict.fromkeys(("violation", "preserve"), 0)
        for entry in found["unexpected"]:
            surplus[entry["relation"]] += entry["cases"]
        yield [
            summary["study"],
            id,
            validator["detection_score"],
            found["precision"],
            found["reported_on_faults"],
            found["expected_among_them"],
            surplus["violation"],
            surplus["preserve"],
        ]


def error_policies(summary: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator."""
    for id, validator in validators_of(summary):
        policies = validator["error_policies"]
        shares = [policies[policy] for policy in ("miss", "dropped", "detection")]
        yield [summary["study"], id, validator["eligible_faults"], policies["without_verdict"], *shares]


def intervals(statistics: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a validator and rate, with both of its intervals."""
    for id in statistics["order"]:
        for rate, found in statistics["validators"][id].items():
            clustered, wilson = found["clustered"], found["wilson"]
            counted = [found[key] for key in ("successes", "cases", "groups", "rate")]
            bounds = [clustered["low"], clustered["high"], wilson["low"], wilson["high"]]
            yield [
                statistics["study"],
                id,
                rate,
                *counted,
                *bounds,
                clustered["method"] or "none",
                clustered["note"] or "",
            ]


def paired(statistics: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a rate and two validators that share cases."""
    for pair in statistics["pairs"]:
        if pair["cases"]:
            counted = [pair[key] for key in ("cases", "b", "c", "p", "groups", "groups_b", "groups_c", "groups_p")]
            yield [statistics["study"], pair["rate"], pair["first"], pair["second"], *counted]


def agreement(agreement: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a study."""
    differences = len(agreement["differences"])
    yield [agreement["study"], agreement["frozen"], agreement["cases"], agreement["values"], differences]


TABLES: Mapping[str, Table] = {
    "confusion": Table(
        "Expected against reported finding ids, eligible cases",
        (STUDY, VALIDATOR, text("expected", "Expected"), text("reported", "Reported"), count("cases", "Cases")),
        "summary",
        confusion,
    ),
    "attribution": Table(
        "Attribution: detection beside the precision of the ids reported on faults",
        (
            STUDY,
            VALIDATOR,
            share("detection", "Detection"),
            share("precision", "Attribution precision"),
            count("reported", "Ids reported on faults"),
            count("expected", "Expected among them"),
            count("unexpected_on_faults", "Unexpected on faults"),
            count("unexpected_on_controls", "Unexpected on controls"),
        ),
        "summary",
        attribution,
    ),
    "error_policies": Table(
        "Detection under three error policies; only the first is sound",
        (
            STUDY,
            VALIDATOR,
            count("faults", "Eligible faults"),
            count("without_verdict", "Errors and unknowns"),
            share("miss", "Counted as misses (sound)"),
            share("dropped", "Dropped (unsound)"),
            share("detection", "Counted as detections (unsound)"),
        ),
        "summary",
        error_policies,
    ),
    "intervals": Table(
        "Detection and preservation with 95 % intervals; only the clustered one allows for shared templates",
        (
            STUDY,
            VALIDATOR,
            text("rate", "Rate"),
            count("successes", "Successes"),
            count("cases", "Cases"),
            count("groups", "Groups"),
            share("value", "Value"),
            share("low", "Clustered, low"),
            share("high", "Clustered, high"),
            share("wilson_low", "Wilson, low"),
            share("wilson_high", "Wilson, high"),
            text("method", "Clustered by"),
            text("note", "Note"),
        ),
        "statistics",
        intervals,
    ),
    "paired": Table(
        "Two validators on the cases they share: exact McNemar by case, sign test by group",
        (
            STUDY,
            text("rate", "Rate"),
            text("first", "First"),
            text("second", "Second"),
            count("cases", "Cases"),
            count("b", "Only first right"),
            count("c", "Only second right"),
            fraction("p", "p by case"),
            count("groups", "Groups"),
            count("groups_b", "Groups, first ahead"),
            count("groups_c", "Groups, second ahead"),
            fraction("groups_p", "p by group"),
        ),
        "statistics",
        paired,
    ),
    "agreement": Table(
        "Agreement with the frozen reports, every value of every case",
        (
            STUDY,
            text("frozen", "Frozen report"),
            count("cases", "Cases"),
            count("values", "Values compared"),
            count("differences", "Differences"),
        ),
        "agreement",
        agreement,
    ),
}
