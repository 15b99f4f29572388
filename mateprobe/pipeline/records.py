"""Record files, as ``mateprobe.records`` describes them, written whole into folders of results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mateprobe.pipeline.files import writing
from mateprobe.records import record_lines

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def write_records(
    path: Path, kind: str, rows: Iterable[Mapping[str, Any] | bytes], header: Mapping[str, Any] = _NOTHING
) -> tuple[int, str]:
    """Write ``rows`` to a record file, whole or not at all; return their number and the file's SHA-256.

    Args:
        path: the file; missing folders are made.
        kind: what a record is, such as ``cases``.
        rows: JSON objects, or their canonical bytes, which are believed; consumed one at a time.
        header: more fields for the first line.

    Raises:
        InvalidType, InvalidValue: as ``record_lines``.
    """
    count = -2  # neither the header nor the footer is a record
    with writing(path) as writer:
        for line in record_lines(kind, rows, header, where=str(path)):
            writer.write(line)
            count += 1
    return count, writer.sha256
