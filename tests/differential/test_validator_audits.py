"""Validator audits: the same outcomes, reasons, verdicts, summaries and digests as the published engine's."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, strategies as st

from mateprobe import Assessment, Outcome
from mateprobe.report_file import read_report
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


def test_reports_of_the_peer_are_read_back_as_they_were(peer: Ask, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("peer") / "report.json"
    read = Counter[str]()

    @given(audit=drawn.audits)
    @drawn.many
    def comes_back(audit: dict[str, Any]) -> None:
        answer = peer({"do": "validate", **audit})
        if "answer" in answer:
            data = {**answer["answer"], "library_version": "0.1.0a3"}  # which the worker leaves out of its answer
            path.write_text(json.dumps(data), "utf-8")
            assert read_report(path).report.to_dict() == data
            read.update(case["outcome"] for case in data["cases"])

    comes_back()
    assert read.keys() == {*Outcome}
