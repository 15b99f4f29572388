"""The tables of defects of released validators: how each ended before and after its fix."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from mateprobe.pipeline.defects import ROLES
from mateprobe.pipeline.table import Row, Table, count, part_of, text

CHOSEN = "triggers were chosen because a fix turns them, so nothing here is a rate of defects"


def fixes(fixes: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a defect."""
    for fix in fixes["fixes"]:
        ends = [fix["ends"][role][release] for role in ("trigger", "control") for release in ("before", "after")]
        yield [fix["issue"], fix["before"], fix["after"], *ends, "yes" if fix["fix_reproduced"] else "no"]


def defects(fixes: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a defect, with how each of its cases ended before and after the fix."""
    for fix in fixes["fixes"]:
        found = [fix["ends"].get(role) for role in ROLES]
        ends = [f"{end['before']} → {end['after']}" if end else None for end in found]
        release = f"{fix['package']} {fix['before']} → {fix['after']}"
        yield [fix["issue"], release, fix["tier"], *ends, "yes" if fix["fix_reproduced"] else "no"]


def defects_by(key: str) -> Callable[[Mapping[str, Any]], Iterator[Row]]:
    """Return the function that yields a row for each value of ``key`` and each tier."""

    def rows(fixes: Mapping[str, Any]) -> Iterator[Row]:
        groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for fix in fixes["fixes"]:
            groups.setdefault((fix[key], fix["tier"]), []).append(fix)
        for group, members in sorted(groups.items()):
            reports = len({fix["cluster"] for fix in members})
            turned = sum(fix["fix_reproduced"] for fix in members)
            kept = [_kept(members, *pair) for pair in (("control", "preserved"), ("negative", "detected"))]
            yield [*group, len(members), reports, turned, *kept, sum(fix["recorded"] for fix in members)]

    return rows


def _kept(fixes: Sequence[Mapping[str, Any]], role: str, right: str) -> str | None:
    """Return how many cases of a role ended as they should, of how many, over both releases."""
    ends = [end for fix in fixes if role in fix["ends"] for end in fix["ends"][role].values()]
    return part_of(ends.count(right), len(ends))


def screening(fixes: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for a report that was screened."""
    for candidate in fixes["screened"]:
        yield [candidate["issue"], "yes" if candidate["included"] else "no", candidate["reason"]]


_FIXES = (
    text("issue", "Report"),
    text("before", "Release before the fix"),
    text("after", "After"),
    text("trigger_before", "Trigger before"),
    text("trigger_after", "Trigger after"),
    text("control_before", "Control before"),
    text("control_after", "Control after"),
    text("reproduced", "Fix reproduced"),
)
_DEFECTS = (
    text("tier", "Tier"),
    count("defects", "Defects"),
    count("reports", "Reports"),
    count("reproduced", "Fixes reproduced"),
    text("controls", "Controls preserved, both releases"),
    text("negatives", "Negatives detected, both releases"),
    count("recorded", "Outcomes equal to the recorded ones"),
)

TABLES: Mapping[str, Table] = {
    "historical": Table("Historical: released validators before and after a fix", _FIXES, "fixes", fixes),
    "historical_first_run": Table(
        "Historical, first run: environments that were not yet right", _FIXES, "fixes", fixes
    ),
    "historical_screening": Table(
        "Historical: the reports that were screened",
        (text("issue", "Report"), text("included", "Included"), text("reason", "Reason")),
        "fixes",
        screening,
    ),
    "validator_defects": Table(
        f"Defects of released validators, by package; {CHOSEN}",
        (text("package", "Package"), *_DEFECTS),
        "fixes",
        defects_by("package"),
    ),
    "validator_defects_by_relation": Table(
        f"Defects of released validators, by relation of the trigger; {CHOSEN}",
        (text("relation", "Relation"), *_DEFECTS),
        "fixes",
        defects_by("relation"),
    ),
    "validator_defects_each": Table(
        f"Defects of released validators, one by one, before → after the fix; {CHOSEN}",
        (
            text("issue", "Report"),
            text("releases", "Releases"),
            text("tier", "Tier"),
            text("trigger", "Trigger"),
            text("control", "Control"),
            text("negative", "Negative"),
            text("reproduced", "Fix reproduced"),
        ),
        "fixes",
        defects,
    ),
}
