"""Stage ``observe``: what one validator says of every distinct sample. The only stage that runs one."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from functools import partial as bind
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mateprobe import strict_json
from mateprobe.canonical import digest as digest_of, plain, plain_bytes, same, shard_of
from mateprobe.engine import Contract, Profile
from mateprobe.errors import InvalidStructure, InvalidType, InvalidValue, StageError, StudyError
from mateprobe.model import Check, Report, Status
from mateprobe.mutations import Sample, Target, violated
from mateprobe.pipeline.digest_table import DigestTable
from mateprobe.pipeline.environment import missing_here
from mateprobe.pipeline.foreign import OwnCodeError, command_of, function_of
from mateprobe.pipeline.frozen import compared, frozen_path, frozen_rows, replayed
from mateprobe.pipeline.named_code import CODE, is_own, load_function
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
from mateprobe.runner import Failure, Judgement, judge, said, undecided
from mateprobe.serialization import contracts_from_data, policy_from_data, sample_from_data

REJUDGED = 16
"""Samples judged a second time, unless the validator sets ``rejudge``."""

STRUCTURE = "structure"
"""The id reported when an adapter finds that a sample has not the structure a profile can judge."""

Observation = dict[str, Any]
Observer = Callable[[Iterable[tuple[str, Any]]], Iterator[Observation]]
"""Takes samples, each with its digest; yields what the validator said of each, in order."""


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

    def write(path: Path, rows: Iterable[Observation], header: Mapping[str, Any]) -> None:
        write_records(path, "observations", map(plain_bytes, rows), {"validator": validator, **header})

    def make(partial: Mapping[str, Path]) -> None:
        mine = distinct_samples(read_records(cases, "cases"), args.shard, shards)
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


def _answered(
    samples: Iterable[tuple[str, Any]], section: Mapping[str, Any], path: Path, *, fresh: bool
) -> Iterator[Observation]:
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
            _each(lambda digest, sample: _row(digest, programs.ask(digest, sample))),
            validator.get("rejudge", REJUDGED),
        )
        yield from compared(rows, frozen or {}, path)


def _replayed(
    samples: Iterable[tuple[str, Any]], frozen: Mapping[str, Observation], path: Path, why: str
) -> Iterator[Observation]:
    print(f"observe: replayed {path}: {why}", file=sys.stderr)
    yield from replayed(frozen, (digest for digest, _ in samples), path)


def distinct_samples(cases: Iterable[Mapping[str, Any]], shard: int = 0, shards: int = 1) -> Iterator[tuple[str, Any]]:
    """Yield each distinct sample of a shard with its digest, in order of first appearance, baseline first."""
    seen = DigestTable()
    for case in cases:
        for side in ("baseline", "variant"):
            digest = case[f"{side}_sha256"]
            if digest is None or shard_of(digest, shards) != shard:
                continue
            if not seen.get(digest):
                seen.put(digest, 1)
                yield digest, case[side]


def observed(samples: Iterable[tuple[str, Any]], observer: Observer, rejudge: int) -> Iterator[Observation]:
    """Yield the observation of each sample; the first ``rejudge`` samples are judged twice.

    A validator that says two things of one sample has no verdict on it: that is an error, never an
    average of the two.
    """
    rows = observer(_asked(samples, rejudge))
    for position, row in enumerate(rows):
        if position < rejudge and not same(row, again := next(rows)):
            yield failed(row["sample"], undecided(_said(row), _said(again)))
        else:
            yield row


def _asked(samples: Iterable[tuple[str, Any]], twice: int) -> Iterator[tuple[str, Any]]:
    """Yield the samples, the first ones two times each."""
    for position, sample in enumerate(samples):
        yield sample
        if position < twice:
            yield sample


def _each(observe: Callable[[str, Any], Observation]) -> Observer:
    """Return the observer that asks about one sample after another."""
    return lambda samples: (observe(digest, sample) for digest, sample in samples)


def _said(row: Observation) -> str:
    return said(**{key: row[key] for key in ("accepted", "complete", "violations", "error")})


def failed(digest: str, message: str) -> Observation:
    """Return the observation of a sample on which the validator gave no usable verdict."""
    return {"sample": digest, "accepted": False, "complete": False, "violations": [], "error": _utf8(message)}


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
            yield _contracts(validator, folder, adapted)
    elif is_own(name := validator["callable"]):
        limits, runs = limits_of(validator), validator.get("runs", ())
        form, given = "validator", validator.get("with", {})
        with closing(command_of(name, code, form, given, reads=reads, runs=runs, limits=limits)) as command:
            yield {"itemised": False}, lambda samples: (_row(*answer) for answer in command.ask_ahead(samples))
    else:
        function = load_function(name)
        yield {"itemised": False}, _each(bind(_ask, bind(function, **validator.get("with", {}))))


def _contracts(
    validator: Mapping[str, Any], folder: Path, adapted: Callable[[Any], Any] | None
) -> tuple[dict[str, Any], Observer]:
    profile = Profile(contracts_of(validator, folder))
    policy = policy_from_data(validator.get("policy", {}), "policy")

    def observe(digest: str, data: Any) -> Observation:
        try:
            sample = adapted(data) if adapted else data
            sample = sample if isinstance(sample, Sample) else sample_from_data(sample)
        except OwnCodeError as error:
            return {**failed(digest, str(error)), "input_digest": None, "checks": []}
        except InvalidStructure as error:
            return {**_refused(digest, error), "input_digest": None, "checks": []}
        except (InvalidValue, InvalidType) as error:
            raise type(error)(f"sample {digest}: {error}") from None
        known = None if adapted else digest  # a sample that is a document and context has their digest
        report = profile.evaluate(sample.document, sample.context, policy, input_digest=known)
        broken = [check.rule_id for check in report.checks if check.status is Status.ERROR]
        return {
            "sample": digest,
            "accepted": report.accepted,
            "complete": report.complete,
            "violations": [target.finding_id for target in violated(report)],
            **_repeated(report),
            "error": f"rules failed: {', '.join(broken)}" if broken else None,
            "input_digest": report.input_digest,
            "checks": [_written(check) for check in report.checks],
        }

    return {"itemised": True, "contracts_digest": profile.digest, "policy": plain(policy)}, _each(observe)


def _written(check: Check) -> dict[str, Any]:
    """Return a check as its record has it, keys in order: nearly all of what this stage writes, so spelled out."""
    return {
        "code": check.code,
        "evidence": check.evidence,
        "kind": check.kind.value,
        "metrics": [list(metric) for metric in check.metrics],
        "rule_id": check.rule_id,
        "scope": check.scope,
        "status": check.status.value,
        "version": check.version,
    }


def _repeated(report: Report) -> dict[str, Any]:
    """Return how often each id was found, where it was found more than once."""
    found = Counter(
        Target(check.rule_id, check.code, check.scope).finding_id
        for check in report.checks
        if check.status is Status.VIOLATED
    )
    repeated = {id: number for id, number in sorted(found.items()) if number > 1}
    return {"repeated": repeated} if repeated else {}


def contracts_of(validator: Mapping[str, Any], folder: Path) -> tuple[Contract, ...]:
    """Return the contracts of a validator: listed in its study, or recorded with a collection.

    Raises:
        StudyError: a recorded profile of another form, or with no rule of the wanted kinds.
    """
    if "contracts" in validator:
        return contracts_from_data(validator["contracts"], "contracts")
    path = source_path(validator["configuration"], folder)
    kinds = validator.get("kinds", ["invariant", "heuristic"])
    recorded = [rule for rule in strict_json.load(path)["rule_configuration"] if rule["kind"] in kinds]
    if not recorded:
        raise StudyError(f"{path}: rule_configuration: expected rules of kind {' or '.join(kinds)}, found none")
    listed = [{"type": rule["type"].rpartition(".")[2], **rule["parameters"]} for rule in recorded]
    contracts = contracts_from_data(listed, f"{path}: rule_configuration")
    for contract, rule in zip(contracts, recorded, strict=True):
        if not same(contract.configuration(), rule):
            raise StudyError(f"{path}: rule_configuration: {rule!r} is not what this library calls so")
    return contracts


def _refused(digest: str, error: InvalidStructure) -> Observation:
    return {
        "sample": digest,
        "accepted": False,
        "complete": True,
        "violations": [STRUCTURE],
        "evidence": [str(error)],
        "error": None,
    }


def _ask(validator: Callable[[Any], Any], digest: str, sample: Any) -> Observation:
    given: list[Any] = []

    def watched(copy: Any) -> Any:
        given.append(copy)
        return validator(copy)

    row = _row(digest, judge(watched, sample))
    changed = row["error"] is None and given and not _unchanged(given[0], digest)
    return {**row, "changed_sample": True} if changed else row


def _row(digest: str, found: Judgement) -> Observation:
    if isinstance(found, Failure):
        return failed(digest, found.message)
    return {
        "sample": digest,
        "accepted": found.accepted,
        "complete": found.complete,
        "violations": [_utf8(id) for id in found.violations],
        "evidence": [_utf8(text) for text in found.evidence],
        "error": None,
    }


def _utf8(text: str) -> str:
    """Return the text with lone surrogates spelled out: a validator may say what no file can hold."""
    return text.encode(errors="backslashreplace").decode()


def _unchanged(copy: Any, digest: str) -> bool:
    try:
        return digest_of(copy) == digest
    except (InvalidValue, InvalidType):  # it is no JSON any more
        return False
