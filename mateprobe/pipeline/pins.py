"""Pins files: which published archives there are, which members are taken out of each, and where they go."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from mateprobe.errors import StudyError, one_of
from mateprobe.pipeline.store import Artifact
from mateprobe.pipeline.yaml_file import YamlFile, read_yaml

FOLDER = Path("studies/_frozen")
"""Where pins files lie: every YAML file there is one."""

EVIDENCE = Path("results/evidence")
"""Below it, members go to the archive's own folder."""

_KEYS = {"archive", "requirement", "sha256", "root", "members"}
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Archive:
    """A pinned source archive of the Python package index.

    Attributes:
        file: its file name.
        requirement: ``NAME==VERSION``, for pip.
        sha256: lower-case hex SHA-256 of the archive.
        root: the folder inside that holds everything.
        members: the files to take, by their path below ``root``.
        folder: where they go, below ``EVIDENCE``; empty for right there.
    """

    file: str
    requirement: str
    sha256: str
    root: str
    members: Mapping[str, Artifact]
    folder: str = ""

    @property
    def files(self) -> dict[str, Path]:
        """Where each member goes."""
        return {member: EVIDENCE / self.folder / member for member in self.members}

    @property
    def receipt(self) -> Path:
        """Where the receipt of its extraction goes."""
        return EVIDENCE / self.folder / "receipt.json"


def load_archives(folder: Path = FOLDER) -> dict[str, Archive]:
    """Return every pinned archive, by the stem of its pins file.

    Raises:
        StudyError: as ``load_pins``; or two archives go to one folder.
    """
    archives = {path.stem: load_pins(path) for path in sorted(folder.glob("*.yaml"))}
    owners: dict[str, str] = {}
    for name, archive in archives.items():
        if (owner := owners.setdefault(archive.folder, name)) != name:
            path = folder / f"{name}.yaml"
            raise StudyError(f"{path}: folder: {archive.folder!r} is that of {owner}.yaml; choose another")
    return archives


def archive_named(name: str, folder: Path = FOLDER) -> Archive:
    """Return the archive of one pins file.

    Raises:
        StudyError: there is no such file, or it cannot be used.
    """
    known = [path.stem for path in folder.glob("*.yaml")]
    if name not in known:
        raise StudyError(f"archive {name!r}: {one_of(name, known)}, a pins file in {folder}")
    return load_pins(folder / f"{name}.yaml")


def load_pins(path: Path) -> Archive:
    """Return the archive a pins file describes.

    Raises:
        StudyError: it cannot be read, or a key is missing, unknown or not what it should be; names
            file, line and key.
    """
    file = read_yaml(path)
    pins = file.content
    known = isinstance(pins, dict) and _KEYS <= pins.keys() <= _KEYS | {"folder"}
    _expect(file, (), pins, known, f"the keys {', '.join(sorted(_KEYS))} and, if wanted, folder")
    _expect(file, ("sha256",), pins["sha256"], _is_sha256(pins["sha256"]), "64 lower-case hex digits")
    for key in ("archive", "root", *({"folder"} & pins.keys())):
        _expect(file, (key,), pins[key], _is_below(pins[key]) and "/" not in pins[key], "one plain file name")
    requirement = pins["requirement"]
    pinned = isinstance(requirement, str) and re.fullmatch(r"[\w.-]+==[\w.!+]+", requirement, re.ASCII)
    _expect(file, ("requirement",), requirement, pinned, "NAME==VERSION")
    _expect(file, ("members",), pins["members"], isinstance(pins["members"], dict), "a mapping of members")
    members = {name: _member(file, name, pin) for name, pin in pins["members"].items()}
    return Archive(pins["archive"], requirement, pins["sha256"], pins["root"], members, pins.get("folder", ""))


def _member(file: YamlFile, name: str, pin: Any) -> Artifact:
    key = ("members", name)
    _expect(file, key, name, _is_below(name), "a relative path without ..")
    _expect(file, key, pin, isinstance(pin, dict) and pin.keys() == {"bytes", "sha256"}, "the keys bytes, sha256")
    size, sha256 = pin["bytes"], pin["sha256"]
    _expect(file, (*key, "bytes"), size, type(size) is int and size >= 0, "a size in bytes")
    _expect(file, (*key, "sha256"), sha256, _is_sha256(sha256), "64 lower-case hex digits")
    return Artifact(sha256, size)


def _expect(file: YamlFile, key: tuple[str, ...], value: Any, holds: object, expected: str) -> None:
    if not holds:
        raise StudyError(f"{file.where(key)}: expected {expected}, found {value!r:.100}")


def _is_sha256(value: Any) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _is_below(value: Any) -> bool:
    """Tell a relative, normalised path that stays below where it is joined."""
    if not isinstance(value, str) or not value or "\\" in value or "\0" in value:
        return False
    path = PurePosixPath(value)
    return not path.is_absolute() and ".." not in path.parts and path.as_posix() == value and value != "."
