"""``freeze``: declare what is on disk to be right: golden hashes, and what programs answered.

Shows first what changes. Review it, and commit what it wrote: from then on ``verify`` notices one byte.
"""

from __future__ import annotations

import argparse
import sys

from mateprobe.errors import EvidenceError
from mateprobe.pipeline.files import copy_blocks, writing
from mateprobe.pipeline.frozen import frozen_path
from mateprobe.pipeline.golden import differences, golden_path, read_golden, write_golden
from mateprobe.pipeline.programs import is_program
from mateprobe.pipeline.section import RESULTS, parts
from mateprobe.pipeline.studies import Study, load_studies
from mateprobe.pipeline.verify import REPORT, golden_files, report_files


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("id", metavar="study", help=f"the study's id; {REPORT!r} for the tables and claims")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and write nothing")


def run(args: argparse.Namespace) -> int:
    """Show the differences, then write ``studies/_frozen/STUDY.sha256`` and the programs' answers; return 0.

    Raises:
        EvidenceError: there is nothing to freeze yet.
    """
    study = None if args.id == REPORT else load_studies(only=[args.id])[args.id]
    found = golden_files(study) if study else report_files()
    if not found:
        raise EvidenceError(f"{RESULTS}: expected artifacts of {args.id!r}, found none; run it first")
    changed = differences(read_golden(args.id), found)
    sys.stdout.write("".join(f"{line}\n" for line in changed) or f"{golden_path(args.id)}: nothing changed\n")
    if args.dry_run:
        return 0
    if study:
        _keep_answers(study)
    write_golden(args.id, found)
    sys.stderr.write(f"{golden_path(args.id)}: {len(found)} hashes written\n")
    return 0


def _keep_answers(study: Study) -> None:
    """Copy the observations of a study's programs, to be replayed where their packages are not to be had."""
    for validator in filter(is_program, study.data["validators"]):
        for part in parts(validator["id"], study.shards):
            source, target = RESULTS / study.id / "observations" / f"{part}.jsonl", frozen_path(study.id, part)
            if not source.is_file():
                raise EvidenceError(f"{source}: expected observations, found none; run the study first")
            with source.open("rb") as stream, writing(target) as sink:
                copy_blocks(stream, sink)
