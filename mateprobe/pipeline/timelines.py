"""Timelines: over which releases of a package its defects are followed, as a file of data lists them.

The list is made once, with ``releases``, and kept: a study is about the releases that are in its data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.errors import InvalidValue, StudyError, one_of
from mateprobe.pipeline.own_schemas import schema_problems

EVERY = "every"
"""As a validator's release: every release of the timelines."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The releases of a package, in order, what is installed beside each, and the ids of the defects asked about."""

    package: str
    defects: tuple[str, ...]
    releases: tuple[str, ...]
    beside: tuple[str, ...] = ()

    @property
    def environments(self) -> list[list[str]]:
        """The requirements of each release's environment, the release first."""
        return [[f"{self.package}=={release}", *self.beside] for release in self.releases]


def read_timelines(path: Path) -> list[Timeline]:
    """Return the timelines of a file.

    Raises:
        StudyError: it cannot be read, or is not what timelines.schema.json says; names the place.
    """
    try:
        content = strict_json.load(path)
    except (OSError, InvalidValue) as error:
        raise StudyError(f"{path}: expected a file of timelines: {error}") from None
    if problems := [f"{path}: {problem}" for problem in _problems(content)]:
        raise StudyError("\n".join(problems))
    return [
        Timeline(
            timeline["package"], tuple(timeline["defects"]), tuple(timeline["releases"]), tuple(timeline["beside"])
        )
        for timeline in content["timelines"]
    ]


def _problems(content: Any) -> Iterator[str]:
    yield from (problems := [*schema_problems("timelines", content)])
    if not problems:
        packages = Counter(timeline["package"] for timeline in content["timelines"])
        yield from (f"package {name!r} has {n} timelines; expected one" for name, n in packages.items() if n > 1)


def unknown_defects(timelines: Iterable[Timeline], defects: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for every defect of a timeline that is none of its package."""
    packages = {defect["id"]: defect["package"] for defect in defects}
    for timeline in timelines:
        known = [id for id, package in packages.items() if package == timeline.package]
        for id in timeline.defects:
            if id not in known:
                yield f"timeline of {timeline.package!r}: defect {id!r}: {one_of(id, known)}"
