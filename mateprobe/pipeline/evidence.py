"""Stage ``evidence``: the published data files, from their pinned archive into ``results/evidence``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from mateprobe.errors import StudyError
from mateprobe.pipeline.archive import Archive, extract, obtained
from mateprobe.pipeline.stage import Receipt, run_stage
from mateprobe.pipeline.store import Artifact, Store
from mateprobe.pipeline.yaml_file import YamlFile, read_yaml

PINS = Path("studies/_frozen/published.yaml")
FOLDER = Path("results/evidence")
_KEYS = {"archive", "requirement", "sha256", "root", "members"}
_SHA256 = re.compile(r"[0-9a-f]{64}")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    parser.add_argument("--pins", type=Path, default=PINS, help="which archive, which members (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where they go (default: %(default)s)")
    parser.add_argument("--receipt", type=Path, default=FOLDER / "receipt.json", help="default: %(default)s")


def run(args: argparse.Namespace) -> int:
    """Run the stage; return 0."""
    collect(args.pins, args.folder, args.receipt)
    return 0


def collect(pins: Path, folder: Path, receipt: Path, store: Store | None = None) -> Receipt:
    """Bring every pinned member below ``folder``; what has been there before comes back without network.

    Raises:
        StudyError: the pins cannot be used.
        EvidenceError: the archive or a member is absent or is another than pinned.
    """
    store = store or Store()
    archive = load_pins(pins)

    def make(partial: Mapping[str, Path]) -> None:
        with obtained(archive, store) as path:
            extract(path, archive, partial)

    return run_stage(
        "evidence",
        inputs={"pins": pins},
        params={},
        modules=[__name__],
        outputs={member: folder / member for member in archive.members},
        make=make,
        receipt=receipt,
        pinned=archive.members,
        store=store,
    )


def load_pins(path: Path) -> Archive:
    """Return the archive a pins file describes.

    Raises:
        StudyError: it cannot be read, or a key is missing, unknown or not what it should be; names
            file, line and key.
    """
    file = read_yaml(path)
    pins = file.content
    _expect(file, (), pins, isinstance(pins, dict) and pins.keys() == _KEYS, f"the keys {', '.join(sorted(_KEYS))}")
    _expect(file, ("sha256",), pins["sha256"], _is_sha256(pins["sha256"]), "64 lower-case hex digits")
    for key in ("archive", "root"):
        _expect(file, (key,), pins[key], _is_below(pins[key]) and "/" not in pins[key], "one plain file name")
    requirement = pins["requirement"]
    pinned = isinstance(requirement, str) and re.fullmatch(r"[\w.-]+==[\w.!+]+", requirement, re.ASCII)
    _expect(file, ("requirement",), requirement, pinned, "NAME==VERSION")
    _expect(file, ("members",), pins["members"], isinstance(pins["members"], dict), "a mapping of members")
    members = {name: _member(file, name, pin) for name, pin in pins["members"].items()}
    return Archive(pins["archive"], requirement, pins["sha256"], pins["root"], members)


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
