"""Golden hashes: what a study's artifacts are known to be, in files that ``sha256sum -c`` reads.

``studies/_frozen/STUDY.sha256`` lists every artifact of a study that depends on its inputs alone, and
``report.sha256`` the tables and the numbers of the paper. ``index.sha256`` lists what else lies in that
folder, so that none of it goes unnoticed. Manifests and receipts also say which code made them, so an
edit changes them: they are held against what is on disk (see ``chain``), not against a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile, zip_longest
from pathlib import Path

from mateprobe.errors import EvidenceError
from mateprobe.pipeline.files import PARTIAL, sha256_file, write_bytes
from mateprobe.pipeline.frozen import FROZEN, frozen_path
from mateprobe.pipeline.made import of_stages, of_tables, rows_of
from mateprobe.pipeline.programs import is_program
from mateprobe.pipeline.section import RESULTS, parts
from mateprobe.pipeline.store import Store
from mateprobe.pipeline.studies import Study

REPORT, INDEX = "report", "index"
"""What is frozen beside studies: what spans them, and the folder of all that is frozen."""

NUMBERS = RESULTS / "paper" / "numbers.typ"
LIST_LIMIT = 32 << 20  # bytes of a list of hashes, some 200,000 files
OUR_OWN = "mateprobe/"
_LINE = re.compile(r"([0-9a-f]{64})  ([^\s\\][^\x00-\x1f\x7f\\]*)")


def golden_path(name: str) -> Path:
    """Return where the golden hashes of a study, of ``report`` or of ``index`` are."""
    return FROZEN / f"{name}.sha256"


def can_be_frozen(study: Study) -> bool:
    """Tell whether a study's artifacts are known beforehand: not if its cases are made of our own code.

    What a study finds in this very code changes with every edit of it, and by design.
    """
    return not any(pattern.startswith(OUR_OWN) for pattern in study.data["cases"].get("reads", ()))


def artifacts_of_study(study: Study) -> list[Path]:
    """Return a study's own artifacts."""
    return [path for paths in of_stages(study).values() for path in paths]


def artifacts_of_report(studies: Mapping[str, Study]) -> list[Path]:
    """Return the numbers of the paper, and the tables in which only studies have rows that can be frozen."""
    tables = {table for study in studies.values() for table in study.tables}
    known = [table for table in tables if all(can_be_frozen(studies[id]) for id in rows_of(table, studies))]
    return [NUMBERS, *(path for paths in of_tables(known).values() for path in paths)]


def answers_of(study: Study) -> dict[Path, Path]:
    """Return where the answers of a study's programs are frozen, each with the observations they are a copy of."""
    programs = [validator["id"] for validator in study.data["validators"] if is_program(validator)]
    frozen = [part for id in programs for part in parts(id, study.shards)]
    return {frozen_path(study.id, part): RESULTS / study.id / "observations" / f"{part}.jsonl" for part in frozen}


def read_golden(name: str) -> dict[str, str] | None:
    """Return the golden hashes by path, or None where nothing has been frozen.

    Raises:
        EvidenceError: as ``read_hashes``.
    """
    path = golden_path(name)
    return read_hashes(path) if path.is_file() else None


def read_hashes(path: Path) -> dict[str, str]:
    """Return the hashes a file lists, by path.

    Raises:
        EvidenceError: other bytes than ``golden_text`` gives, or too many; names file and line.
    """
    with path.open("rb") as stream:
        data = stream.read(LIST_LIMIT + 1)
    if len(data) > LIST_LIMIT:
        raise EvidenceError(f"{path}: expected a list of hashes of at most {LIST_LIMIT:,} bytes, found more")
    lines = data.decode("utf-8", "backslashreplace").split("\n")
    matches = [_LINE.fullmatch(line) for line in lines[:-1]]
    hashes = {match[2]: match[1] for match in matches if match}
    for number, (line, expected) in enumerate(zip_longest(lines, golden_text(hashes).split("\n")), 1):
        if line != expected:
            raise EvidenceError(
                f"{path}, line {number}: changed; expected a hash, two spaces and a path, sorted by path and each path "
                f"once, found {line!r:.120}"
            )
    return hashes


def expect_line_ends() -> None:
    """Hold the lists against what a copy does to them that takes them for texts of its own system.

    Raises:
        EvidenceError: their lines end in CR LF, and so, most likely, those of everything that is frozen.
    """
    for path in sorted(FROZEN.glob("*.sha256")):
        if b"\r\n" in path.read_bytes():
            raise EvidenceError(
                f"{path}: expected lines that end in LF, found CR LF: line ends were changed on the way here, "
                "and what is frozen is compared by its bytes; clone with git, or unpack without changing line ends"
            )


def golden_text(hashes: Mapping[str, str]) -> str:
    """Return golden hashes, sorted by path, as ``sha256sum`` writes them."""
    return "".join(f"{sha256}  {path}\n" for path, sha256 in sorted(hashes.items()))


def write_golden(name: str, hashes: Mapping[str, str]) -> None:
    """Write golden hashes."""
    write_bytes(golden_path(name), golden_text(hashes).encode())


def frozen_files() -> list[Path]:
    """Return what the index lists: every other file below the folder of what is frozen."""
    paths = (path for path in FROZEN.rglob("*") if path.is_file() and not path.name.startswith(PARTIAL))
    return sorted(path for path in paths if path != golden_path(INDEX))


def told(path: str, expected: str | None, found: str | None) -> Iterator[str]:
    """Yield a line if a file is missing, extra or changed; for a text, with where it begins to differ."""
    if expected == found:
        return
    if found is None:
        yield f"{path}: missing; expected sha256 {expected}"
    elif expected is None:
        yield f"{path}: extra; sha256 {found} is in no list"
    else:
        yield f"{path}: changed; expected sha256 {expected}, found {found}{_first_difference(Path(path), expected)}"


def differences(expected: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Return a line for every path that is missing, extra or changed."""
    paths = sorted(expected.keys() | found.keys())
    return [line for path in paths for line in told(path, expected.get(path), found.get(path))]


def _first_difference(path: Path, expected: str) -> str:
    """Return where a text differs from what the store still has under the expected hash."""
    blob = Store().blob(expected)
    try:
        if blob is None or max(blob.stat().st_size, path.stat().st_size) > LIST_LIMIT or sha256_file(blob) != expected:
            return ""
        old, new = blob.read_text("utf-8").split("\n"), path.read_text("utf-8", "backslashreplace").split("\n")
    except (OSError, UnicodeDecodeError):
        return ""
    for number, (left, right) in enumerate(zip_longest(old, new, fillvalue="(end)"), 1):
        if left != right:
            alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))
            shown = slice(max(0, alike - 30), alike + 50)
            return f"\n    line {number}: expected …{left[shown]!r}, found …{right[shown]!r}"
    return ""
