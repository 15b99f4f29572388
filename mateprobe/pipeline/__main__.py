"""``python -m mateprobe.pipeline STAGE …``: one stage a process, the same by hand as in the workflow.

Exit codes: 0 done; 1 a disagreement, a failed stage or a gate that is not met; 2 input that cannot be used.
"""

from __future__ import annotations

import argparse
import errno
import io
import sys
from collections.abc import Sequence
from importlib import import_module

from mateprobe.errors import MateProbeError, StageError
from mateprobe.visible import visible

STAGES = {
    "evidence": "fetch the published archive and take out the pinned members",
    "cases": "generate or read the cases of a study",
    "environment": "install the packages of one lock file",
    "observe": "ask one validator about every distinct sample",
    "outcomes": "decide how every case ends for one validator",
    "summary": "count a study's outcomes",
    "statistics": "give a study's rates intervals and compare its validators",
    "agreement": "compare a study with its frozen report",
    "fixes": "compare how the cases of a defect ended before and after its fix",
    "gate": "hold the rates of a study's validators against what they must reach",
    "manifest": "hash a study's artifacts and what they were made from",
    "tables": "write tables of the report",
    "figures": "draw one figure of the report",
    "claims": "compute every number the report states, and compare",
    "paper": "set the paper from its source, the numbers, the tables and the figures",
    "page": "make the page that shows the report, its studies and their cases",
    "capture": "ask a model server what a collection wants to know, each attempt once",
    "releases": "list the releases of a package on the index",
    "lock": "make the lock files of a study's environments",
    "freeze": "declare results to be right: write golden hashes, and keep what programs answered",
    "verify": "hold everything on disk against its hashes: receipts, manifests, pins, golden hashes, claims",
    "pack": "put results, and what they were made from, into one archive that describes itself",
    "reproduce": "run the whole workflow, show the tables and where everything lies",
}

_FULL = "make room there and run again; what has been made stays"
_BARRED = "nothing was lost; work in a folder that you may write, or change who owns this one and its mode"
REMEDIES = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EROFS: _BARRED,
    errno.EACCES: _BARRED,
    errno.EPERM: _BARRED,
}
"""What to do about a fault of the machine; every other is a defect, and shows where it happened."""


def main(arguments: Sequence[str] | None = None, prog: str = "python -m mateprobe.pipeline") -> int:
    """Run one stage, of the command called ``prog``; return its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(prog=prog, description=__doc__)
    commands = parser.add_subparsers(dest="stage", required=True, metavar="STAGE")
    for name, what in STAGES.items():
        command = commands.add_parser(name, help=what, description=what)
        if name in arguments[:1]:  # only the stage that runs is imported
            import_module(f"mateprobe.pipeline.{name}").configure(command)
    args = parser.parse_args(arguments)
    try:
        _fill_section(args)
        return int(import_module(f"mateprobe.pipeline.{args.stage}").run(args))
    except StageError as error:
        sys.stderr.write(f"{args.stage}: {visible(str(error))}\n")
        return 1
    except MateProbeError as error:
        sys.stderr.write(f"{args.stage}: {visible(str(error))}\n")
        return 2
    except OSError as error:
        if error.errno not in REMEDIES:
            raise
        where = f"{error.filename}: " if error.filename else ""  # a write that finds no room names no file
        sys.stderr.write(f"{args.stage}: {where}{error.strerror}: {REMEDIES[error.errno]}\n")
        return 2


def _fill_section(args: argparse.Namespace) -> None:
    """Read the study file for a stage that was started by hand, without its section."""
    if getattr(args, "section", "") is None:
        from mateprobe.pipeline.section import section_json
        from mateprobe.pipeline.studies import load_studies

        study = load_studies(args.studies, [args.study])[args.study]
        args.section = section_json(study.section(args.stage, getattr(args, "validator", None)))


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # what stands in a table may not stand in the user's locale
    sys.exit(main())
