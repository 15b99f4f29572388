"""``freeze``: declare what is on disk to be right: golden hashes, and what programs answered.

Shows first what changes, and what it was made from. Review it, and commit what it wrote: from then on
``verify`` notices one byte.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from mateprobe.commands import dress, form
from mateprobe.errors import EvidenceError, InvalidValue, StageError, one_of
from mateprobe.pipeline import at_work, chain, golden
from mateprobe.pipeline.chain import Disk
from mateprobe.pipeline.files import copy_blocks, writing
from mateprobe.pipeline.golden import INDEX, REPORT, golden_path, read_golden, write_golden
from mateprobe.pipeline.made import Made, of_all, of_report, of_stages
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.stage import read_receipt
from mateprobe.pipeline.verify import Project, add_studies, load_project
from mateprobe.reports.output import json_text
from mateprobe.visible import visible

_STATUS = """\
exit status:
  0  written, or shown with --dry-run
  1  what is on disk does not hold together
  2  there is nothing to freeze, or it cannot be
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments, and say what they are for."""
    dress(
        parser,
        form(
            "Declare what is on disk to be right: show what changes, write golden hashes and what programs answered.",
            "mateprobe freeze --dry-run",
            "mateprobe freeze controlled",
            status=_STATUS,
        ),
    )
    parser.add_argument(
        "only", nargs="*", metavar="STUDY", help=f"studies, or {REPORT!r} for tables and numbers (default: everything)"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and write nothing")
    parser.add_argument("--json", action="store_true", help="write what changes as JSON, by study")
    add_studies(parser)


def run(args: argparse.Namespace) -> int:
    """Show the differences, then write ``studies/_frozen/*.sha256`` and the answers of programs; return 0.

    Raises:
        EvidenceError: there is nothing to freeze yet. StageError: what is on disk does not hold together.
        InvalidValue: a study whose artifacts are not known beforehand, or a run is at work here.
    """
    with at_work.undisturbed():
        return _freeze(args)


def _freeze(args: argparse.Namespace) -> int:
    project, disk = load_project(args.studies), Disk()
    names = args.only or [*(id for id, study in project.studies.items() if golden.can_be_frozen(study)), REPORT]
    for name in names:
        _expect_freezable(name, project)
    found = {name: _found(name, project, disk) for name in names}
    changes = {name: [*_changes(name, hashes, project)] for name, hashes in found.items()}
    if args.json:
        sys.stdout.write(json_text(changes))
    else:
        for name, lines in changes.items():
            text = "".join(f"{line}\n" for line in lines)
            sys.stdout.write(visible(text) or f"{golden_path(name)}: nothing changes\n")
    if args.dry_run:
        return 0
    for name, hashes in found.items():
        if name != REPORT:
            keep_answers(golden.answers_of(project.studies[name]))
        write_golden(name, hashes)
        sys.stderr.write(f"{golden_path(name)}: {len(hashes)} hashes written\n")
    write_golden(INDEX, Disk().present(golden.frozen_files()))
    return 0


def _expect_freezable(name: str, project: Project) -> None:
    if name == REPORT:
        return
    if name not in project.studies:
        raise InvalidValue(f"study {name!r}: {one_of(name, [*project.studies, REPORT])}")
    if not golden.can_be_frozen(project.studies[name]):
        raise InvalidValue(f"study {name!r}: its cases are made of our own code, so every edit changes its artifacts")


def _found(name: str, project: Project, disk: Disk) -> dict[str, str]:
    """Return the hashes on disk of what is to be frozen, all of it vouched for by receipts."""
    if name == REPORT:
        made, paths = Made(of_report(project.studies, project.claims)), golden.artifacts_of_report(project.studies)
    else:
        study = project.studies[name]
        made = of_all({name: study}, project.archives.values(), None)
        paths = golden.artifacts_of_study(study)
    found = disk.present(paths)
    if not found:
        raise EvidenceError(f"{RESULTS}: expected artifacts of {name!r}, found none; run make reproduce")
    if wrong := [difference.told for difference in chain.differences(made, project.archives.values(), disk)]:
        raise StageError(f"{name!r} is not as its receipts say; run make reproduce first:\n" + "\n".join(wrong))
    return found


def _changes(name: str, found: Mapping[str, str], project: Project) -> Iterator[str]:
    """Yield what differs from the golden hashes, old and new, each with what it was made from that differs too."""
    expected = read_golden(name) or {}
    receipts = of_report(project.studies, project.claims) if name == REPORT else of_stages(project.studies[name])
    for receipt, artifacts in receipts.items():
        paths = [path.as_posix() for path in artifacts]
        lines = [line for path in paths for line in golden.told(path, expected.get(path), found.get(path))]
        yield from lines
        if lines and expected:
            inputs = read_receipt(receipt).inputs
            changed = [path for path in inputs if expected.get(path, found.get(path)) != found.get(path)]
            yield f"    made from {', '.join(changed) or 'what is no golden hash of, its code or its parameters'}"
    gone = expected.keys() - {path.as_posix() for artifacts in receipts.values() for path in artifacts}
    yield from (line for path in sorted(gone) for line in golden.told(path, expected[path], None))


def keep_answers(answers: Mapping[Path, Path]) -> None:
    """Copy the observations of a study's programs, to be replayed where their packages are not to be had."""
    for target, source in answers.items():
        with source.open("rb") as stream, writing(target) as sink:
            copy_blocks(stream, sink)
