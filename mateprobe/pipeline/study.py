"""``mateprobe study``: begin a study, list those there are, check their files, clear away what is left of old ones.

Exit status: 0 done, and nothing wrong; 1 problems were found; 2 what was asked for cannot be done.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any

from mateprobe.commands import form
from mateprobe.errors import InvalidType, InvalidValue, MateProbeError, StudyError
from mateprobe.pipeline import at_work
from mateprobe.pipeline.cases import case_inputs, case_line
from mateprobe.pipeline.file_cases import file_cases
from mateprobe.pipeline.made import stale
from mateprobe.pipeline.starter import starter
from mateprobe.pipeline.studies import STUDIES, Study, load_studies, read_studies, study_files
from mateprobe.pipeline.study_problems import RESERVED
from mateprobe.pipeline.table_specs import TABLES
from mateprobe.tally import flat
from mateprobe.visible import visible, visible_json

SHOWN = 20
"""Problems of one file of cases that are told one by one."""


def run(arguments: Sequence[str], stdout: IO[str], stderr: IO[str]) -> int:
    """Run ``mateprobe study ARGUMENTS`` and return its exit status."""
    try:
        with redirect_stdout(stdout), redirect_stderr(stderr):
            options = parser().parse_args(arguments)
    except SystemExit as stop:  # help was asked for, or an argument was refused
        return int(stop.code or 0)
    try:
        status: int = options.run(options, stdout, stderr)
    except (MateProbeError, OSError) as error:
        print(f"mateprobe study: {visible(str(error))}", file=stderr)
        return 2
    return status


_STATUS = """\
exit status:
  0  done, and nothing is wrong
  1  problems were found: study files, or files of cases, that cannot be used
  2  what was asked for cannot be done
"""


def _look(description: str, *examples: str) -> dict[str, Any]:
    return form(description, *examples, status=_STATUS)


def parser() -> argparse.ArgumentParser:
    """Return the parser of ``mateprobe study``."""
    whole = argparse.ArgumentParser(
        "mateprobe study", **_look("Begin a study, list those there are, check them.", "mateprobe study new refunds")
    )
    commands = whole.add_subparsers(metavar="COMMAND", required=True)
    new = commands.add_parser(
        "new",
        help="write a commented study that runs as it is",
        **_look(
            "Write a commented study, with a validator and cases, that runs as it is.", "mateprobe study new refunds"
        ),
    )
    new.add_argument("name", metavar="NAME", help="the study's id: lower-case letters, digits and _")
    listed = commands.add_parser(
        "list",
        help="say which studies there are",
        **_look("Say which studies there are, each with its title.", "mateprobe study list --json"),
    )
    check = commands.add_parser(
        "check",
        help="say what is wrong with study files and their files of cases",
        **_look(
            "Say what is wrong with study files and their files of cases, a line a problem.", "mateprobe study check"
        ),
    )
    check.add_argument("files", metavar="FILE", nargs="*", type=Path, help="study files (default: all of the folder)")
    prune = commands.add_parser(
        "prune",
        help="remove what is below results/ and no study makes any more",
        **_look("Remove what is below results/ and no study makes any more.", "mateprobe study prune --dry-run"),
    )
    prune.add_argument("--dry-run", action="store_true", help="say what would be removed, and remove nothing")
    for command, act in ((new, _new), (listed, _list), (check, _check), (prune, _prune)):
        command.add_argument(
            "-C", dest="folder", metavar="DIR", type=Path, default=STUDIES, help="folder of study files (%(default)s)"
        )
        command.set_defaults(run=act)
    for command in (listed, check, prune):
        command.add_argument("--json", action="store_true", help="write JSON, not lines for people")
    return whole


def _new(options: argparse.Namespace, stdout: IO[str], _: IO[str]) -> int:
    name, folder = options.name, options.folder
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name) or name in RESERVED or name in TABLES:
        raise StudyError(
            f"NAME={name!r}: expected lower-case letters, digits and _, at most 64, beginning with a letter, "
            "and no name of a rule or table"
        )
    parts = starter(name, folder)
    for path in parts:
        if path.exists():
            raise StudyError(f"{path}: is there already; choose another name, or remove it")
    for path, text in parts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        print(f"{path}: written", file=stdout)
    return 0


def _list(options: argparse.Namespace, stdout: IO[str], stderr: IO[str]) -> int:
    studies, problems = read_studies(study_files(options.folder))
    if options.json:
        _write_json([_described(study) for study in studies.values()], stdout)
    else:
        width = max(map(len, studies), default=0)
        for id, study in studies.items():
            print(f"{id:<{width}}  {visible(flat(study.data['title']))}", file=stdout)
    if problems:
        print(f"{len(problems)} files cannot be used; see mateprobe study check", file=stderr)
    return int(bool(problems))


def _described(study: Study) -> dict[str, Any]:
    return {
        "study": study.id,
        "title": study.data["title"],
        "file": study.path.as_posix(),
        "validators": list(study.validators),
        "obligations": [obligation["id"] for obligation in study.data["obligations"]],
        "tables": list(study.tables),
        "gates": study.gates,
    }


def _check(options: argparse.Namespace, stdout: IO[str], _: IO[str]) -> int:
    paths = options.files or study_files(options.folder)
    if not paths:
        raise StudyError(f"{options.folder}: expected study files *.yaml, found none")
    studies, found = read_studies(paths)
    problems = [line for problem in found for line in problem.splitlines()]
    problems += [problem for study in studies.values() for problem in case_problems(study)]
    if options.json:
        _write_json(problems, stdout)
    else:
        for problem in problems:
            print(visible(problem), file=stdout)
        files, lines = f"study file{'s' * (len(paths) != 1)}", f"problem{'s' * (len(problems) != 1)}"
        print(f"{len(paths)} {files}, {len(problems) or 'no'} {lines}", file=stdout)
    return int(bool(problems))


def case_problems(study: Study) -> Iterator[str]:
    """Yield what is wrong with the cases a study has in a file, a line a case; nothing of other studies."""
    if "file" not in study.data["cases"]:
        return
    section = study.section("cases")
    problems = _case_problems(case_inputs(section)["file"], section["obligations"])
    yield from islice(problems, SHOWN)
    if more := sum(1 for _ in problems):
        yield f"{study.path}: cases.file: {more} more problems"


def _case_problems(path: Path, obligations: Sequence[str]) -> Iterator[str]:
    seen: dict[str, str] = {}
    case = None
    try:
        for case in file_cases(path):
            try:
                id, _ = case_line(case, obligations)
            except (InvalidValue, InvalidType) as error:
                yield str(error)
                continue
            if id in seen:
                yield f"{case.place}: case {id!r} stands in {seen[id]} too; give every case its own id"
            seen[id] = case.place
    except MateProbeError as error:
        yield str(error)
        return
    if case is None:
        yield f"{path}: expected cases, found none"


def _prune(options: argparse.Namespace, stdout: IO[str], _: IO[str]) -> int:
    with at_work.undisturbed():
        paths = stale(load_studies(options.folder).values())
        for path in paths:
            if not options.dry_run:
                path.unlink()
                with suppress(OSError):  # other files are in its folder
                    path.parent.rmdir()
            if not options.json:
                print(visible(str(path)), file=stdout)
    if options.json:
        _write_json([path.as_posix() for path in paths], stdout)
        return 0
    print(f"{len(paths)} files {'would be ' * options.dry_run}removed", file=stdout)
    return 0


def _write_json(value: Any, stdout: IO[str]) -> None:
    print(visible_json(json.dumps(value, ensure_ascii=False, indent=2)), file=stdout)
