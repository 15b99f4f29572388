"""Stage ``observe``: what one validator says of every distinct sample. The only stage that runs one."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from functools import partial as bind
from itertools import islice, starmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mateprobe.canonical import digest as digest_of, plain_bytes, shard_of
from mateprobe.errors import InvalidType, InvalidValue, StageError
from mateprobe.pipeline.case_lines import Sides, samples_of
from mateprobe.pipeline.contract_judge import ContractJudge
from mateprobe.pipeline.digest_table import DigestTable
from mateprobe.pipeline.environment import missing_here
from mateprobe.pipeline.foreign import command_of, function_of
from mateprobe.pipeline.frozen import compared, frozen_path, frozen_rows, replayed
from mateprobe.pipeline.named_code import CODE, is_own, load_function
from mateprobe.pipeline.observation import failed, line
from mateprobe.pipeline.programs import Programs, digests, is_program, limits_of, made_from, programs_of
from mateprobe.pipeline.records import write_records
from mateprobe.pipeline.schema_validator import schema_validator
from mateprobe.pipeline.section import (
    RESULTS,
    add_section,
    code_folder,
    parameters,
    parse_section,
    parts,
    read_by_generator,
    receipt_path,
    source_path,
    stage_modules,
    study_folder,
    validator_files,
)
from mateprobe.pipeline.stage import run_stage
from mateprobe.pipeline.store import Store
from mateprobe.records import read_records
from mateprobe.runner import Failure, judge, said, undecided
from mateprobe.strict_json import loads_quickly

REJUDGED = 16
"""Samples judged a second time, unless the validator sets ``rejudge``."""

Samples = Iterable[tuple[str, bytes]]
"""Samples as JSON, each after its digest."""

Observer = Callable[[Samples], Iterator[bytes]]
"""Takes samples; yields the line of what the validator said of each, in order."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    add_section(parser, validator=True)
    parser.add_argument("--shard", type=int, default=0, help="which of the study's shards (default: %(default)s)")
    parser.add_argument("--fresh", action="store_true", help="run packages anew, never from the store or frozen")


def run(args: argparse.Namespace) -> int:
    """Run the stage; return 0."""
    section = parse_section(args.section)
    study, validator = section["study"], section["validator"]["id"]
    cases, shards = RESULTS / study / "cases.jsonl", section["shards"]
    if args.shard not in range(shards):
        raise InvalidValue(f"--shard={args.shard}: study {study!r} has {shards} shards; expected 0 to {shards - 1}")
    part, made_of = parts(validator, shards)[args.shard], validator_files(section)
    program = is_program(section["validator"])
    frozen = frozen_path(study, part)

    def write(path: Path, rows: Iterable[bytes], header: Mapping[str, Any]) -> None:
        write_records(path, "observations", rows, {"validator": validator, **header})

    def make(partial: Mapping[str, Path]) -> None:
        mine = distinct_samples(samples_of(read_records(cases, "cases")), args.shard, shards)
        if program:
            header = {"itemised": False, "made_from": digests(section["validator"], study_folder(section))}
            rows = _answered(mine, section, frozen, fresh=args.fresh)
            write(partial["observations"], rows, header)
            return
        with observer_of(section["validator"], study_folder(section), read_by_generator(section)) as (header, observer):
            write(
                partial["observations"], observed(mine, observer, section["validator"].get("rejudge", REJUDGED)), header
            )

    files = made_from(section["validator"], study_folder(section)) if program else {}
    files |= {path.as_posix(): path for path in read_by_generator(section)}
    if section.get("replay") and not args.fresh and frozen.is_file():
        files[frozen.as_posix()] = frozen
    with ExitStack() as stack:
        run_stage(
            "observe",
            inputs={"cases": cases, **made_of, **files},
            params={**parameters(section), "shard": args.shard, **(_without(section, frozen) if program else {})},
            modules=stage_modules("observe", section),
            roots=[code_folder(section)],
            outputs={"observations": RESULTS / study / "observations" / f"{part}.jsonl"},
            make=make,
            receipt=receipt_path(study, "observe", part),
            store=Store(Path(stack.enter_context(TemporaryDirectory()))) if program and args.fresh else None,
        )
    return 0


def _without(section: Mapping[str, Any], frozen: Path) -> dict[str, Any]:
    """Return which environments a program goes without here, if nothing stands in for it: the answers tell of it.

    They are no answers of a machine that has these environments, and must not reach it through a store they share.
    """
    validator, folder = section["validator"], study_folder(section)
    names = {program.environment for program in programs_of(validator).values() if program.environment}
    missing = missing_here(names)
    stands_in = missing and frozen_rows(frozen, digests(validator, folder)) is not None
    return {"without": missing} if missing and not stands_in else {}


