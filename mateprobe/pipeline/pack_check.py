"""An evidence pack checked: every file against the list inside, then all of it as ``verify`` checks a project.

It needs no network and believes nothing. Unpacked is only a plain archive of plain files, each once, below one
folder, within limits; nothing in it is run, and no file outside of it is looked at, whatever its receipts
name. That shows that a pack is whole and true of itself, not who made it: for that, compare its own hash
with the one its maker published.
"""

from __future__ import annotations

import bz2
import sys
import tarfile
from collections.abc import Iterable
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from mateprobe.errors import EvidenceError, MateProbeError
from mateprobe.pipeline import golden
from mateprobe.pipeline.chain import Disk
from mateprobe.pipeline.files import HashingWriter, sha256_file
from mateprobe.pipeline.tar_files import Unpacked, headers
from mateprobe.pipeline.verify import differences, load_project
from mateprobe.reports.output import json_text
from mateprobe.visible import visible

ROOT = "mateprobe-evidence"
"""The folder inside that holds everything."""

SUMS = "SHA256SUMS"
FILES_LIMIT = 100_000
UNPACKED_LIMIT = 4 << 30  # bytes, whatever its headers announce
_REMEDY = "; it is damaged, or no evidence pack"


@dataclass(frozen=True, slots=True)
class Checked:
    """What the check of a pack found: a line for each problem, and how many files it looked at."""

    problems: list[str]
    files: int


class Packed(Disk):
    """The hashes of the files of a pack, and of no others: what it lacks is absent, wherever else it may be."""

    __slots__ = ()

    def sha256(self, path: str) -> str | None:
        """Return the hash of a file of the pack, or None."""
        return self.known.get(path)


def verify_pack(pack: Path, *, as_json: bool = False) -> int:
    """Check a pack; return 0, or 1 after a line for every problem, or all of it as JSON.

    Raises:
        EvidenceError: it is no evidence pack, or one that must not be unpacked.
    """
    result = checked(pack)
    if as_json:
        sys.stdout.write(json_text({"files": result.files, "differences": [*result.problems]}))
        return int(bool(result.problems))
    sys.stdout.write(visible("".join(f"{line}\n" for line in result.problems)))
    if result.problems:
        return 1
    sys.stdout.write(f"{pack}: {result.files} files are as they should be; sha256 {sha256_file(pack)}\n")
    return 0


def checked(pack: Path) -> Checked:
    """Unpack a pack where it does no harm, and return what is wrong with it.

    Raises:
        EvidenceError: it is no evidence pack, or one that must not be unpacked.
    """
    with TemporaryDirectory() as folder:
        found = unpack(pack, Path(folder))
        with chdir(folder):
            try:
                expected = golden.read_hashes(Path(SUMS)) if found.pop(SUMS, None) else {}
                lines = golden.differences(expected, found) or problems(Packed({**found}))
            except (MateProbeError, OSError) as error:
                raise EvidenceError(f"{pack}: {error}") from None
    return Checked(lines, len(found))


def problems(disk: Disk) -> list[str]:
    """Return what ``verify`` says of the working folder, each line once."""
    return list(dict.fromkeys(difference.told for difference in differences(load_project(), disk)))


def unpack(pack: Path, folder: Path) -> dict[str, str]:
    """Write the files of a pack below an empty folder; return their hashes by path.

    Raises:
        EvidenceError: it cannot be read, is damaged, or holds something a pack does not: a link, a device, a
            folder, a name outside of its root, a name twice, more files or bytes than there may be.
    """
    try:
        with bz2.open(pack, "rb") as stream:
            source = Unpacked(str(pack), stream, UNPACKED_LIMIT, "a tar archive in bzip2", _REMEDY)
            return _unpacked(source, folder)
    except OSError as error:  # of reading and writing, others have been told
        raise EvidenceError(f"{pack}: expected an evidence pack: {error.strerror}") from None


def _unpacked(source: Unpacked, folder: Path) -> dict[str, str]:
    hashes: dict[str, str] = {}
    for info in headers(source, extended=False):  # no pack of ours has a name too long for a plain header
        name = _name(source.where, info)
        if len(hashes) == FILES_LIMIT:
            raise EvidenceError(f"{source.where}: holds more than {FILES_LIMIT:,} files{_REMEDY}")
        try:
            hashes[name] = _write(folder / name, source.content(info.size))
        except OSError as error:
            raise EvidenceError(f"{source.where}: {name!r:.200}: cannot be unpacked: {error.strerror}") from None
    source.expect_end()
    return hashes


def _name(where: str, info: tarfile.TarInfo) -> str:
    """Return the path of a member below the root."""
    root, _, name = info.name.partition("/")
    if info.type != tarfile.REGTYPE:
        raise EvidenceError(f"{where}: expected plain files, found {info.name!r:.200} of type {info.type!r}")
    strange = "\\" in name or not name.isprintable() or any(part in ("", ".", "..") for part in name.split("/"))
    if root != ROOT or strange:
        raise EvidenceError(f"{where}: expected files below {ROOT}/, found {info.name!r:.200}")
    return name


def _write(target: Path, blocks: Iterable[bytes]) -> str:
    """Write a new file; return its hash."""
    target.parent.mkdir(exist_ok=True, parents=True)
    with target.open("xb") as stream:  # what is there already stands in the archive twice
        writer = HashingWriter(stream)
        for block in blocks:
            writer.write(block)
    return writer.sha256
