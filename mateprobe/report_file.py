"""Reports of audits as files, read back: nothing is believed that does not follow from the verdicts.

A report is kept as JSON lines (a record file, see ``records``, whose header is all but the cases), or as
one JSON object with a summary. Both say ``mateprobe.report`` and a version. Version 1 is JSON as it was
before there were versions, which the published package writes too; it is upgraded when it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import strict_json
from .canonical import plain
from .classify import Evidence, Facts, Judged, classify
from .corpus import check_label
from .decoding import instance, read
from .errors import InvalidValue, one_of
from .gate import EVERYTHING, Gate, Held
from .outcome import Reason
from .provenance import GitProvenance
from .records import read_records
from .runner import Verdict, judged
from .validator_audit import AuditResult, Obligation, ValidatorAuditReport

KIND = "report"
FORMAT, VERSION = f"mateprobe.{KIND}", 2
SCHEMA = 2
"""The form of a result, which version 1 calls ``schema_version``."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Which part of an audit a report is of: its number from 1, and the places of its cases among all.

    Raises:
        InvalidValue: numbers that fit no audit.
    """

    number: int
    of: int
    positions: tuple[int, ...]
    total: int

    def __post_init__(self) -> None:
        rising = all(
            one < other for one, other in zip((-1, *self.positions), (*self.positions, self.total), strict=True)
        )
        if not 1 <= self.number <= self.of or not rising:
            raise InvalidValue(
                f"shard number={self.number} of={self.of} with {len(self.positions)} of total={self.total} cases: "
                "expected a number from 1 to `of`, and positions that rise from 0 to below `total`"
            )

    def __str__(self) -> str:
        return f"shard {self.number} of {self.of}"


@dataclass(frozen=True, slots=True)
class ReportFile:
    """The report of an audit, the gate it is held against, and which part of the audit it is, if not the whole."""

    report: ValidatorAuditReport
    gate: Gate = EVERYTHING
    shard: Shard | None = None

    @property
    def held(self) -> Held:
        """How the report stands against its gate."""
        return Held.of(self.gate, self.report.cases)

    def head(self) -> dict[str, Any]:
        """Return all but the cases and what follows from them, as JSON data."""
        shard = {"shard": plain(self.shard)} if self.shard else {}
        return {**self.report.head(), "gate": plain(self.gate), **shard}

    def to_dict(self) -> dict[str, Any]:
        """Return the whole as JSON data, with the summary and how it stands."""
        return {"format": FORMAT, "version": VERSION, **self.report.to_dict(), "gate": self.held.to_dict()}


def read_report(path: Path) -> ReportFile:
    """Return the report of a file: JSON lines if its name ends in ``.jsonl``, else JSON.

    Raises:
        EvidenceError: JSON lines of another kind or a newer version, cut short or edited.
        InvalidValue, InvalidType: not a report, one of a newer version, or one that says what does not
            follow from its verdicts; the message names the file and the place in it.
        OSError: it cannot be read.
    """
    return _read_lines(path) if path.suffix == ".jsonl" else _read_json(path)


def _read_lines(path: Path) -> ReportFile:
    rows = read_records(path, KIND, strict=True, newest=VERSION)
    head = {key: value for key, value in rows.header.items() if key not in ("format", "version")}
    cases = tuple(read(read_result, row, f"{path}, line {number}: $") for number, row in enumerate(rows, 2))
    return _checked(read(_HEAD, head, f"{path}, line 1: $").with_cases(cases), str(path))


def _read_json(path: Path) -> ReportFile:
    data = strict_json.load(path)
    if type(data) is not dict:
        raise InvalidValue(f"{path}: expected a report, which is an object; found a {type(data).__name__}")
    whole = _upgraded(data, str(path))
    told = {key: item for key, item in whole.items() if key not in _DERIVED}
    if "gate" in whole:
        told["gate"] = _thresholds(whole["gate"])
    file = _checked(read(_WHOLE, told, f"{path}: $").file(), str(path))
    follows = file.to_dict()
    for key in _DERIVED:
        if key in data and data[key] != follows[key]:
            raise InvalidValue(f"{path}: $.{key} is not what follows from the cases; it was edited: make it again")
    return file


def _upgraded(data: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return the content of a JSON report in the newest form, without format and version."""
    version: Any
    if "format" not in data:
        version, content = 1, dict(data)
    elif data["format"] != FORMAT:
        raise InvalidValue(f"{path}: $.format={data['format']!r}; expected {FORMAT!r}, the report of an audit")
    else:
        version, content = data.get("version"), {k: v for k, v in data.items() if k not in ("format", "version")}
    if type(version) is not int or not 1 <= version <= VERSION:
        raise InvalidValue(f"{path}: $.version={version!r}; this mateprobe reads 1 to {VERSION}, upgrade it for more")
    for upgrade in _UPGRADES[version - 1 :]:
        content = upgrade(content)
    return content


