"""Stage ``environment``: the packages of one lock file, installed, and a receipt of what was.

The environment itself lies below the cache. A lock that cannot be installed ends in a receipt that says
so, not in a failure: whoever wanted the environment decides what that means.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter

from mateprobe.pipeline.environments import Environment, lock_path, locked_out, obtained
from mateprobe.pipeline.files import sha256_file, write_bytes
from mateprobe.pipeline.section import RESULTS
from mateprobe.strict_json import load

FOLDER = RESULTS / "environments"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--name", required=True, help="the environment's name, the stem of its lock file")
    parser.add_argument("--fresh", action="store_true", help="build it anew, even if it is there and intact")


def run(args: argparse.Namespace) -> int:
    """Write ``results/environments/NAME.json``; return 0.

    Raises:
        EvidenceError: there is no lock file.
    """
    began = perf_counter()
    found = obtained(args.name, anew=args.fresh)
    write_bytes(receipt_path(args.name), found.content())
    how = f"unavailable: {found.unavailable}" if found.unavailable else f"{len(found.distributions)} distributions"
    print(f"environment: {args.name}: {how} in {perf_counter() - began:.2f} s", file=sys.stderr)
    return 0


def receipt_path(name: str) -> Path:
    """Return where the receipt of an environment lies."""
    return FOLDER / f"{name}.json"


def missing_here(names: Iterable[str]) -> list[str]:
    """Return which environments could not be made on this machine of locks that allow it, and why, as receipts say."""
    known = {name: load(path) for name in sorted(names) if (path := receipt_path(name)).is_file()}
    reasons = {name: found["unavailable"] for name, found in known.items() if found["unavailable"]}
    return [f"{name}: {reason}" for name, reason in reasons.items() if not locked_out(lock_path(name))]


def at_hand(name: str) -> Environment:
    """Return the environment, without another attempt if its receipt says that one has failed.

    Raises:
        EvidenceError: there is no lock file.
    """
    path = receipt_path(name)
    known = load(path) if path.is_file() else {}
    if known.get("unavailable") and known["lock"] == sha256_file(lock_path(name)):
        return Environment(name, known["lock"], unavailable=known["unavailable"], away=known["away"])
    return obtained(name)
