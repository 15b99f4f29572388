"""Sections: the part of a study one stage depends on, as it travels to the stage.

A section that names files or code of the study's own also says in which ``folder`` they are. Where that
is differs from machine to machine and is no part of what determines a result: see ``parameters``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.beside import stays_below
from mateprobe.canonical import canonical
from mateprobe.errors import InvalidValue, StudyError
from mateprobe.pipeline.named_code import CODE

FOLDER = "folder"
RESULTS = Path("results")
EVIDENCE = RESULTS / "evidence"


def add_section(parser: argparse.ArgumentParser, *, validator: bool = False) -> None:
    """Add the arguments every stage of a study has."""
    parser.add_argument("--study", required=True, help="the study's id")
    if validator:
        parser.add_argument("--validator", required=True, help="the validator's id")
    parser.add_argument("--section", help="the study's section for this stage, as JSON (default: read the study file)")
    parser.add_argument(
        "--studies", type=Path, default=CODE.parent, help="the folder of study files (default: %(default)s)"
    )


def section_json(section: Mapping[str, Any]) -> str:
    """Return a section as one line for a command line."""
    return canonical(section)


def parse_section(text: str) -> dict[str, Any]:
    """Return the section ``section_json`` wrote.

    Raises:
        StudyError: no JSON object with a study id.
    """
    try:
        section = strict_json.loads(text.encode(), "--section")
    except InvalidValue as error:
        raise StudyError(str(error)) from None
    if not isinstance(section, dict) or not isinstance(section.get("study"), str):
        raise StudyError(f"--section: expected a JSON object with a study id, found {text:.100}")
    return section


def stage_modules(stage: str, section: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the entry modules of a stage: its own, and those of the functions its section names."""
    named: list[str | None] = []
    if stage == "cases":
        cases = section["cases"]
        named = [cases.get("generate"), cases.get("verify"), cases.get("published", {}).get("rows")]
    elif stage == "observe":
        named = [section["validator"].get("callable"), section["validator"].get("adapter")]
        named += ["mateprobe.worker"] * bool({"worker", "routes"} & section["validator"].keys())
    return (f"mateprobe.pipeline.{stage}", *(name.partition(":")[0] for name in named if name))


def parameters(section: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a section determines the outputs of its stage."""
    return {key: value for key, value in section.items() if key != FOLDER}


def study_folder(section: Mapping[str, Any]) -> Path:
    """Return the folder of the study file."""
    return Path(section.get(FOLDER, CODE.parent))


def code_folder(section: Mapping[str, Any]) -> Path:
    """Return where the Python of the study lies."""
    return study_folder(section) / CODE.name


def source_path(name: str, folder: Path) -> Path:
    """Return where a source of a study is: ``results/…`` as it stands, ``studies/…`` in the study's own folder.

    Raises:
        StudyError: it is not below these, links followed.
    """
    top, _, rest = name.partition("/")
    base = {RESULTS.name: RESULTS, CODE.parts[0]: folder}.get(top)
    if base is None or not stays_below(base / rest, base):
        raise StudyError(f"{name!r}: expected a path below results/ or studies/")
    return base / rest


def named_files(name: str, files: str | Mapping[str, str]) -> dict[str, str]:
    """Return one file as ``NAME``, or each of several as ``NAME KEY``."""
    return {name: files} if isinstance(files, str) else {f"{name} {key}": path for key, path in files.items()}


def validator_files(section: Mapping[str, Any]) -> dict[str, Path]:
    """Return the files a validator is made from, each by a name of its own: a recorded profile, JSON Schemas."""
    validator, folder = section["validator"], study_folder(section)
    named = {key: validator[key] for key in ("configuration",) if key in validator}
    named |= named_files("schema", validator.get("schema", {}))
    return {name: source_path(path, folder) for name, path in named.items()}


def agreement_inputs(section: Mapping[str, Any]) -> dict[str, Path]:
    """Return what a study is held against its frozen report with, by name."""
    folder, validator = RESULTS / section["study"], section["validator"]
    frozen = {
        ("published_summary" if name == "summary" else name): EVIDENCE / path
        for name, path in section["frozen"].items()
    }
    outcomes = {
        f"outcomes_{id}": folder / "outcomes" / f"{id}.jsonl" for id in section["validators"] if id != validator
    }
    return {
        **frozen,
        "cases": folder / "cases.jsonl",
        "observations": folder / "observations" / f"{validator}.jsonl",
        "outcomes": folder / "outcomes" / f"{validator}.jsonl",
        **outcomes,
        "summary": folder / "summary.json",
    }


def read_by_generator(source: Mapping[str, Any]) -> list[Path]:
    """Return the files a generator is declared to read, sorted.

    Raises:
        StudyError: a pattern leaves the project, or matches no file.
    """
    found: set[Path] = set()
    for pattern in source.get("reads", ()):
        if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
            raise StudyError(f"cases.reads={pattern!r}: expected a pattern below the project")
        matches = [path for path in Path().glob(pattern) if path.is_file()]
        if not matches:
            raise StudyError(f"cases.reads={pattern!r}: expected files, found none")
        found.update(matches)
    return sorted(found)


def parts(validator: str, shards: int) -> list[str]:
    """Return the stems of a validator's observation files: one, or one a shard."""
    return [validator] if shards == 1 else [f"{validator}.{shard:04d}" for shard in range(shards)]


def receipt_path(study: str, stage: str, validator: str | None = None) -> Path:
    """Return where a stage's receipt lies."""
    return RESULTS / study / "receipts" / f"{stage}{f'.{validator}' if validator else ''}.json"
