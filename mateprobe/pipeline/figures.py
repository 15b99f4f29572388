"""Stage ``figures``: the figures of the report, each from the artifacts its table is made from.

What a figure shows stands in ``figure_specs``. It is written as SVG and PNG, with the same bytes
wherever the same versions of the libraries run: no time, no version, no font but the one that
matplotlib brings. One process draws them all: loading the libraries costs more than most figures.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mateprobe.errors import StageError, StudyError, one_of
from mateprobe.pipeline.figure_specs import FIGURES, Figure, find
from mateprobe.pipeline.figure_style import DPI, PIXELS, set_style
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.stage import run_stage

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

FOLDER = RESULTS / "figures"
METADATA = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument(
        "--figure",
        required=True,
        action="append",
        nargs="+",
        metavar=("NAME", "INPUT"),
        help="a figure, NAME or NAME.STUDY, and the artifacts with its rows, in order; as often as wanted",
    )


def run(args: argparse.Namespace) -> int:
    """Write ``results/figures/NAME.{svg,png}`` of every figure asked for; return 0.

    Raises:
        StudyError: no such figure. StageError: there is nothing to draw.
    """
    for name, figure, inputs in [(name, _figure(name), inputs) for name, *inputs in args.figure]:
        _make(name, figure, {path: Path(path) for path in inputs})
    return 0


def _figure(name: str) -> Figure:
    try:
        return find(name)[0]
    except KeyError:
        known = [f"{name}.STUDY" if figure.each else name for name, figure in FIGURES.items()]
        raise StudyError(f"figure {name!r}: {one_of(name, known)}") from None


def _make(name: str, figure: Figure, inputs: Mapping[str, Path]) -> None:
    """Bring one figure into place; each is a stage of its own, so that only what changed is drawn again."""

    def make(partial: Mapping[str, Path]) -> None:
        save(figure, inputs.values(), partial)

    run_stage(
        "figures",
        inputs=inputs,
        params={"figure": name, "inputs": list(inputs)},
        modules=[__name__],
        outputs={form: FOLDER / f"{name}.{form}" for form in METADATA},
        make=make,
        receipt=FOLDER / "receipts" / f"{name}.json",
    )


def save(figure: Figure, paths: Iterable[Path], partial: Mapping[str, Path]) -> None:
    """Draw a figure and write its two forms. Its parts are put in their places once, and drawn once for each form."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    with matplotlib.rc_context():
        drawing = drawn(figure, paths)
        drawing.set_dpi(min(DPI, PIXELS / max(drawing.get_size_inches())))
        if layout := drawing.get_layout_engine():
            layout.execute(drawing)
        drawing.set_layout_engine("none")
        FigureCanvasAgg(drawing).print_png(partial["png"], metadata=METADATA["png"])  # type: ignore[no-untyped-call]
        FigureCanvasSVG(drawing).print_svg(partial["svg"], metadata=METADATA["svg"])  # type: ignore[no-untyped-call]


def drawn(figure: Figure, paths: Iterable[Path]) -> Drawing:
    """Return the drawing of a figure; sets the style, which is that of the process.

    Raises:
        StageError: the artifacts have no row for it.
    """
    paths = list(paths)
    frame = figure.source.read(paths)
    if frame.empty:
        raise StageError(f"figure {figure.title!r}: nothing to draw in {', '.join(map(str, paths))}")
    set_style()
    _keep_shipped_fonts()
    return figure.draw(frame)


def _keep_shipped_fonts() -> None:
    """Forget the fonts of the machine: another release of the same font would give other bytes."""
    import matplotlib
    from matplotlib.font_manager import fontManager

    shipped = Path(matplotlib.get_data_path())
    fontManager.ttflist = [font for font in fontManager.ttflist if Path(font.fname).is_relative_to(shipped)]
