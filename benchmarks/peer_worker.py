"""Judge a file of cases with the published engine, from the file to the report's and the summary's JSON.

    python peer_worker.py CASES CONTRACTS REPORT

Run in the peer's environment; ``CASES`` is a record file of the stage ``cases``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from narrative_contracts import model, mutations, serialization  # type: ignore[import-not-found]


def main(cases: str, contracts: str, report: str) -> None:
    """Read, audit, write."""
    empty = {"document": {"surfaces": [{"id": "body", "text": ""}]}, "context": {"states": {}}}
    profile = serialization.load_bundle({**empty, "contracts": json.loads(contracts)})[2]
    with Path(cases).open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][1:-1]
    audited = mutations.audit(tuple(map(_case, rows)), profile)
    Path(report).write_text(json.dumps(audited.to_dict(), sort_keys=True), "utf-8")
    Path(report).with_suffix(".summary").write_text(json.dumps(audited.summary(), sort_keys=True), "utf-8")


def _case(row: dict[str, Any]) -> Any:
    return mutations.MutationCase(
        id=row["id"],
        family=row["family"],
        relation=mutations.Relation(row["relation"]),
        baseline=_sample(row["baseline"]),
        variant=_sample(row["variant"]),
        expected=tuple(map(_target, row["expected"])),
        validity=mutations.Validity(row["validity"]),
        provenance=row["provenance"],
        group=row["group"],
    )


def _target(finding: str) -> Any:
    rule, _, rest = finding.partition("/")
    code, _, scope = rest.partition("@")
    return mutations.Target(rule, code, scope)


def _sample(data: dict[str, Any]) -> Any:
    surfaces = (
        model.Surface(**{**surface, "claims": tuple(model.Claim(**claim) for claim in surface["claims"])})
        for surface in data["document"]["surfaces"]
    )
    context = data["context"]
    return mutations.Sample(
        model.Document(tuple(surfaces)),
        model.Context(context["states"], tuple(context["closed_premises"]), tuple(context["history"])),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
