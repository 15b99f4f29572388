"""The chain from what is pinned to the last table: what is on disk, held against the receipts of the stages.

A receipt holds if it is whole, speaks of the artifacts its stage makes, and these and all they were made
from are on disk with the hashes it names. One that does not hold must not be where a run would take it at
its word: without it, the next run makes its stage again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mateprobe.errors import EvidenceError, InvalidValue, StudyError
from mateprobe.pipeline.environments import lock_path
from mateprobe.pipeline.files import holds, sha256_file
from mateprobe.pipeline.golden import told
from mateprobe.pipeline.made import Made
from mateprobe.pipeline.manifest import manifest_bytes
from mateprobe.pipeline.pins import Archive
from mateprobe.pipeline.sealed import read_sealed
from mateprobe.pipeline.stage import OUTSIDE, Receipt, read_receipt


@dataclass(frozen=True, slots=True)
class Difference:
    """Something on disk that is not what it should be.

    Attributes:
        told: what it is, for people.
        untrue: what cannot be taken at its word any more: a receipt, a manifest, or nothing.
    """

    told: str
    untrue: Path | None = None


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

    def present(self, paths: Iterable[Path]) -> dict[str, str]:
        """Return the hashes of those files that there are."""
        hashes = {path.as_posix(): self.sha256(path.as_posix()) for path in paths}
        return {path: sha256 for path, sha256 in hashes.items() if sha256 is not None}


def differences(made: Made, archives: Iterable[Archive], disk: Disk) -> Iterator[Difference]:
    """Yield what is wrong with receipts and what they speak of, with manifests and environments."""
    receipts: dict[Path, Receipt] = {}
    for path in made.receipts:
        try:
            receipts[path] = read_receipt(path)
        except EvidenceError as error:
            yield Difference(str(error), path)
    vouched = {name: output.sha256 for receipt in receipts.values() for name, output in receipt.outputs.items()}
    for path, receipt in receipts.items():
        lines = [*_of_outputs(path, receipt, made.receipts[path], disk), *_of_inputs(receipt, vouched, disk)]
        yield from (Difference(line, path) for line in lines)
    for archive in archives:
        path, places = archive.receipt, archive.files
        pinned = {places[member].as_posix(): pin for member, pin in archive.members.items()}
        if path in receipts and receipts[path].outputs != pinned:
            yield Difference(f"{path}: changed; its members are not those pinned for {archive.file}", path)
    for path in made.manifests:
        yield from _of_manifest(path, receipts)
    for path in made.environments:
        yield from (Difference(line, path) for line in _of_environment(path, disk))


def _of_outputs(path: Path, receipt: Receipt, artifacts: Sequence[Path], disk: Disk) -> Iterator[str]:
    expected = {artifact.as_posix() for artifact in artifacts}
    if receipt.outputs.keys() != expected:
        yield f"{path}: changed; expected the receipt of {_listed(expected)}, found that of {_listed(receipt.outputs)}"
    for name, output in receipt.outputs.items():
        yield from told(name, output.sha256, disk.sha256(name))


def _of_inputs(receipt: Receipt, vouched: Mapping[str, str], disk: Disk) -> Iterator[str]:
    """Yield a line for each input that is another now; of an artifact that was changed, the line of its own receipt."""
    for name, sha256 in receipt.inputs.items():
        if name.startswith(OUTSIDE):
            continue
        found = disk.sha256(name)
        if sha256 == vouched.get(name):
            yield from told(name, sha256, found)
        elif found != sha256:
            what = "changed" if found else "missing"
            yield f"{name}: {what}; {_listed(receipt.outputs)} was made of sha256 {sha256}, found {found or 'no file'}"


def _of_manifest(path: Path, receipts: Mapping[Path, Receipt]) -> Iterator[Difference]:
    """Hold a manifest against the receipts beside it, as far as these can be read."""
    study = path.parent.name
    known = [receipt for place, receipt in receipts.items() if place.is_relative_to(path.parent)]
    if not path.is_file():
        yield Difference(f"{path}: missing")
        return
    try:
        expected = manifest_bytes(study, known)
    except StudyError as error:
        yield Difference(str(error), path)
        return
    if not holds(path, expected):
        yield Difference(f"{path}: changed; lists other than its study's receipts and protocol", path)


def _of_environment(path: Path, disk: Disk) -> Iterator[str]:
    try:
        found = read_sealed(path)
        name, lock = found["name"], found["lock"]
    except OSError:
        yield f"{path}: missing"
    except (InvalidValue, KeyError) as error:
        yield f"{path}: changed; expected the receipt of an environment, found {error}"
    else:
        locked = lock_path(path.stem).as_posix()
        if (name, lock) != (path.stem, disk.sha256(locked)):
            yield f"{path}: changed; expected that of {path.stem} and of {locked} as it is, found {name}, lock {lock}"


def _listed(paths: Iterable[str]) -> str:
    first, *more = sorted(paths) or ["nothing"]
    return f"{first} and {len(more)} more" if more else first
