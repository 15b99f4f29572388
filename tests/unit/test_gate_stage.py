"""Gates of a study: held against its summary, recorded whether they are met or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mateprobe.pipeline.gate import standings
from tests.unit.conftest import Bench, Ended, row, study

CONTROL = row("c", variant=3, relation="preserve")
ROWS: dict[str, tuple[list[dict[str, Any]], str]] = {
    "met": ([row("a"), CONTROL], "met"),
    "a fault survives": ([row("a"), row("b", variant=2), CONTROL], "not_met"),
    "a control is refused": ([row("a"), row("c", variant=-3, relation="preserve")], "not_met"),
    "the validator fails": ([row("a"), row("b", variant=13), CONTROL], "failed"),
    "a baseline is refused": ([row("a"), row("b", baseline=-2), CONTROL], "failed"),
    "no label counts": ([row("a", validity="unreviewed")], "nothing_evaluated"),
}


@pytest.mark.parametrize(("rows", "standing"), ROWS.values(), ids=ROWS.keys())
def test_the_stage_records_how_each_validator_stands(bench: Bench, rows: list[dict[str, Any]], standing: str) -> None:
    bench.write(study(*rows, gate={"validator": "by_sign"}))
    bench.judge()
    assert bench.run("gate") == Ended(0, "gate: made")
    found = json.loads(Path("results/demo/gate.json").read_text())
    assert (found["study"], found["met"]) == ("demo", standing == "met")
    (gate,) = found["gates"]
    assert (gate["validator"], gate["standing"]) == ("by_sign", standing)
    assert gate["told"].startswith(f"{standing.replace('_', ' ')}: detection ")


SUMMARY = {"eligible_faults": 4, "detected_faults": 3, "eligible_controls": 2, "preserved_controls": 2, "counts": {}}


def gate(validator: str, **thresholds: float) -> dict[str, Any]:
    return {"validator": validator, "detection": 1.0, "preservation": 1.0, **thresholds}


def test_one_gate_that_is_not_met_is_enough() -> None:
    gates = [gate("lenient", detection=0.75), gate("strict")]
    found = standings(gates, {"lenient": SUMMARY, "strict": SUMMARY, "other": {}})
    assert (found["met"], [one["standing"] for one in found["gates"]]) == (False, ["met", "not_met"])
    assert standings(gates[:1], {"lenient": SUMMARY})["met"]


def test_a_gate_without_thresholds_asks_for_everything(bench: Bench) -> None:
    bench.write(study(row("a"), CONTROL, gate=[{"validator": "by_sign"}]))
    bench.judge()
    bench.run("gate")
    (gate,) = json.loads(Path("results/demo/gate.json").read_text())["gates"]
    assert (gate["detection"]["required"], gate["preservation"]["required"]) == (1.0, 1.0)


def test_a_study_without_a_gate_has_no_such_stage(bench: Bench) -> None:
    bench.write(study(row("a")))
    assert bench.run("gate") == Ended(2, "gate: studies/demo.yaml: stage 'gate': expected the key gate, found none\n")
