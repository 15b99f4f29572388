"""Stage ``evidence``: the data files of a published archive, as pinned, into ``results/evidence``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from mateprobe.pipeline.archive import extract, obtained
from mateprobe.pipeline.pins import EVIDENCE, FOLDER, load_pins
from mateprobe.pipeline.stage import Receipt, run_stage
from mateprobe.pipeline.store import Store

PINS = FOLDER / "published.yaml"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--pins", type=Path, default=PINS, help="which archive, which members (default: %(default)s)")
    parser.add_argument("--folder", type=Path, help=f"where they go (default: {EVIDENCE} and the archive's own folder)")
    parser.add_argument("--receipt", type=Path, help="default: receipt.json in the folder")


def run(args: argparse.Namespace) -> int:
    """Run the stage; return 0."""
    folder = args.folder or EVIDENCE / load_pins(args.pins).folder
    collect(args.pins, folder, args.receipt or folder / "receipt.json")
    return 0


def collect(pins: Path, folder: Path, receipt: Path, store: Store | None = None) -> Receipt:
    """Bring every pinned member below ``folder``; what has been there before comes back without network.

    Raises:
        StudyError: the pins cannot be used.
        EvidenceError: the archive or a member is absent or is another than pinned.
    """
    store = store or Store()
    archive = load_pins(pins)

    def make(partial: Mapping[str, Path]) -> None:
        with obtained(archive, store) as path:
            extract(path, archive, partial)

    return run_stage(
        "evidence",
        inputs={"pins": pins},
        params={},
        modules=[__name__],
        outputs={member: folder / member for member in archive.members},
        make=make,
        receipt=receipt,
        pinned=archive.members,
        store=store,
    )
