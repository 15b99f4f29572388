"""The tables of timelines: which releases have a defect, from how its cases ended for each of them.

A release has a defect if it gets the trigger wrong and both the control and the negative right. Where it
gets one of these wrong, its trigger says nothing: mostly it has no such function yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mateprobe.outcome import Outcome
from mateprobe.pipeline.fixes import UNAVAILABLE, WRONG
from mateprobe.pipeline.releases import release_key
from mateprobe.pipeline.table import Row, Table, count, text
from mateprobe.pipeline.table_defects import CHOSEN
from mateprobe.records import RecordFile

GOOD, BAD, NOT_COMPARABLE = "good", "bad", "not comparable"
STANDINGS = (BAD, GOOD, NOT_COMPARABLE, UNAVAILABLE)

_RIGHT = {"violation": Outcome.DETECTED, "preserve": Outcome.PRESERVED}
_NOT_THERE = (f"_error: {UNAVAILABLE}: ", "_error: cannot load the adapter: ")
"""What the reason of an outcome holds where a release could not be had, or not be imported."""

Timelines = Mapping[tuple[str, str, str], Mapping[str, str]]
"""By package, defect and its report: each release's standing, the oldest version first."""


def timelines(outcomes: RecordFile) -> Timelines:
    """Return how each release stands to each defect."""
    cases: dict[tuple[str, str, str], dict[str, list[Mapping[str, Any]]]] = {}
    for row in outcomes:
        about = row["about"]
        defect = about["package"], about["defect"], about["issue"]
        cases.setdefault(defect, {}).setdefault(about["release"], []).append(row)
    return {
        defect: {release: standing(releases[release]) for release in sorted(releases, key=release_key)}
        for defect, releases in sorted(cases.items())
    }


def standing(cases: Sequence[Mapping[str, Any]]) -> str:
    """Return how a release stands to a defect, from the outcomes of the defect's cases."""
    if any(sign in case["reason"] for case in cases for sign in _NOT_THERE):
        return UNAVAILABLE
    right = {case["family"]: case["outcome"] == _RIGHT[case["relation"]] for case in cases}
    if not all(right[role] for role in right if role != "trigger"):
        return NOT_COMPARABLE
    if right["trigger"]:
        return GOOD
    return BAD if any(case["outcome"] in WRONG for case in cases if case["family"] == "trigger") else NOT_COMPARABLE


def version_timeline(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for a defect: between which releases it lies, and how many there are of each standing."""
    for (package, defect, issue), found in timelines(outcomes).items():
        bad = [release for release, how in found.items() if how == BAD]
        good = [release for release, how in found.items() if how == GOOD]
        keys = [release_key(release) for release in bad]
        before = [release for release in good if keys and release_key(release) < keys[0]]
        after = [release for release in good if not keys or release_key(release) > keys[-1]]
        between = len(good) - len(before) - len(after)
        ends = [before[-1:], bad[:1], bad[-1:], after[:1]]
        counts = [[*found.values()].count(how) for how in STANDINGS]
        yield [package, defect, issue, *(next(iter(end), None) for end in ends), between, *counts, len(found)]


def version_timeline_each(outcomes: RecordFile) -> Iterator[Row]:
    """Yield a row for a defect and release."""
    for (package, defect, _), found in timelines(outcomes).items():
        for release, how in found.items():
            yield [package, defect, release, how]


TABLES: Mapping[str, Table] = {
    "version_timeline": Table(
        f"Defects over the releases of their packages, in order of version; {CHOSEN}",
        (
            text("package", "Package"),
            text("defect", "Defect"),
            text("issue", "Report"),
            text("last_good_before", "Last good before"),
            text("first_bad", "First bad"),
            text("last_bad", "Last bad"),
            text("first_good", "First good after"),
            count("good_between", "Good between"),
            count("bad", "Bad"),
            count("good", "Good"),
            count("not_comparable", "Not comparable"),
            count("unavailable", "Unavailable"),
            count("releases", "Releases"),
        ),
        "outcomes",
        version_timeline,
    ),
    "version_timeline_each": Table(
        "Defects over the releases of their packages, release by release",
        (
            text("package", "Package"),
            text("defect", "Defect"),
            text("release", "Release"),
            text("standing", "Standing"),
        ),
        "outcomes",
        version_timeline_each,
    ),
}
