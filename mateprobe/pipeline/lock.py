"""``lock``: the hash-pinned lock files of a study's environments, through the user's own package index.

A lock is made once and committed; it holds versions and hashes and names no index. What nobody can
install gets a lock too, which says why.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from mateprobe.errors import StageError
from mateprobe.pipeline.environments import PYTHON, UNAVAILABLE, environment_name, lock_path
from mateprobe.pipeline.files import write_bytes
from mateprobe.pipeline.programs import environments_of
from mateprobe.pipeline.studies import STUDIES, load_study
from mateprobe.pipeline.uv import uv


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("id", metavar="study", help="the study's id")
    parser.add_argument("--studies", type=Path, default=STUDIES, help="folder of study files (default: %(default)s)")
    parser.add_argument("--upgrade", action="store_true", help="make the locks that exist anew")


def run(args: argparse.Namespace) -> int:
    """Write the lock of every environment of the study; return 0.

    Raises:
        StageError: the index cannot be reached.
    """
    study = load_study(args.studies / f"{args.id}.yaml", locked=False)
    for requirements in environments_of(study.data["validators"]):
        path = lock_path(environment_name(requirements))
        if args.upgrade or not path.is_file():
            text = locked(requirements)
            write_bytes(path, text.encode())
            print(f"{path}: {text.strip() if text.startswith('#') else 'written'}", file=sys.stderr)
    return 0


def locked(requirements: Sequence[str]) -> str:
    """Return the lock of these requirements: of each package the one version, and the hashes of its files.

    Raises:
        StageError: the index cannot be reached.
    """
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "requirements.in"), Path(folder, "requirements.txt")
        source.write_text("".join(f"{requirement}\n" for requirement in requirements), "utf-8")
        options = ["--generate-hashes", "--no-header", "--no-annotate", "--python-version", PYTHON]
        made = uv("pip", "compile", *options, str(source), "--output-file", str(target), quiet=False)
        withdrawn = re.search(rf"`{re.escape(requirements[0])}` is yanked(?: \(reason: \"(.*?)\"\))?", made.said)
        if made.well and not withdrawn:
            return target.read_text("utf-8")
    if withdrawn:
        return f"{UNAVAILABLE}{requirements[0]} was withdrawn: {withdrawn[1] or 'no reason given'}\n"
    if made.away:
        raise StageError(f"{requirements[0]}: the package index cannot be reached: {made.said}")
    absent = re.search(r"there is no version of (\S+)", made.said)
    reason = f"the index has no {absent[1]}" if absent else f"nothing satisfies {', '.join(requirements)}"
    return f"{UNAVAILABLE}{reason}\n"
