"""A report as SARIF 2.1.0 (OASIS Standard): wrong answers at the line of the case file where each case stands.

Rules are obligations. A survivor, an unattributed rejection and a refused control are results of kind
``fail``. A case without a usable answer is one of kind ``open``: the tool could not tell (§3.27.9). An old
report tells which of them are new, unchanged or updated, and which are absent because the case ends well
now. What failed before and is not asked any more stays, as ``open``: it has not been fixed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mateprobe._version import __version__
from mateprobe.canonical import digest
from mateprobe.outcome import FAILURES, FATAL, GAPS, WELL
from mateprobe.reports.markdown import told
from mateprobe.reports.output import encodable, json_text

if TYPE_CHECKING:
    from mateprobe.report_file import ReportFile
    from mateprobe.validator_audit import AuditResult, Obligation, ValidatorAuditReport

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "caseAndSamples/v1"


def sarif(file: ReportFile, baseline: ReportFile | None = None) -> Iterator[str]:
    """Yield the document; ``baseline`` is the report that this one is compared with.

    Examples:
        >>> from mateprobe.report_file import ReportFile
        >>> from mateprobe.validator_audit import Obligation, ValidatorAuditReport
        >>> receipt = Obligation("receipt", "A refund has a receipt.")
        >>> file = ReportFile(ValidatorAuditReport("asks", (receipt,), (), "0" * 64))
        >>> import json
        >>> json.loads("".join(sarif(file)))["version"]
        '2.1.0'
    """
    report = file.report
    rules = _rules(report, baseline.report if baseline else None)
    index = {rule.id: place for place, rule in enumerate(rules)}
    levels = {rule.id: _level(rule) for rule in rules}
    results = _results(report) if baseline is None else _compared(report, baseline.report)
    for result in results:
        id = result["ruleId"]
        result["ruleIndex"] = index[id]
        result["level"] = levels[id] if result["kind"] == "fail" else "none"
    driver = {"name": "MateProbe", "version": __version__, "rules": [_rule(rule) for rule in rules]}
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"mateprobe/{report.validator_id}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not any(case.outcome in FATAL for case in report.cases)}],
        "properties": {"corpus_digest": report.corpus_digest, "gate": file.held.to_dict()},
        "results": results,
    }
    yield json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def fingerprint(case: AuditResult) -> str:
    """Return the identity of what a case asks: the same as long as id, obligation, expected ids and samples are.

    Examples:
        >>> from mateprobe import AuditCase, Obligation, Relation, Verdict, audit_validator
        >>> case = AuditCase("none", "receipt", "R-17", "", Relation.VIOLATION, ("receipt",))
        >>> receipt = Obligation("receipt", "A refund has a receipt.")
        >>> reports = [
        ...     audit_validator(lambda text: Verdict(said), [case], obligations=[receipt], validator_id="v")
        ...     for said in (True, False)
        ... ]
        >>> len({fingerprint(report.cases[0]) for report in reports})
        1
    """
    asked = [case.id, case.obligation, case.relation, case.expected, case.baseline_digest, case.variant_digest]
    return digest(asked)


def _rules(report: ValidatorAuditReport, old: ValidatorAuditReport | None) -> list[Obligation]:
    """Return the obligations, then those that only the old report knows."""
    rules = {rule.id: rule for rule in report.obligations}
    for rule in old.obligations if old else ():
        rules.setdefault(rule.id, rule)
    return list(rules.values())


def _rule(rule: Obligation) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.description},
        "defaultConfiguration": {"level": _level(rule)},
        "properties": {"scope": rule.scope},
    }


def _level(rule: Obligation) -> str:
    """A challenge lies beyond what the validator guarantees: to fail it is no error of its own."""
    return "error" if rule.scope == "contract" else "warning"


def _results(report: ValidatorAuditReport) -> list[dict[str, Any]]:
    return [_result(case) for case in report.cases if case.outcome in FAILURES]


def _compared(report: ValidatorAuditReport, old: ValidatorAuditReport) -> list[dict[str, Any]]:
    before = {fingerprint(case): case for case in old.cases if case.outcome in FAILURES}
    results: list[dict[str, Any]] = []
    asked: set[str] = set()
    for case in report.cases:
        identity = fingerprint(case)
        asked.add(identity)
        past = before.get(identity)
        if case.outcome in FAILURES:
            state = "new" if past is None else "unchanged" if past.outcome is case.outcome else "updated"
            results.append({**_result(case), "baselineState": state})
        elif past is not None and case.outcome in WELL:
            results.append({**_result(past), "baselineState": "absent"})
        elif past is not None:
            results.append(_unasked(past))
    return results + [_unasked(past) for identity, past in before.items() if identity not in asked]


def _unasked(past: AuditResult) -> dict[str, Any]:
    text = f"{_message(past)} (in the old report; it is not asked any more, which does not mend it)"
    return {**_result(past), "kind": "open", "message": {"text": text}, "baselineState": "updated"}


def _result(case: AuditResult) -> dict[str, Any]:
    identity = fingerprint(case)
    return {
        "ruleId": case.obligation,
        "kind": "fail" if case.outcome in GAPS else "open",
        "message": {"text": _message(case)},
        "locations": [_location(case)],
        # The second is the one that GitHub matches alerts by; left to itself it hashes the line of the file.
        "partialFingerprints": {FINGERPRINT: identity, "primaryLocationLineHash": f"{identity[:16]}:1"},
        "properties": {
            "case": case.id,
            "relation": case.relation.value,
            "outcome": case.outcome.value,
            "reason": case.reason,
            "expected": [*case.expected],
            "reported": [*case.variant.violations] if case.variant else [],
        },
    }


def _message(case: AuditResult) -> str:
    return f"{case.id}: {told(case)}"


def _location(case: AuditResult) -> dict[str, Any]:
    logical = {"logicalLocations": [{"fullyQualifiedName": case.id, "kind": "object"}]}
    if case.source is None:
        return logical
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(encodable(case.source.file)), "uriBaseId": "%SRCROOT%"}}
    if case.source.line is not None:
        place["region"] = {"startLine": case.source.line}
    return {"physicalLocation": place, **logical}
