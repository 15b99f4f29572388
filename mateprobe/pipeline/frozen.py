"""Frozen observations: what programs answered once, kept to be held against and to stand in for them.

An observation file says in its header what it was made from: the locks, adapters and scripts by hash.
While these are the same, a frozen file is what a fresh run would give, byte for byte; where a package
cannot be fetched it takes the run's place, and says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mateprobe.errors import StageError
from mateprobe.records import read_records

FROZEN = Path("studies/_frozen")


def frozen_path(study: str, part: str) -> Path:
    """Return where the frozen observations of a validator (or of a shard of it) lie."""
    return FROZEN / study / f"{part}.jsonl"


def frozen_rows(path: Path, made_from: Mapping[str, str]) -> dict[str, dict[str, Any]] | None:
    """Return frozen observations by sample, or None if there are none made from the same files.

    Raises:
        EvidenceError: the file is damaged.
    """
    if not path.is_file():
        return None
    frozen = read_records(path, "observations", strict=True)
    if frozen.header.get("made_from") != made_from:
        return None
    return {row["sample"]: row for row in frozen}


def replayed(frozen: Mapping[str, dict[str, Any]], samples: Iterable[str], path: Path) -> Iterator[dict[str, Any]]:
    """Yield the frozen observation of every sample, in the order of the samples.

    Raises:
        StageError: one is about other samples than were frozen.
    """
    for sample in samples:
        if sample not in frozen:
            raise StageError(f"{path}: no observation of sample {sample}; run with FRESH=1 and freeze anew")
        yield frozen[sample]


def compared(lines: Iterable[bytes], frozen: Mapping[str, dict[str, Any]], path: Path) -> Iterator[bytes]:
    """Yield the lines of fresh observations; at their end, hold them against the frozen ones.

    Raises:
        StageError: a program answered otherwise than before; names each sample.
    """
    differences = []
    for line in lines:
        yield line
        row = json.loads(line)
        known = frozen.get(row["sample"])
        if known is not None and known != row:
            differences.append(f"sample {row['sample'][:12]}…: frozen {_said(known)}, fresh {_said(row)}")
    if differences:
        listed = "\n  ".join(differences)
        raise StageError(f"{path}: {len(differences)} observations differ from the frozen ones:\n  {listed}")


def _said(row: Mapping[str, Any]) -> str:
    if row["error"] is not None:
        return f"error {row['error']!r}"
    return f"{'accepted' if row['accepted'] else 'rejected'} {row['violations']}"
