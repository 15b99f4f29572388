"""``verify``: read everything on disk again and hold it against its hashes. Nothing is made or changed.

What is checked: golden hashes (missing, extra, changed), every receipt against the files it speaks of
and against the receipts of what it was made from, manifests against the receipts, the evidence against
its pins. Touched times are no difference; one changed byte is.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from mateprobe import strict_json
from mateprobe.errors import EvidenceError, InvalidValue, MateProbeError
from mateprobe.pipeline.files import sha256_file
from mateprobe.pipeline.golden import differences, on_disk, read_golden
from mateprobe.pipeline.made import made
from mateprobe.pipeline.manifest import artifacts
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.stage import Receipt, read_receipt
from mateprobe.pipeline.studies import Study, load_studies

REPORT = "report"
"""The name under which tables and claims, which span studies, are frozen."""

MADE_BY_CODE = ("manifest.json",)
NOT_ARTIFACTS = frozenset({"receipts"})


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("only", nargs="*", metavar="study", help="studies to verify (default: all, and the report)")


def run(args: argparse.Namespace) -> int:
    """Verify; return 0, or 1 after a line for every difference.

    Raises:
        EvidenceError: there is nothing to verify.
    """
    studies = load_studies(only=args.only)
    if not any((RESULTS / id).is_dir() for id in studies):
        raise EvidenceError(f"{RESULTS}: expected the results of {', '.join(studies)}, found none; run make reproduce")
    checked, problems = 0, []
    for study in studies.values():
        files = golden_files(study)
        checked += len(files)
        problems += _golden(study.id, files)
    if not args.only:
        files = report_files()
        checked += len(files)
        problems += _golden(REPORT, files)
    receipts, unread = _receipts(studies.values())
    problems += unread
    checked += sum(len(receipt.outputs) for receipt in receipts)
    problems += [*_chain(receipts), *_manifests(studies.values(), receipts)]
    for line in dict.fromkeys(problems):
        sys.stdout.write(f"{line}\n")
    if problems:
        return 1
    sys.stdout.write(f"{checked} hashes verified: {len(studies)} studies, {len(receipts)} receipts, no difference\n")
    return 0


def golden_files(study: Study) -> dict[str, str]:
    """Return the hashes on disk of a study's artifacts that depend on its inputs alone."""
    folder = RESULTS / study.id
    paths = [path for path in made([study]) if path.is_relative_to(folder) and _frozen(path, folder)]
    return on_disk(path.as_posix() for path in paths)


def report_files() -> dict[str, str]:
    """Return the hashes on disk of the tables and the claims."""
    tables = [path for path in (RESULTS / "tables").glob("*.*") if path.is_file()]
    return on_disk(path.as_posix() for path in [*tables, RESULTS / "paper" / "claims.json"])


def _frozen(path: Path, folder: Path) -> bool:
    inside = path.relative_to(folder)
    return inside.name not in MADE_BY_CODE and inside.parts[0] not in NOT_ARTIFACTS


def _golden(name: str, found: dict[str, str]) -> list[str]:
    expected = read_golden(name)
    return differences(expected, found) if expected else []


def _receipts(studies: Iterable[Study]) -> tuple[list[Receipt], list[str]]:
    """Return the receipts on disk, and a line for each that cannot be read."""
    folders = [RESULTS / study.id / "receipts" for study in studies]
    folders += [RESULTS / name / "receipts" for name in ("tables", "figures", "paper", "environments")]
    paths = [path for folder in folders for path in sorted(folder.glob("*.json"))]
    paths += sorted((RESULTS / "evidence").glob("**/receipt*.json"))
    receipts, unread = [], []
    for path in paths:
        try:
            receipts.append(read_receipt(path))
        except EvidenceError as error:
            unread.append(str(error))
    return receipts, unread


def _chain(receipts: list[Receipt]) -> Iterator[str]:
    """Yield a line for every file that is not what a receipt says, and every input another than was made."""
    outputs = {path: output.sha256 for receipt in receipts for path, output in receipt.outputs.items()}
    yield from differences(outputs, on_disk(outputs))
    for receipt in receipts:
        for path, sha256 in receipt.inputs.items():
            current = outputs.get(path)
            if current is None and Path(path).is_file():
                current = sha256_file(Path(path))
            if current is not None and current != sha256:
                made_of = ", ".join(receipt.outputs)
                yield f"{path}: {receipt.stage} read sha256 {sha256}, now {current}; {made_of} is out of date"


def _manifests(studies: Iterable[Study], receipts: list[Receipt]) -> Iterator[str]:
    for study in studies:
        path = RESULTS / study.id / "manifest.json"
        try:
            listed = strict_json.load(path)["artifacts"]
            current = artifacts(receipts, f"{(RESULTS / study.id).as_posix()}/")
        except OSError:
            yield f"{path}: missing; the study was not finished"
        except (InvalidValue, KeyError, TypeError) as error:
            yield f"{path}: expected a manifest, found {error}"
        except MateProbeError as error:
            yield str(error)
        else:
            if listed != current:
                yield f"{path}: lists other artifacts or hashes than the receipts; run the workflow again"
