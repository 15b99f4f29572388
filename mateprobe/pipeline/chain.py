"""The chain from what is pinned to the last table: what is on disk, held against the receipts of the stages.

A receipt holds if it is whole, speaks of the artifacts its stage makes, and these and all they were made
from are on disk with the hashes it names. One that does not hold is not to be left where a run would take
it at its word: without it, the next run makes its stage again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mateprobe.errors import EvidenceError, InvalidValue
from mateprobe.pipeline.environments import lock_path
from mateprobe.pipeline.files import sha256_file
from mateprobe.pipeline.golden import told
from mateprobe.pipeline.made import Made
from mateprobe.pipeline.manifest import manifest_bytes
from mateprobe.pipeline.pins import Archive
from mateprobe.pipeline.sealed import read_sealed
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.stage import Receipt, read_receipt


@dataclass(frozen=True, slots=True)
class Difference:
    """Something on disk that is not what it should be.

    Attributes:
        told: what it is, for people.
        receipt: what must not be taken at its word any more, if anything is: a receipt or a manifest.
    """

    told: str
    receipt: Path | None = None


@dataclass(frozen=True, slots=True)
class Disk:
    """The hashes of files, each read once."""

    known: dict[str, str | None] = field(default_factory=dict)

    def sha256(self, path: str) -> str | None:
        """Return the hash of a file, or None if it is absent."""
        if path not in self.known:
            place = Path(path)
            self.known[path] = sha256_file(place) if place.is_file() else None
        return self.known[path]


def differences(made: Made, archives: Iterable[Archive], disk: Disk) -> Iterator[Difference]:
    """Yield what is wrong with receipts, with what they speak of, with manifests and with environments."""
    receipts: dict[Path, Receipt] = {}
    for path, artifacts in made.receipts.items():
        try:
            receipts[path] = receipt = read_receipt(path)
        except EvidenceError as error:
            yield Difference(str(error), path)
            continue
        for line in _of_receipt(receipt, artifacts, disk):
            yield Difference(line.replace("RECEIPT", str(path)), path)
    for archive in archives:
        if archive.receipt in receipts:
            pinned = {archive.files[member].as_posix(): pin for member, pin in archive.members.items()}
            if receipts[archive.receipt].outputs != pinned:
                yield Difference(f"{archive.receipt}: its members are not those pinned for {archive.file}", archive.receipt)
    for path in made.manifests:
        yield from _of_manifest(path, receipts)
    for path in made.environments:
        yield from _of_environment(path, disk)


def _of_receipt(receipt: Receipt, artifacts: Sequence[Path], disk: Disk) -> Iterator[str]:
    expected = {path.as_posix() for path in artifacts}
    if receipt.outputs.keys() != expected:
        yield f"RECEIPT: expected the receipt of {', '.join(sorted(expected))}, found that of {', '.join(receipt.outputs)}"
    for path, artifact in receipt.outputs.items():
        yield from told(path, artifact.sha256, disk.sha256(path))
    for path, sha256 in receipt.inputs.items():
        now = disk.sha256(path)
        if now != sha256 and not (now is None and _lies_elsewhere(path)):
            what = f"now {now}" if now else "now it is missing"
            yield f"{path}: {receipt.stage} read sha256 {sha256}, {what}; {', '.join(artifacts_shown(artifacts))} is out of date"
