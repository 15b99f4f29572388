"""A gate says what rates must be reached; how an audit stands against it is one of four words."""

from __future__ import annotations

from typing import Any

import pytest

from mateprobe.errors import InvalidValue
from mateprobe.gate import Gate, Held, Standing
from mateprobe.tally import Rates

NOTHING = Rates(faults=0, detected=0, controls=0, preserved=0)
ALL = Rates(faults=4, detected=4, controls=2, preserved=2)
HALF = Rates(faults=4, detected=2, controls=2, preserved=1)

STANDINGS: dict[str, tuple[Gate, Rates, int, Standing]] = {
    "everything is reached": (Gate(), ALL, 0, Standing.MET),
    "what is asked for is reached": (Gate(0.5, 0.5), HALF, 0, Standing.MET),
    "faults survive": (Gate(0.75, 0.5), HALF, 0, Standing.NOT_MET),
    "controls are refused": (Gate(0.5, 0.75), HALF, 0, Standing.NOT_MET),
    "there is no control": (Gate(0, 0), Rates(4, 4, 0, 0), 0, Standing.NOT_MET),
    "nothing counts": (Gate(0, 0), NOTHING, 0, Standing.NOTHING_EVALUATED),
    "the validator failed once": (Gate(0, 0), ALL, 1, Standing.FAILED),
    "every baseline failed": (Gate(0, 0), NOTHING, 3, Standing.FAILED),
}


@pytest.mark.parametrize(("gate", "rates", "failures", "standing"), STANDINGS.values(), ids=STANDINGS.keys())
def test_an_audit_stands_against_its_gate(gate: Gate, rates: Rates, failures: int, standing: Standing) -> None:
    assert Held(gate, rates, failures).standing == standing


ALL_OF_IT, FAILURES = "(required 100.0%)", "the validator or a baseline failed in 3 cases"
TOLD: dict[str, tuple[Held, str, dict[str, Any]]] = {
    "not met": (
        Held(Gate(0.75, 0.5), HALF, 0),
        "not met: detection 50.0% (required 75.0%), preservation 50.0% (required 50.0%)",
        {
            "detection": {"required": 0.75, "found": 0.5},
            "preservation": {"required": 0.5, "found": 0.5},
            "failures": 0,
            "standing": "not_met",
        },
    ),
    "failed": (
        Held(Gate(), NOTHING, 3),
        f"failed: detection undefined {ALL_OF_IT}, preservation undefined {ALL_OF_IT}, {FAILURES}",
        {
            "detection": {"required": 1.0, "found": None},
            "preservation": {"required": 1.0, "found": None},
            "failures": 3,
            "standing": "failed",
        },
    ),
}


@pytest.mark.parametrize(("held", "line", "data"), TOLD.values(), ids=TOLD.keys())
def test_how_it_stands_is_told_in_a_line_and_as_data(held: Held, line: str, data: dict[str, Any]) -> None:
    assert (str(held), held.to_dict()) == (line, data)


@pytest.mark.parametrize("thresholds", [{"detection": 1.1}, {"preservation": -0.1}, {"detection": float("nan")}])
def test_a_threshold_no_rate_can_have_is_refused(thresholds: dict[str, float]) -> None:
    with pytest.raises(InvalidValue, match=r"threshold .*expected a number from 0 to 1"):
        Gate(**thresholds)
