"""Published archives: found or fetched, checked against their pin, opened with suspicion.

An archive is taken from the store, from ``MATEPROBE_ARCHIVES`` (the file, or a folder that holds it),
or by pip through the user's own configuration, in this order. Only pinned members leave it, each of
pinned size and hash, to paths that the pins name: names in the archive never become paths.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tarfile
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from mateprobe.errors import EvidenceError
from mateprobe.pipeline.files import writing
from mateprobe.pipeline.pins import Archive
from mateprobe.pipeline.store import Artifact, Store
from mateprobe.pipeline.tar_files import Unpacked, headers

PIP_SECONDS = 600
UNPACKED_LIMIT = 256 << 20  # bytes an archive may unpack to, whatever its headers announce
_PIN = "; archive and pins do not belong together: restore the pins file, or name the right archive"


@contextmanager
def obtained(archive: Archive, store: Store) -> Iterator[Path]:
    """Yield the path of the archive, its hash checked; the store has it from then on.

    Raises:
        EvidenceError: it is not to be had, or is another; says where it was looked for.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder, archive.file)
        if not store.fetch(archive.sha256, path):
            path = _local(archive) or _download(archive, Path(folder))
            found = Artifact.of(path)
            if found.sha256 != archive.sha256:
                raise EvidenceError(
                    f"{path}: expected sha256 {archive.sha256}, found {found.sha256}; it is not "
                    f"the published {archive.file}: remove it, or name the right one in MATEPROBE_ARCHIVES"
                )
            store.keep(path, found)
        yield path


def extract(path: Path, archive: Archive, targets: Mapping[str, Path]) -> None:
    """Write each pinned member of the archive at ``path`` to its target.

    Raises:
        EvidenceError: the archive is damaged, unpacks to more than ``UNPACKED_LIMIT`` bytes, or holds
            something a source archive does not (a link, a device, a name outside of its root, a name
            twice); or a pinned member is absent or has another size or hash.
    """
    wanted = {f"{archive.root}/{member}": member for member in archive.members}
    seen: set[str] = set()
    with gzip.open(path) as stream:
        source = Unpacked(archive.file, stream, UNPACKED_LIMIT, "a gzipped tar archive", _PIN)  # type: ignore[arg-type]
        for info in headers(source, extended=True):
            _check(archive, info, seen)
            seen.add(info.name)
            if member := wanted.pop(info.name, None):
                _take(archive, source, info, archive.members[member], targets[member])
            else:
                deque(source.content(info.size), maxlen=0)
    if wanted:
        raise EvidenceError(f"{archive.file}: expected member {min(wanted)}, found none so named{_PIN}")


def _local(archive: Archive) -> Path | None:
    """Return the archive that ``MATEPROBE_ARCHIVES`` names, if it names one."""
    named = os.environ.get("MATEPROBE_ARCHIVES")
    if not named:
        return None
    place = Path(named)
    if not place.exists():
        raise EvidenceError(f"MATEPROBE_ARCHIVES={named}: expected {archive.file} or its folder, found neither")
    candidate = place / archive.file if place.is_dir() else place  # a file is one archive of several
    return candidate if candidate.is_file() and candidate.name == archive.file else None


def _download(archive: Archive, folder: Path) -> Path:
    """Fetch the archive with pip, which checks the hash before it opens anything."""
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{archive.requirement} --hash=sha256:{archive.sha256}\n", "utf-8")
    # -P: a module in the working folder must not stand in for pip. No isolation: the build backend
    # that pip asks for the name and version is the one of our own lock file.
    command = [
        sys.executable,
        "-P",
        "-m",
        "pip",
        "download",
        "--no-input",
        "--no-deps",
        "--no-binary",
        ":all:",
    ]
    command += ["--no-build-isolation", "--require-hashes", "-r", str(requirements), "-d", str(folder)]
    try:
        done = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PIP_SECONDS,
            encoding="utf-8",
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        raise _not_fetched(archive, f"pip took longer than {PIP_SECONDS} s") from None
    found = folder / archive.file
    if done.returncode or not found.is_file():
        last = "\n    ".join(done.stdout.strip().splitlines()[-12:])
        raise _not_fetched(archive, f"pip ended with status {done.returncode}:\n    {last}\n")
    return found


def _not_fetched(archive: Archive, why: str) -> EvidenceError:
    return EvidenceError(
        f"{archive.file}: expected the archive with sha256 {archive.sha256}, and could not fetch it: {why}"
        f" Check the network and pip's configuration (pip config list), or put {archive.file} into a folder "
        "and name the folder in MATEPROBE_ARCHIVES."
    )


def _check(archive: Archive, info: tarfile.TarInfo, seen: set[str]) -> None:
    parts = PurePosixPath(info.name).parts
    if parts[:1] != (archive.root,) or ".." in parts or "\\" in info.name:
        raise EvidenceError(f"{archive.file}: expected members below {archive.root}/, found {info.name!r}{_PIN}")
    if info.name in seen:
        raise EvidenceError(f"{archive.file}: expected each member once, found {info.name!r} twice{_PIN}")


def _take(archive: Archive, source: Unpacked, info: tarfile.TarInfo, pinned: Artifact, target: Path) -> None:
    where = f"{archive.file}: member {info.name}"
    if info.size != pinned.bytes or info.isdir():
        raise EvidenceError(f"{where}: expected {pinned.bytes:,} bytes, found {info.size:,}{_PIN}")
    with writing(target) as sink:
        for block in source.content(info.size):
            sink.write(block)
        if (sink.sha256, sink.size) != (pinned.sha256, pinned.bytes):
            raise EvidenceError(f"{where}: expected sha256 {pinned.sha256}, found {sink.sha256}{_PIN}")
