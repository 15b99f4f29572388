"""``freeze``: keep what the programs of a study answered, to be held against and replayed."""

from __future__ import annotations

import argparse
import sys

from mateprobe.errors import EvidenceError
from mateprobe.pipeline.files import copy_blocks, writing
from mateprobe.pipeline.frozen import frozen_path
from mateprobe.pipeline.programs import is_program
from mateprobe.pipeline.section import RESULTS, parts
from mateprobe.pipeline.studies import load_studies


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("id", metavar="study", help="the study's id")


def run(args: argparse.Namespace) -> int:
    """Copy the observations of the study's programs to ``studies/_frozen``; return 0.

    Raises:
        EvidenceError: there are none yet.
    """
    study = load_studies(only=[args.id])[args.id]
    for validator in filter(is_program, study.data["validators"]):
        for part in parts(validator["id"], study.shards):
            source, target = RESULTS / study.id / "observations" / f"{part}.jsonl", frozen_path(study.id, part)
            if not source.is_file():
                raise EvidenceError(f"{source}: expected observations, found none; run the study first")
            with source.open("rb") as stream, writing(target) as sink:
                copy_blocks(stream, sink)
            print(f"{target}: written", file=sys.stderr)
    return 0