def _answered(samples: Samples, section: Mapping[str, Any], path: Path, *, fresh: bool) -> Iterator[bytes]:
    """Yield what programs say of each sample: now, or frozen where the study or the machine wants it so."""
    validator = section["validator"]
    folder = study_folder(section)
    frozen = frozen_rows(path, digests(validator, folder))
    if frozen is not None and section.get("replay") and not fresh:
        yield from _replayed(samples, frozen, path, "this study is replayed unless a fresh run is asked for")
        return
    with closing(Programs(validator, folder, read_by_generator(section))) as programs:
        missing = programs.missing()
        if frozen is not None and missing and not fresh:
            yield from _replayed(samples, frozen, path, missing[0])
            return
        if programs.away:
            raise StageError(f"validator {validator['id']!r}: {missing[0]}, and {path} cannot stand in for it")
        rows = observed(
            samples,
            _each(lambda digest, sample: line(digest, programs.ask(digest, sample))),
            validator.get("rejudge", REJUDGED),
        )
        yield from compared(rows, frozen or {}, path)


def _replayed(samples: Samples, frozen: Mapping[str, dict[str, Any]], path: Path, why: str) -> Iterator[bytes]:
    print(f"observe: replayed {path}: {why}", file=sys.stderr)
    yield from map(plain_bytes, replayed(frozen, (digest for digest, _ in samples), path))


def distinct_samples(cases: Iterable[Sides], shard: int = 0, shards: int = 1) -> Iterator[tuple[str, bytes]]:
    """Yield each distinct sample of a shard with its digest, in order of first appearance, baseline first."""
    seen = DigestTable()
    for case in cases:
        for digest, sample in case:
            if digest is not None and shard_of(digest, shards) == shard and seen.put(digest, 1):
                yield digest, sample


def observed(samples: Samples, observer: Observer, rejudge: int) -> Iterator[bytes]:
    """Yield the line of each sample's observation; the first ``rejudge`` samples are judged twice.

    A validator that says two things of one sample has no verdict on it: that is an error, never an
    average of the two.
    """
    lines = observer(_asked(samples, rejudge))
    for first in islice(lines, rejudge):
        yield first if (then := next(lines)) == first else _undecided(first, then)
    yield from lines


def _asked(samples: Samples, twice: int) -> Iterator[tuple[str, bytes]]:
    """Yield the samples, the first ones two times each."""
    for position, sample in enumerate(samples):
        yield sample
        if position < twice:
            yield sample


def _each(observe: Callable[[str, Any], bytes]) -> Observer:
    """Return the observer that asks about one sample after another."""
    return lambda samples: (observe(digest, loads_quickly(sample, f"sample {digest}")) for digest, sample in samples)


def _undecided(first: bytes, then: bytes) -> bytes:
    rows = [json.loads(line) for line in (first, then)]
    told = (said(**{key: row[key] for key in ("accepted", "complete", "violations", "error")}) for row in rows)
    return plain_bytes(failed(rows[0]["sample"], undecided(*told)))


@contextmanager
def observer_of(
    validator: Mapping[str, Any], folder: Path = CODE.parent, reads: Sequence[Path] = ()
) -> Iterator[tuple[dict[str, Any], Observer]]:
    """Yield the header fields and the observer of a validator as a study in ``folder`` describes it.

    A function of the study's own is asked in a process of its own, which may read ``reads``.
    """
    code = folder / CODE.name
    if "schema" in validator:
        named = validator["schema"]
        one = source_path(named, folder) if isinstance(named, str) else None
        files = one or {name: source_path(path, folder) for name, path in named.items()}
        yield {"itemised": False}, _each(bind(_ask, schema_validator(files)))
    elif "callable" not in validator:
        adapter = validator.get("adapter")
        with function_of(adapter, code, reads) if adapter else nullcontext() as adapted:
            judge = ContractJudge(validator, folder, adapted)
            yield judge.header, _each(judge.observe)
    elif is_own(name := validator["callable"]):
        limits, runs = limits_of(validator), validator.get("runs", ())
        form, given = "validator", validator.get("with", {})
        with closing(command_of(name, code, form, given, reads=reads, runs=runs, limits=limits)) as command:
            yield {"itemised": False}, lambda samples: starmap(line, command.ask_ahead(samples))
    else:
        function = load_function(name)
        yield {"itemised": False}, _each(bind(_ask, bind(function, **validator.get("with", {}))))


def _ask(validator: Callable[[Any], Any], digest: str, sample: Any) -> bytes:
    given: list[Any] = []

    def watched(copy: Any) -> Any:
        given.append(copy)
        return validator(copy)

    found = judge(watched, sample)
    changed = not isinstance(found, Failure) and bool(given) and not _unchanged(given[0], digest)
    return line(digest, found, changed=changed)


def _unchanged(copy: Any, digest: str) -> bool:
    try:
        return digest_of(copy) == digest
    except (InvalidValue, InvalidType):  # it is no JSON any more
        return False
