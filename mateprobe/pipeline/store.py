"""A content-addressed store: bytes under their own hash, and what came of a stage under its key.

    .cache/blobs/ab/SHA256         the bytes
    .cache/actions/ab/KEY.json     {"outputs": {name: {"bytes", "sha256"}}, "stage"}

``MATEPROBE_CACHE`` names another folder, to share it between clones, runs and nodes. Nothing in it is
believed: bytes are hashed again while they are copied out, and never linked.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.canonical import canonical_bytes
from mateprobe.errors import EvidenceError, InvalidValue
from mateprobe.pipeline.files import copy_blocks, sha256_file, write_bytes, writing

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Artifact:
    """The identity of a file: the SHA-256 of its content in lower-case hex, and its size in bytes."""

    sha256: str
    bytes: int

    @classmethod
    def of(cls, path: Path) -> Artifact:
        """Return the artifact at ``path``."""
        return cls(sha256_file(path), path.stat().st_size)

    @classmethod
    def read(cls, value: Any) -> Artifact:
        """Return the artifact that JSON describes.

        Raises:
            InvalidValue: it describes none.
        """
        match value:
            case {"sha256": sha256, "bytes": size, **more} if is_sha256(sha256) and type(size) is int and not more:
                return cls(sha256, size)
        raise InvalidValue(f"expected sha256 and bytes, found {value!r:.120}")


def is_sha256(value: object) -> bool:
    """Tell a SHA-256 in lower-case hex."""
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


class Store:
    """A content-addressed folder; several processes may use it at once.

    A store that cannot be read or written costs time, not results: it says so on standard error and
    everything is made again.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or Path(os.environ.get("MATEPROBE_CACHE") or ".cache")

    def keep(self, path: Path, artifact: Artifact) -> bool:
        """Keep the bytes of the file at ``path``; return whether the store has them now.

        Raises:
            EvidenceError: the file has changed and is no longer ``artifact``.
        """
        blob = self._place("blobs", artifact.sha256)
        try:
            if blob.is_file() and blob.stat().st_size == artifact.bytes:
                return True
            with path.open("rb") as source, writing(blob) as sink:
                copy_blocks(source, sink)
                if sink.sha256 != artifact.sha256:
                    raise EvidenceError(
                        f"{path}: expected sha256 {artifact.sha256}, found {sink.sha256}: "
                        "it changed while it was stored; run again"
                    )
        except OSError as error:
            _warn(f"cannot keep {path.name}: {error}")
            return False
        return True

    def fetch(self, sha256: str, target: Path) -> bool:
        """Write the bytes with that hash to ``target``; return False if the store does not have them.

        A blob whose bytes are others is removed, and ``target`` is not touched.
        """
        blob = self._place("blobs", sha256)
        try:
            source = blob.open("rb")
        except FileNotFoundError:
            return False
        except OSError as error:
            _warn(f"cannot read {blob}: {error}")
            return False
        try:
            with source, writing(target) as sink:
                copy_blocks(source, sink)
                if sink.sha256 != sha256:
                    raise _Spoiled(f"{blob}: expected sha256 {sha256}, found {sink.sha256}; removed")
        except _Spoiled as error:
            _discard(blob, str(error))
            return False
        return True

    def blob(self, sha256: str) -> Path | None:
        """Return where the bytes with this hash are kept, if they are; whether they are still these is not checked."""
        path = self._place("blobs", sha256)
        return path if path.is_file() else None

    def remember(self, key: str, stage: str, outputs: Mapping[str, Artifact]) -> None:
        """Remember what ``stage`` made under ``key``."""
        try:
            write_bytes(self._place("actions", key, ".json"), canonical_bytes({"stage": stage, "outputs": outputs}))
        except OSError as error:
            _warn(f"cannot remember {stage}: {error}")

    def recall(self, key: str) -> dict[str, Artifact] | None:
        """Return the outputs remembered under ``key``, by name; None if there are none to be used."""
        action = self._place("actions", key, ".json")
        try:
            return _outputs(strict_json.load(action), action)
        except FileNotFoundError:
            return None
        except OSError as error:
            _warn(f"cannot read {action}: {error}")
        except InvalidValue as error:
            _discard(action, f"{error}; removed")
        return None

    def _place(self, kind: str, sha256: str, suffix: str = "") -> Path:
        if not is_sha256(sha256):  # it becomes a path
            raise InvalidValue(f"sha256={sha256!r}; expected 64 lower-case hex digits")
        return self.root / kind / sha256[:2] / f"{sha256}{suffix}"


class _Spoiled(Exception):
    """A blob holds other bytes than its name says."""


def _outputs(value: Any, action: Path) -> dict[str, Artifact]:
    try:
        return {name: Artifact.read(artifact) for name, artifact in value["outputs"].items()}
    except (TypeError, KeyError, AttributeError):
        raise InvalidValue(f"{action}: expected outputs, found {value!r:.80}") from None
    except InvalidValue as error:
        raise InvalidValue(f"{action}: {error}") from None


def _discard(path: Path, why: str) -> None:
    _warn(why)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        _warn(f"cannot remove {path}: {error}")


def _warn(message: str) -> None:
    print(f"store: {message}", file=sys.stderr)
