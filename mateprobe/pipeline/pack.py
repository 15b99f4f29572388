"""``pack``: everything a reader needs to check the results, in one archive that describes itself.

    results/…                   artifacts, receipts, manifests, claims, as the workflow made them
    studies/… paper/… …         what they were made from: studies, pins, protocols, locks, the rules of the workflow
    python-version              the Python they were made with
    ro-crate-metadata.json      what is what, see ``crate``
    SHA256SUMS                  every other file, for ``sha256sum -c``

Only results that ``verify`` finds nothing against are packed. The same files make the same archive: names are
sorted, owners, modes and times fixed. It is a tar archive in bzip2, whose one implementation gives the same
bytes everywhere; those of gzip depend on the zlib of the machine. ``pack_check`` reads it again.
"""

from __future__ import annotations

import argparse
import bz2
import hashlib
import io
import os
import sys
import tarfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from mateprobe.errors import EvidenceError, InvalidValue, StageError
from mateprobe.pipeline import at_work
from mateprobe.pipeline.chain import Disk
from mateprobe.pipeline.crate import DESCRIPTION, described
from mateprobe.pipeline.files import publish, scratch, sha256_file
from mateprobe.pipeline.golden import golden_text
from mateprobe.pipeline.made import PACK, unknown
from mateprobe.pipeline.pack_check import ROOT, SUMS, checked, problems
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.stage import Receipt, read_receipt
from mateprobe.pipeline.store import Artifact
from mateprobe.pipeline.verify import load_project

FOLDERS = (Path("config"), Path("paper"), Path("studies"), Path("workflow"))
FILES = ("CITATION.cff", "LICENSE", "Snakefile", "environment.yml", "pyproject.toml", "requirements.lock")
PYTHON = "python-version"
DATE = "SOURCE_DATE_EPOCH"
SHOWN = 20

Member = Path | bytes
"""A file of the project, or what a file in the pack holds."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--output", metavar="FILE", type=Path, default=PACK, help="the archive (default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Write the archive; return 0.

    Raises:
        EvidenceError: there are no results.
        StageError: the results are not as they should be; nothing is written.
        InvalidValue: a run is at work here.
    """
    with at_work.undisturbed():
        return _pack(args.output)


def _pack(output: Path) -> int:
    project = load_project()
    if not any((RESULTS / id).is_dir() for id in project.studies):
        raise EvidenceError(
            f"{RESULTS}: expected results of {', '.join(project.studies)}, found none; run make reproduce"
        )
    _refuse(f"{RESULTS}: cannot be packed", problems(Disk()))
    receipts = {path.as_posix(): read_receipt(path) for path in project.made.receipts}
    members = contents(receipts)
    with scratch(output.parent) as folder:
        partial = folder / output.name
        write_pack(partial, members)
        _refuse(f"{output}: not written, the pack would not pass its own check", checked(partial).problems)
        sha256 = sha256_file(partial)
        publish(partial, output)
    sys.stdout.write(f"{output}: {len(members)} files, {output.stat().st_size:,} bytes, sha256 {sha256}\n")
    return 0


def contents(receipts: Mapping[str, Receipt]) -> dict[str, Member]:
    """Return every file of a pack by its path in there: those of the project, and those made for the pack.

    Raises:
        InvalidValue: ``SOURCE_DATE_EPOCH`` is no count of seconds.
    """
    inputs = (Path(name) for receipt in receipts.values() for name in receipt.inputs)
    paths = {*unknown(RESULTS, ()), *_files_of_project(), *(path for path in inputs if path.is_file())}
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    members: dict[str, Member] = {path.as_posix(): path for path in paths}
    members[PYTHON] = f"{python}\n".encode()
    hashed = {name: _artifact(member) for name, member in members.items()}
    members[DESCRIPTION] = described(hashed, receipts, python, _date())
    hashes = {name: artifact.sha256 for name, artifact in hashed.items()}
    hashes[DESCRIPTION] = _artifact(members[DESCRIPTION]).sha256
    return members | {SUMS: golden_text(hashes).encode()}


def write_pack(path: Path, members: Mapping[str, Member]) -> None:
    """Write the archive of these members.

    Raises:
        EvidenceError: a name is too long for an archive.
    """
    with (
        bz2.open(path, "wb") as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, member in sorted(members.items()):
            info = tarfile.TarInfo(f"{ROOT}/{name}")  # of nobody, from 1970, readable
            with io.BytesIO(member) if isinstance(member, bytes) else member.open("rb") as stream:
                info.size = stream.seek(0, os.SEEK_END)
                stream.seek(0)
                try:
                    archive.addfile(info, stream)
                except ValueError as error:
                    raise EvidenceError(f"{name}: cannot be packed: {error}; give it a shorter one") from None


def _files_of_project() -> list[Path]:
    """Return what the results were made from, as far as it is there; caches and hidden files are not."""
    below = [path for folder in FOLDERS for path in folder.rglob("*") if path.is_file() and not _is_passing(path)]
    return below + [path for path in map(Path, FILES) if path.is_file()]


def _is_passing(path: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.parts)


def _artifact(member: Member) -> Artifact:
    if isinstance(member, Path):
        return Artifact.of(member)
    return Artifact(hashlib.sha256(member).hexdigest(), len(member))


def _date() -> str | None:
    """Return the day that ``SOURCE_DATE_EPOCH`` names, if it names one: the clock's would be another each time."""
    seconds = os.environ.get(DATE)
    if not seconds:
        return None
    try:
        return datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise InvalidValue(f"{DATE}={seconds!r}: expected seconds since 1970 as a whole number") from None


def _refuse(what: str, lines: list[str]) -> None:
    if lines:
        more = f"\n{len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
        raise StageError("\n".join([f"{what}:", *lines[:SHOWN]]) + more)
