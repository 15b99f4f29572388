"""Stage ``page``: the report as a page to look at, ``results/report/index.html``, from a disk or from a server.

Its files in ``page_files`` are copied; the data are scripts beside it, loaded when they are needed, so
that a study of 100,000 cases opens like a small one. It needs no network and asks for none.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.pipeline.figure_specs import to_draw
from mateprobe.pipeline.page_cases import joined, write_cases
from mateprobe.pipeline.page_data import front_data, study_data, study_line
from mateprobe.pipeline.page_script import write_script
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.stage import run_stage
from mateprobe.pipeline.studies import STUDIES, Study, load_studies
from mateprobe.pipeline.table_specs import TABLES, table_called
from mateprobe.records import read_records

FOLDER = RESULTS / "report"
FRONT = "front"
FILES = {path.name: path for path in sorted(Path(__file__).with_name("page_files").iterdir()) if path.is_file()}
PARTS = 8
"""In how many parts the cases of a study lie, for each shard it has: their number is known before any case is."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("only", nargs="+", metavar="STUDY", help="the studies to show")
    parser.add_argument(
        "--studies", type=Path, default=STUDIES, help="the folder of study files (default: %(default)s)"
    )
    parser.add_argument("--claims", type=Path, help="the numbers of the report, computed")


def run(args: argparse.Namespace) -> int:
    """Write ``results/report/``; return 0. Each study and the front page is a stage of its own.

    Raises:
        EvidenceError: an artifact is absent. StageError: artifacts are not of the same cases.
    """
    studies = load_studies(args.studies, args.only)
    for study in studies.values():
        _make_study(study)
    _make_front(studies, args.claims)
    return 0


def study_inputs(study: Study) -> dict[str, Path]:
    """Return the artifacts that the page of a study is made from, by name."""
    folder = RESULTS / study.id
    outcomes = {f"outcomes {id}": folder / "outcomes" / f"{id}.jsonl" for id in study.validators}
    tables = [table_called(name).inputs(study.id, study.validators) for name in study.tables]
    known = {"cases": folder / "cases.jsonl", "summary": folder / "summary.json", **outcomes, **_held(study, "gate")}
    more = {Path(path) for paths in tables for path in paths} - {*known.values()}
    return known | {path.name: path for path in sorted(more)}


def study_outputs(study: Study) -> dict[str, Path]:
    """Return the data files of a study, by the names the page loads them by."""
    folder = f"studies/{study.id}"
    parts = [f"{folder}/cases.{part:03d}" for part in range(PARTS * study.shards)]
    return {name: FOLDER / f"{name}.js" for name in (f"{folder}/study", f"{folder}/cases", *parts)}


def front_inputs(studies: Mapping[str, Study], claims: Path | None) -> dict[str, Path]:
    """Return what the front page and the page itself are made from, by name."""
    lines = {
        f"{what} {id}": path
        for id, study in studies.items()
        for what, path in {"summary": RESULTS / id / "summary.json", **_held(study, "agreement", "gate")}.items()
    }
    figures = {name: RESULTS / "figures" / name for name in _images(studies)}
    return {**FILES, **lines, **figures, **({"claims": claims} if claims else {})}


def front_outputs(studies: Mapping[str, Study]) -> dict[str, Path]:
    """Return the files of the page itself, the data of its front and the figures, by name."""
    figures = {name: FOLDER / "figures" / name for name in _images(studies)}
    return {**{name: FOLDER / name for name in FILES}, FRONT: FOLDER / f"{FRONT}.js", **figures}


def receipt_of(name: str) -> Path:
    """Return where the receipt of a study's page is, or of the front page."""
    return FOLDER / "receipts" / f"{name}.json"


def _figures(studies: Mapping[str, Study]) -> dict[str, Any]:
    rows = {table: [id for id, study in studies.items() if table in study.tables] for table in TABLES}
    return {name: figure for name, (figure, _) in to_draw(rows).items()}


def _images(studies: Mapping[str, Study]) -> list[str]:
    return [f"{name}.png" for name in _figures(studies)]


def _held(study: Study, *stages: str) -> dict[str, Path]:
    """Return the artifacts of those stages that the study has."""
    return {stage: RESULTS / study.id / f"{stage}.json" for stage in stages if stage in study.stages}


def _read(inputs: Mapping[str, Path], name: str) -> Any:
    return strict_json.load(inputs[name]) if name in inputs else None


def _make_study(study: Study) -> None:
    section, inputs, outputs = study.section("page"), study_inputs(study), study_outputs(study)

    def make(partial: Mapping[str, Path]) -> None:
        summary = _read(inputs, "summary")
        outcomes = {id: read_records(inputs[f"outcomes {id}"], "outcomes") for id in section["validators"]}
        rows = joined(read_records(inputs["cases"], "cases"), outcomes)
        first, index, *parts = partial.items()
        write_script(first[1], first[0], study_data(section, summary, _read(inputs, "gate")))
        write_cases(rows, summary["cases"], section["validators"], index, parts)

    run_stage(
        "page",
        inputs=inputs,
        params=section,
        modules=[__name__],
        outputs=outputs,
        make=make,
        receipt=receipt_of(study.id),
    )


def _make_front(studies: Mapping[str, Study], claims: Path | None) -> None:
    sections = [study.section("page") for study in studies.values()]
    inputs, outputs = front_inputs(studies, claims), front_outputs(studies)

    def make(partial: Mapping[str, Path]) -> None:
        for name in partial.keys() & inputs.keys():
            shutil.copyfile(inputs[name], partial[name])
        lines = [
            study_line(
                section, *(_read(inputs, f"{what} {section['study']}") for what in ("summary", "agreement", "gate"))
            )
            for section in sections
        ]
        write_script(partial[FRONT], FRONT, front_data(lines, _read(inputs, "claims"), _figures(studies)))

    run_stage(
        "page",
        inputs=inputs,
        params={"studies": [[section["study"], section["title"]] for section in sections]},
        modules=[__name__],
        outputs=outputs,
        make=make,
        receipt=receipt_of("index"),
    )
