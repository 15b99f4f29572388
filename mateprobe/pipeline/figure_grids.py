"""Figures of fields: each shows by its colour what an outcome is, and holds a count or a word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mateprobe.outcome import Outcome
from mateprobe.pipeline.attribution import NOTHING
from mateprobe.pipeline.figure_style import RIGHT, WIDTH, WRONG, answer, bare, text_on, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

NARROW, WIDE, FEW = 4, 2, 6
"""Panels beside each other at most: of few columns, and of more."""


def outcomes(frame: DataFrame) -> Figure:
    """Draw obligations against outcomes, from rows of the table ``outcomes`` of one study."""
    columns = [outcome.value for outcome in Outcome if outcome.value in set(frame["outcome"])] or ["untested"]
    rows = list(dict.fromkeys(frame["obligation"]))
    whole = frame.groupby(["validator", "obligation"])["cases"].sum()
    figure, panels = _panels(frame, rows, columns)
    for axes, (validator, part) in panels:
        for row in part[part["cases"] > 0].to_dict("records"):
            share = row["cases"] / whole[validator, row["obligation"]]
            place = columns.index(row["outcome"]), rows.index(row["obligation"])
            _field(axes, place, f"{row['cases']:,}", answer(row["outcome"]), strength=_strength(share))
    return figure


def confusion(frame: DataFrame) -> Figure:
    """Draw expected against reported ids, from rows of the table ``confusion`` of one study."""
    rows = sorted(set(frame["expected"]), key=lambda id: (id == NOTHING, id))
    columns = rows + sorted(set(frame["reported"]) - set(rows))
    whole = frame.groupby(["validator", "expected"])["cases"].sum()
    figure, panels = _panels(frame, rows, columns)
    figure.supylabel("expected", fontsize="medium")
    figure.supxlabel("reported", fontsize="medium")
    for axes, (validator, part) in panels:
        for place in range(len(rows)):
            _frame(axes, (place, place))
        for row in part.to_dict("records"):
            look = RIGHT if row["expected"] == row["reported"] else WRONG
            share = row["cases"] / whole[validator, row["expected"]]
            field = columns.index(row["reported"]), rows.index(row["expected"])
            _field(axes, field, f"{row['cases']:,}", look, strength=_strength(share))
    return figure


def defects(frame: DataFrame) -> Figure:
    """Draw how each defect's cases ended before and after its fix, from rows of ``validator_defects_each``."""
    from matplotlib.figure import Figure

    roles = ("trigger", "control", "negative")
    figure = Figure(figsize=(WIDTH, 0.6 + 0.165 * len(frame)))
    axes = figure.subplots()
    bare(axes)
    axes.set_xlim(-0.5, 2 * len(roles) - 0.5)
    axes.set_ylim(len(frame) - 0.5, -0.5)
    axes.xaxis.tick_top()
    axes.set_xticks(range(2 * len(roles)), [f"{role}\n{release}" for role in roles for release in ("before", "after")])
    labels = frame["issue"] + ", tier " + frame["tier"]
    axes.set_yticks(range(len(frame)), list(labels), fontsize="small")
    for y, row in enumerate(frame.fillna(dict.fromkeys(roles, " → ")).to_dict("records")):
        ends = [end for role in roles for end in row[role].split(" → ")]
        for x, end in enumerate(ends):
            if end:
                _field(axes, (x, y), words(end), answer(end))
    return figure


def _panels(
    frame: DataFrame, rows: Sequence[str], columns: Sequence[str]
) -> tuple[Figure, Iterator[tuple[Axes, tuple[str, DataFrame]]]]:
    """Return a figure with a panel for each validator, and the panels with their validator and its rows."""
    from matplotlib.figure import Figure

    validators = list(dict.fromkeys(frame["validator"]))
    across = min(len(validators), NARROW if len(columns) <= FEW else WIDE)
    down = -(-len(validators) // across)
    beside, below = (max(len(words(name)) for name in names) for names in (rows, columns))
    width = 0.07 * beside + across * (0.3 + 0.26 * len(columns))
    height = 0.3 + 0.07 * below + down * (0.25 + 0.19 * len(rows))
    figure = Figure(figsize=(max(WIDTH, width), height))
    grid = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat:
        bare(axes)
        axes.set_facecolor("none")
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(range(len(rows)), [words(row) for row in rows])
        axes.set_xticks(range(len(columns)), [words(column) for column in columns])
        axes.tick_params("x", rotation=90)
    for axes, validator in zip(grid.flat, validators, strict=False):
        axes.set_facecolor("#F2F2F2")
        axes.set_title(words(validator))
    parts = ((validator, frame[frame["validator"] == validator]) for validator in validators)
    return figure, zip(grid.flat, parts, strict=False)


def _field(axes: Axes, place: tuple[int, int], text: str, look: tuple[str, str], *, strength: float = 0.45) -> None:
    """Draw a field of a colour, the darker the stronger, and a hatch, with its text on it."""
    from matplotlib.patches import Rectangle

    colour, hatch = look
    x, y = place
    field = Rectangle((x - 0.47, y - 0.45), 0.94, 0.9, facecolor=_pale(colour, strength), hatch=hatch)
    field.set(edgecolor="#555555", linewidth=0.4)
    axes.add_patch(field)
    text_on(axes, x, y, text, halo=bool(hatch))


def _strength(share: float) -> float:
    return 0.25 + 0.5 * share


def _pale(colour: str, strength: float) -> tuple[float, float, float]:
    """Return a colour mixed with white; of strength 1 it is itself."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - strength * (1 - part) for part in to_rgb(colour))
    return red, green, blue


def _frame(axes: Axes, place: tuple[int, int]) -> None:
    from matplotlib.patches import Rectangle

    x, y = place
    axes.add_patch(Rectangle((x - 0.49, y - 0.48), 0.98, 0.96, fill=False, edgecolor="black", lw=0.6))
