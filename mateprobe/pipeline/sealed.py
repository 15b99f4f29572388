"""Sealed files: canonical JSON with its own digest, so that a receipt tells when a byte of it has changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.canonical import canonical_bytes, digest, plain
from mateprobe.errors import InvalidValue

SEAL = "seal"


def sealed(content: Mapping[str, Any]) -> bytes:
    """Return content as one line of canonical JSON, its digest under ``seal``."""
    data = plain(content)
    return canonical_bytes({**data, SEAL: digest(data)}) + b"\n"


def read_sealed(path: Path) -> dict[str, Any]:
    """Return the content of a file that ``sealed`` made, without its seal.

    Raises:
        OSError: the file cannot be read.
        InvalidValue: no JSON object, or other bytes than were sealed, or too many.
    """
    with path.open("rb") as stream:
        data = strict_json.within_limit(stream.read(strict_json.LIMIT + 1), str(path))
    content = strict_json.loads(data, str(path))
    if not isinstance(content, dict):
        raise InvalidValue(f"{type(content).__name__}, not an object")
    content.pop(SEAL, None)
    if sealed(content) != data:
        raise InvalidValue("other bytes than were sealed")
    return content
