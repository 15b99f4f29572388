"""Small documents, contexts and checks for the tests: only what a test speaks of is written in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from mateprobe import Check, Claim, Context, Document, Kind, Report, Scalar, Status, Surface


def document(texts: Mapping[str, str] | None = None, **claims: Scalar) -> Document:
    """Return a document of these surfaces (by default one, ``body``), the last of which declares the claims."""
    texts = texts or {"body": "one two three"}
    last = list(texts)[-1]
    declared = tuple(Claim(key, value) for key, value in claims.items())
    return Document(tuple(Surface(id, text, claims=declared if id == last else ()) for id, text in texts.items()))


def context(
    current: Mapping[str, Scalar] | None = None,
    *,
    closed_premises: Collection[str] = (),
    history: Collection[str] = (),
    **states: Mapping[str, Scalar],
) -> Context:
    """Return a context with these states; ``current`` only if it is given."""
    given = {} if current is None else {"current": current}
    return Context({**given, **states}, tuple(closed_premises), tuple(history))


def check(
    status: Status = Status.SATISFIED,
    kind: Kind = Kind.INVARIANT,
    rule_id: str = "rule",
    code: str = "CODE",
    scope: str = "$",
) -> Check:
    """Return a check."""
    return Check(rule_id, "1", kind, status, code, scope, "as told")


def found(report_or_checks: Report | Collection[Check]) -> list[tuple[object, ...]]:
    """Return status, code and scope of every check, then its metrics if it has any."""
    checks = report_or_checks.checks if isinstance(report_or_checks, Report) else report_or_checks
    return [(item.status, item.code, item.scope, *item.metrics) for item in checks]
