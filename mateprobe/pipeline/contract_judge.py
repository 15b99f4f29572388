"""Contracts as a validator: the observation of one sample after another, worked out anew only where they differ.

A fault and its baseline differ in one place, and most rules look elsewhere. What a rule said is kept with what it
``reads``, so that it is asked again only when that has changed; so is a surface or a context that was decoded.
"""

from __future__ import annotations

import marshal
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from mateprobe import strict_json
from mateprobe.canonical import digest as digest_of, plain, plain_bytes, same
from mateprobe.decoding import Misfit, instance
from mateprobe.engine import Contract, Profile, Reads, ask
from mateprobe.errors import InvalidStructure, InvalidType, InvalidValue, StudyError
from mateprobe.model import Check, Context, Document, Report, Status, Surface
from mateprobe.mutations import Sample, Target, violated
from mateprobe.pipeline.foreign import OwnCodeError
from mateprobe.pipeline.observation import failed
from mateprobe.pipeline.section import source_path
from mateprobe.serialization import contracts_from_data, policy_from_data, sample_from_data

STRUCTURE = "structure"
"""The id reported when an adapter finds that a sample has not the structure a profile can judge."""

KEPT = 4096
"""Things of a kind that are kept; then they are forgotten and gathered anew."""

Adapter = Callable[[Any], Any]
_read_surface, _read_context = instance(Surface), instance(Context)


class _Said(NamedTuple):
    """What one contract said: its checks, as they stand in a record too, and whether all of them are satisfied."""

    checks: tuple[Check, ...]
    text: bytes
    satisfied: bool


class _Kept(dict[Any, Any]):
    """What was worked out before; bounded, so that memory stays flat."""

    def keep(self, key: Any, value: Any) -> Any:
        """Keep a value and return it."""
        if len(self) >= KEPT:
            self.clear()
        self[key] = value
        return value


class ContractJudge:
    """Judges samples, one after another, by the contracts of a validator as a study in ``folder`` describes it.

    Raises:
        StudyError: as ``contracts_of``. InvalidValue, InvalidType: a rule or policy that cannot be.
    """

    def __init__(self, validator: Mapping[str, Any], folder: Path, adapter: Adapter | None = None) -> None:
        self._profile = Profile(contracts_of(validator, folder))
        self._policy = policy_from_data(validator.get("policy", {}), "policy")
        self._adapter = adapter
        self._contracts = [
            (number, contract, getattr(contract, "reads", None))
            for number, contract in enumerate(self._profile.contracts)
        ]
        self._said, self._surfaces, self._contexts = _Kept(), _Kept(), _Kept()
        self._last = ""

    @property
    def header(self) -> dict[str, Any]:
        """What the header of the observations says."""
        return {"itemised": True, "contracts_digest": self._profile.digest, "policy": plain(self._policy)}

    def observe(self, digest: str, data: Any) -> bytes:
        """Return the line of a sample's observation; a sample that comes twice in a row is judged anew.

        Raises:
            InvalidValue, InvalidType: the sample is no document with its context; names it.
        """
        if digest == self._last:
            for kept in (self._said, self._surfaces, self._contexts):
                kept.clear()
        self._last = digest
        try:
            if self._adapter:
                return self._of_adapted(digest, self._adapter(data))
            return self._line(digest, digest, self._of_data(data))  # what is judged has the digest of the sample
        except OwnCodeError as error:
            return plain_bytes({**failed(digest, str(error)), "input_digest": None, "checks": []})
        except InvalidStructure as error:
            return plain_bytes({**_refused(digest, error), "input_digest": None, "checks": []})
        except (InvalidValue, InvalidType) as error:
            raise type(error)(f"sample {digest}: {error}") from None

    def _of_adapted(self, digest: str, adapted: Any) -> bytes:
        sample = adapted if isinstance(adapted, Sample) else sample_from_data(adapted)
        document, context = sample.document, sample.context
        return self._line(digest, digest_of({"document": document, "context": context}), self._all(document, context))

    def _all(self, document: Document, context: Context) -> list[_Said]:
        return [_said(ask(contract, document, context)) for _, contract, _ in self._contracts]

    def _of_data(self, data: Any) -> list[_Said]:
        """Return what each contract says: as before where what it reads is as before."""
        parts = _parts(data)
        if parts is None:
            sample = sample_from_data(data)
            return self._all(sample.document, sample.context)
        keys, context_key = parts
        try:
            surfaces = [
                self._surfaces.get(key) or self._surfaces.keep(key, _read_surface(surface))
                for key, surface in zip(keys.values(), data["document"]["surfaces"], strict=True)
            ]
            context = self._contexts.get(context_key) or self._contexts.keep(
                context_key, _read_context(data["context"])
            )
        except Misfit:
            sample_from_data(data)  # says where in the sample it is
            raise
        document = None
        found = []
        for number, contract, reads in self._contracts:
            key = _key(number, reads, keys, context_key)
            said = self._said.get(key)
            if said is None:
                document = document or Document(tuple(surfaces))
                said = _said(ask(contract, document, context))
                if key:
                    self._said.keep(key, said)
            found.append(said)
        return found

    def _line(self, digest: str, input_digest: str, said: Sequence[_Said]) -> bytes:
        accepted, complete, error, violations, repeated = b"true", b"true", b"null", b"[]", b""
        if not all(one.satisfied for one in said):
            checks = tuple(chain.from_iterable(one.checks for one in said))
            report = Report(checks, input_digest, self._profile.digest, self._policy)
            broken = [check.rule_id for check in checks if check.status is Status.ERROR]
            accepted, complete = plain_bytes(report.accepted), plain_bytes(report.complete)
            error = plain_bytes(f"rules failed: {', '.join(broken)}" if broken else None)
            violations = plain_bytes([target.finding_id for target in violated(report)])
            repeated = _repeated(report)
        return (
            b'{"accepted":%b,"checks":[%b],"complete":%b,"error":%b,"input_digest":"%b",%b"sample":"%b","violations":%b}'
            % (
                accepted, b",".join([one.text for one in said]), complete, error, input_digest.encode(), repeated,
                digest.encode(), violations,
            )
        )  # fmt: skip


