"""Figures of points with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mateprobe.pipeline.figure_style import BLUE, ORANGE, WIDTH, words
from mateprobe.pipeline.table import UNDEFINED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

MARKERS = {"bootstrap": "o", "clopper_pearson": "s", "none": "x"}
COLOURS = {"detection": BLUE, "preservation": ORANGE}


def intervals(frame: DataFrame) -> Figure:
    """Draw both rates of each validator side by side, from rows of the table ``intervals``."""
    from matplotlib.figure import Figure

    validators = list(dict.fromkeys(zip(frame["study"], frame["validator"], strict=True)))
    figure = Figure(figsize=(WIDTH, 0.7 + 0.21 * len(validators)))
    panels = figure.subplots(1, len(COLOURS), sharey=True)
    for axes, rate in zip(panels, COLOURS, strict=True):
        axes.set_title(rate)
        axes.set_xlim(-0.04, 1.04)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
        axes.set_ylim(len(validators) - 0.4, -0.6)
        axes.grid(axis="y", linewidth=0.3)
        axes.tick_params(axis="y", length=0)
        for row in frame[frame["rate"] == rate].itertuples():
            _point(axes, validators.index((row.study, row.validator)), row, COLOURS[rate])
    labels = [f"{words(study)}: {words(validator)}" for study, validator in validators]
    panels[0].set_yticks(range(len(validators)), labels)
    return figure


def _point(axes: Axes, place: int, row: Any, colour: str) -> None:
    from pandas import isna

    if isna(row.value):
        axes.text(0.5, place, UNDEFINED, ha="center", va="center", style="italic", fontsize="small")
        return
    if row.method != "none":
        axes.hlines(place, row.low, row.high, color=colour, linewidth=1.5)
    axes.plot(row.value, place, MARKERS[row.method], color=colour, markersize=4.5, clip_on=False)
