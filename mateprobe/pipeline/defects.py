"""Defects of released validators: one file of data about releases, samples and what was once seen of them.

A defect names the release that has it and the one that fixed it, each with all it needs; a function that
asks the package; and cases: a trigger that the fix turns, a control it must leave alone, and perhaps a
negative that both releases reject.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.errors import InvalidValue, StudyError
from mateprobe.pipeline.own_schemas import schema_problems

RELEASES = ("before", "after")
ROLES = ("trigger", "control", "negative")


def read_defects(path: Path) -> dict[str, Any]:
    """Return the checked content of a file of defects: ``defects`` and, if there is one, ``screened``.

    Raises:
        StudyError: it cannot be read, or is not what defects.schema.json says; names the place.
    """
    try:
        return _checked(path.read_bytes(), path)
    except (OSError, InvalidValue) as error:
        raise StudyError(f"{path}: expected a file of defects: {error}") from None


@lru_cache(maxsize=16)  # keyed by the bytes: a study asks several times, and the check takes longer than the reading
def _checked(data: bytes, path: Path) -> dict[str, Any]:
    content: dict[str, Any] = strict_json.loads(data, str(path))
    if problems := [f"{path}: {problem}" for problem in _problems(content)]:
        raise StudyError("\n".join(problems))
    return content


def _problems(content: Any) -> Iterator[str]:
    yield from (problems := [*schema_problems("defects", content)])
    if not problems:
        ids = Counter(defect["id"] for defect in content["defects"])
        yield from (f"defect {id!r} stands {n} times; ids must be unique" for id, n in ids.items() if n > 1)


def case_id(defect: Mapping[str, Any], role: str) -> str:
    """Return the id of a defect's case."""
    return f"{defect['id']}:{role}"