def _parts(data: Any) -> tuple[dict[str, bytes], bytes] | None:
    """Return a sample's surfaces, by id, and its context as bytes, which are equal only for equal data and types.

    None if it is not simply a document and its context. What is in them has yet to be read.
    """
    try:
        context, surfaces = data["context"], data["document"]["surfaces"]
        if len(data) != 2 or len(data["document"]) != 1 or type(surfaces) is not list or not surfaces:
            return None
        keys = {surface["id"]: marshal.dumps(surface, 2) for surface in surfaces}
        return (keys, marshal.dumps(context, 2)) if len(keys) == len(surfaces) else None
    except (KeyError, TypeError, ValueError):
        return None


def _key(number: int, reads: Reads | None, surfaces: Mapping[str, bytes], context: bytes) -> Any:
    """Return what of a sample decides what a contract says, with its number; None if all of it may."""
    if reads is None:
        return None
    named = surfaces if reads.surfaces is None else reads.surfaces
    try:
        return (number, reads.context and context, *[surfaces[id] for id in named])
    except KeyError:  # the rule fails, and says which surfaces there are
        return None


def _said(checks: tuple[Check, ...]) -> _Said:
    text = plain_bytes([_written(check) for check in checks])[1:-1]
    return _Said(checks, text, all(check.status is Status.SATISFIED for check in checks))


def _written(check: Check) -> dict[str, Any]:
    """Return a check as its record has it."""
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


def _repeated(report: Report) -> bytes:
    """Return how often each id was found, where it was found more than once, as a part of the line."""
    found = Counter(
        Target(check.rule_id, check.code, check.scope).finding_id
        for check in report.checks
        if check.status is Status.VIOLATED
    )
    repeated = {id: number for id, number in found.items() if number > 1}
    return b'"repeated":%b,' % plain_bytes(repeated) if repeated else b""


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


def _refused(digest: str, error: InvalidStructure) -> dict[str, Any]:
    return {
        "sample": digest,
        "accepted": False,
        "complete": True,
        "violations": [STRUCTURE],
        "evidence": [str(error)],
        "error": None,
    }
