"""Baselines: the samples that operators edit, read from one file or from a file each, and the schemas of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mateprobe import strict_json
from mateprobe.errors import StudyError, one_of
from mateprobe.operators import pointer
from mateprobe.operators.constraints import Schema, broken
from mateprobe.pipeline.yaml_file import read_yaml

_NEEDED, _ALLOWED = {"id", "sample"}, {"id", "sample", "group", "schema"}


@dataclass(frozen=True, slots=True)
class Baseline:
    """A sample that the validators must accept, and the name of its schema where a study has several."""

    id: str
    group: str
    sample: Any
    schema: str | None = None

    def wrapped(self, sample: Any) -> Any:
        """Return an edit of the sample as validators see it: beside the name of its schema, if it has one."""
        return sample if self.schema is None else {"schema": self.schema, "instance": sample}


def load_baselines(path: Path) -> list[Baseline]:
    """Return the baselines of a JSON Lines file, or of a JSON file that holds a list.

    Raises:
        StudyError: a row without id and sample, with another key, or with the id of another row.
        InvalidValue: no JSON.
    """
    if path.suffix == ".jsonl":
        return _checked((f"{path}, line {number}", row) for number, row in strict_json.lines(path))
    content = strict_json.load(path)
    if not isinstance(content, list):
        raise StudyError(f"{path}: expected a list of baselines, found {content!r:.80}")
    return _checked((f"{path}: [{index}]", row) for index, row in enumerate(content))


def collect_baselines(rows: Sequence[Mapping[str, str]], files: Mapping[str, Path]) -> list[Baseline]:
    """Return the baselines a study lists, the sample of each from its JSON or YAML file.

    Args:
        rows: ``{"id", "group"?, "schema"?}`` each.
        files: the file of each, by id.

    Raises:
        StudyError: as ``load_baselines``; or a YAML file that is not plain data. InvalidValue: no JSON.
    """
    return _checked((f"baseline {row['id']!r}", {**row, "sample": _content(files[row["id"]])}) for row in rows)


def check_baselines(baselines: Sequence[Baseline], schemas: Mapping[str | None, Schema]) -> None:
    """Do nothing if each baseline has its schema and certainly breaks no constraint of it.

    Args:
        baselines: the baselines.
        schemas: by name; None names the one schema of all; empty if there is none.

    Raises:
        StudyError: names the baseline.
    """
    for baseline in baselines:
        if baseline.schema not in (schemas or {None: True}):
            known = one_of(str(baseline.schema), filter(None, schemas))
            raise StudyError(f"baseline {baseline.id!r}: schema={baseline.schema!r}: {known}")
        for path, constraint in broken(schemas.get(baseline.schema, True), baseline.sample):
            where = f"{pointer(path) or 'the top'} breaks {constraint.location}"
            raise StudyError(f"baseline {baseline.id!r}: {where} of its schema; a baseline must be valid")


def _checked(rows: Iterator[tuple[str, Any]]) -> list[Baseline]:
    found: dict[str, Baseline] = {}
    for where, row in rows:
        if not isinstance(row, dict) or not _NEEDED <= row.keys() <= _ALLOWED:
            raise StudyError(f"{where}: expected the keys id, sample and, if wanted, group, schema, found {row!r:.80}")
        id, group, schema = row["id"], row.get("group", row["id"]), row.get("schema")
        if not (isinstance(id, str) and isinstance(group, str) and isinstance(schema, str | None)) or not id:
            raise StudyError(f"{where}: id={id!r}, group={group!r}, schema={schema!r}; expected texts")
        if id in found:
            raise StudyError(f"{where}: id={id!r} occurs twice; give every baseline an id of its own")
        found[id] = Baseline(id, group, row["sample"], schema)
    return list(found.values())


def _content(path: Path) -> Any:
    return strict_json.load(path) if path.suffix == ".json" else read_yaml(path).content
