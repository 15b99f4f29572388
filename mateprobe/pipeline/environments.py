"""Environments of audited packages: locked by hash, built below the cache, named by what is in them.

A validator lists requirements, the release it is about first. ``lock`` turns them into a lock file, whose
hashes decide what may be installed; a release nobody can install has a lock that says why.
``obtained`` builds what a lock names, beside and renamed, once for all who name the same.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mateprobe.canonical import digest
from mateprobe.errors import EvidenceError
from mateprobe.pipeline.files import scratch, sha256_file
from mateprobe.pipeline.sealed import sealed
from mateprobe.pipeline.store import Store
from mateprobe.pipeline.uv import Ran, uv
from mateprobe.strict_json import load

LOCKS = Path("studies/_locks")
PYTHON = "3.11"
"""The Python of every environment, whatever runs the pipeline: what is observed may depend on it."""

UNAVAILABLE = "# unavailable: "
RECEIPT = "environment.json"


def environment_name(requirements: Sequence[str]) -> str:
    """Return the name of the environment with these requirements: the first one's, and a digest of all."""
    release = re.sub(r"[^a-z0-9.]+", "-", requirements[0].lower()).strip("-.")
    return f"{release}-{digest([*requirements])[:8]}"


def lock_path(name: str) -> Path:
    """Return where the lock of an environment lies."""
    return LOCKS / f"{name}.txt"


def locked_out(lock: Path) -> str | None:
    """Return why a lock says that its release cannot be had, or None.

    Raises:
        EvidenceError: there is no lock.
    """
    try:
        text = lock.read_text("utf-8")
    except FileNotFoundError:
        raise EvidenceError(
            f"{lock}: expected a lock file, found none; make it with `python -m mateprobe.pipeline lock STUDY`"
        ) from None
    return text.removeprefix(UNAVAILABLE).strip() if text.startswith(UNAVAILABLE) else None


@dataclass(frozen=True, slots=True)
class Environment:
    """What became of a lock.

    Attributes:
        name: the environment's name.
        lock: SHA-256 of the lock file.
        python: version of its Python.
        platform: what compiled packages were chosen for.
        distributions: SHA-256 of the RECORD of every installed distribution, by NAME-VERSION. A
            RECORD lists each installed file with its hash.
        unavailable: why it could not be made, or None.
        away: the reason lies here, not with the package: no network, no such Python.
        folder: where it is, if it is anywhere; no part of its identity.
    """

    name: str
    lock: str
    python: str = ""
    platform: str = ""
    distributions: dict[str, str] = field(default_factory=dict)
    unavailable: str | None = None
    away: bool = False
    folder: Path | None = field(default=None, compare=False)

    @property
    def interpreter(self) -> Path:
        """The environment's Python."""
        return (self.folder or Path()).absolute() / "bin" / "python"

    def content(self) -> bytes:
        """Return the environment as sealed JSON; the same wherever the same was installed."""
        fields = {name: getattr(self, name) for name in _FIELDS}
        return sealed({"format": "mateprobe.environment", "version": 2, **fields})


_FIELDS = ("name", "lock", "python", "platform", "distributions", "unavailable", "away")


def obtained(name: str, *, anew: bool = False) -> Environment:
    """Return the environment of a lock: found intact (unless wanted ``anew``), or built now, or why not.

    Raises:
        EvidenceError: there is no lock.
    """
    lock = lock_path(name)
    reason = locked_out(lock)
    missing = Environment(name, sha256_file(lock), unavailable=reason)
    if reason:
        return missing
    python, version = _python()
    if not version:
        return _without(missing, f"there is no Python {PYTHON} here", away=True)
    system = f"{sys.platform}-{platform.machine()}"
    folder = Store().root / "environments" / digest([missing.lock, version, system])
    found = None if anew else _intact(folder, name)
    if found is None:
        shutil.rmtree(folder, ignore_errors=True)
        wanted = Environment(name, missing.lock, version, system)
        found = _built(wanted, python, lock, folder)
    return found


def _python() -> tuple[str, str]:
    """Return an interpreter of the wanted version and its full version, which is empty if there is none."""
    if sys.version_info[:2] == tuple(map(int, PYTHON.split("."))):
        return sys.executable, platform.python_version()
    path = shutil.which(f"python{PYTHON}")
    if path is None:
        return "", ""
    command = [path, "-I", "-c", "import platform; print(platform.python_version())"]
    return path, subprocess.run(command, check=False, capture_output=True, encoding="utf-8").stdout.strip()


def _built(wanted: Environment, python: str, lock: Path, folder: Path) -> Environment:
    """Build beside ``folder`` and rename; whoever builds the same at the same time may come first."""
    with scratch(folder.parent) as beside:
        new = beside / "new"
        made = uv("venv", "--relocatable", "--no-project", "--python", python, str(new))
        if made.well:
            made = uv("pip", "sync", "--require-hashes", "--python", str(new / "bin" / "python"), str(lock))
        if not made.well:
            print(f"{wanted.name}: {made.said}", file=sys.stderr)
            return _without(wanted, _reason(made), away=made.away)
        records = {path.parent.name.removesuffix(".dist-info"): sha256_file(path) for path in _records(new)}
        done = Environment(wanted.name, wanted.lock, wanted.python, wanted.platform, records, folder=folder)
        (new / RECEIPT).write_bytes(done.content())
        try:
            new.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    return done


def _without(wanted: Environment, reason: str, *, away: bool) -> Environment:
    return Environment(wanted.name, wanted.lock, wanted.python, wanted.platform, {}, reason, away)


_REASONS = {
    "hash mismatch": "a file of the index has another hash than the lock",
    "must have a hash": "the lock has no hash for a package",
    "was not found in the package registry": "the index does not have a package of the lock",
    "no version": "the index does not have a release of the lock",
    "no wheels": "there is no build of a package for this system",
    "failed to build": "a package could not be built",
    "build backend": "a package could not be built",
    "the start of a requirement": "the lock cannot be read",
}


def _reason(ran: Ran) -> str:
    """Return why an installation failed, in words that do not depend on the machine."""
    if ran.away:
        return "the packages cannot be fetched here"
    return next((reason for sign, reason in _REASONS.items() if sign in ran.said.lower()), "uv could not install it")


def _records(folder: Path) -> list[Path]:
    return sorted(folder.glob("lib/python*/site-packages/*.dist-info/RECORD"))


def _intact(folder: Path, name: str) -> Environment | None:
    """Return the environment in ``folder`` if every file in it has the hash it was installed with."""
    try:
        content = load(folder / RECEIPT)
        found = Environment(**{key: content[key] for key in _FIELDS if key != "name"}, name=name, folder=folder)
        records = {path.parent.name.removesuffix(".dist-info"): path for path in _records(folder)}
        same = {key: sha256_file(path) for key, path in records.items()} == found.distributions
        whole = same and all(ok for path in records.values() for ok in _files_as_recorded(path))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if whole else None


def _files_as_recorded(record: Path) -> Iterator[bool]:
    with record.open(encoding="utf-8", newline="") as stream:
        for name, known, _ in csv.reader(stream):
            if known:
                algorithm, _, expected = known.partition("=")
                actual = hashlib.new(algorithm, (record.parent.parent / name).read_bytes()).digest()
                yield base64.urlsafe_b64encode(actual).rstrip(b"=").decode() == expected
