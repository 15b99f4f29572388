"""Figures of bars: lying, with their number at the end, told apart by colour and hatch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mateprobe.pipeline.figure_style import SERIES, WIDTH, text_on, words
from mateprobe.pipeline.table import NOT_EVALUATED, UNDEFINED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

NOTES = {"none": "none", NOT_EVALUATED: "not evaluated: no valid structure"}
OPERATOR_OUTCOMES = ("detected", "invalid_structure", "preserved", "accepted", "other", "excluded")


def controlled(frame: DataFrame) -> Figure:
    """Draw three shares for each profile, from rows of the table ``controlled``."""
    series = ("boolean", "attributed", "controls")
    names = ("faults rejected", "faults rejected with the expected id", "controls preserved")
    figure, axes = _figure(len(frame), 0.55)
    for index, (column, name) in enumerate(zip(series, names, strict=True)):
        places = [row + (index - 1) * 0.27 for row in range(len(frame))]
        colour, hatch = SERIES[index]
        texts = frame[column].fillna(UNDEFINED)
        shares = [_share(text) for text in texts]
        axes.barh(places, shares, 0.25, color=colour, hatch=hatch, edgecolor="black", linewidth=0.5, label=name)
        for place, share, text in zip(places, shares, texts, strict=True):
            axes.annotate(text, (share, place), (3, 0), textcoords="offset points", va="center", fontsize="x-small")
    axes.set_yticks(range(len(frame)), [words(profile) for profile in frame["profile"]])
    axes.set_xlim(0, 1.12)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    figure.legend(loc="outside upper center", ncols=3)
    return figure


def model_findings(frame: DataFrame) -> Figure:
    """Draw the findings of each model by code, from rows of the table ``model_findings``."""
    rows = _by_model(frame, "code", "findings")
    bars = list(dict.fromkeys(rows["bar"]))
    codes = [code for code in dict.fromkeys(rows["part"]) if code not in NOTES]
    figure, axes = _stacked(rows, codes, bars)
    for bar, part in zip(rows["bar"], rows["part"], strict=True):
        if part in NOTES:
            axes.annotate(NOTES[part], (0, bars.index(bar)), (3, 0), textcoords="offset points", va="center")
    axes.set_xlabel("findings")
    return figure


def structure_failures(frame: DataFrame) -> Figure:
    """Draw how the attempts of each model ended, from rows of the table ``structure_failures``."""
    rows = _by_model(frame, "status", "attempts")
    kinds = sorted(set(rows["part"]), key=lambda status: (status != "evaluated", status))
    figure, axes = _stacked(rows, kinds, list(dict.fromkeys(rows["bar"])))
    axes.set_xlabel("attempts")
    return figure


def _by_model(frame: DataFrame, part: str, number: str) -> DataFrame:
    """Return ``number`` by model and ``part``, as ``_stacked`` wants it."""
    named = frame.assign(bar=frame["model"] + "\n" + frame["study"].map(words), part=frame[part])
    return named.groupby(["bar", "part"], sort=False)[number].sum().rename("number").reset_index()


def operators(frame: DataFrame) -> Figure:
    """Draw the outcomes of each operator, lane by lane, from rows of the table ``output_mutations``."""
    rows = frame[frame["part"] == "operator"].drop(columns="cases").sort_values(["lane", "name"])
    bars = rows.assign(bar=rows["name"].map(words) + " (" + rows["lane"] + ")")
    long = bars.melt("bar", list(OPERATOR_OUTCOMES), "part", "number")
    present = [outcome for outcome in OPERATOR_OUTCOMES if long.loc[long["part"] == outcome, "number"].sum()]
    figure, axes = _stacked(long[long["number"] > 0], present, list(bars["bar"]))
    axes.set_xlabel("cases")
    return figure


def _stacked(frame: DataFrame, parts: Sequence[str], bars: Sequence[str]) -> tuple[Figure, Axes]:
    """Draw bars made of parts, each with its number on it; the frame's columns are ``bar``, ``part`` and ``number``."""
    figure, axes = _figure(len(bars), 0.34)
    reached = dict.fromkeys(bars, 0)
    for (colour, hatch), name in zip(SERIES, parts, strict=False):
        found = frame[frame["part"] == name]
        places, lengths = [bars.index(bar) for bar in found["bar"]], list(found["number"])
        starts = [reached[bar] for bar in found["bar"]]
        axes.barh(
            places, lengths, 0.7, starts, color=colour, hatch=hatch, edgecolor="black", linewidth=0.5, label=words(name)
        )
        for place, start, length in zip(places, starts, lengths, strict=True):
            text_on(axes, start + length / 2, place, f"{length:,}")
            reached[bars[place]] += length
    axes.set_yticks(range(len(bars)), bars)
    axes.locator_params("x", integer=True)
    figure.legend(loc="outside upper center", ncols=5)
    return figure, axes


def _figure(bars: int, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 0.9 + height * bars))
    axes = figure.subplots()
    axes.set_ylim(bars - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    return figure, axes


def _share(text: str) -> float:
    """Return what ``part/whole`` comes to; nothing to draw where it is undefined."""
    if text == UNDEFINED:
        return 0.0
    part, _, whole = text.partition("/")
    return int(part) / int(whole)
