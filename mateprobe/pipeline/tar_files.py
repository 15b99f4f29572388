"""Tar archives read with suspicion: plain files and folders, one header after the other, in little memory.

``tarfile`` follows every extension of the format, some of which make it read as much into memory as the archive
pleases. Here a header is read by ``tarfile`` and the archive by us; of the extensions only long names are followed.
"""

from __future__ import annotations

import re
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from mateprobe.errors import EvidenceError
from mateprobe.pipeline.files import BLOCK

EXTENSION_LIMIT = 64 << 10  # bytes of a header that says more about the next one
_LONG_NAME, _FOLDER = tarfile.GNUTYPE_LONGNAME, tarfile.DIRTYPE
_PAX = {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE}
_FILE = {tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE}
_RECORD = re.compile(rb"(\d{1,6}) ([^=]+)=")


@dataclass(slots=True)
class Unpacked:
    """The bytes of a compressed archive, as many as there may be: no bomb fills memory or disk.

    Attributes:
        where: what messages call the archive.
        stream: unpacks it.
        limit: how many bytes it may give.
        form: what it should be, and
        remedy: what to do if it is not, for messages.
    """

    where: str
    stream: IO[bytes]
    limit: int
    form: str
    remedy: str
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.limit

    def read(self, size: int) -> bytes:
        """Read exactly ``size`` bytes, which should be few.

        Raises:
            EvidenceError: there are fewer, or more than there may be, or none can be unpacked.
        """
        data = self._read(size)
        if len(data) < size:
            raise self.strange("ends too early")
        return data

    def content(self, size: int) -> Iterator[bytes]:
        """Yield the content of a file in blocks, and pass over what stands between it and the next header.

        Raises:
            EvidenceError: as ``read``.
        """
        if size > self.left:
            raise self._too_much()
        for start in range(0, size, BLOCK):
            yield self.read(min(BLOCK, size - start))
        self.read(-size % tarfile.BLOCKSIZE)

    def expect_end(self) -> None:
        """Read what is left, which is a little padding: only then is it known that nothing was cut off.

        Raises:
            EvidenceError: there is more, or as ``read``.
        """
        if any(self._read(BLOCK)) or self._read(1):
            raise self.strange("holds something after its end")

    def strange(self, what: str) -> EvidenceError:
        """Return the error of an archive that is not what it should be."""
        return EvidenceError(f"{self.where}: expected {self.form}: {what}{self.remedy}")

    def _read(self, size: int) -> bytes:
        try:
            data = self.stream.read(size)
        except (OSError, EOFError, zlib.error) as error:
            raise self.strange(str(error)) from None
        self.left -= len(data)
        if self.left < 0:
            raise self._too_much()
        return data

    def _too_much(self) -> EvidenceError:
        return EvidenceError(f"{self.where}: unpacks to more than {self.limit:,} bytes{self.remedy}")


def headers(source: Unpacked, *, extended: bool) -> Iterator[tarfile.TarInfo]:
    """Yield the header of every file and folder; whoever takes one takes its content too, before the next.

    Args:
        source: the archive.
        extended: whether long names (of GNU, of POSIX) are read; otherwise they are something strange.

    Raises:
        EvidenceError: no header, or one of something that is neither file nor folder.
    """
    name = None
    while any(block := source.read(tarfile.BLOCKSIZE)):
        info = _header(source, block)
        if extended and info.type in _PAX | {_LONG_NAME}:
            name = _long_name(source, info) or name
            continue
        if info.type not in _FILE | {_FOLDER} or info.size < 0:
            found = f"{info.name!r:.200} of type {info.type!r}"
            raise EvidenceError(f"{source.where}: expected plain files, found {found}{source.remedy}")
        info.name, name = name or info.name, None
        yield info


def _header(source: Unpacked, block: bytes) -> tarfile.TarInfo:
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "strict")
    except (tarfile.HeaderError, UnicodeDecodeError) as error:
        raise source.strange(f"expected the header of a file: {error}") from None


def _long_name(source: Unpacked, info: tarfile.TarInfo) -> str | None:
    """Return the name that an extension gives the next file, if it does.

    Raises:
        EvidenceError: it is too long, no UTF-8, not of the format, or makes a file of holes.
    """
    if not 0 <= info.size <= EXTENSION_LIMIT:
        raise source.strange(f"a header of {info.size:,} bytes, where there may be {EXTENSION_LIMIT:,}")
    data = b"".join(source.content(info.size))
    try:
        if info.type == _LONG_NAME:
            return data.rstrip(b"\0").decode()
        records = dict(_records(data))
        if any(key.startswith(b"GNU.sparse") or key == b"size" for key in records):
            raise ValueError("of a file of another size than its own")
        return records[b"path"].decode() if b"path" in records and info.type != tarfile.XGLTYPE else None
    except ValueError as error:
        raise source.strange(f"the header {info.name!r:.200}: {error}") from None


def _records(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield keyword and value of each record of an extended header (POSIX.1-2008, pax, Extended Header)."""
    start = 0
    while start < len(data):
        found = _RECORD.match(data, start)
        end = start + int(found[1]) if found else 0
        if not found or not found.end() < end <= len(data) or data[end - 1 : end] != b"\n":
            raise ValueError(f"no record at byte {start}")
        yield found[2], data[found.end() : end - 1]
        start = end