def _from_1(content: Mapping[str, Any]) -> dict[str, Any]:
    """A report without a gate is held against one that asks for everything."""
    return {"gate": plain(EVERYTHING), **content}


_UPGRADES: tuple[Callable[[Mapping[str, Any]], dict[str, Any]], ...] = (_from_1,)
_DERIVED = ("summary", "gate")
"""Keys of the JSON form that follow from the others, the thresholds within the gate apart."""


def _thresholds(gate: Any) -> Any:
    """Return the thresholds of a gate that also says what was found; anything else as it is."""
    if type(gate) is not dict:
        return gate
    given = {name: gate[name] for name in ("detection", "preservation") if name in gate}
    return {
        name: item["required"] if type(item) is dict and "required" in item else item for name, item in given.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    validator_id: str
    obligations: tuple[Obligation, ...]
    corpus_digest: str
    schema_version: int
    library_version: str
    provenance: GitProvenance | None
    gate: Gate
    repeat: int = 1
    shard: Shard | None = None

    def with_cases(self, cases: tuple[AuditResult, ...]) -> ReportFile:
        report = ValidatorAuditReport(
            validator_id=self.validator_id,
            obligations=self.obligations,
            cases=cases,
            corpus_digest=self.corpus_digest,
            schema_version=self.schema_version,
            library_version=self.library_version,
            provenance=self.provenance,
            repeat=self.repeat,
        )
        return ReportFile(report, self.gate, self.shard)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whole(_Head):
    cases: tuple[AuditResult, ...]

    def file(self) -> ReportFile:
        return self.with_cases(self.cases)


read_result = instance(AuditResult)
"""Read the result of one case; a reader as ``decoding`` knows them."""

_HEAD = instance(_Head)
_WHOLE = instance(_Whole)


def _checked(file: ReportFile, path: str) -> ReportFile:
    """Return the file if it could have come from an audit."""
    report = file.report
    if report.schema_version != SCHEMA:
        raise InvalidValue(f"{path}: schema_version={report.schema_version}; this mateprobe reads {SCHEMA}")
    if file.shard and len(file.shard.positions) != len(report.cases):
        raise InvalidValue(f"{path}: {file.shard} has {len(file.shard.positions)} positions, {len(report.cases)} cases")
    if not report.cases and not file.shard:
        raise InvalidValue(f"{path}: the report has no cases; expected at least one")
    obligations = {obligation.id for obligation in report.obligations}
    seen: set[str] = set()
    for case in report.cases:
        if case.id in seen:
            raise InvalidValue(f"{path}: case {case.id!r} occurs twice; it was edited: make it again")
        seen.add(case.id)
        if case.obligation not in obligations:
            raise InvalidValue(
                f"{path}: case {case.id!r} obligation={case.obligation!r}: {one_of(case.obligation, obligations)}"
            )
        _check_outcome(case, path)
    return file


def _check_outcome(case: AuditResult, path: str) -> None:
    """Decide the case again from its verdicts: the one decision table must find what is written."""
    try:
        check_label(case, "obligation", "finding id")
    except ValueError as error:
        raise InvalidValue(f"{path}: {error}") from None
    decision = classify(
        Facts(
            relation=case.relation,
            validity=case.validity,
            identical=case.baseline_digest == case.variant_digest,
            baseline=_judged(case.baseline, case.reason, Reason.BASELINE_ERROR),
            variant=_judged(case.variant, case.reason, Reason.VARIANT_ERROR),
            named=case.variant is not None and set(case.expected) <= set(case.variant.violations),
        )
    )
    if (case.outcome, case.reason.partition(": ")[0]) != decision:
        raise InvalidValue(
            f"{path}: case {case.id!r} outcome={case.outcome.value!r}, reason={case.reason!r} do not follow from its "
            f"verdicts; expected {decision.outcome.value!r}, {decision.reason.value!r}: it was edited, make it again"
        )


def _judged(verdict: Verdict | None, reason: str, failed: Reason) -> Judged | None:
    if verdict is not None:
        return judged(verdict)
    return Judged(Evidence.ERROR, accepted=False) if reason.partition(": ")[0] == failed else None
