"""Audit a validator of refund replies that asks for a receipt and never looks at the amount."""

from mateprobe import AuditCase, Obligation, Relation, Validity, Verdict, audit_validator


def asks_for_receipt(reply: dict[str, object]) -> Verdict:
    """The validator under audit."""
    return Verdict(True) if reply["receipt"] else Verdict(False, ("receipt",))


good: dict[str, object] = {"text": "Paid back.", "receipt": "R-17", "amount": 40}
fault, control, valid = Relation.VIOLATION, Relation.PRESERVE, Validity.VALID
cases = [
    AuditCase("no receipt", "receipt", good, {**good, "receipt": ""}, fault, ("receipt",), valid, "by hand"),
    AuditCase("other words", "receipt", good, {**good, "text": "On its way."}, control, (), valid, "by hand"),
    AuditCase("other amount", "amount", good, {**good, "amount": 4000}, fault, ("amount",), valid, "by hand"),
]
obligations = [Obligation("receipt", "A receipt is named."), Obligation("amount", "The amount is the one paid.")]
report = audit_validator(asks_for_receipt, cases, obligations=obligations, validator_id="asks-for-receipt")
for case in report.cases:
    print(f"{case.id}: {case.outcome} ({case.reason})")
