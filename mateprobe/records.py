"""Record files: JSON lines that say what they are and prove they are whole.

    {"format":"mateprobe.KIND","version":1, …}     header, with the writer's own fields
    {…}                                            one canonical JSON object a record
    {"end":N,"sha256":"…"}                         N records; the hash of every byte before this line

Writing and reading stream: memory does not grow with the number of records.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from . import strict_json
from .canonical import canonical_bytes
from .errors import EvidenceError, InvalidType, InvalidValue, MateProbeError

VERSION = 1
LINE_LIMIT = strict_json.LIMIT
_Reader = Callable[[bytes, str], Any]
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def record_lines(
    kind: str,
    rows: Iterable[Mapping[str, Any] | bytes],
    header: Mapping[str, Any] = _NOTHING,
    *,
    where: str = "",
    version: int = VERSION,
) -> Iterator[bytes]:
    """Yield the lines of a record file, one at a time: header, records, footer.

    Args:
        kind: what a record is, such as ``cases``.
        rows: JSON objects, or their canonical bytes, which are believed; consumed one at a time.
        header: more fields for the first line.
        where: names the file in errors.
        version: of the records' form.

    Raises:
        InvalidType, InvalidValue: a row or the header is no JSON object, or is too long for a reader.
    """
    if reserved := {"format", "version"} & header.keys():
        raise InvalidValue(f"{where}: header field {min(reserved)!r} is set by the writer; use another name")
    digest = hashlib.sha256()
    count = 0
    for count, row in enumerate(chain([{"format": f"mateprobe.{kind}", "version": version, **header}], rows), 1):
        line = _line(where, count, row)
        digest.update(line)
        yield line
    yield _line(where, count + 1, {"end": count - 1, "sha256": digest.hexdigest()})


def read_records(path: Path, kind: str, *, strict: bool = False, newest: int = VERSION) -> RecordFile:
    """Open a record file; its header is checked now, each record as it is reached, the footer last.

    Args:
        path: the file.
        kind: the kind of record expected.
        strict: also refuse duplicate keys, infinities written as 1e999 and deep nesting. For files
            of foreign writers: ours cannot hold them, and the check takes two to three times as long.
        newest: the newest version the caller can read.

    Raises:
        EvidenceError: no such file, no header, another kind, or a newer version.
    """
    try:
        with path.open("rb") as stream:
            line = stream.readline(LINE_LIMIT + 1)
    except FileNotFoundError:
        raise EvidenceError(f"{path}: expected a file of {kind}, found none; run the stage that makes it") from None
    return RecordFile(path, kind, MappingProxyType(_header(path, kind, line, newest)), strict)


@dataclass(frozen=True, slots=True)
class RecordFile:
    """A record file whose header has been read; iterating reads the records, each time anew.

    Records arrive before the footer has been reached: what is made of them counts only once the
    iteration has ended without an error.

    Attributes:
        path: the file.
        kind: what a record is.
        header: the first line, ``format`` and ``version`` included.
        strict: whether records are read as foreign JSON.
    """

    path: Path
    kind: str
    header: Mapping[str, Any]
    strict: bool = False

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield each record.

        Raises:
            EvidenceError: a line that is no JSON object, or a file cut short or changed since it
                was written; names the line.
        """
        for number, line in self.lines():
            yield self.record(number, line)

    def record(self, number: int, line: bytes) -> dict[str, Any]:
        """Return the record of a line, which ``number`` names in errors.

        Raises:
            EvidenceError: it is no JSON object.
        """
        return _object(self.path, number, line, strict_json.loads if self.strict else strict_json.loads_quickly)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number and the line, with its end, of each record, unread.

        Raises:
            EvidenceError: as iterating, but for lines that are no JSON object.
        """
        digest = hashlib.sha256()
        with self.path.open("rb") as stream:
            lines = iter(partial(stream.readline, LINE_LIMIT + 1), b"")
            digest.update(next(lines, b""))
            number, line = 2, next(lines, b"")
            for following in lines:  # one line behind: the last is the footer, not a record
                digest.update(line)
                yield number, line
                number, line = number + 1, following
        self._check_footer(number, line, digest.hexdigest())

    def _check_footer(self, number: int, line: bytes, digest: str) -> None:
        footer = _object(self.path, number, line) if line.endswith(b"\n") else {}
        if footer.keys() != {"end", "sha256"}:
            raise _wrong(self.path, number, 'the closing line {"end":…,"sha256":…} (the file was cut short)', line)
        if footer != {"end": number - 2, "sha256": digest}:
            written = f"{footer['end']!r} records with sha256 {footer['sha256']!r}"
            found = f"{number - 2} with sha256 {digest!r}"
            raise EvidenceError(f"{self.path}, line {number}: expected {written} before it, found {found}{_REMEDY}")


_REMEDY = "; it was cut short or edited: remove it and make it again"


def _line(where: str, number: int, row: Mapping[str, Any] | bytes) -> bytes:
    if not isinstance(row, (Mapping, bytes)):
        raise InvalidType(f"{where}, line {number}: record has type {type(row).__name__}; expected a mapping")
    try:
        line = (row if isinstance(row, bytes) else canonical_bytes(row)) + b"\n"
    except MateProbeError as error:
        raise type(error)(f"{where}, line {number}: {error}") from None
    if len(line) > LINE_LIMIT:
        raise InvalidValue(f"{where}, line {number}: record of {len(line):,} bytes; readers take {LINE_LIMIT:,}")
    return line


def _header(path: Path, kind: str, line: bytes, newest: int) -> dict[str, Any]:
    expected = f'the header {{"format":"mateprobe.{kind}", …}}'
    if not line.endswith(b"\n"):
        raise _wrong(path, 1, expected, line)
    if line.endswith(b"\r\n"):
        raise EvidenceError(f"{path}, line 1: expected lines that end in LF, found CR LF{_REMEDY}")
    header = _object(path, 1, line)
    if header.get("format") != f"mateprobe.{kind}":
        raise _wrong(path, 1, expected, line)
    version = header.get("version")
    if type(version) is not int or version < 1:
        raise EvidenceError(f"{path}, line 1: expected a version from 1 to {newest}, found {version!r}{_REMEDY}")
    if version > newest:
        raise EvidenceError(
            f"{path}, line 1: expected version {newest} of mateprobe.{kind}, found {version}, "
            "of a newer mateprobe; upgrade this one"
        )
    return header


def _object(path: Path, number: int, line: bytes, reader: _Reader = strict_json.loads) -> dict[str, Any]:
    if len(line) > LINE_LIMIT:
        raise EvidenceError(f"{path}, line {number}: expected at most {LINE_LIMIT:,} bytes, found more")
    try:
        row = reader(line, f"{path}, line {number}")
    except InvalidValue as error:
        raise EvidenceError(f"{error}{_REMEDY}") from None
    if type(row) is not dict:
        raise _wrong(path, number, "a JSON object", line)
    return row


def _wrong(path: Path, number: int, expected: str, line: bytes) -> EvidenceError:
    found = repr(line[:80].decode(errors="replace").rstrip("\n")) if line else "the end of the file"
    return EvidenceError(f"{path}, line {number}: expected {expected}, found {found}{_REMEDY}")
