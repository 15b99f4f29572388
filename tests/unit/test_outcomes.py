"""How a case ends follows from its label and from what was observed, and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from mateprobe.canonical import canonical_bytes, digest, shard_of
from mateprobe.classify import Evidence, Facts, Judged, classify
from mateprobe.errors import EvidenceError
from mateprobe.outcome import Relation, Validity
from mateprobe.pipeline.outcomes import decide
from mateprobe.pipeline.records import write_records
from mateprobe.records import RecordFile, read_records
from tests.unit.conftest import Bench, left, lines, row, study

OUTCOMES = "results/demo/outcomes/by_sign.jsonl"

ENDS: dict[str, tuple[dict[str, Any], str, str]] = {
    "a fault that is named": ({}, "detected", "all_expected_violations"),
    "a fault that is accepted": ({"variant": 2}, "survived", "invalid_variant_accepted"),
    "a fault rejected for something else": (
        {"expected": ["sign/ZERO@n"]},
        "unattributed_rejection",
        "expected_violations_missing",
    ),
    "a fault named in part": (
        {"expected": ["sign/NEGATIVE@n", "sign/ZERO@n"]},
        "unattributed_rejection",
        "expected_violations_missing",
    ),
    "a fault the validator fails on": ({"variant": 13}, "error", "variant_error: ValueError: thirteen"),
    "a fault it cannot decide": ({"variant": 0.5}, "undetermined", "variant_evidence_incomplete"),
    "a control that is accepted": ({"relation": "preserve", "variant": 2}, "preserved", "accepted_valid_control"),
    "a control that is rejected": ({"relation": "preserve"}, "regressed", "valid_control_rejected"),
    "a control the validator fails on": (
        {"relation": "preserve", "variant": 13},
        "error",
        "variant_error: ValueError: thirteen",
    ),
    "a baseline that is rejected": (
        {"baseline": -1, "variant": -2},
        "baseline_failed",
        "baseline_not_accepted_and_complete",
    ),
    "a baseline it cannot decide": ({"baseline": 0.5}, "baseline_failed", "baseline_not_accepted_and_complete"),
    "a baseline the validator fails on": ({"baseline": 13}, "baseline_failed", "baseline_error: ValueError: thirteen"),
    "two samples that are one": ({"variant": 1}, "excluded", "identical_variant"),
    "a label nobody reviewed": ({"validity": "unreviewed"}, "excluded", "label_unreviewed"),
    "a fault that is none": ({"validity": "equivalent"}, "excluded", "label_equivalent"),
}


@pytest.mark.parametrize(("case", "outcome", "reason"), ENDS.values(), ids=ENDS.keys())
def test_every_case_ends_in_one_way(bench: Bench, case: dict[str, Any], outcome: str, reason: str) -> None:
    bench.write(study(row(**case)))
    bench.judge()
    (ended,) = lines(OUTCOMES)
    assert (ended["outcome"], ended["reason"]) == (outcome, reason)


def test_an_outcome_says_what_was_expected_and_what_was_reported(bench: Bench) -> None:
    bench.write(study(row(), comparators=["boolean", "detailed", "audit"]))
    bench.judge()
    assert lines(OUTCOMES) == [
        {
            "id": "a",
            "group": "g",
            "family": "flip",
            "obligation": "sign",
            "relation": "violation",
            "validity": "valid",
            "provenance": "the sign was flipped by hand",
            "expected": ["sign/NEGATIVE@n"],
            "reported": ["sign/NEGATIVE@n"],
            "outcome": "detected",
            "reason": "all_expected_violations",
            "baseline": "accepted",
            "variant": "rejected",
            "boolean": "detected",
            "detailed": "detected",
        }
    ]


def test_mere_rejection_takes_any_rejection_for_a_detection(bench: Bench) -> None:
    other = {"expected": ["sign/ZERO@n"]}
    bench.write(study(row("a", **other), row("b", variant=13), row("c", variant=2), comparators=["boolean"]))
    bench.judge()
    assert [(ended["outcome"], ended["boolean"]) for ended in lines(OUTCOMES)] == [
        ("unattributed_rejection", "detected"),
        ("error", "error"),
        ("survived", "survived"),
    ]


# --- any cases, any observations --------------------------------------------------------------------------------

IDS = ("a/X@n", "b/Y@n")
Numbers = st.integers(0, 5)
Cases = st.builds(
    lambda relation, validity, expected, baseline, variant: {
        **row(relation=relation, validity=validity),
        "expected": expected if relation == "violation" else [],
        "baseline_sha256": digest(baseline),
        "variant_sha256": digest(variant),
    },
    st.sampled_from([*Relation]).map(str),
    st.sampled_from([*Validity]).map(str),
    st.lists(st.sampled_from(IDS), min_size=1, unique=True),
    Numbers,
    Numbers,
)
Said = st.fixed_dictionaries(
    {
        "accepted": st.booleans(),
        "complete": st.booleans(),
        "violations": st.lists(st.sampled_from(IDS), unique=True),
        "error": st.none() | st.just("ValueError: no"),
    }
).filter(lambda said: not (said["accepted"] and (said["violations"] or said["error"])))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("outcomes")


def observed(
    folder: Path, cases: list[dict[str, Any]], said: Mapping[str, Any], *, itemised: bool = False, shards: int = 1
) -> list[RecordFile]:
    """Write the observations of the cases' samples as the stage ``observe`` does, and open them."""
    asked = dict.fromkeys(chain.from_iterable((case["baseline_sha256"], case["variant_sha256"]) for case in cases))
    files = []
    for shard in range(shards):
        rows = [{"sample": sample, **said[sample]} for sample in asked if shard_of(sample, shards) == shard]
        write_records(folder / f"{shard}.jsonl", "observations", rows, {"itemised": itemised})
        files.append(read_records(folder / f"{shard}.jsonl", "observations"))
    return files


