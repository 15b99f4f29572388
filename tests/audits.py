"""An audit in which every outcome occurs, for tests of what is made of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mateprobe import AuditCase, Obligation, Relation, Validity, Verdict, audit_validator
from mateprobe.gate import EVERYTHING, Gate
from mateprobe.report_file import ReportFile
from mateprobe.validator_audit import Source

OBLIGATIONS = (
    Obligation("sign", "The number is above zero."),
    Obligation("size", "The number is small.", "challenge"),
    Obligation("parity", "Nobody tests this."),
)


def signs(number: int) -> Verdict:
    """Refuse what is not above zero, and what is large; fail on 13, know nothing certain of 7."""
    if number == 13:
        raise ValueError("unlucky")
    if number == 7:
        return Verdict(False, ("sign",), complete=False)
    if number > 100:
        return Verdict(False, ("size",), evidence=("too large",))
    return Verdict(number > 0, () if number > 0 else ("sign" if number else "zero",))


def case(id: str, variant: Any, relation: str = "violation", **changes: Any) -> AuditCase[Any]:
    expected = ("sign",) if relation == "violation" else ()
    given = {"obligation": "sign", "baseline": 1, "validity": Validity.VALID, "provenance": "by hand", **changes}
    return AuditCase(id=id, variant=variant, relation=Relation(relation), **{"expected": expected, **given})


CASES = (
    case("flipped", -1),
    case("doubled", 2, "preserve"),
    case("tiny", 3),
    case("zero", 0),
    case("huge", 1000, "preserve", obligation="size"),
    case("unlucky", 13),
    case("vague", 7),
    case("wrong way round", 1, baseline=-1),
    case("not looked at", -2, validity=Validity.UNREVIEWED),
)


def report(
    cases: Sequence[AuditCase[Any]] = CASES,
    validator: Any = signs,
    gate: Gate = EVERYTHING,
    **fields: Any,
) -> ReportFile:
    """Audit the validator, and place the cases in the lines of a file, beginning with the second."""
    audited = audit_validator(validator, cases, **{"obligations": OBLIGATIONS, "validator_id": "signs", **fields})
    placed = [replace(one, source=Source("cases.csv", line)) for line, one in enumerate(audited.cases, 2)]
    return ReportFile(replace(audited, cases=tuple(placed)), gate)


CASE = {one.id: one for one in CASES}
WELL = [CASE["flipped"], CASE["doubled"]]
