"""Golden hashes: what a study's artifacts are known to be, in files that ``sha256sum -c`` reads.

``studies/_frozen/STUDY.sha256`` lists every artifact of a study that depends on its inputs alone.
Manifests and receipts also say which code made them, so an edit changes them: they are held against
what is on disk (see ``verify``), not against a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from mateprobe.errors import EvidenceError
from mateprobe.pipeline.files import sha256_file, write_bytes
from mateprobe.pipeline.frozen import FROZEN
from mateprobe.pipeline.store import Store

_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")


def golden_path(name: str) -> Path:
    """Return where the golden hashes of a study, or of ``report``, are."""
    return FROZEN / f"{name}.sha256"


def read_golden(name: str) -> dict[str, str]:
    """Return the golden hashes by path; none where nothing has been frozen.

    Raises:
        EvidenceError: a line that is none of ``sha256sum``; names file and line.
    """
    path = golden_path(name)
    if not path.is_file():
        return {}
    hashes: dict[str, str] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        match = _LINE.fullmatch(line)
        if match is None or match[2] in hashes:
            raise EvidenceError(
                f"{path}, line {number}: expected a hash and a path, each path once, found {line!r:.120}"
            )
        hashes[match[2]] = match[1]
    return hashes


def write_golden(name: str, hashes: Mapping[str, str]) -> None:
    """Write golden hashes, sorted by path."""
    lines = [f"{sha256}  {path}\n" for path, sha256 in sorted(hashes.items())]
    write_bytes(golden_path(name), "".join(lines).encode())


def on_disk(paths: Iterable[str]) -> dict[str, str]:
    """Return the hashes of the files among ``paths`` that exist."""
    return {path: sha256_file(Path(path)) for path in sorted(set(paths)) if Path(path).is_file()}


def differences(expected: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Return a line for every path that is missing, extra or changed; for a text, where it begins to differ."""
    lines = []
    for path in sorted(expected.keys() | found.keys()):
        old, new = expected.get(path), found.get(path)
        if new is None:
            lines.append(f"{path}: missing; expected sha256 {old}")
        elif old is None:
            lines.append(f"{path}: extra; sha256 {new} is in no list")
        elif old != new:
            lines.append(f"{path}: changed; expected sha256 {old}, found {new}{_first_difference(path, old)}")
    return lines


def _first_difference(path: str, expected: str) -> str:
    """Return where a text differs from what the store still has under the expected hash."""
    blob = Store().blob(expected)
    try:
        if blob is None or sha256_file(blob) != expected:
            return ""
        old, new = blob.read_text("utf-8").splitlines(), Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    for number, (left, right) in enumerate(zip([*old, "(end)"], [*new, "(end)"], strict=False), 1):
        if left != right:
            at = next(
                (i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
            )
            start = max(0, at - 30)
            return f"\n    line {number}: expected …{left[start : at + 50]!r}, found …{right[start : at + 50]!r}"
    return ""
