"""Stage ``outcomes``: how every case ends for one validator. A pure function of cases and observations."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mateprobe.canonical import FrozenDict, plain_bytes, shard_of
from mateprobe.classify import Evidence, Facts, Judged, classify
from mateprobe.errors import EvidenceError
from mateprobe.outcome import Reason, Relation, Validity
from mateprobe.pipeline.case_lines import labels_in
from mateprobe.pipeline.detailed import detailed_outcome
from mateprobe.pipeline.digest_table import DigestTable
from mateprobe.pipeline.records import write_records
from mateprobe.pipeline.section import (
    RESULTS,
    add_section,
    parse_section,
    parts,
    receipt_path,
    stage_modules,
)
from mateprobe.pipeline.stage import run_stage
from mateprobe.records import RecordFile, read_records

KEPT = 4096
"""Answers, and decisions, that are kept as they were written; then they are forgotten and gathered anew."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    add_section(parser, validator=True)


def run(args: argparse.Namespace) -> int:
    """Run the stage; return 0."""
    section = parse_section(args.section)
    folder = RESULTS / section["study"]
    cases = folder / "cases.jsonl"
    observations = {
        part: folder / "observations" / f"{part}.jsonl" for part in parts(args.validator, section["shards"])
    }

    def make(partial: Mapping[str, Path]) -> None:
        observed = [read_records(path, "observations") for path in observations.values()]
        lines = decide(read_records(cases, "cases"), observed, section["comparators"])
        write_records(partial["outcomes"], "outcomes", lines, {"study": section["study"], "validator": args.validator})

    run_stage(
        "outcomes",
        inputs={"cases": cases, **observations},
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
    complete: bool
    violations: tuple[str, ...]
    error: str | None
    repeated: FrozenDict | None
    changed_sample: bool

    def as_row(self) -> dict[str, Any]:
        """Return the observation as the fields of its record."""
        return {
            "accepted": self.judged.accepted,
            "complete": self.complete,
            "violations": list(self.violations),
            "error": self.error,
        }

    @property
    def said(self) -> str:
        """The observation in one word: error, incomplete, accepted or rejected."""
        if self.judged.evidence is not Evidence.COMPLETE:
            return self.judged.evidence.value
        return "accepted" if self.judged.accepted else "rejected"


class Observations:
    """The observations of one validator, read once, side by side with the cases they belong to.

    A sample's observation is in the file of its shard; in each file they stand in the order in which
    the cases ask for them.

    Attributes:
        answers: what was said, each answer once: most samples are told the same.
    """

    def __init__(self, files: Sequence[RecordFile]) -> None:
        self._files = files
        self._lines = [file.lines() for file in files]
        self._known = DigestTable()
        self.answers = list[Observed]()
        self._places: dict[Observed, int] = {}
        self._read: dict[bytes, int] = {}

    def of(self, digest: str) -> int:
        """Return the place, among the answers, of what was said of a sample.

        Raises:
            EvidenceError: nothing was: the file does not belong to these cases.
        """
        known = self._known.get(digest)
        if not known:
            shard = shard_of(digest, len(self._files))
            number, line = next(self._lines[shard], (0, b""))
            decisive = _decisive(line, digest)
            known = self._read.get(decisive) or self._keep(decisive, self._observed(shard, number, line, digest))
            self._known.put(digest, known)
        return known - 1

    def _observed(self, shard: int, number: int, line: bytes, digest: str) -> Observed:
        file = self._files[shard]
        row = file.record(number, line) if line else None
        if row is None or row["sample"] != digest:
            found = f"sample {row['sample']}" if row else "the end of the file"
            raise EvidenceError(f"{file.path}: expected sample {digest}, found {found}{_REMEDY}")
        return _observed(row)

    def _keep(self, decisive: bytes, observed: Observed) -> int:
        """Return the place, from 1, where an answer is kept, and keep how it was written."""
        place = self._places.setdefault(observed, len(self.answers) + 1)
        if place > len(self.answers):
            self.answers.append(observed)
        if len(self._read) >= KEPT:
            self._read.clear()
        self._read[decisive] = place
        return place

    def close(self) -> None:
        """Read the end of each file.

        Raises:
            EvidenceError: one goes on after the last case, or was cut short or edited.
        """
        for file, lines in zip(self._files, self._lines, strict=True):
            for number, line in lines:
                sample = file.record(number, line)["sample"]
                raise EvidenceError(f"{file.path}: expected its end, found sample {sample}{_REMEDY}")


def _decisive(line: bytes, digest: str) -> bytes:
    """Return a line without its sample and without what each rule said, most of it, which decides no outcome.

    Quotes inside of a text are escaped, so that a key of the record is found only where it is one.
    """
    start, end = line.find(b'"checks":['), line.rfind(b'],"complete":')
    return (line if start < 0 else line[:start] + line[end:]).replace(digest.encode(), b"")


_REMEDY = "; it is not of these cases: remove it and run again"


def _observed(row: Mapping[str, Any]) -> Observed:
    evidence = Evidence.ERROR if row["error"] is not None else _COMPLETENESS[row["complete"]]
    return Observed(
        judged=Judged(evidence, row["accepted"]),
        complete=row["complete"],
        violations=tuple(row["violations"]),
        error=row["error"],
        repeated=FrozenDict(row["repeated"]) if "repeated" in row else None,
        changed_sample=row.get("changed_sample", False),
    )


_COMPLETENESS = {True: Evidence.COMPLETE, False: Evidence.INCOMPLETE}


def decide(cases: RecordFile, files: Sequence[RecordFile], comparators: Sequence[str] = ()) -> Iterator[bytes]:
    """Yield the line of every case's outcome, in order.

    Args:
        cases: the case records; their samples are not looked at.
        files: the observations of these cases' samples, one file a shard.
        comparators: which other readings of the same observations each row carries.

    Raises:
        EvidenceError: the observations are not those of these cases.
    """
    observations = Observations(files)
    itemised = files[0].header["itemised"]
    known: dict[Any, tuple[bytes, bytes]] = {}  # what stands before and after the group and id of cases that end alike
    for number, line in cases.lines():
        labels = labels_in(line)
        if labels is None:
            yield plain_bytes(_row(cases.record(number, line), observations, comparators, itemised=itemised))
            continue
        places = observations.of(labels.baseline), observations.of(labels.variant)
        key = (labels.shared, labels.baseline == labels.variant, places)
        around = known.get(key)
        if around is None:
            row = _row(cases.record(number, line), observations, comparators, itemised=itemised)
            before, _, after = plain_bytes(row).partition(labels.own)
            if len(known) >= KEPT:
                known.clear()
            around = known[key] = before, after
        yield b"%b%b%b" % (around[0], labels.own, around[1])
    observations.close()


def _row(
    case: Mapping[str, Any], observations: Observations, comparators: Sequence[str], *, itemised: bool
) -> dict[str, Any]:
    """Return how a case ends as the fields of its row."""
    if case["relation"] is None:
        return _unpaired(case, observations)
    baseline, variant = (observations.answers[observations.of(case[f"{side}_sha256"])] for side in _SIDES)
    facts = Facts(
        relation=Relation(case["relation"]),
        validity=Validity(case["validity"]),
        identical=case["baseline_sha256"] == case["variant_sha256"],
        baseline=baseline.judged,
        variant=variant.judged,
        named=set(case["expected"]) <= set(variant.violations),
        itemised=itemised,
    )
    readings = {name: _READINGS[name](case, facts, baseline, variant) for name in comparators if name in _READINGS}
    return {**_kept(case), **_ended(facts, baseline, variant), **readings}


def _ended(facts: Facts, baseline: Observed, variant: Observed) -> dict[str, Any]:
    """Return how a pair of such facts ends, as the fields of its row."""
    decision = classify(facts)
    failed = {Reason.BASELINE_ERROR: baseline.error, Reason.VARIANT_ERROR: variant.error}.get(decision.reason)
    return {
        "outcome": decision.outcome.value,
        "reason": f"{decision.reason}: {failed}" if failed else decision.reason.value,
        "reported": list(variant.violations),
        **({"repeated": variant.repeated} if variant.repeated else {}),
        **({"changed_sample": True} if baseline.changed_sample or variant.changed_sample else {}),
        "baseline": baseline.said,
        "variant": variant.said,
    }


def _kept(case: Mapping[str, Any]) -> dict[str, Any]:
    return {key: case[key] for key in _KEPT if key in case}


def _unpaired(case: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
    """Return the row of a sample without a pair: what was said of it, and no outcome."""
    sample = observations.answers[observations.of(case["baseline_sha256"])] if case["baseline_sha256"] else None
    return {
        **_kept(case),
        "outcome": None,
        "reason": "no_variant",
        "reported": list(sample.violations) if sample else [],
        **({"repeated": sample.repeated} if sample and sample.repeated else {}),
        "baseline": sample.said if sample else None,
        "variant": None,
    }


def _by_rejection(_: Mapping[str, Any], facts: Facts, __: Observed, ___: Observed) -> str:
    """Return the outcome if any complete rejection counted as a detection, whatever was reported."""
    rejected = facts.variant is not None and facts.variant == Judged(Evidence.COMPLETE, accepted=False)
    return classify(facts._replace(named=rejected)).outcome.value


def _by_assertions(case: Mapping[str, Any], _: Facts, baseline: Observed, variant: Observed) -> str:
    """Return the outcome as ordinary assertions find it, with no look at the decision table."""
    return detailed_outcome(case, baseline.as_row(), variant.as_row())


_SIDES = ("baseline", "variant")
_KEPT = ("id", "group", "family", "obligation", "relation", "validity", "provenance", "expected", "about")
_READINGS: Mapping[str, Callable[[Mapping[str, Any], Facts, Observed, Observed], str]] = {
    "boolean": _by_rejection,
    "detailed": _by_assertions,
}
