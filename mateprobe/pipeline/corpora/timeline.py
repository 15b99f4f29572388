"""Cases from a file of defects and a file of timelines: the pair of every defect, for every release of its package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mateprobe.pipeline.corpora.defects import defect_cases
from mateprobe.pipeline.defects import read_defects
from mateprobe.pipeline.timelines import read_timelines


def cases(defects: Path, timelines: Path) -> Iterator[dict[str, Any]]:
    """Yield the cases of every defect for every release.

    Ids begin with the release: cases are judged in the order of their ids, so each release is started once.
    A sample names its defect and its release, which decide who is asked, and holds the input, which is all
    that is seen there.
    """
    known = {defect["id"]: defect for defect in read_defects(defects)["defects"]}
    for timeline in read_timelines(timelines):
        for release, (requirement, *_) in zip(timeline.releases, timeline.environments, strict=True):
            for id in timeline.defects:
                for case in defect_cases(known[id]):
                    yield {
                        **case,
                        "id": f"{requirement}:{case['id']}",
                        "baseline": {**case["baseline"], "release": requirement},
                        "variant": {**case["variant"], "release": requirement},
                        "about": {
                            "defect": id,
                            "issue": known[id]["issue"],
                            "package": timeline.package,
                            "release": release,
                        },
                    }
