"""What the page shows of a study beside its cases, and what its front page shows of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mateprobe.outcome import Outcome
from mateprobe.pipeline.figure_specs import FIGURES, Figure
from mateprobe.pipeline.page_cases import NOT_ASKED
from mateprobe.pipeline.table_forms import numeric, shown
from mateprobe.pipeline.table_specs import table_called
from mateprobe.reports.markdown import shown as percent

OUTCOMES = [*(outcome.value for outcome in Outcome), "accepted", "rejected", "incomplete", NOT_ASKED]
"""The words for how a case or a sample without a pair can end, in the order to show."""


def study_data(
    section: Mapping[str, Any], summary: Mapping[str, Any], gate: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return what stands on the page of a study.

    Args:
        section: the study's section for this stage.
        summary: its summary.
        gate: how its validators stand against their gates, if it has any.
    """
    validators = [(id, summary["validators"][id]) for id in summary["order"]]
    return {
        "id": section["study"],
        "title": section["title"],
        "description": section["description"],
        "pooled": section["pooled"],
        "outcomes": OUTCOMES,
        "gates": gate["gates"] if gate else [],
        "validators": [_validator(id, validator) for id, validator in validators],
        "obligations": [
            {
                "id": obligation["id"],
                "description": obligation["description"],
                "validators": {id: _evidence(validator["obligations"][place]) for id, validator in validators},
            }
            for place, obligation in enumerate(validators[0][1]["obligations"])
        ],
        "tables": [_table(name, section) for name in section["tables"]],
        "figures": [_figure(name, figure) for name, figure in figures_of(section["study"], section["tables"]).items()],
    }


def figures_of(study: str, tables: Iterable[str]) -> dict[str, Figure]:
    """Return the figures that show a study, by name."""
    shown_in = {*tables}
    return {
        f"{name}.{study}" if figure.each else name: figure
        for name, figure in FIGURES.items()
        if figure.table in shown_in
    }


def _validator(id: str, summary: Mapping[str, Any]) -> dict[str, Any]:
    said: Counter[str] = Counter()
    for family in summary["samples"].values():
        said.update(family["said"])
        said[NOT_ASKED] += family["attempts"] - sum(family["said"].values())
    counts = Counter(summary.get("counts", {})) + said
    return {
        "id": id,
        "detection": _rate(summary, "detected_faults", "eligible_faults", "detection_score"),
        "preservation": _rate(summary, "preserved_controls", "eligible_controls", "preservation_rate"),
        "counts": dict(sorted(counts.items())),
    }


def _rate(summary: Mapping[str, Any], part: str, whole: str, rate: str) -> str | None:
    """Return a rate with what it is made of, or None where it is undefined or would span what is not alike."""
    if summary.get(rate) is None:
        return None
    return f"{percent(summary[rate])} ({summary[part]:,}/{summary[whole]:,})"


def _evidence(obligation: Mapping[str, Any]) -> dict[str, Any]:
    return {"assessment": obligation["assessment"], "counts": obligation["figures"]["counts"]}


def _table(name: str, section: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rows of the study in a table, for people."""
    table = table_called(name)
    frame = table.read(map(Path, table.inputs(section["study"], section["validators"])))
    return {
        "name": name,
        "title": table.title,
        "headings": [column.heading for column in table.columns],
        "numbers": numeric(table, frame),
        "rows": shown(table, frame),
    }


def _figure(name: str, figure: Figure) -> dict[str, str]:
    return {"name": name, "title": figure.title, "caption": figure.caption}


def study_line(
    section: Mapping[str, Any],
    summary: Mapping[str, Any],
    agreement: Mapping[str, Any] | None,
    gate: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the line of a study on the front page."""
    held = agreement and {
        "cases": agreement["cases"],
        "values": agreement["values"],
        "differences": len(agreement["differences"]),
    }
    return {
        "id": section["study"],
        "title": section["title"],
        "cases": summary["cases"],
        "validators": len(summary["order"]),
        "agreement": held,
        "gates": gate["gates"] if gate else [],
    }


def front_data(
    studies: Sequence[Mapping[str, Any]], claims: Mapping[str, Any] | None, figures: Mapping[str, Figure]
) -> dict[str, Any]:
    """Return what stands on the front page.

    Args:
        studies: their lines.
        claims: the numbers of the report, if there is every study they are about.
        figures: those of the whole report, by name; shown are those over several studies.
    """
    stated = claims["claims"] if claims else []
    return {
        "studies": studies,
        "claims": {
            "agrees": sum(claim["agrees"] for claim in stated),
            "own": len(claims["own"]) if claims else 0,
            "claims": [
                [
                    claim["id"],
                    claim["says"],
                    str(claim["expected"]),
                    str(claim["value"]),
                    claim["agrees"],
                    claim["artifact"],
                ]
                for claim in stated
            ],
        },
        "figures": [_figure(name, figure) for name, figure in figures.items() if not figure.each],
    }
