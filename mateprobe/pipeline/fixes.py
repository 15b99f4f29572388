"""Stage ``fixes``: how the cases of every defect ended in the release before its fix and in the one after.

A fix is reproduced if the trigger goes from a wrong outcome to the right one, and the control is
preserved in both releases.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mateprobe.errors import StageError
from mateprobe.outcome import Outcome
from mateprobe.pipeline.defects import RELEASES, ROLES, case_id, read_defects
from mateprobe.pipeline.section import RESULTS, add_section, parse_section
from mateprobe.pipeline.study_report import run_report
from mateprobe.records import read_records

WRONG = (Outcome.SURVIVED, Outcome.REGRESSED, Outcome.ERROR)
UNAVAILABLE = "unavailable"
"""How a case ended that nobody could be asked about."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    add_section(parser)


def run(args: argparse.Namespace) -> int:
    """Run the stage; return 0.

    Raises:
        StageError: a case ended otherwise than was recorded of it; names each.
    """
    section = parse_section(args.section)
    folder = RESULTS / section["study"]
    outcomes = {release: folder / "outcomes" / f"{section['validators'][release]}.jsonl" for release in RELEASES}
    source = Path(section["defects"])

    def report() -> Mapping[str, Any]:
        ended = {release: _ends(path) for release, path in outcomes.items()}
        content = read_defects(source)
        fixes = [fix(defect, ended) for defect in content["defects"]]
        if differing := [line for found in fixes for line in found["disagreements"]]:
            raise StageError(f"{len(differing)} cases ended otherwise than recorded:\n  " + "\n  ".join(differing))
        return {"fixes": fixes, "screened": content.get("screened", [])}

    return run_report("fixes", section, {"defects": source, **outcomes}, report)


def _ends(path: Path) -> dict[str, str]:
    """Return how each case ended, by id."""
    return {
        row["id"]: UNAVAILABLE if f"_error: {UNAVAILABLE}: " in row["reason"] else row["outcome"]
        for row in read_records(path, "outcomes")
    }


def fix(defect: Mapping[str, Any], ended: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Return what became of one defect.

    Args:
        defect: its entry in the file of defects.
        ended: by release, how each case ended, by id.
    """
    roles = [role for role in ROLES if role in defect["cases"]]
    ends = {role: {release: ended[release][case_id(defect, role)] for release in RELEASES} for role in roles}
    right = Outcome.DETECTED if "expected" in defect["cases"]["trigger"] else Outcome.PRESERVED
    turned = ends["trigger"]["before"] in WRONG and ends["trigger"]["after"] == right
    recorded = defect.get("recorded", {})
    return {
        **{key: defect[key] for key in ("id", "issue", "package", "cluster")},
        **{release: defect[release][0].partition("==")[2] for release in RELEASES},
        "tier": defect.get("tier"),
        "relation": "violation" if "expected" in defect["cases"]["trigger"] else "preserve",
        "ends": ends,
        "fix_reproduced": turned and set(ends["control"].values()) == {Outcome.PRESERVED.value},
        "recorded": sum(map(len, recorded.values())),
        "disagreements": [
            f"{case_id(defect, role)} in the release {release}: recorded {known}, found {ends[role][release]}"
            for release in RELEASES
            for role, known in sorted(recorded.get(release, {}).items())
            if ends[role][release] != known
        ],
    }
