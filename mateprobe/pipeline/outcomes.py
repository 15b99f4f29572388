"""Stage ``outcomes``: how every case ends for one validator. A pure function of cases and observations."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mateprobe.classify import Evidence, Facts, Judged, classify
from mateprobe.errors import StageError
from mateprobe.outcome import Reason, Relation, Validity
from mateprobe.pipeline.records import RecordFile, read_records, write_records
from mateprobe.pipeline.section import RESULTS, add_section, parse_section, receipt_path, stage_modules
from mateprobe.pipeline.stage import run_stage


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    add_section(parser, validator=True)


def run(args: argparse.Namespace) -> int:
    """Run the stage; return 0."""
    section = parse_section(args.section)
    folder = RESULTS / section["study"]
    cases, observations = folder / "cases.jsonl", folder / "observations" / f"{args.validator}.jsonl"

    def make(partial: Mapping[str, Path]) -> None:
        observed = read_records(observations, "observations")
        rows = decide(read_records(cases, "cases"), observed)
        write_records(partial["outcomes"], "outcomes", rows, {"validator": args.validator})

    run_stage(
        "outcomes",
        inputs={"cases": cases, "observations": observations},
        params=section,
        modules=stage_modules("outcomes", section),
        outputs={"outcomes": folder / "outcomes" / f"{args.validator}.jsonl"},
        make=make,
        receipt=receipt_path(section["study"], "outcomes", args.validator),
    )
    return 0


class Observed(NamedTuple):
    """What an outcome needs of an observation."""

    judged: Judged
    violations: tuple[str, ...]
    error: str | None

    @property
    def said(self) -> str:
        """The observation in one word: error, incomplete, accepted or rejected."""
        if self.judged.evidence is not Evidence.COMPLETE:
            return self.judged.evidence.value
        return "accepted" if self.judged.accepted else "rejected"


class Observations:
    """The observations of one validator, read once, side by side with the cases they belong to."""

    def __init__(self, file: RecordFile) -> None:
        self._path = file.path
        self._rows = iter(file)
        self._known: dict[bytes, Observed] = {}

    def of(self, digest: str) -> Observed:
        """Return what was said of a sample.

        Raises:
            StageError: nothing was: the file does not belong to these cases.
        """
        key = bytes.fromhex(digest)
        if key not in self._known:
            row = next(self._rows, None)  # observations stand in the order the cases ask for them
            if row is None or row["sample"] != digest:
                raise StageError(f"{self._path}: no observation of sample {digest}; remove the file and run again")
            self._known[key] = _observed(row)
        return self._known[key]

    def close(self) -> None:
        """Read the end of the file.

        Raises:
            StageError: it goes on after the last case. EvidenceError: it was cut short or edited.
        """
        for row in self._rows:
            raise StageError(f"{self._path}: sample {row['sample']} belongs to no case; remove the file and run again")


def _observed(row: Mapping[str, Any]) -> Observed:
    evidence = Evidence.ERROR if row["error"] is not None else _COMPLETENESS[row["complete"]]
    return Observed(Judged(evidence, row["accepted"]), tuple(row["violations"]), row["error"])


_COMPLETENESS = {True: Evidence.COMPLETE, False: Evidence.INCOMPLETE}


def decide(cases: Iterable[Mapping[str, Any]], file: RecordFile) -> Iterator[dict[str, Any]]:
    """Yield the outcome row of every case, in order.

    Raises:
        StageError: the observations are not those of these cases.
    """
    observations = Observations(file)
    itemised = file.header["itemised"]
    for case in cases:
        baseline = observations.of(case["baseline_sha256"])
        variant = observations.of(case["variant_sha256"])
        decision = classify(
            Facts(
                relation=Relation(case["relation"]),
                validity=Validity(case["validity"]),
                identical=case["baseline_sha256"] == case["variant_sha256"],
                baseline=baseline.judged,
                variant=variant.judged,
                named=set(case["expected"]) <= set(variant.violations),
                itemised=itemised,
            )
        )
        failed = {Reason.BASELINE_ERROR: baseline.error, Reason.VARIANT_ERROR: variant.error}.get(decision.reason)
        yield {
            **{key: case[key] for key in ("id", "group", "family", "obligation", "relation", "validity", "expected")},
            "outcome": decision.outcome.value,
            "reason": f"{decision.reason}: {failed}" if failed else decision.reason.value,
            "reported": list(variant.violations),
            "baseline": baseline.said,
            "variant": variant.said,
        }
    observations.close()
