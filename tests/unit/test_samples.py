"""Samples without a pair: how far each came, what was said, what was recorded. No rate is made of them."""

from __future__ import annotations

from typing import Any

from mateprobe.pipeline.samples import Samples


def row(family: str, said: str | None = None, *reported: str, **about: Any) -> dict[str, Any]:
    return {"family": family, "baseline": said, "reported": list(reported), "about": about}


def figures(*rows: dict[str, Any]) -> dict[str, Any]:
    samples = Samples()
    for each in rows:
        samples.add(each)
    return samples.figures()


def test_every_attempt_ends_in_one_status_and_they_add_up() -> None:
    found = figures(
        row("m", "accepted", status="evaluated"),
        row("m", "rejected", "r/C@s", status="evaluated"),
        row("m", status="invalid_structure", kind="no_json: text"),
        row("m", status="missing"),
        row("other", "accepted", status="evaluated"),
    )
    assert found["m"]["attempts"] == sum(found["m"]["statuses"].values()) == 4
    assert found["m"]["statuses"] == {"evaluated": 2, "invalid_structure": 1, "missing": 1}
    assert found["m"]["said"] == {"accepted": 1, "rejected": 1}
    assert found["m"]["kinds"] == {"no_json: text": 1}
    assert found["m"]["findings"] == {"r/C@s": 1}
    assert found["other"]["attempts"] == 1


def test_a_finding_made_twice_in_one_sample_counts_twice() -> None:
    twice = {**row("m", "rejected", "r/C@s", "r/D@s", status="evaluated"), "repeated": {"r/C@s": 2}}
    assert figures(twice)["m"]["findings"] == {"r/C@s": 2, "r/D@s": 1}


def test_recorded_facts_are_summed_up_and_absent_ones_are_not_zero() -> None:
    rows = [row("m", status="evaluated", wall_seconds=float(n), output_tokens=n) for n in range(1, 21)]
    found = figures(*rows, row("m", status="missing"), row("m", status="collection_error", output_tokens=None))
    assert found["m"]["recorded"] == {
        "output_tokens": {"total": 210, "median": 10.5, "p95": 19},
        "wall_seconds": {"total": 210.0, "median": 10.5, "p95": 19.0},
    }


def test_no_sample_gives_no_figures() -> None:
    assert figures() == {}
