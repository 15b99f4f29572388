"""Markdown of a doctor's report: lists, which read as well on a terminal as on a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mateprobe.reports.markdown import cell, shown

if TYPE_CHECKING:
    from mateprobe.doctor import Contradiction, Coverage, DoctorReport, Exposure

_SABOTEURS = "Each accepts every baseline; what is said of it here, it does on any other sample."
_OBLIGATIONS = "Where no case of an obligation gives a saboteur away, a validator may behave like it unseen."
_CONTRADICTIONS = """\
Samples that one case wants accepted and another rejected. No validator can satisfy both, so such cases give
anybody away: settle them first."""
_ATTRIBUTION = """\
A validator that tells faults from controls and reports every id on each fault meets all thresholds on any
corpus without contradictions: detection asks for the expected ids and forbids none. What gives it away is its
attribution precision, the share of expected ids among those it reports, if the faults expect different ids."""


def doctor_markdown(report: DoctorReport) -> str:
    """Return the whole report as Markdown text ending in a newline.

    Examples:
        >>> from mateprobe import AuditCase, Obligation, Relation, Validity
        >>> from mateprobe.doctor import examine
        >>> label = (Validity.VALID, "by hand")
        >>> case = AuditCase("none", "receipt", "R-17", "", Relation.VIOLATION, ("receipt",), *label)
        >>> doctor_markdown(examine([case], [Obligation("receipt", "A refund has a receipt.")])).splitlines()[0]
        '# This corpus has blind spots'
    """
    sections = (
        ("Saboteurs", _SABOTEURS, [_exposure(item) for item in report.saboteurs]),
        ("Obligations", _OBLIGATIONS, [_coverage(item) for item in report.obligations]),
        ("Contradictions", _CONTRADICTIONS, [_contradiction(item) for item in report.contradictions]),
        ("Attribution", _ATTRIBUTION, [_attribution(report)]),
    )
    lines = [
        f"# {'This corpus unmasks every saboteur' if report.healthy else 'This corpus has blind spots'}",
        "",
        f"{report.counted} of {report.total} cases count: their label is valid and their two samples differ.",
        f"Corpus `{report.corpus_digest}`, MateProbe {report.library_version}.",
    ]
    for title, about, items in sections:
        lines += ["", f"## {title}", "", about, "", *(items or ["- none"])]
    return "\n".join([*lines, ""])


def _exposure(item: Exposure) -> str:
    if item.unmasked:
        verdict = f"unmasked, {_listed(f'{number} {outcome}' for outcome, number in item.exposed_by)}"
    else:
        rates = f"detection {shown(item.detection_score)}, preservation {shown(item.preservation_rate)}"
        verdict = f"PASSES with {rates}; unmasking it takes {item.needs}"
    return f"- **{item.saboteur}** {item.does}: {verdict}"


def _coverage(item: Coverage) -> str:
    challenge = " (challenge)" if item.scope == "challenge" else ""
    found = f"{_number(item.faults, 'fault')}, {_number(item.controls, 'control')}"
    passing = f"; passing here: {_listed(item.passing)}" if item.passing else ""
    return f"- **{cell(item.id)}**{challenge}: {found}{passing}"


def _contradiction(item: Contradiction) -> str:
    return f"- `{item.sample}`: accepted in {cell(item.accepted_in)}, rejected in {cell(item.rejected_in)}"


def _attribution(report: DoctorReport) -> str:
    reported = f"{_number(report.distinct_ids, 'id')} on each fault"
    return f"- here it would report {reported}: an attribution precision of {shown(report.spray_precision)}"


def _number(number: int, what: str) -> str:
    return f"{number or 'no'} {what}" + "s" * (number > 1)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words)
