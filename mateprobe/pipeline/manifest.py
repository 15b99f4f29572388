"""Stage ``manifest``: every artifact of a study with its hash, and the hashes of what it was made from.

A study may have a protocol, which says beforehand what is asked and what is not claimed. It stands here too, with its
hash and every deviation, if it is the one that the cases, and so all observations, were made under.

Each stage left a receipt. Here the receipts are held against the files on disk and against each
other: an input must be an output of another stage, with the same hash, back to what is pinned.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from mateprobe.canonical import canonical_bytes
from mateprobe.errors import EvidenceError
from mateprobe.pipeline.files import sha256_file, write_bytes
from mateprobe.pipeline.section import RESULTS, add_section, parse_section
from mateprobe.pipeline.stage import Receipt, read_receipt
from mateprobe.pipeline.study_protocol import protocol_input, read_protocol

FORMAT = "mateprobe.manifest"
VERSION = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    add_section(parser)
    parser.add_argument("--receipts", nargs="+", type=Path, required=True, help="the receipts of the study's stages")


def run(args: argparse.Namespace) -> int:
    """Write ``results/STUDY/manifest.json``; return 0.

    Raises:
        EvidenceError: an artifact is not what its receipt says, or not made from what is there.
        StudyError: the protocol was changed, and the change is not listed.
    """
    study = parse_section(args.section)["study"]
    receipts = [read_receipt(path) for path in sorted(args.receipts)]
    expect_chain(receipts)
    expect_protocol(study, receipts)
    write_bytes(RESULTS / study / "manifest.json", manifest_bytes(study, receipts))
    return 0


def manifest_bytes(study: str, receipts: Iterable[Receipt]) -> bytes:
    """Return the manifest of a study with these receipts, among which may be others'."""
    prefix = f"{(RESULTS / study).as_posix()}/"
    content = {
        "format": FORMAT,
        "version": VERSION,
        "study": study,
        "protocol": read_protocol(study),
        "artifacts": [artifact for artifact in artifacts(receipts) if artifact["path"].startswith(prefix)],
    }
    return canonical_bytes(content) + b"\n"


def expect_protocol(study: str, receipts: Iterable[Receipt]) -> None:
    """Hold the protocol of a study against the receipt of its cases, which every observation depends on.

    Raises:
        EvidenceError: they were made without it, or under another one.
    """
    read = {path: sha256 for receipt in receipts if receipt.stage == "cases" for path, sha256 in receipt.inputs.items()}
    for name, path in protocol_input(study).items():
        if read.get(name) != sha256_file(path):
            how = "under another text of it" if name in read else "without it"
            raise EvidenceError(f"{name}: the cases of {study!r} were made {how}; run from the stage cases on again")


def expect_chain(receipts: Sequence[Receipt]) -> None:
    """Hold receipts against the disk and against each other.

    Raises:
        EvidenceError: a file on disk differs from its receipt, or an input from its maker's output.
    """
    made = {path: output.sha256 for receipt in receipts for path, output in receipt.outputs.items()}
    for path, sha256 in made.items():
        _expect(path, sha256, sha256_file(Path(path)) if Path(path).is_file() else None, "on disk")
    for receipt in receipts:
        for path, sha256 in receipt.inputs.items():
            _expect(path, sha256, made.get(path, sha256), f"made, but {receipt.stage} read another")


def artifacts(receipts: Iterable[Receipt]) -> list[dict[str, Any]]:
    """Return path, sha256, bytes, rule, code, params and input hashes of every artifact, by path."""
    listed = [
        {
            "path": path,
            "sha256": output.sha256,
            "bytes": output.bytes,
            "rule": receipt.stage,
            "code": receipt.code,
            "params": receipt.params,
            "inputs": dict(receipt.inputs),
        }
        for receipt in receipts
        for path, output in receipt.outputs.items()
    ]
    return sorted(listed, key=lambda artifact: str(artifact["path"]))


def _expect(path: str, expected: str, found: str | None, how: str) -> None:
    if found != expected:
        raise EvidenceError(
            f"{path}: expected sha256 {expected}, found {found or 'no file'} {how}; remove it and run again"
        )
