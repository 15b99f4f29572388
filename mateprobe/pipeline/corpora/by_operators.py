"""Cases by operators: what a study lists under ``cases.operators``, over its baselines.

With the schema of the samples given, ids may be read off it: ``expected: schema`` makes an edit a fault
of exactly the constraints that it certainly breaks, and leaves out one that breaks none; an edit that
breaks one is no control. A constraint that no valid fault breaks becomes a sample without a pair, with
the reason: an untested obligation, read off the schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mateprobe.errors import StudyError
from mateprobe.operators import edits, pointer
from mateprobe.operators.constraints import Schema, applying, broken, certain, constraints
from mateprobe.pipeline.corpora import Row
from mateprobe.pipeline.corpora.baselines import Baseline, check_baselines, collect_baselines, load_baselines
from mateprobe.pipeline.operator_entries import Entry
from mateprobe.pipeline.schema_file import load_schema

UNEXERCISED = "unexercised"
"""The family of the constraints that no valid fault breaks."""


def cases(
    *,
    operators: Sequence[Mapping[str, Any]],
    seed: int,
    baselines: Path | Sequence[Mapping[str, str]],
    **files: Path,
) -> Iterator[Row]:
    """Yield the cases of every entry over every baseline, then the constraints that no valid fault breaks.

    Args:
        operators: the entries.
        seed: of the study.
        baselines: a file that holds them; or a list, and the sample of each in a file of its own.
        files: the schema of all samples as ``schema``, or each of several as ``schema NAME``; the sample of
            a listed baseline as ``baseline ID``.

    Raises:
        StudyError: a file that cannot be used; a baseline that breaks its schema; an entry without case.
        InvalidValue: a file that is no JSON.
    """
    schemas = {name or None: load_schema(path) for name, path in _named("schema", files)}
    if isinstance(baselines, Path):
        samples = load_baselines(baselines)
    else:
        samples = collect_baselines(baselines, dict(_named("baseline", files)))
    check_baselines(samples, schemas)
    exercised: set[tuple[str | None, str]] = set()
    for index, data in enumerate(operators):
        entry = Entry.of(data)
        rows = [row for baseline in samples for row in _rows(entry, baseline, seed, schemas.get(baseline.schema))]
        if not rows:
            raise StudyError(
                f"cases.operators[{index}]: {entry.family!r} makes no case of {len(samples)} baselines: expected `at` "
                "to select places it can edit, and edits to be of the kind they are declared as"
            )
        if entry.fault and entry.validity == "valid":
            about = (row["about"] for row in rows)
            exercised |= {(row.get("schema"), location) for row in about for location in row.get("constraints", ())}
        yield from rows
    for name, schema in schemas.items():
        yield from _unexercised(name, schema, samples, exercised)


def _named(kind: str, files: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    """Yield the files of a kind: its name, empty if it is the only one, and its path."""
    for argument, path in files.items():
        first, _, name = argument.partition(" ")
        if first == kind:
            yield name, path


def _rows(entry: Entry, baseline: Baseline, seed: int, schema: Schema | None) -> Iterator[Row]:
    where, limit = entry.where, entry.data.get("limit")
    for edit in edits(
        entry.operator, baseline.sample, seed=seed, id=baseline.id, where=where, limit=limit, schema=schema
    ):
        breaks = [] if schema is None else broken(schema, edit.sample)
        expected = entry.expected(edit, [f"{constraint.keyword}@{pointer(path)}" for path, constraint in breaks])
        if expected if entry.fault else not breaks:
            yield {
                "id": f"{baseline.id}/{entry.family}{edit.place}",
                "group": baseline.group,
                "family": entry.family,
                "obligation": entry.data["obligation"],
                "relation": "violation" if entry.fault else "preserve",
                "validity": entry.validity,
                "provenance": entry.provenance(edit, seed),
                "expected": expected,
                "baseline": baseline.wrapped(baseline.sample),
                "variant": baseline.wrapped(edit.sample),
                "about": {
                    "operator": entry.operator.name,
                    "version": entry.operator.version,
                    "seed": seed,
                    "path": pointer(edit.path),
                    **({"constraints": sorted({constraint.location for _, constraint in breaks})} if breaks else {}),
                    **_of(baseline.schema),
                },
            }


def _of(schema: str | None) -> dict[str, str]:
    return {} if schema is None else {"schema": schema}


def _unexercised(
    name: str | None, schema: Schema, samples: Iterable[Baseline], exercised: set[tuple[str | None, str]]
) -> Iterator[Row]:
    own = [baseline.sample for baseline in samples if baseline.schema == name]
    found = (constraint for sample in own for there in applying(schema, sample).values() for constraint in there)
    reached, sure = {constraint.location for constraint in found}, certain(schema)
    for location, keyword in sorted(constraints(schema).items()):
        if (name, location) not in exercised:
            status = "no_fault" if location in reached else "not_reached" if location in sure else "conditional"
            yield {
                "id": f"{name or 'schema'}#{location}",
                "group": name or "schema",
                "family": UNEXERCISED,
                "obligation": None,
                "relation": None,
                "validity": "unreviewed",
                "provenance": "",
                "expected": [],
                "baseline": None,
                "variant": None,
                "about": {"constraint": location, "keyword": keyword, "status": status, **_of(name)},
            }
