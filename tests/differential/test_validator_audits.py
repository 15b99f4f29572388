"""Validator audits: the same outcomes, reasons, verdicts, summaries and digests as the published engine's."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, strategies as st

from mateprobe import Assessment, Outcome
from tests.differential import strategies as drawn
from tests.differential.conftest import Ask


def test_audits_end_alike(ours: Ask, peer: Ask) -> None:
    seen = Counter[str]()

    @given(audit=drawn.audits)
    @drawn.many
    def agree(audit: dict[str, Any]) -> None:
        request = {"do": "validate", **audit}
        answer = ours(request)
        assert answer == peer(request)
        if "answer" in answer:
            seen.update(case["outcome"] for case in answer["answer"]["cases"])
            seen.update(item["assessment"] for item in answer["answer"]["summary"]["obligations"])

    agree()
    assert seen.keys() == {*Outcome, *Assessment}, "the drawn audits do not reach every outcome and assessment"


@given(audit=drawn.audits, detection=st.sampled_from([0, 0.5, 1.0]), preservation=st.sampled_from([0, 0.5, 1.0]))
@drawn.many
def test_thresholds_hold_alike_for_validators(
    ours: Ask, peer: Ask, audit: dict[str, Any], detection: float, preservation: float
) -> None:
    request = {"do": "validator_thresholds", "detection": detection, "preservation": preservation, **audit}
    assert ours(request) == peer(request)
