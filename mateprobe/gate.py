"""Gates: the rates an audit must reach, and how it stands against them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .outcome import FATAL, Relation
from .reports.markdown import shown
from .tally import Ended, Rates, check_thresholds, rates, short_rates


class Standing(StrEnum):
    """How an audit stands against a gate; the first that applies, in this order."""

    FAILED = "failed"
    NOTHING_EVALUATED = "nothing_evaluated"
    NOT_MET = "not_met"
    MET = "met"


@dataclass(frozen=True, slots=True)
class Gate:
    """What must be reached: shares from 0 to 1 of eligible faults detected and of eligible controls preserved.

    Raises:
        InvalidValue: a threshold outside of 0 to 1.
    """

    detection: float = 1.0
    preservation: float = 1.0

    def __post_init__(self) -> None:
        check_thresholds(self.detection, self.preservation)

    def forgives(self, relation: Relation) -> bool:
        """Tell whether the gate can be met though a case of this relation ended badly."""
        return (self.detection if relation is Relation.VIOLATION else self.preservation) < 1


EVERYTHING = Gate()
"""The gate of an audit that names none."""


@dataclass(frozen=True, slots=True)
class Held:
    """The rates of an audit held against a gate.

    Attributes:
        gate: the thresholds.
        rates: eligible faults and controls, and how many ended well.
        failures: cases in which the validator failed or a baseline was not accepted. With one of them
            no gate is met: the audit itself did not work.
    """

    gate: Gate
    rates: Rates
    failures: int

    @classmethod
    def of(cls, gate: Gate, ended: Iterable[Ended]) -> Held:
        """Return how cases that have ended stand against a gate."""
        cases = list(ended)
        found = rates((case.relation, case.outcome) for case in cases)
        return cls(gate, found, sum(case.outcome in FATAL for case in cases))

    @property
    def standing(self) -> Standing:
        """How the audit stands."""
        thresholds = {"detection": self.gate.detection, "preservation": self.gate.preservation}
        ladder = (
            (self.failures, Standing.FAILED),
            (not self.rates.faults + self.rates.controls, Standing.NOTHING_EVALUATED),
            (short_rates(self.rates, **thresholds), Standing.NOT_MET),
        )
        return next((standing for applies, standing in ladder if applies), Standing.MET)

    def to_dict(self) -> dict[str, Any]:
        """Return thresholds, rates, failures and standing as JSON data; an undefined rate is null."""
        return {
            "detection": {"required": self.gate.detection, "found": self.rates.detection_score},
            "preservation": {"required": self.gate.preservation, "found": self.rates.preservation_rate},
            "failures": self.failures,
            "standing": self.standing.value,
        }

    def __str__(self) -> str:
        parts = [
            f"{name} {shown(found)} (required {shown(required)})"
            for name, found, required in (
                ("detection", self.rates.detection_score, self.gate.detection),
                ("preservation", self.rates.preservation_rate, self.gate.preservation),
            )
        ]
        parts += [f"the validator or a baseline failed in {self.failures} case{'s' * (self.failures != 1)}"] * bool(
            self.failures
        )
        return f"{self.standing.replace('_', ' ')}: {', '.join(parts)}"
