"""How every figure looks: colours for all eyes, hatches and numbers for grey paper, one font."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mateprobe.outcome import GAPS, INCOMPLETE, INELIGIBLE
from mateprobe.tally import flat

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE, GREEN, PURPLE, SKY, YELLOW, GREY = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#F0E442",
    "#999999",
)
"""Okabe and Ito's palette (2008), told apart with any common colour blindness."""

SERIES: tuple[tuple[str, str], ...] = (
    (BLUE, ""),
    (ORANGE, "////"),
    (SKY, "----"),
    (YELLOW, "xxxx"),
    (PURPLE, "\\\\\\\\"),
    (GREEN, "++++"),
    (GREY, "||||"),
    ("#FFFFFF", ""),
)
"""Colour and hatch of the first, second, … kind of thing in a figure."""

RIGHT, WRONG, UNUSABLE, NOT_COUNTED = (BLUE, ""), (ORANGE, "///"), (YELLOW, "xxx"), (GREY, "")
WIDTH = 7.0  # inches: the text width of a page, with room for a label
ROOM = 60  # characters of a name that are shown
DPI, PIXELS = 200, 1 << 15  # of a drawing as pixels: how dense, and how many a side at most
STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # ships with matplotlib
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "svg.fonttype": "path",  # as drawn, also where the font is not installed
    "svg.hashsalt": "mateprobe",
    "text.parse_math": False,  # a dollar sign is one
}


def set_style() -> None:
    """Make every figure of this process look so, whatever a matplotlibrc says."""
    import matplotlib

    matplotlib.rcdefaults()
    matplotlib.rcParams.update(STYLE)  # type: ignore[arg-type]  # its stubs take literal keys alone


def words(name: str) -> str:
    """Return a name as it is read: on one line, not too long; without underscores unless it is a code or finding id."""
    cut = name if len(name) <= ROOM else f"{name[: ROOM - 1]}…"
    short = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in flat(cut))
    return short if short.isupper() or "@" in short else short.replace("_", " ")


def answer(outcome: str) -> tuple[str, str]:
    """Return the colour and hatch of an outcome by what it is: right, wrong, unusable or not counted."""
    if outcome in GAPS:
        return WRONG
    if outcome in INCOMPLETE:
        return UNUSABLE
    return NOT_COUNTED if outcome in INELIGIBLE else RIGHT


def text_on(axes: Axes, x: float, y: float, text: str, *, halo: bool = True) -> None:
    """Write on what is drawn there; a halo keeps the text legible on strong colours and hatches."""
    from matplotlib.patheffects import withStroke

    around = [withStroke(linewidth=3, foreground="white")] if halo else []
    axes.text(x, y, text, ha="center", va="center", fontsize="small", path_effects=around)


def bare(axes: Axes) -> None:
    """Leave of the axes only their labels."""
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
