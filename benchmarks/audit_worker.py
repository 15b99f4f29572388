"""Audit a published corpus with one package and print, as JSON, the user CPU the audit alone took.

    python audit_worker.py PACKAGE CORPUS CONTRACTS COPIES

Both packages know the same names, so both get the same cases from the same code. Each copy of the
corpus after the first is made of other samples, so that nothing is told twice.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def main(package: str, corpus: str, contracts: str, copies: str) -> None:
    """Load, audit, print."""
    model, mutations, serialization = (
        import_module(f"{package}.{name}") for name in ("model", "mutations", "serialization")
    )

    def sample(data: Any, copy: int) -> Any:
        surfaces = (
            model.Surface(**{**surface, "claims": tuple(model.Claim(**claim) for claim in surface["claims"])})
            for surface in data["document"]["surfaces"]
        )
        context = data["context"]
        states = {name: {**facts, "copy": copy} if copy else facts for name, facts in context["states"].items()}
        return mutations.Sample(
            model.Document(tuple(surfaces)),
            model.Context(states, tuple(context["closed_premises"]), tuple(context["history"])),
        )

    def case(data: Any, copy: int) -> Any:
        return mutations.MutationCase(
            id=f"{data['id']}/{copy}" if copy else data["id"],
            family=data["family"],
            relation=mutations.Relation(data["relation"]),
            baseline=sample(data["baseline"], copy),
            variant=sample(data["variant"], copy),
            expected=tuple(mutations.Target(**target) for target in data["expected"]),
            validity=mutations.Validity(data["validity"]),
            provenance=data["provenance"],
            group=data["group"],
        )

    bundle = {
        "document": {"surfaces": [{"id": "body", "text": ""}]},
        "context": {"states": {}},
        "contracts": json.loads(contracts),
    }
    profile = serialization.load_bundle(bundle)[2]
    rows = json.loads(Path(corpus).read_bytes())
    cases = tuple(case(row, copy) for copy in range(int(copies)) for row in rows)
    gc.collect()
    gc.freeze()  # else a collection during the audit would look at all that was loaded, now and then
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    report = mutations.audit(cases, profile)
    user = resource.getrusage(resource.RUSAGE_SELF).ru_utime - before
    summary = report.summary()
    found = [report.corpus_digest, summary["detected_faults"], summary["preserved_controls"]]
    print(json.dumps({"user": user, "found": found}))


if __name__ == "__main__":
    main(*sys.argv[1:])
