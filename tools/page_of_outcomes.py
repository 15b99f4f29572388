"""The page on how cases end: what the decision table of `mateprobe/classify.py` says, asked row by row."""

from mateprobe.classify import Decision, Evidence, Facts, Judged, classify
from mateprobe.outcome import Relation, Validity
from mateprobe.reports.markdown import own

FAULT, CONTROL = Relation.VIOLATION, Relation.PRESERVE
CLEAN = Judged(Evidence.COMPLETE, accepted=True)
REJECTED = Judged(Evidence.COMPLETE, accepted=False)
UNSURE = Judged(Evidence.INCOMPLETE, accepted=False)
FAILED = Judged(Evidence.ERROR, accepted=False)

HEAD = """\
# How a case ends

One table decides, for audits, campaigns and studies alike; what it says is below. It is read from above, and the first
row that fits decides: labels come before runs, the baseline before the variant, a failure before an opinion. This page
is made by `python -m tools.pages`, which asks the table itself.

## Before the variant is looked at

| what is known | outcome | reason |
|---|---|---|
"""

BEFORE: tuple[tuple[str, Facts], ...] = (
    ("the label says that the variant is as good as the baseline", Facts(FAULT, Validity.EQUIVALENT, False)),
    ("nobody stands for the label", Facts(FAULT, Validity.UNREVIEWED, False)),
    ("baseline and variant are one and the same", Facts(FAULT, Validity.VALID, True)),
    ("the validator fails on the baseline", Facts(FAULT, Validity.VALID, False, FAILED)),
    ("it is not sure of the baseline", Facts(FAULT, Validity.VALID, False, UNSURE)),
    ("it rejects the baseline", Facts(FAULT, Validity.VALID, False, REJECTED)),
)

VARIANT: tuple[tuple[str, Judged, bool], ...] = (
    ("fails: it raises, hangs, or says nothing that is a verdict", FAILED, False),
    ("says that its verdict is incomplete", UNSURE, False),
    ("says so, and names every expected finding", UNSURE, True),
    ("accepts it", CLEAN, False),
    ("rejects it, and does not name every expected finding", REJECTED, False),
    ("rejects it, and names every expected finding", REJECTED, True),
)

BETWEEN = """
## What the validator says of the variant

Its baseline was accepted, on complete evidence.

| the validator | a fault is | a control is |
|---|---|---|
"""

CONTRACTS = """
## Contracts

A report of contracts says of each rule whether it came to a decision, and so tells which part of it to trust. There the
rows below come before those above, for faults alone.

| the report | a fault is |
|---|---|
"""

ITEMISED: tuple[tuple[str, Judged, bool], ...] = (
    ("names every expected finding, while another rule failed", FAILED, True),
    ("names every expected finding, while another rule could not decide", UNSURE, True),
    ("names every expected finding, and its policy lets the document pass", CLEAN, True),
)

TAIL = """
## What follows

- `excluded` and `baseline_failed` stand outside every denominator. Everything else stays in: an error or a verdict that
  is undetermined is never a detection, and lowers the rate.
- A rate without a denominator is undefined, never 0 or 1, and meets no threshold above 0.
- No threshold is met while a case is an `error` or a `baseline_failed`: the audit itself did not work.
- Every declared case has exactly one outcome, and the outcomes add up to the cases.
"""


def outcomes() -> str:
    """Returns the page."""
    before = (f"| {what} | {_cells(classify(facts))} |\n" for what, facts in BEFORE)
    variant = (
        f"| {what} | {_told(FAULT, said, named)} | {_told(CONTROL, said, False)} |\n" for what, said, named in VARIANT
    )
    contracts = (f"| {what} | {_told(FAULT, said, named, itemised=True)} |\n" for what, said, named in ITEMISED)
    return "".join([HEAD, *before, BETWEEN, *variant, CONTRACTS, *contracts, TAIL])


def decisions() -> set[Decision]:
    """Returns every decision that the page shows."""
    shown = {classify(facts) for _, facts in BEFORE}
    shown |= {_decided(relation, said, named) for _, said, named in VARIANT for relation in (FAULT, CONTROL)}
    return shown | {_decided(FAULT, said, named, itemised=True) for _, said, named in ITEMISED}


def _decided(relation: Relation, said: Judged, named: bool, *, itemised: bool = False) -> Decision:
    return classify(Facts(relation, Validity.VALID, False, CLEAN, said, named, itemised))


def _told(relation: Relation, said: Judged, named: bool, *, itemised: bool = False) -> str:
    decision = _decided(relation, said, named, itemised=itemised)
    return f"`{decision.outcome}`<br>{own(decision.reason)}"


def _cells(decision: Decision) -> str:
    return f"`{decision.outcome}` | {own(decision.reason)}"
