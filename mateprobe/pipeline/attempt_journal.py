"""The attempts of a collection as they are made: each line is on disk before anything else happens.

Once sealed the file is a record file like any other (see ``records``), and is not written again.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from mateprobe import strict_json
from mateprobe.canonical import canonical_bytes
from mateprobe.errors import EvidenceError
from mateprobe.pipeline.collection import KIND
from mateprobe.records import VERSION, read_records

Data = Mapping[str, Any]


@contextmanager
def opened(path: Path, manifest_sha256: str) -> Iterator[Journal]:
    """Yield the journal at ``path``, new or as an earlier run left it, for this process alone.

    Raises:
        EvidenceError: another process has it open, it belongs to another manifest, or it was edited.
    """
    with path.open("a+b") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EvidenceError(f"{path}: another process is capturing into it; wait for its end") from None
        yield Journal(path, stream, manifest_sha256)


class Journal:
    """Who was asked, and how it ended.

    Attributes:
        asked: ids of the attempts whose request was sent, or was about to be.
        ended: how each attempt ended, by id; one that was asked and has not ended was interrupted.
    """

    def __init__(self, path: Path, stream: IO[bytes], manifest_sha256: str) -> None:
        self._path, self._stream = path, stream
        self.asked: set[str] = set()
        self.ended: dict[str, str] = {}
        self._sealed = False
        header = {"format": f"mateprobe.{KIND}", "version": VERSION, "manifest_sha256": manifest_sha256}
        lines = self._whole_lines()
        if not lines:
            self._append(header)
        elif lines[0] != canonical_bytes(header):
            raise EvidenceError(f"{path}, line 1: expected {header}, found {lines[0][:200]!r}; name another folder")
        for number, line in enumerate(lines[1:], 2):
            self._recall(number, line)

    def ask(self, id: str, request: Data, *, reset: bool) -> None:
        """Record that an attempt is about to be made."""
        self._append({"attempt": id, "request": request, "reset": reset})
        self.asked.add(id)

    def end(self, id: str, ended: str, response: Any = None, seconds: float | None = None) -> None:
        """Record how an attempt ended: the response, or text that says what came instead of one."""
        self._append({"attempt": id, "ended": ended, "response": response, "seconds": seconds})
        self.ended[id] = ended

    def seal(self) -> None:
        """Write the closing line, unless it is there."""
        if not self._sealed:
            self._stream.seek(0)
            data = self._stream.read()
            self._append({"end": data.count(b"\n") - 1, "sha256": hashlib.sha256(data).hexdigest()})
            self._sealed = True

    def _append(self, row: Data) -> None:
        self._stream.write(canonical_bytes(row) + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def _whole_lines(self) -> list[bytes]:
        """Return the lines that are there; what a crash left of one goes, since nothing was done yet on its account."""
        self._stream.seek(0)
        data = self._stream.read()
        whole = data.rfind(b"\n") + 1
        self._stream.truncate(whole)
        return data[:whole].split(b"\n")[:-1]

    def _recall(self, number: int, line: bytes) -> None:
        row = strict_json.loads(line, f"{self._path}, line {number}")
        match row:
            case {"end": _, "sha256": _}:
                list(read_records(self._path, KIND, strict=True))  # raises unless this is the last line, and true
                self._sealed = True
            case {"attempt": str(id), "request": _}:
                self.asked.add(id)
            case {"attempt": str(id), "ended": str(ended)} if id in self.asked:
                self.ended[id] = ended
            case _:
                raise EvidenceError(f"{self._path}, line {number}: expected an attempt, found {line[:200]!r}")
