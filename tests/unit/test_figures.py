"""A figure is drawn from the rows of its table, says what it shows, cuts nothing off, has the same bytes anywhere."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure as Drawing
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from mateprobe.outcome import Outcome
from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.figure_specs import FIGURES, Figure, find, to_draw
from mateprobe.pipeline.figure_style import PIXELS, answer, set_style, words
from mateprobe.pipeline.figures import drawn, save
from mateprobe.pipeline.studies import load_studies
from mateprobe.pipeline.table_specs import TABLES
from mateprobe.pipeline.table_timelines import STANDINGS
from tests.unit.conftest import Bench, left, row, study

ROOT = Path(__file__).parents[2]
LONG = "an_obligation_with_a_name_of_some_length"
PROFILES = ["correct", "reject_valid_variation", "reject_all"]

FRAMES: dict[str, list[list[Any]]] = {
    "outcomes": [
        *(["demo", profile, LONG, outcome.value, 8] for profile in PROFILES for outcome in Outcome),
        *(["demo", profile, "short", "untested", 0] for profile in PROFILES),
    ],
    "confusion": [
        *(["demo", profile, LONG, found, 24] for profile in PROFILES for found in (LONG, "(nothing)", "wording")),
        *(["demo", profile, "(nothing)", "(nothing)", 1234] for profile in PROFILES),
    ],
    "controlled": [
        ["correct", "96/96", "96/96", "48/48", "", 0],
        ["wrong_diagnostic_id", "96/96", "0/96", "48/48", "96 unattributed_rejection", 0],
        ["reject_all", None, None, None, "144 baseline_failed", 0],
    ],
    "validator_defects": [
        ["jsonschema #575", "3.0.1 → 3.0.2", "A", "survived → detected", "preserved → preserved", None, "yes"],
        ["x #1", "1 → 2", "B", "baseline_failed → error", "regressed → preserved", "undetermined → detected", "no"],
    ],
    "version_timeline": [
        *(
            ["tiny", f"tiny-{n}-a-defect-of-some-length", f"1.{minor}.{patch}", standing]
            for n in range(4)
            for minor in range(9)
            for patch in range(minor % 3 + 1)
            for standing in [STANDINGS[(n + minor) % 4]]
        ),
        ["other", "other-1-defect", "2.0", "bad"],
    ],
    "model_findings": [
        ["pilot", "small:1b", 16, "LOW_LEXICAL_CONTENT", 32],
        ["pilot", "small:1b", 16, "LEXICAL_RESTATEMENT", 8],
        ["pilot", "silent:1b", 16, "none", 0],
        ["larger_models", "broken:27b", 0, "not evaluated", 0],
    ],
    "structure_failures": [
        ["pilot", "small:1b", "evaluated", "", 10],
        ["pilot", "small:1b", "envelope_keys", "one", 4],
        ["pilot", "small:1b", "envelope_keys", "another", 2],
        ["larger_models", "broken:27b", "no_json", "", 16],
    ],
    "operators": [
        ["demo", "operator", "empty_body", "heuristic", 32, 32, 32, 0, 0, 0, 0, 0],
        ["demo", "operator", "unicode_nfd", "control", 32, 16, 0, 0, 16, 0, 0, 16],
        ["demo", "operator", "branch_order", "schema", 32, 32, 0, 32, 0, 0, 0, 0],
        ["demo", "lane", "schema", "schema", 32, 32, 0, 32, 0, 0, 0, 0],
    ],
    "intervals": [
        ["demo", "a", "detection", 3, 9, 9, 1 / 3, 0.1, 0.6, 0.2, 0.5, "bootstrap", ""],
        ["demo", "a", "preservation", 9, 9, 9, 1.0, 0.7, 1.0, 0.8, 1.0, "clopper_pearson", ""],
        ["demo", "b", "detection", 1, 2, 2, 0.5, None, None, 0.1, 0.9, "none", "fewer than 8 groups"],
        ["demo", "b", "preservation", 0, 0, 0, *[None] * 5, "none", "no eligible case"],
    ],
}


@pytest.fixture(params=sorted(FIGURES))
def drawing(request: pytest.FixtureRequest) -> Any:
    figure = FIGURES[request.param]
    with mpl.rc_context():
        set_style()
        drawing = figure.draw(figure.source.frame(FRAMES[request.param]))
        drawing.draw_without_rendering()
        yield drawing


def texts(drawing: Drawing) -> list[tuple[str, Bbox]]:
    """Return every text that is seen, with the place it takes."""
    hidden = beyond(drawing)
    seen = [found for found in drawing.findobj(Text) if found.get_visible() and found not in hidden]
    return [(found.get_text(), found.get_window_extent()) for found in seen if found.get_text().strip()]


def beyond(drawing: Drawing) -> set[Text]:
    """Return the labels of ticks outside of what an axis shows: they are kept, and not drawn."""
    axes = [axis for axes in drawing.axes for axis in (axes.xaxis, axes.yaxis)]
    ticks = [(tick, sorted(axis.get_view_interval())) for axis in axes for tick in axis.get_major_ticks()]
    return {tick.label1 for tick, (low, high) in ticks if not low <= tick.get_loc() <= high}


def test_no_text_is_cut_off(drawing: Drawing) -> None:
    width, height = drawing.canvas.get_width_height()
    outside = [text for text, box in texts(drawing) if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height]
    assert outside == []


def test_no_text_lies_on_another(drawing: Drawing) -> None:
    crossing = [
        (one, other)
        for (one, first), (other, second) in combinations(texts(drawing), 2)
        if (common := Bbox.intersection(first, second)) is not None and common.width > 1 and common.height > 1
    ]
    assert crossing == []


def test_bars_and_fields_differ_by_more_than_their_colour() -> None:
    kinds = [{answer(outcome) for outcome in group} for group in (["detected"], ["survived"], ["error"])]
    assert len({hatch for kind in kinds for _, hatch in kind}) == 3


def test_an_id_is_read_without_underscores_and_a_code_or_finding_as_it_is() -> None:
    names = ("omit_first", "LOW_LEXICAL_CONTENT", "claims/CLAIM_STATE@in_body")
    assert tuple(map(words, names)) == ("omit first", *names[1:])


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_a_figure_has_a_title_a_caption_and_a_table(name: str) -> None:
    figure = FIGURES[name]
    assert figure.table in TABLES
    assert len(figure.title.split()) > 1
    assert len(figure.caption.split()) > 10
    assert figure.caption.endswith(".")


def test_a_figure_is_drawn_once_or_for_each_study_of_its_table() -> None:
    drawn = to_draw({"outcomes": ["a", "b"], "controlled": ["a", "b"], "attribution": ["a"]})
    assert {name: studies for name, (_, studies) in drawn.items()} == {
        "outcomes.a": ["a"],
        "outcomes.b": ["b"],
        "controlled": ["a", "b"],
    }
    assert [find(name)[0] is figure for name, (figure, _) in drawn.items()] == [True, True, True]


def test_every_figure_is_drawn_for_some_study_of_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    tables: dict[str, list[str]] = {}
    for id, content in load_studies().items():
        for table in content.tables:
            tables.setdefault(table, []).append(id)
    assert {name.partition(".")[0] for name in to_draw(tables)} == FIGURES.keys()


@pytest.mark.parametrize("name", ["outcome", "outcomes", "controlled.demo", ""])
def test_a_name_of_no_figure_is_none(name: str) -> None:
    with pytest.raises(KeyError):
        find(name)


# --- the stage --------------------------------------------------------------------------------------------------

DRAW = ["figures", "--figure", "outcomes.demo", "results/demo/summary.json"]


@pytest.fixture
def judged(bench: Bench) -> Bench:
    bench.write(study(row("a"), row("b", variant=2), row("c", relation="preserve", variant=3)))
    bench.judge()
    return bench


def test_a_figure_is_written_as_svg_and_png(judged: Bench) -> None:
    assert main(DRAW) == 0
    svg = Path("results/figures/outcomes.demo.svg").read_text()
    ElementTree.fromstring(svg)  # noqa: S314 - our own file
    assert "date>" not in svg
    assert Path("results/figures/outcomes.demo.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert b"Software" not in Path("results/figures/outcomes.demo.png").read_bytes()


def test_figures_of_one_run_are_stages_of_their_own(judged: Bench) -> None:
    assert main(DRAW) == 0
    assert main([*DRAW, "--figure", "confusion.demo", "results/demo/summary.json"]) == 0
    said = judged.capsys.readouterr().err.splitlines()
    assert [line.partition(" in ")[0] for line in said] == ["figures: made", "figures: restored", "figures: made"]


def test_two_processes_draw_the_same_bytes_whatever_the_machine_prefers(judged: Bench, tmp_path: Path) -> None:
    found: list[list[str]] = []
    for name, preferences in (("one", "font.size: 20\nsvg.hashsalt: other\n"), ("two", "axes.facecolor: red\n")):
        home = tmp_path / name
        home.mkdir()
        (home / "matplotlibrc").write_text(preferences)
        environment = {
            **os.environ, "MATPLOTLIBRC": str(home), "PYTHONHASHSEED": str(len(found)),
            "MATEPROBE_CACHE": str(home / "cache"), "TZ": ("Asia/Tokyo", "America/Lima")[len(found)],
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "mateprobe.pipeline", *DRAW],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert "made" in done.stderr
        paths = sorted(Path("results/figures").glob("outcomes.demo.*"))
        found.append([hashlib.sha256(path.read_bytes()).hexdigest() for path in paths])
    assert found[0] == found[1]


MARKUP = ["<b>$x^2$ & #pagebreak()</b>", "$\\frac$", "--> <!-- \u0001", "\u202e\n\ta"]


@pytest.mark.parametrize("text", MARKUP)
def test_a_text_with_markup_is_drawn_as_text(judged: Bench, text: str) -> None:
    path = Path("results/demo/summary.json")
    path.write_text(path.read_text().replace('"sign"', json.dumps(text)))
    assert main(DRAW) == 0
    ElementTree.fromstring(Path("results/figures/outcomes.demo.svg").read_text())  # noqa: S314 - our own file
    with mpl.rc_context():
        found = drawn(FIGURES["outcomes"], [path]).findobj(Text)
    assert {each.get_text(): each.get_parse_math() for each in found}[words(text)] is False


def test_a_name_of_a_megabyte_is_drawn_cut(bench: Bench) -> None:
    bench.write(study(row("a", expected=["word " * 200_000]), tables=["confusion"]))
    bench.judge()
    assert main(["figures", "--figure", "confusion.demo", "results/demo/summary.json"]) == 0
    ElementTree.fromstring(Path("results/figures/confusion.demo.svg").read_text())  # noqa: S314 - our own file
    assert max(size_of(Path("results/figures/confusion.demo.png"))) < 5_000
    assert words("word " * 200_000) == f"{'word ' * 11}word…"


def test_a_drawing_of_any_size_has_pixels_a_viewer_can_take(judged: Bench, tmp_path: Path) -> None:
    tall = Figure("Tall", "outcomes", lambda _: Drawing(figsize=(7, 600)), "A caption.")
    save(tall, [Path("results/demo/summary.json")], {form: tmp_path / f"tall.{form}" for form in ("svg", "png")})
    assert size_of(tmp_path / "tall.png") == (int(7 * PIXELS / 600), PIXELS)


def size_of(png: Path) -> tuple[int, ...]:
    """Return the width and height of an image, from its first chunk."""
    return struct.unpack(">2I", png.read_bytes()[16:24])


REFUSED = {
    "no such figure": (["outcome.demo"], "figure 'outcome.demo': expected one of "),
    "a figure of each study, without one": (["outcomes"], "figure 'outcomes': expected one of "),
}


@pytest.mark.parametrize(("name", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_figure_nobody_knows_is_refused(judged: Bench, name: list[str], message: str) -> None:
    before = left()
    assert main(["figures", "--figure", *name, "results/demo/summary.json"]) == 2
    assert judged.capsys.readouterr().err.startswith(f"figures: {message}")
    assert left() == before


def test_a_missing_summary_is_named(bench: Bench) -> None:
    path = "results/demo/summary.json"
    assert main(DRAW) == 2
    assert bench.capsys.readouterr().err == (
        f"figures: figures: input '{path}': no file {path}; run the stage that makes it\n"
    )


def test_nothing_to_draw_is_an_error(judged: Bench) -> None:
    path = Path("results/demo/summary.json")
    path.write_text('{"study":"demo","order":[],"validators":{}}')
    before = left()
    assert main(DRAW) == 1
    assert judged.capsys.readouterr().err == f"figures: figure 'Obligations and outcomes': nothing to draw in {path}\n"
    assert left() == before
