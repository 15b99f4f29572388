"""The figures of the report: one place that knows what each is drawn from, how, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mateprobe.pipeline import (
    figure_bars as bars,
    figure_grids as grids,
    figure_points as points,
    figure_timeline as timeline,
)
from mateprobe.pipeline.table import Table
from mateprobe.pipeline.table_specs import TABLES

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: what it shows, the table whose rows it draws, how, and its caption.

    Attributes:
        title: a few words.
        table: the name of the table; the figure is drawn from the same artifacts.
        draw: takes the frame of the table and returns the drawing.
        caption: what is to be seen, and what is not to be read into it.
        each: whether every study has a figure of its own, called ``NAME.STUDY``.
    """

    title: str
    table: str
    draw: Callable[[DataFrame], Drawing]
    caption: str
    each: bool = False

    @property
    def source(self) -> Table:
        """The table whose rows are drawn."""
        return TABLES[self.table]


FIGURES: Mapping[str, Figure] = {
    "outcomes": Figure(
        "Obligations and outcomes",
        "outcomes",
        grids.outcomes,
        "How the cases of each obligation ended, one panel a validator. The darker a field, the larger its share of "
        "the obligation's cases; striped fields are wrong answers, crossed ones no usable answer. A row without a "
        "field is an obligation no case tests. Counts are of constructed cases, not of anything that occurs.",
        each=True,
    ),
    "confusion": Figure(
        "Expected and reported findings",
        "confusion",
        grids.confusion,
        "Expected against reported finding ids over eligible cases, one panel a validator. What lies on the framed "
        "diagonal was expected; a field beside it was reported for another reason, or not at all. A "
        "validator without an eligible case has no panel.",
        each=True,
    ),
    "controlled": Figure(
        "Rejection and attribution",
        "controlled",
        bars.controlled,
        "The same observations counted by rejection and by attribution, with the controls beside them. Rejecting for "
        "a wrong reason counts fully by rejection and not at all by attribution; only controls show what is wrongly "
        "refused. The defects were put in; their frequency means nothing.",
    ),
    "validator_defects": Figure(
        "Defects before and after their fixes",
        "validator_defects_each",
        grids.defects,
        "How the trigger, the control and the negative of each defect ended for the release before its fix and the one "
        "after. Striped fields are wrong answers, crossed ones no usable answer. Triggers were chosen because a fix "
        "turns them: the column that turns is how they were found, and no rate.",
    ),
    "version_timeline": Figure(
        "Defects over the releases of their packages",
        "version_timeline_each",
        timeline.version_timeline,
        "Which releases have a defect: dark and hatched where the trigger is judged wrongly, pale where it is judged "
        "rightly, empty with a dot where the control or the negative is judged wrongly and the pair says nothing, a "
        "cross where the release was withdrawn or could not be installed. Releases stand in the order of their "
        "versions, not of time; labelled is the first of each minor version, where there is room. Triggers were chosen "
        "because a fix turns them, so the share of dark fields is no rate.",
    ),
    "model_findings": Figure(
        "Findings by model",
        "model_findings",
        bars.model_findings,
        "Findings of the strict profile in recorded outputs. An output without a finding is accepted, which does not "
        "make it right: nobody has labelled these texts.",
    ),
    "structure_failures": Figure(
        "How attempts ended, by model",
        "structure_failures",
        bars.structure_failures,
        "How far each attempt came before any rule was asked: evaluated, or refused for its structure, by kind.",
    ),
    "operators": Figure(
        "Outcome by operator and lane",
        "output_mutations",
        bars.operators,
        "Mutations of recorded outputs by operator. Lanes are of different kinds and are not added up. Where a "
        "validator promises nothing about a lane, such as contradictions in prose, accepting a fault is no defect.",
        each=True,
    ),
    "intervals": Figure(
        "Detection and preservation",
        "intervals",
        points.intervals,
        "Attributed detection of faults and preservation of controls, with 95 % intervals in which groups of cases, "
        "not cases, are independent. A square marks groups that all agree, where the interval is exact for groups; a "
        "cross marks fewer than eight groups, for which none is given. The intervals are of these constructions.",
    ),
}


def find(name: str) -> tuple[Figure, str]:
    """Return the figure called ``NAME`` or ``NAME.STUDY``, and the study or nothing.

    Raises:
        KeyError: no such figure.
    """
    stem, _, study = name.partition(".")
    figure = FIGURES[stem]
    if figure.each != bool(study):
        raise KeyError(name)
    return figure, study


def to_draw(studies: Mapping[str, Sequence[str]]) -> dict[str, tuple[Figure, Sequence[str]]]:
    """Return by name each figure that can be drawn and the studies it shows, given those with rows in each table."""
    drawn: dict[str, tuple[Figure, Sequence[str]]] = {}
    for name, figure in FIGURES.items():
        found = studies.get(figure.table, ())
        if figure.each:
            drawn |= {f"{name}.{study}": (figure, [study]) for study in found}
        elif found:
            drawn[name] = figure, found
    return drawn
