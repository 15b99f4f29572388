"""Validators to hold a contract profile against, each a callable over a plain JSON sample.

The excerpt baseline is a simplified adaptation of an earlier checker's predicates (report, section 6):
lengths, one fact and literal phrases. The other two are the degenerate ends of the scale.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mateprobe import Verdict
from mateprobe.pipeline.corpora import FORMULAS, REOFFERS, Sample

BODY_LENGTH = 70
OUTCOME_LENGTH = 60
SHORT_OUTCOME = 90
LABEL_SHARE = 0.7


def excerpt_baseline(sample: Sample) -> Verdict:
    """Judge a narrative sample; lengths are characters after trimming, phrases meet the raw text.

    One violation id for each predicate that fails: ``excerpt/pending``, ``excerpt/body-length``,
    ``excerpt/outcome-length``, ``excerpt/restatement``, ``excerpt/formula``, ``excerpt/reoffer``. A sample
    without one of the three surfaces cannot be judged: the verdict is rejected and incomplete.
    """
    texts = {surface["id"]: surface["text"] for surface in sample["document"]["surfaces"]}
    absent = [name for name in ("body", "label", "outcome") if name not in texts]
    if absent:
        return Verdict(accepted=False, complete=False, evidence=(f"no surface {', '.join(absent)}",))
    current = sample["context"]["states"].get("current", {})
    failures = dict(_failures(current.get("status"), texts["body"], texts["label"], texts["outcome"]))
    return Verdict(accepted=not failures, violations=tuple(failures), evidence=tuple(failures.values()))


def _failures(status: object, body: str, label: str, outcome: str) -> Iterator[tuple[str, str]]:
    body, outcome = body.strip(), outcome.strip()
    if status != "pending":
        yield "excerpt/pending", f"status={status!r}, expected 'pending'"
    if len(body) < BODY_LENGTH:
        yield "excerpt/body-length", f"body has {len(body)} characters of {BODY_LENGTH}"
    if len(outcome) < OUTCOME_LENGTH:
        yield "excerpt/outcome-length", f"outcome has {len(outcome)} characters of {OUTCOME_LENGTH}"
    # A long outcome is never a restatement here: the loophole the ``restatement`` rule closes.
    if len(outcome) < SHORT_OUTCOME and (share := _share(label, outcome)) > LABEL_SHARE:
        yield "excerpt/restatement", f"{share:.2f} of the label's words are in the outcome"
    if phrase := _found(FORMULAS, body, outcome):
        yield "excerpt/formula", f"found {phrase!r}"
    if phrase := _found(REOFFERS, body):
        yield "excerpt/reoffer", f"found {phrase!r}"


def _share(label: str, text: str) -> float:
    """Return the share of the label's distinct words that occur in the text; 0 for a label without words."""
    words = set(re.findall(r"\w+", label.lower()))
    found = words & set(re.findall(r"\w+", text.lower()))
    return len(found) / len(words) if words else 0.0


def _found(phrases: dict[str, str], *texts: str) -> str | None:
    """Return the first of the phrases in any of the texts; case is ignored, accents and width are not."""
    return next((phrase for phrase in phrases.values() for text in texts if phrase in text.lower()), None)


def always_accept(_: Sample) -> Verdict:
    """Accept anything: what no detection score may reward."""
    return Verdict(accepted=True)


def always_reject(_: Sample) -> Verdict:
    """Reject anything, as ``reject_all``: what no recall may reward."""
    return Verdict(accepted=False, violations=("reject_all",))
