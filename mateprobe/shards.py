"""An audit in parts: which cases are in which shard, and the one report that all shards together make."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .canonical import shard_of
from .errors import InvalidValue
from .report_file import ReportFile, Shard
from .validator_audit import AuditResult


def part_of(ids: Iterable[str], number: int, of: int) -> Shard:
    """Return shard ``number``, from 1, of the cases with these ids: by id, so that a new case moves no other.

    Raises:
        InvalidValue: there is no such shard.
    """
    if not 1 <= number <= of:
        raise InvalidValue(f"shard={number}/{of}; expected NUMBER/OF with a number from 1 to OF, such as 1/4")
    listed = list(ids)
    digests = (hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest() for id in listed)
    positions = tuple(place for place, digest in enumerate(digests) if shard_of(digest, of) == number - 1)
    return Shard(number, of, positions, len(listed))


def merged(files: Sequence[tuple[str, ReportFile]]) -> ReportFile:
    """Return the report of the whole audit, as it would have been without shards.

    Args:
        files: the name of each shard's file and the report in it, in any order.

    Raises:
        InvalidValue: one is no shard, or of another audit; a shard is missing, or there twice.
    """
    if not files:
        raise InvalidValue("merge: expected the reports of shards, found none")
    shards = [(name, _shard(name, file)) for name, file in files]
    first_name, first = files[0]
    for name, file in files[1:]:
        _check_alike(first_name, first, name, file)
    _check_numbers(shards)
    placed = [pair for (_, shard), (_, file) in zip(shards, files, strict=True) for pair in _placed(shard, file)]
    cases, total = dict(placed), shards[0][1].total
    if len(placed) != total or len(cases) != total:
        raise InvalidValue(f"merge: the shards have {len(placed)} places of {total}; they are not of one audit")
    whole = replace(first.report, cases=tuple(cases[place] for place in range(total)))
    return ReportFile(whole, first.gate)


def _placed(shard: Shard, file: ReportFile) -> Iterable[tuple[int, AuditResult]]:
    return zip(shard.positions, file.report.cases, strict=True)


def _shard(name: str, file: ReportFile) -> Shard:
    if file.shard is None:
        raise InvalidValue(f"{name}: expected the report of a shard, found that of a whole audit")
    return file.shard


def _check_alike(first: str, expected: ReportFile, name: str, found: ReportFile) -> None:
    """Refuse a shard of another audit: all but cases, number and positions must be the same."""
    one, other = _identity(expected), _identity(found)
    for key in one.keys() | other.keys():
        if one.get(key) != other.get(key):
            raise InvalidValue(
                f"{name}: {key}={other.get(key)!r:.200}; expected {one.get(key)!r:.200} as in {first}: "
                "the shards of one audit agree in all but their cases"
            )


def _identity(file: ReportFile) -> dict[str, object]:
    shard = file.shard
    return {**file.head(), "shard": (shard.of, shard.total) if shard else None}


def _check_numbers(shards: Sequence[tuple[str, Shard]]) -> None:
    names: dict[int, str] = {}
    for name, shard in shards:
        if shard.number in names:
            raise InvalidValue(f"{name}: {shard} is in {names[shard.number]} already; give each shard once")
        names[shard.number] = name
    of = shards[0][1].of
    if missing := [str(number) for number in range(1, of + 1) if number not in names]:
        raise InvalidValue(f"merge: of {of} shards {_listed(missing)} missing; give them all")


def _listed(numbers: Sequence[str]) -> str:
    return f"number {numbers[0]} is" if len(numbers) == 1 else f"numbers {', '.join(numbers)} are"
