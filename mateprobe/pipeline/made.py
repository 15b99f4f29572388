"""Which files below ``results/`` the studies make, which receipt speaks of which, and what no study makes any more."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mateprobe.pipeline.claims import Claims
from mateprobe.pipeline.environment import receipt_path as environment_path
from mateprobe.pipeline.figure_specs import to_draw
from mateprobe.pipeline.files import PARTIAL
from mateprobe.pipeline.page import front_outputs, receipt_of as page_receipt, study_outputs
from mateprobe.pipeline.pins import Archive
from mateprobe.pipeline.section import RESULTS, receipt_path
from mateprobe.pipeline.studies import Study
from mateprobe.pipeline.study_problems import RESERVED
from mateprobe.pipeline.table_forms import FORMS
from mateprobe.pipeline.table_specs import together

NOTES = {"logs": ".log", "benchmarks": ".tsv"}
"""Where a job leaves notes, and how they end."""

PACK = RESULTS / "mateprobe-evidence.tar.bz2"
"""Where all of this lies packed, if somebody wanted it so; see ``pack``."""

KINDS = {"observe": "observations", "outcomes": "outcomes"}
"""Stages with a file for each validator, and the folder of these."""

Receipts = dict[Path, list[Path]]
"""Of each receipt the artifacts it speaks of."""


@dataclass(frozen=True, slots=True)
class Made:
    """What the workflow makes of something.

    Attributes:
        receipts: of each receipt the artifacts it speaks of.
        manifests: the manifests.
        environments: the receipts of environments.
    """

    receipts: Mapping[Path, Sequence[Path]]
    manifests: Sequence[Path] = ()
    environments: Sequence[Path] = ()

    @property
    def files(self) -> list[Path]:
        """Every file, sorted."""
        artifacts = (path for paths in self.receipts.values() for path in paths)
        return sorted({*self.receipts, *artifacts, *self.manifests, *self.environments})


def of_study(study: Study, archives: Iterable[Archive], *, fresh: bool = False) -> Made:
    """Return what ``snakemake STUDY`` makes: the study's artifacts, the table that is its own, what it is made from.

    Args:
        study: the study.
        archives: those that are pinned; of them it needs those it has a source from.
        fresh: whether programs are run that are otherwise replayed, and so need their environments.
    """
    sources = {*map(Path, study.sources)}
    needed = [archive for archive in archives if not sources.isdisjoint(archive.files.values())]
    receipts = of_stages(study) | of_archives(needed) | of_tables({study.id} & {*study.tables})
    wanted = study.environments if fresh or not study.data.get("replay") else ()
    return Made(receipts, [RESULTS / study.id / "manifest.json"], [environment_path(name) for name in wanted])


def of_all(
    studies: Mapping[str, Study], archives: Iterable[Archive], claims: Claims | None, *, fresh: bool = False
) -> Made:
    """Return what a whole run makes: every study, and with ``claims`` the tables, figures and claims that span them."""
    archives = [*archives]
    each = [of_study(study, archives, fresh=fresh) for study in studies.values()]
    receipts = {receipt: artifacts for made in each for receipt, artifacts in made.receipts.items()}
    return Made(
        receipts | (of_report(studies, claims) if claims else {}),
        [path for made in each for path in made.manifests],
        sorted({path for made in each for path in made.environments}),
    )


def of_report(studies: Mapping[str, Study], claims: Claims | None) -> Receipts:
    """Return what is made of all studies together; the paper only if there is everything its claims are about."""
    rows = {table: rows_of(table, studies) for table in {table for study in studies.values() for table in study.tables}}
    figures = {
        RESULTS / f"figures/receipts/{name}.json": [RESULTS / f"figures/{name}.{form}" for form in ("svg", "png")]
        for name in to_draw(rows)
    }
    paper = _of_paper() if claims and _complete(claims, studies, rows) else {}
    return of_tables(rows) | figures | of_page(studies) | paper


def rows_of(table: str, studies: Mapping[str, Study]) -> list[str]:
    """Return the ids of the studies with rows in a table."""
    return [id for id, study in studies.items() if table in study.tables]


def of_archives(archives: Iterable[Archive]) -> Receipts:
    """Return the members that are taken out of these archives."""
    return {archive.receipt: [*archive.files.values()] for archive in archives}


def of_stages(study: Study) -> Receipts:
    """Return what the stages of a study make below its own folder."""
    return {receipt_path(study.id, stage): [RESULTS / study.id / _artifact(stage)] for stage in study.stages}


def of_tables(tables: Iterable[str]) -> Receipts:
    """Return every form of these tables."""
    return {
        RESULTS / f"tables/receipts/{table}.json": [RESULTS / f"tables/{table}.{form}" for form in FORMS]
        for table in sorted(tables)
    }


def of_page(studies: Mapping[str, Study]) -> Receipts:
    """Return the files of the page that shows these studies."""
    each = {page_receipt(id): [*study_outputs(study).values()] for id, study in studies.items()}
    return {**each, page_receipt("index"): [*front_outputs(studies).values()]}


def _of_paper() -> Receipts:
    folder = RESULTS / "paper"
    return {
        folder / "receipts/claims.json": [folder / "claims.json", folder / "numbers.typ"],
        folder / "receipts/paper.json": [folder / "mateprobe.pdf"],
    }


def _complete(claims: Claims, studies: Mapping[str, Study], tables: Mapping[str, object]) -> bool:
    read = {Path(path).relative_to(RESULTS) for path in claims.artifacts}
    shown = {path.stem for path in read if path.parts[0] == "tables"}
    return {path.parts[0] for path in read} - {"tables"} <= studies.keys() and shown <= tables.keys()


def made(studies: Iterable[Study]) -> set[Path]:
    """Return every file that these studies make: artifacts, receipts, figures, and the notes of their jobs."""
    named = {study.id: study for study in studies}
    return {path for study in named.values() for path in _of_study(study)} | {*Made(of_report(named, None)).files}


def _of_study(study: Study) -> Iterator[Path]:
    receipts = of_stages(study) | of_tables(study.tables)
    yield from Made(
        receipts, [RESULTS / study.id / "manifest.json"], [*map(environment_path, study.environments)]
    ).files
    jobs = [f"{study.id}/{stage}" for stage in (*study.stages, "manifest")]
    jobs += [f"tables/{name}" for name in together(study.tables)]
    jobs += [f"environments/{environment}" for environment in study.environments]
    yield from (RESULTS / folder / f"{job}{suffix}" for job in jobs for folder, suffix in NOTES.items())


def _artifact(stage: str) -> str:
    kind, _, part = stage.partition(".")
    if kind in KINDS:
        return f"{KINDS[kind]}/{part}.jsonl"
    return "cases.jsonl" if stage == "cases" else f"{stage}.json"


def stale(studies: Iterable[Study]) -> list[Path]:
    """Return the files of studies, tables, figures and environments that none of these studies makes, sorted.

    What belongs to no study, such as the evidence, is left alone.
    """
    known = made(studies)
    return [path for path in _files(RESULTS) if path not in known and _is_of_studies(path)]


def unknown(folder: Path, known: Iterable[Path]) -> list[Path]:
    """Return the files of ``folder`` that are not ``known``, sorted; notes of jobs and unfinished files left out."""
    apart = {RESULTS / "README.md", RESULTS / ".running", PACK, *known}
    return [path for path in _files(folder) if path not in apart and not _is_passing(path)]


def _is_passing(path: Path) -> bool:
    parts = path.relative_to(RESULTS).parts
    return parts[0] in NOTES or any(part.startswith(PARTIAL) for part in parts)


def _files(top: Path) -> Iterator[Path]:
    for folder, _, names in sorted(os.walk(top)):  # links to folders are not followed
        yield from (Path(folder, name) for name in sorted(names))


def _is_of_studies(path: Path) -> bool:
    """Tell whether a file is one that some study makes or made, by the folder it is in."""
    parts = path.relative_to(RESULTS).parts
    parts = parts[1:] if parts[0] in NOTES else parts
    return len(parts) > 1 and (parts[0] in ("tables", "figures", "report", "environments") or parts[0] not in RESERVED)
