"""Shorthands for a generator and its files: operators over baselines, the members of a pinned archive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mateprobe.pipeline.pins import archive_named
from mateprobe.pipeline.section import named_files

BY_OPERATORS = "mateprobe.pipeline.corpora.by_operators:cases"


def spelled_out(cases: Mapping[str, Any]) -> dict[str, Any]:
    """Return a study's ``cases`` with every shorthand written as the generator and the files it stands for.

    Raises:
        StudyError: an archive without pins file, or with one that cannot be used.
    """
    if "operators" in cases:
        return _operators(cases)
    if "archive" in cases:
        members = {member: path.as_posix() for member, path in archive_named(cases["archive"]).files.items()}
        return {**_without(cases, "archive"), "from": {**cases.get("from", {}), **members}}
    return dict(cases)


def _operators(cases: Mapping[str, Any]) -> dict[str, Any]:
    baselines, options = cases["baselines"], {"operators": cases["operators"]}
    files = named_files("schema", cases.get("schema", {}))
    if isinstance(baselines, str):
        files["baselines"] = baselines
    else:
        files |= named_files("baseline", {row["id"]: row["file"] for row in baselines})
        options["baselines"] = [_without(row, "file") for row in baselines]
    rest = _without(cases, "operators", "baselines", "schema")
    return {**rest, "generate": BY_OPERATORS, "with": options, "from": files}


def _without(mapping: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in keys}
