"""Cases a user has in a file: CSV, JSON, JSON lines or YAML, told by the name; what is left out is filled in.

Of the keys of a case these may be left out: ``expected`` (nothing), ``validity`` (unreviewed),
``provenance`` (none), ``family`` (the obligation) and ``group`` (the digest of the baseline, as pairs that
share one are not independent).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mateprobe.canonical import digest
from mateprobe.case_file import case_rows, whole_rows
from mateprobe.errors import InvalidType
from mateprobe.pipeline.yaml_file import read_yaml

_MADE = frozenset({"baseline_sha256", "variant_sha256"})
"""What the stage ``cases`` adds: a file it has written can be a file of cases again."""


class FileCase(dict[str, Any]):
    """A case that knows where it stands."""

    __slots__ = ("place",)

    def __init__(self, place: str, case: Mapping[str, Any]) -> None:
        super().__init__(case)
        self.place = place


def file_cases(path: Path) -> Iterator[FileCase]:
    """Yield the cases of a file in its order, with all keys a case has but otherwise unchecked.

    Raises:
        InvalidValue, InvalidType, StudyError: the file holds no cases; names the line or the place in it.
    """
    for place, case in _rows(path):
        if not isinstance(case, Mapping):
            raise InvalidType(f"{place}: expected a case, found {case!r:.80}")
        yield FileCase(place, _filled(case))


def _filled(case: Mapping[str, Any]) -> dict[str, Any]:
    filled = {"expected": [], "validity": "unreviewed", "provenance": "", "family": case.get("obligation"), **case}
    if "group" not in case:
        filled["group"] = digest(case.get("baseline"))
    return {key: value for key, value in filled.items() if key not in _MADE}


def _rows(path: Path) -> Iterator[tuple[str, Any]]:
    if path.suffix not in (".yaml", ".yml"):
        yield from case_rows(path)
        return
    file = read_yaml(path)
    for index, (_, case) in enumerate(whole_rows(file.content, str(path))):
        yield file.where(("cases", index) if isinstance(file.content, dict) else (index,)), case
