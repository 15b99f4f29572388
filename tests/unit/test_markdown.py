"""The Markdown of an audit: what failed first, and nothing a reader could take for markup."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mateprobe import (
    AuditCase,
    Obligation,
    Relation,
    ValidatorAuditReport,
    Validity,
    Verdict,
    audit_validator,
    provenance,
)
from mateprobe.reports.markdown import cell, shown

TOTAL = Obligation("total", "the total is the sum")
OWNER = Obligation("owner", "the owner | named\nin full", "challenge")
UNTESTED = Obligation("untested", "nobody tests this")
SECTIONS = [
    "Known gaps",
    "Incomplete evidence and execution failures",
    "Untested or unevaluated obligations",
    "Evidence by obligation",
    "All cases",
]


def validator(sample: Any) -> Verdict:
    if sample == "crash":
        raise ValueError("one\ntwo | three")
    if sample == "fine":
        return Verdict(True)
    return Verdict(sample == "good", () if sample in {"good", "nameless"} else (sample,))


def case(id: str, variant: str, obligation: str = "total", relation: Relation = Relation.VIOLATION) -> AuditCase[str]:
    expected = ("total",) if relation is Relation.VIOLATION else ()
    return AuditCase(id, obligation, "good", variant, relation, expected, Validity.VALID, "me")


def audited(*cases: AuditCase[str], **fields: Any) -> ValidatorAuditReport:
    obligations = (TOTAL, OWNER, UNTESTED)
    return audit_validator(validator, cases, **{"obligations": obligations, "validator_id": "orders", **fields})


PRESERVE = Relation.PRESERVE
REPORT = audited(
    case("found", "total"),
    case("kept", "kept", relation=PRESERVE),
    case("other | name", "owner"),
    case("nameless", "nameless"),
    case("crash", "crash", "owner"),
)


def sections(text: str) -> dict[str, list[str]]:
    """Return the lines of each section, without empty ones."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return {title: [line for line in body.splitlines() if line] for title, body in zip(parts[1::2], parts[2::2])}  # noqa: B905


def test_sections_come_in_their_order() -> None:
    assert list(sections(REPORT.to_markdown())) == SECTIONS


def test_the_whole_report_reads_so() -> None:
    assert (
        REPORT.to_markdown()
        == f"""# Audit of orders

Detected 1 of 4 faults (25.0%), preserved 0 of 1 controls (0.0%).
These figures speak of the supplied cases alone.

Corpus `{REPORT.corpus_digest}`, MateProbe {REPORT.library_version}, Git state not asked for.

## Known gaps

- **kept** (total): regressed; expected acceptance, got kept
- **other \\| name** (total): unattributed_rejection; expected total, got owner
- **nameless** (total): unattributed_rejection; expected total, got rejection without an id

## Incomplete evidence and execution failures

- **crash** (owner): error; variant_error: ValueError: one two \\| three

## Untested or unevaluated obligations

- **untested**: untested; nobody tests this

## Evidence by obligation

| Obligation | Scope | Assessment | Outcomes |
|---|---|---|---|
| total: the total is the sum | contract | known_gaps | detected 1, regressed 1, unattributed_rejection 2 |
| owner: the owner \\| named in full | challenge | incomplete_evidence | error 1 |
| untested: nobody tests this | contract | untested | none |

## All cases

| Case | Obligation | Outcome | Reason |
|---|---|---|---|
| found | total | detected | all_expected_violations |
| kept | total | regressed | valid_control_rejected |
| other \\| name | total | unattributed_rejection | expected_violations_missing |
| nameless | total | unattributed_rejection | expected_violations_missing |
| crash | owner | error | variant_error: ValueError: one two \\| three |
"""
    )


def test_a_section_with_nothing_to_tell_says_so() -> None:
    report = audited(case("found", "total"), obligations=(TOTAL,))
    parts = sections(report.to_markdown())
    assert [parts[title] for title in SECTIONS[:3]] == [["None."], ["None."], ["None."]]


def test_a_rate_nobody_can_know_is_undefined() -> None:
    report = audited(case("found", "total"))
    assert "preserved 0 of 0 controls (undefined)" in report.to_markdown()
    assert [shown(rate) for rate in (None, 0.0, 1 / 3, 1.0)] == ["undefined", "0.0%", "33.3%", "100.0%"]


def test_a_survivor_says_that_it_was_accepted() -> None:
    parts = sections(audited(case("missed", "fine")).to_markdown())
    assert parts["Known gaps"] == ["- **missed** (total): survived; expected total, got acceptance"]


COMMITS = {"clean": (False, "clean"), "changed": (True, "with local changes"), "unknown": (None, "cleanliness unknown")}


@pytest.mark.parametrize(("dirty", "expected"), COMMITS.values(), ids=COMMITS.keys())
def test_what_is_known_of_the_commit_is_said(dirty: bool | None, expected: str) -> None:
    git = provenance.supplied_git_provenance("a" * 40, dirty)
    text = audited(case("found", "total"), provenance=git).to_markdown()
    assert f", Git commit {'a' * 40} ({expected})." in text


CELLS = {
    "pipes": ("a|b", "a\\|b"),
    "lines": ("a\nb\r\n\tc", "a b c"),
    "numbers": (3, "3"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("text", "expected"), CELLS.values(), ids=CELLS.keys())
def test_a_cell_has_one_line_and_no_bare_pipe(text: object, expected: str) -> None:
    assert cell(text) == expected
