"""The figure of timelines: a row a defect, a field a release; dark, pale or empty also in grey."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mateprobe.pipeline.figure_style import ORANGE, WIDTH, bare
from mateprobe.pipeline.fixes import UNAVAILABLE
from mateprobe.pipeline.table_timelines import BAD, GOOD, NOT_COMPARABLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle
    from pandas import DataFrame

ROOM = 2
"""Fields between two labels that do not touch."""

PALE = "#CFE3F1"
LOOKS = {
    BAD: (ORANGE, "/////", ""),
    GOOD: (PALE, "", ""),
    NOT_COMPARABLE: ("white", "", "·"),
    UNAVAILABLE: ("white", "", "×"),
}


def version_timeline(frame: DataFrame) -> Figure:
    """Draw which releases have each defect, one panel a package, from rows of ``version_timeline_each``."""
    from matplotlib.figure import Figure

    parts = {package: frame[frame["package"] == package] for package in dict.fromkeys(frame["package"])}
    rows = [part["defect"].nunique() for part in parts.values()]
    figure = Figure(figsize=(WIDTH, 0.5 + sum(0.62 + 0.15 * number for number in rows)))
    panels = figure.subplots(len(parts), 1, squeeze=False, height_ratios=[number + 0.4 for number in rows])
    for axes, (package, part) in zip(panels.flat, parts.items(), strict=True):
        _panel(axes, str(package), part)
    handles = [_field((0, 0), standing) for standing in LOOKS]
    figure.legend(
        handles, [f"{standing} {mark}" for standing, (*_, mark) in LOOKS.items()], loc="outside upper center", ncols=4
    )
    return figure


def _panel(axes: Axes, package: str, part: DataFrame) -> None:
    defects, releases = list(dict.fromkeys(part["defect"])), list(dict.fromkeys(part["release"]))
    bare(axes)
    axes.set_title(package, loc="left")
    axes.set_xlim(-0.5, len(releases) - 0.5)
    axes.set_ylim(len(defects) - 0.5, -0.5)
    axes.set_yticks(range(len(defects)), [defect.removeprefix(f"{package}-") for defect in defects], fontsize="x-small")
    labelled = list(_labelled(releases))
    axes.set_xticks(labelled, [releases[place] for place in labelled], fontsize="x-small", rotation=90)
    for row in part.to_dict("records"):
        place = releases.index(row["release"]), defects.index(row["defect"])
        axes.add_patch(_field(place, row["standing"]))
        if mark := LOOKS[row["standing"]][2]:
            axes.text(*place, mark, ha="center", va="center_baseline", fontsize="x-small")


def _labelled(releases: Sequence[str]) -> Iterator[int]:
    """Yield the places of the releases that begin a minor version, as far as their labels have room."""
    last, minor = -ROOM, ""
    for place, release in enumerate(releases):
        here = ".".join(release.split(".")[:2])
        if here != minor and place - last >= ROOM:
            yield place
            last = place
        minor = here


def _field(place: tuple[float, float], standing: str) -> Rectangle:
    from matplotlib.patches import Rectangle

    colour, hatch, _ = LOOKS[standing]
    x, y = place
    return Rectangle((x - 0.5, y - 0.44), 1, 0.88, facecolor=colour, hatch=hatch, edgecolor="#555555", linewidth=0.3)