def rows_of(
    folder: Path, cases: list[dict[str, Any]], files: list[RecordFile], comparators: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the rows of cases, which are given ids of their own, after their lines were found to be canonical."""
    rows = [{**case, "id": str(number), "group": f'g"{number % 2}'} for number, case in enumerate(cases)]
    write_records(folder / "cases.jsonl", "cases", rows)
    decided = list(decide(read_records(folder / "cases.jsonl", "cases"), files, comparators))
    found: list[dict[str, Any]] = [json.loads(line) for line in decided]
    assert decided == [canonical_bytes(row) for row in found]
    kept = ("id", "group", "family", "obligation", "relation", "validity", "provenance", "expected")
    assert [[row[key] for key in kept] for row in found] == [[row[key] for key in kept] for row in rows]
    return found


def facts(case: dict[str, Any], said: Mapping[str, Any], *, itemised: bool) -> Facts:
    def judged(sample: str) -> Judged:
        words = said[sample]
        incomplete = Evidence.COMPLETE if words["complete"] else Evidence.INCOMPLETE
        return Judged(incomplete if words["error"] is None else Evidence.ERROR, words["accepted"])

    return Facts(
        relation=Relation(case["relation"]),
        validity=Validity(case["validity"]),
        identical=case["baseline_sha256"] == case["variant_sha256"],
        baseline=judged(case["baseline_sha256"]),
        variant=judged(case["variant_sha256"]),
        named=all(id in said[case["variant_sha256"]]["violations"] for id in case["expected"]),
        itemised=itemised,
    )


@settings(max_examples=40)
@given(
    cases=st.lists(Cases, max_size=8),
    answers=st.lists(Said, min_size=6, max_size=6),
    itemised=st.booleans(),
    shards=st.integers(1, 3),
)
def test_outcomes_are_the_decision_table_applied_to_what_was_observed(
    folder: Path, cases: list[dict[str, Any]], answers: list[dict[str, Any]], itemised: bool, shards: int
) -> None:
    said = {digest(number): answer for number, answer in enumerate(answers)}
    files = observed(folder, cases, said, itemised=itemised, shards=shards)
    decided = rows_of(folder, cases, files)
    expected = [classify(facts(case, said, itemised=itemised)) for case in cases]
    assert [(ended["outcome"], ended["reason"].partition(":")[0]) for ended in decided] == expected
    for case, ended in zip(cases, decided, strict=True):
        assert ended["reported"] == said[case["variant_sha256"]]["violations"]


@settings(max_examples=40)
@given(cases=st.lists(Cases, max_size=8), answers=st.lists(Said, min_size=6, max_size=6))
def test_assertions_written_by_hand_come_to_the_same(
    folder: Path, cases: list[dict[str, Any]], answers: list[dict[str, Any]]
) -> None:
    said = {digest(number): answer for number, answer in enumerate(answers)}
    decided = rows_of(folder, cases, observed(folder, cases, said), ["detailed"])
    assert [ended["detailed"] == ended["outcome"] for ended in decided] == [True] * len(cases)


# --- observations of other cases --------------------------------------------------------------------------------

ACCEPTED = {"accepted": True, "complete": True, "violations": [], "error": None}


def case_of(*numbers: int) -> dict[str, Any]:
    return {**row(), **dict(zip(("baseline_sha256", "variant_sha256"), map(digest, numbers), strict=True))}


class AllAccepted(dict[str, Any]):
    def __missing__(self, sample: str) -> dict[str, Any]:
        return ACCEPTED


FOREIGN = {
    "one too few": (
        [case_of(1, 2)],
        [case_of(1, 2), case_of(1, 3)],
        rf"expected sample {digest(3)}, found the end of the file",
    ),
    "another": ([case_of(1, 2)], [case_of(1, 3)], rf"expected sample {digest(3)}, found sample {digest(2)}"),
    "another order": ([case_of(2, 1)], [case_of(1, 2)], rf"expected sample {digest(1)}, found sample {digest(2)}"),
    "one too many": ([case_of(1, 2)], [case_of(1, 1)], rf"expected its end, found sample {digest(2)}"),
}


@pytest.mark.parametrize(("of", "cases", "message"), FOREIGN.values(), ids=FOREIGN.keys())
def test_observations_of_other_cases_are_refused(
    tmp_path: Path, of: list[dict[str, Any]], cases: list[dict[str, Any]], message: str
) -> None:
    files = observed(tmp_path, of, AllAccepted())
    with pytest.raises(
        EvidenceError, match=rf"/0.jsonl: {message}; it is not of these cases: remove it and run again$"
    ):
        rows_of(tmp_path, cases, files)


def test_a_pair_of_one_sample_is_excluded_beside_one_of_two_that_are_told_the_same(tmp_path: Path) -> None:
    cases = [case_of(1, 1), case_of(1, 2), case_of(2, 2)]
    rows = rows_of(tmp_path, cases, observed(tmp_path, cases, AllAccepted()))
    assert [row["outcome"] for row in rows] == ["excluded", "survived", "excluded"]


def test_what_was_reported_more_than_once_is_told_with_its_number(tmp_path: Path) -> None:
    said = {"accepted": False, "complete": True, "violations": ["r"], "error": None}
    cases = [case_of(1, 2), case_of(1, 3), case_of(1, 4)]
    twice, once = {**said, "repeated": {"r": 2}}, said
    answers = {digest(1): AllAccepted()[digest(1)], digest(2): twice, digest(3): once, digest(4): twice}
    rows = rows_of(tmp_path, cases, observed(tmp_path, cases, answers))
    assert [row.get("repeated") for row in rows] == [{"r": 2}, None, {"r": 2}]


def test_an_observation_that_is_missing_ends_the_stage_and_leaves_nothing(bench: Bench) -> None:
    bench.write(study(row("a")))
    bench.judge()
    Path(OUTCOMES).unlink()
    bench.write(study(row("a"), row("b", variant=-2)))
    assert bench.run("cases").code == 0
    before = left()
    ended = bench.run("outcomes", "--validator", "by_sign")
    assert ended.code == 2
    assert ended.said == (
        f"outcomes: results/demo/observations/by_sign.jsonl: expected sample {digest({'n': -2})}, "
        "found the end of the file; it is not of these cases: remove it and run again\n"
    )
    assert left() == before


def spoilt(path: str) -> Iterator[bytes]:
    written = Path(path).read_bytes().splitlines(keepends=True)
    yield b"".join(written[:-1])
    yield b"".join([*written[:-1], b"{]\n", written[-1]])
    yield b"".join([written[0], written[1].replace(b"true", b"false"), *written[2:]])


@pytest.mark.parametrize("file", ["cases.jsonl", "observations/by_sign.jsonl"])
def test_records_that_are_cut_short_or_edited_end_the_stage_and_leave_nothing(bench: Bench, file: str) -> None:
    path = f"results/demo/{file}"
    bench.write(study(row("a", provenance="true"), row("b")))
    bench.judge()
    for leaving in ("outcomes/by_sign.jsonl", "receipts/outcomes.by_sign.json"):
        Path("results/demo", leaving).unlink()
    before = left()
    for content in spoilt(path):
        Path(path).write_bytes(content)
        ended = bench.run("outcomes", "--validator", "by_sign")
        assert (ended.code, ended.said.startswith(f"outcomes: {path}, line ")) == (2, True)
        assert left() == before
