"""Campaigns: projected onto the words the published engine knows, our reports are its reports."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import given, strategies as st

from mateprobe import CampaignReport, Outcome
from mateprobe.mutations import published_outcome
from tests.differential import strategies as drawn
from tests.differential.conftest import Ask
from tests.differential.worker import Engine


def published(ours: Ask, report: CampaignReport, request: dict[str, Any]) -> Any:
    """Return our answer to ``request`` as the published engine would put it."""
    answer = ours(request)["answer"]
    families: dict[str, Counter[str]] = {}
    for case, result in zip(answer["cases"], report.cases, strict=True):
        case["outcome"], case["reason"] = published_outcome(result)
        # The peer looks at the baseline before it compares the two samples; we first compare them.
        if case["reason"] == "identical_variant" and not (result.baseline.accepted and result.baseline.complete):
            case["reason"] = "baseline_not_accepted_and_complete"
        families.setdefault(case["family"], Counter())[case["outcome"]] += 1
    answer["summary"]["families"] = families
    answer["summary"]["counts"] = sum(families.values(), Counter())
    return json.loads(json.dumps(answer))


def test_campaigns_end_alike_in_the_published_words(ours: Ask, peer: Ask) -> None:
    engine, seen = Engine("mateprobe"), Counter[str]()

    @given(campaign=drawn.campaigns)
    @drawn.many
    def agree(campaign: dict[str, Any]) -> None:
        report = engine.report(**campaign)
        request = {"do": "campaign", **campaign}
        assert published(ours, report, request) == peer(request)["answer"]
        seen.update(case.outcome for case in report.cases)
        seen.update(case.reason for case in report.cases)

    agree()
    assert seen.keys() >= {*Outcome, "detected_but_accepted"}, "the drawn campaigns do not reach every outcome"


@given(campaign=drawn.campaigns, detection=st.sampled_from([0, 0.5, 1.0]), preservation=st.sampled_from([0, 0.5, 1.0]))
@drawn.many
def test_thresholds_hold_alike_unless_a_baseline_failed_or_a_rule_did(
    ours: Ask, peer: Ask, campaign: dict[str, Any], detection: float, preservation: float
) -> None:
    outcomes = {case["outcome"] for case in ours({"do": "campaign", **campaign})["answer"]["cases"]}
    request = {"do": "thresholds", "detection": detection, "preservation": preservation, **campaign}
    expected = peer(request)["answer"] and not outcomes & {Outcome.BASELINE_FAILED, Outcome.ERROR}
    assert ours(request)["answer"] == expected
