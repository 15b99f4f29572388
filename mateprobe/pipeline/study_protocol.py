"""The protocol of a study: what was fixed before anything was observed, and each change since.

It is ``paper/protocols/STUDY.md``. What stands above its heading ``## Deviations`` is fixed, and below it is said with
which hash. Whoever changes the fixed text lists the change there, with the hash of the text as it is then:

    ## Deviations

    Fixed with sha256 `HASH`.

    - `HASH`: what is other than it was, and why.

The stage ``cases`` refuses a protocol whose text has another hash than the last of these, and its receipt names the
protocol by hash. Every observation is made from its cases, so none is made before that.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from mateprobe.errors import StudyError

PROTOCOLS = Path("paper/protocols")
HEADING = b"\n## Deviations\n"
_FIXED = re.compile(r"Fixed with sha256 `([0-9a-f]{64})`\.")
_DEVIATION = re.compile(r"^- `([0-9a-f]{64})`: (\S.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Deviation:
    """A change of the fixed text: the SHA-256 it had then, and what is other than it was, and why."""

    sha256: str
    says: str


@dataclass(frozen=True, slots=True)
class Protocol:
    """A protocol.

    Attributes:
        path: where it is.
        sha256: of the whole file.
        fixed: the SHA-256 of the text that was fixed beforehand, as it was then.
        deviations: each change since, the first one first.
    """

    path: str
    sha256: str
    fixed: str
    deviations: tuple[Deviation, ...] = ()


def protocol_path(study: str) -> Path:
    """Return where a study's protocol is, if it has one."""
    return PROTOCOLS / f"{study}.md"


def protocol_input(study: str) -> dict[str, Path]:
    """Return the protocol of a study as an input by its name, or nothing."""
    path = protocol_path(study)
    return {path.as_posix(): path} if path.is_file() else {}


def read_protocol(study: str) -> Protocol | None:
    """Return the protocol of a study, if it has one.

    Raises:
        StudyError: it was changed and the change is not listed, or it does not say with which hash it was fixed.
    """
    path = protocol_path(study)
    if not path.is_file():
        return None
    data = path.read_bytes()
    text, _, rest = data.partition(HEADING)
    found, below = hashlib.sha256(text).hexdigest(), rest.decode("utf-8", "backslashreplace")
    fixed = _FIXED.search(below)
    if fixed is None:
        raise StudyError(
            f"{path}: expected a heading ## Deviations, and below it with which hash the text above was fixed; "
            f"before anything is observed, write: Fixed with sha256 `{found}`."
        )
    deviations = tuple(Deviation(*match) for match in _DEVIATION.findall(below))
    last = deviations[-1].sha256 if deviations else fixed[1]
    if found != last:
        raise StudyError(
            f"{path}: the text above ## Deviations was fixed with sha256 {last}, found {found}; take the change back, "
            f"or list it there: - `{found}`: what is other than it was, and why"
        )
    return Protocol(path.as_posix(), hashlib.sha256(data).hexdigest(), fixed[1], deviations)
