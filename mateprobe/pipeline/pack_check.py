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
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from mateprobe.errors import EvidenceError, MateProbeError
from mateprobe.pipeline import golden
from mateprobe.pipeline.chain import Disk
from mateprobe.pipeline.files import BLOCK, HashingWriter, sha256_file
from mateprobe.pipeline.verify import differences, load_project

ROOT = "mateprobe-evidence"
"""The folder inside that holds everything."""

SUMS = "SHA256SUMS"
FILES_LIMIT = 100_000
UNPACKED_LIMIT = 4 << 30  # bytes, whatever its headers announce


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


def verify_pack(pack: Path) -> int:
    """Check a pack; return 0, or 1 after a line for every problem.

    Raises:
        EvidenceError: it is no evidence pack, or one that must not be unpacked.
    """
    result = checked(pack)
    sys.stdout.write("".join(f"{line}\n" for line in result.problems))
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
            return _unpacked(_Bounded(pack, stream), folder)
    except OSError as error:  # of reading and writing, others have been told
        raise EvidenceError(f"{pack}: expected an evidence pack: {error.strerror}") from None


def _unpacked(stream: _Bounded, folder: Path) -> dict[str, str]:
    hashes: dict[str, str] = {}
    for info in _headers(stream):
        name = _name(stream.pack, info)
        if len(hashes) == FILES_LIMIT:
            raise EvidenceError(f"{stream.pack}: holds more than {FILES_LIMIT:,} files; it is no evidence pack")
        try:
            hashes[name] = _write(folder / name, stream, info.size)
        except OSError as error:
            raise EvidenceError(f"{stream.pack}: {name!r:.200}: cannot be unpacked: {error.strerror}") from None
    stream.expect_end()
    return hashes


class _Bounded:
    """A stream that gives out ``UNPACKED_LIMIT`` bytes and then refuses, and never less than it is asked for."""

    def __init__(self, pack: Path, stream: IO[bytes]) -> None:
        self.pack = pack
        self._stream = stream
        self._left = UNPACKED_LIMIT

    def read(self, size: int) -> bytes:
        """Read ``size`` bytes."""
        data = self._read(size)
        if len(data) < size:
            raise EvidenceError(f"{self.pack}: ends too early; it is damaged")
        return data

    def expect_end(self) -> None:
        """Read what is left, which is nothing but padding: only then is it known that nothing was cut off."""
        while rest := self._read(BLOCK):
            if any(rest):
                raise EvidenceError(f"{self.pack}: holds something after its end; it is damaged")

    def _read(self, size: int) -> bytes:
        try:
            data = self._stream.read(size)
        except (OSError, EOFError) as error:
            raise EvidenceError(f"{self.pack}: expected a tar archive in bzip2: {error}; it is damaged") from None
        self._left -= len(data)
        if self._left < 0:
            raise EvidenceError(f"{self.pack}: unpacks to more than {UNPACKED_LIMIT:,} bytes; it is no evidence pack")
        return data


def _headers(stream: _Bounded) -> Iterator[tarfile.TarInfo]:
    """Yield each header; whoever takes it must have read its file before the next.

    The headers are read here, not by ``tarfile``, which would also follow the extensions of the format: none is
    needed, and some make it read as much into memory as they please.
    """
    while any(block := stream.read(tarfile.BLOCKSIZE)):
        try:
            yield tarfile.TarInfo.frombuf(block, "utf-8", "strict")
        except (tarfile.HeaderError, UnicodeDecodeError) as error:
            raise EvidenceError(f"{stream.pack}: expected the header of a file: {error}; it is damaged") from None


def _name(pack: Path, info: tarfile.TarInfo) -> str:
    """Return the path of a member below the root."""
    root, _, name = info.name.partition("/")
    if info.type != tarfile.REGTYPE or info.size < 0:
        raise EvidenceError(f"{pack}: expected plain files, found {info.name!r:.200} of type {info.type!r}")
    strange = "\\" in name or not name.isprintable() or any(part in ("", ".", "..") for part in name.split("/"))
    if root != ROOT or strange:
        raise EvidenceError(f"{pack}: expected files below {ROOT}/, found {info.name!r:.200}")
    return name


def _write(target: Path, source: _Bounded, size: int) -> str:
    """Write the next ``size`` bytes to a new file; return their hash."""
    target.parent.mkdir(exist_ok=True, parents=True)
    with target.open("xb") as stream:  # what is there already stands in the archive twice
        writer = HashingWriter(stream)
        for start in range(0, size, BLOCK):
            writer.write(source.read(min(BLOCK, size - start)))
    source.read(-size % tarfile.BLOCKSIZE)
    return writer.sha256
