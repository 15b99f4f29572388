"""``verify``: read everything on disk again and hold it against its hashes. Nothing is made or changed.

Held together are the receipts, what they speak of and what that was made from, back to the pins; manifests;
environments and their locks; golden hashes; frozen answers and what was observed; the claims, computed
again. What is missing, extra or changed is named; touched times are no difference. Not looked at: logs,
benchmarks, and what a killed run left half-written, which no stage reads.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mateprobe.commands import dress, form
from mateprobe.errors import EvidenceError, MateProbeError
from mateprobe.pipeline import at_work, chain, golden
from mateprobe.pipeline.chain import Difference, Disk
from mateprobe.pipeline.claims import CLAIMS, FOLDER, Claims, claims_bytes, computed, load_claims
from mateprobe.pipeline.environment import receipt_path as environment_path
from mateprobe.pipeline.files import holds
from mateprobe.pipeline.frozen import FROZEN
from mateprobe.pipeline.golden import INDEX, REPORT, golden_path
from mateprobe.pipeline.made import Made, of_all, of_archives, unknown
from mateprobe.pipeline.pins import Archive, load_archives
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.studies import STUDIES, Study, load_studies
from mateprobe.reports.output import json_text
from mateprobe.visible import visible

_STATUS = """\
exit status:
  0  everything is as it should be
  1  something is missing, extra or changed; each is named
  2  there is nothing to verify, or it cannot be read
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments, and say what they are for."""
    dress(
        parser,
        form(
            "Hold everything on disk against its hashes: results, what they were made from, back to the pins.",
            "mateprobe verify",
            "mateprobe verify results/mateprobe-evidence.tar.bz2 --json",
            status=_STATUS,
        ),
    )
    parser.add_argument(
        "only",
        nargs="*",
        metavar="STUDY",
        help="studies to verify (default: all, and the report), or one evidence pack",
    )
    parser.add_argument("--json", action="store_true", help="write what is wrong, and how much was looked at, as JSON")
    parser.add_argument("--pack", metavar="FILE", type=Path, help="verify an evidence pack, and nothing that lies here")
    add_studies(parser)


def add_studies(parser: argparse.ArgumentParser) -> None:
    """Add the argument that says where study files are."""
    parser.add_argument(
        "-C", dest="studies", metavar="DIR", type=Path, default=STUDIES, help="folder of study files (%(default)s)"
    )


def run(args: argparse.Namespace) -> int:
    """Verify; return 0, or 1 after a line for every difference.

    Raises:
        EvidenceError: there is nothing to verify, or a file cannot be read. InvalidValue: a run is at work here.
    """
    if pack := args.pack or _pack_among(args.only):
        from mateprobe.pipeline.pack_check import verify_pack  # it needs this module

        return verify_pack(pack, as_json=args.json)
    with at_work.undisturbed():
        return _verify(load_project(args.studies, args.only), Disk(), as_json=args.json)


def _verify(project: Project, disk: Disk, *, as_json: bool) -> int:
    if not any((RESULTS / id).is_dir() for id in project.studies):
        wanted = ", ".join(project.studies)
        raise EvidenceError(f"{RESULTS}: expected results of {wanted}, found none; run make reproduce")
    try:
        found = list(dict.fromkeys(difference.told for difference in differences(project, disk)))
    except OSError as error:
        raise EvidenceError(f"{error.filename}: cannot be read: {error.strerror}") from None
    if as_json:
        sys.stdout.write(json_text({"files": len(disk.known), "differences": found}))
        return int(bool(found))
    sys.stdout.write(visible("".join(f"{line}\n" for line in found)))
    if found:
        return 1
    frozen = sum(golden_path(id).is_file() for id in project.studies)
    sys.stdout.write(f"{len(disk.known)} files as they should be: {len(project.studies)} studies, {frozen} frozen\n")
    return 0


def _pack_among(names: Sequence[str]) -> Path | None:
    """Return the pack that is named in place of a study: no id has a dot or a slash."""
    return Path(names[0]) if len(names) == 1 and {".", "/"} & {*names[0]} else None


@dataclass(frozen=True, slots=True)
class Project:
    """What there is to verify: studies and pinned archives by name, and the claims, unless it is only some studies."""

    studies: Mapping[str, Study]
    archives: Mapping[str, Archive]
    claims: Claims | None

    @property
    def made(self) -> Made:
        """What the workflow makes of it, and what has been taken from archives that no study needs any more."""
        made = of_all(self.studies, self.archives.values(), self.claims)
        taken = {
            receipt: members
            for receipt, members in of_archives(self.archives.values()).items()
            if any(path.is_file() for path in (receipt, *members))
        }
        return replace(made, receipts={**taken, **made.receipts})


def load_project(studies: Path = STUDIES, only: Iterable[str] = ()) -> Project:
    """Return the project of the working folder, or of it only some studies.

    Raises:
        StudyError: a study, the pins or the claims cannot be used; or no such study.
        EvidenceError: line ends were changed on the way here.
    """
    golden.expect_line_ends()
    claims = None if only else (load_claims() if CLAIMS.is_file() else Claims({}, {}, {}))
    return Project(load_studies(studies, only), load_archives(), claims)


def differences(project: Project, disk: Disk) -> Iterator[Difference]:
    """Yield everything that is not what it should be."""
    made = project.made
    yield from map(Difference, _extra(project, made))
    if absent := [id for id in project.studies if not (RESULTS / id).is_dir()]:
        yield from (Difference(f"{RESULTS / id}: missing; run make reproduce") for id in absent)
        project = replace(project, studies={id: study for id, study in project.studies.items() if id not in absent})
        made = project.made
    yield from chain.differences(made, project.archives.values(), disk)
    lines = [*_golden(project, disk), *_answers(project, disk), *_claims(project, made)]
    yield from map(Difference, lines)


def _extra(project: Project, made: Made) -> Iterator[str]:
    """Yield what lies below ``results/`` and nothing makes; of only some studies, in their folders."""
    folders = [RESULTS] if project.claims else [RESULTS / id for id in project.studies]
    environments = (environment_path(name) for study in project.studies.values() for name in study.environments)
    known = {*made.files, *environments}
    for path in (path for folder in folders for path in unknown(folder, known)):
        yield f"{path}: extra; nothing makes it; remove it (of a former study: mateprobe study prune)"


def _golden(project: Project, disk: Disk) -> Iterator[str]:
    """Hold artifacts against golden hashes, and the folder of these against its index."""
    for id, study in project.studies.items():
        yield from _held(id, golden.artifacts_of_study(study), disk)
    if project.claims:
        yield from _held(REPORT, golden.artifacts_of_report(project.studies), disk)
    if any(FROZEN.glob("*.sha256")):
        if not golden_path(INDEX).is_file():
            yield f"{golden_path(INDEX)}: missing; run make freeze"
        yield from _held(INDEX, golden.frozen_files(), disk)


def _held(name: str, paths: Iterable[Path], disk: Disk) -> list[str]:
    try:
        expected = golden.read_golden(name)
    except EvidenceError as error:
        return [str(error)]
    return [] if expected is None else golden.differences(expected, disk.present(paths))


def _answers(project: Project, disk: Disk) -> Iterator[str]:
    """Hold frozen answers of programs against what the workflow observed."""
    for study in project.studies.values():
        for path, observed in golden.answers_of(study).items():
            expected, found = disk.sha256(observed.as_posix()), disk.sha256(path.as_posix())
            if found and expected != found:
                yield f"{path}: changed; {observed} has sha256 {expected}, found {found}"


def _claims(project: Project, made: Made) -> Iterator[str]:
    """Compute every claim again."""
    path = FOLDER / "claims.json"
    if project.claims is None or path not in made.files or not path.is_file():
        return
    try:
        written = computed(project.claims)
    except (MateProbeError, FileNotFoundError) as error:
        yield f"{path}: cannot be computed again: {error}"
        return
    for claim in written["claims"]:
        if not claim["agrees"]:
            yield f"claim {claim['id']}: stated {claim['expected']!r}, computed {claim['value']!r}"
    if not holds(path, claims_bytes(written)):
        yield f"{path}: changed; other than what its artifacts give"
