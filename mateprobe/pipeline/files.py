"""Whole files or none: the one writer behind every artifact.

A file is written beside its place under a name that begins with ``PARTIAL``, synced and renamed, so
a reader sees the old bytes or the new ones and never a part. Whoever writes holds a lock on the
partial file for as long as it lives: the next writer in the folder can tell what a killed run left
from what a live one is working on, and removes the former.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

PARTIAL = ".partial-"
BLOCK = 1 << 20


class HashingWriter:
    """A binary stream that knows the size in bytes and the SHA-256 of what went through it."""

    __slots__ = ("_hash", "_stream", "size")

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        """Write all of ``data`` and return its length."""
        self._stream.write(data)
        self._hash.update(data)
        self.size += len(data)
        return len(data)

    @property
    def sha256(self) -> str:
        """Lower-case hex SHA-256 of everything written so far."""
        return self._hash.hexdigest()


@contextmanager
def writing(path: Path) -> Iterator[HashingWriter]:
    """Yield a writer whose bytes become ``path`` at the end of the block, or never.

    Missing folders are made. If the block raises, the partial file goes and an old ``path`` stays
    as it was. A symbolic link at ``path`` is replaced by the file, not followed.

    Raises:
        OSError: the file system refused.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep(path.parent)
    partial, descriptor = _claim(path.parent, _new_file)
    try:
        with os.fdopen(descriptor, "wb") as stream:  # its closing gives up the lock, so all happens within
            yield HashingWriter(stream)
            stream.flush()
            publish(partial, path)
    except OSError as error:
        error.filename = error.filename or str(path)  # a full disk names no file
        raise
    finally:
        partial.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> str:
    """Write ``data`` to ``path``, whole or not at all, and return its SHA-256."""
    with writing(path) as writer:
        writer.write(data)
    return writer.sha256


def sha256_file(path: Path) -> str:
    """Return the lower-case hex SHA-256 of a file of any size."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def holds(path: Path, data: bytes) -> bool:
    """Tell whether a file holds exactly ``data``; one of another size is not read."""
    return path.stat().st_size == len(data) and path.read_bytes() == data


def copy_blocks(source: IO[bytes], writer: HashingWriter) -> None:
    """Copy the rest of ``source`` into ``writer``, a block at a time."""
    while block := source.read(BLOCK):
        writer.write(block)


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Yield an empty folder inside ``parent`` that is gone after the block, however it ends."""
    parent.mkdir(parents=True, exist_ok=True)
    sweep(parent)
    folder, descriptor = _claim(parent, _new_folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def publish(partial: Path, path: Path) -> None:
    """Sync ``partial`` to disk and rename it to ``path`` on the same file system."""
    _sync(partial)
    partial.replace(path)
    with suppress(OSError):  # some file systems cannot sync a folder; the rename is atomic all the same
        _sync(path.parent)


def sweep(folder: Path) -> None:
    """Remove what killed runs left half-written in ``folder``; what a live writer holds stays."""
    with os.scandir(folder) as entries:
        leavings = [Path(entry.path) for entry in entries if entry.name.startswith(PARTIAL)]
    for path in leavings:
        with suppress(OSError):  # it is held, or its writer has just finished
            descriptor = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            finally:
                os.close(descriptor)


def _claim(folder: Path, create: Callable[[Path], int]) -> tuple[Path, int]:
    """Create something partial in ``folder`` and lock it; return its path and open descriptor."""
    while True:
        path = folder / f"{PARTIAL}{secrets.token_hex(8)}"
        with suppress(FileNotFoundError):  # a sweep came between creating and locking: once more
            descriptor = create(path)
            with suppress(OSError):  # a file system without locks: then no sweep removes anything there
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if path.exists():
                return path, descriptor
            os.close(descriptor)


def _new_file(path: Path) -> int:
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)  # less the umask, as open() would


def _new_folder(path: Path) -> int:
    path.mkdir()
    return os.open(path, os.O_RDONLY)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
