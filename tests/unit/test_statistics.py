"""Intervals and tests against values of the literature, brute force and slow loops over the same draws."""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mateprobe.canonical import canonical, canonical_bytes
from mateprobe.errors import InvalidValue, StageError
from mateprobe.pipeline import statistics
from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.records import write_records
from mateprobe.pipeline.statistics import Answer, Tally
from mateprobe.pipeline.studies import Study

MIXED = [Tally(2, 4), Tally(4, 4), Tally(1, 3), Tally(0, 2), Tally(4, 5), Tally(3, 3), Tally(1, 4), Tally(2, 2)]
DEGENERATE = "degenerate: every group has the same rate"
PAIR = ("cases", "groups", "b", "c", "p", "groups_b", "groups_c", "groups_p", "cases_share_groups")


def interval(low: float | None, high: float | None, method: str | None, note: str | None) -> dict[str, Any]:
    return {"low": low, "high": high, "method": method, "note": note}


def pair(*values: Any) -> dict[str, Any]:
    return dict(zip(PAIR, values, strict=True))


@pytest.mark.parametrize(
    ("successes", "cases", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
    ids=str,
)
def test_wilson_gives_the_values_of_newcombe_1998(successes: int, cases: int, low: float, high: float) -> None:
    found = statistics.wilson(successes, cases)
    assert (round(found["low"], 4), round(found["high"], 4)) == (low, high)


def test_wilson_ends_exactly_at_0_and_1() -> None:
    square = statistics.NORMAL**2
    assert {(n, statistics.wilson(0, n)["low"], statistics.wilson(n, n)["high"]) for n in range(1, 500)} == {
        (n, 0.0, 1.0) for n in range(1, 500)
    }
    assert statistics.wilson(96, 96)["low"] == pytest.approx(96 / (96 + square), abs=1e-6)


def test_wilson_says_that_it_treats_cases_as_independent() -> None:
    assert statistics.wilson(5, 10) == interval(0.236593, 0.763407, "wilson", "treats cases as independent")


def brute_force(b: int, c: int) -> Fraction:
    ways = [math.comb(b + c, heads) for heads in range(b + c + 1)]
    return Fraction(sum(number for number in ways if number <= ways[b]), sum(ways))


@pytest.mark.parametrize("total", range(41))
def test_mcnemar_is_the_share_of_equally_or_less_likely_splits(total: int) -> None:
    expected = [float(brute_force(b, total - b)) for b in range(total + 1)]
    assert [statistics.mcnemar(b, total - b) for b in range(total + 1)] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("b", "c", "p"),
    [
        (0, 0, 1.0),
        (7, 7, 1.0),
        (5, 0, 0.0625),
        (3, 10, 0.0922851562),  # binom.test(3, 13) of R
        (384, 0, 2.0**-383),
        (3000, 0, 0.0),  # 2^-2999 is no float
        (1400, 1600, float(2 * Fraction(sum(math.comb(3000, k) for k in range(1401)), 2**3000))),
    ],
    ids=str,
)
def test_mcnemar_holds_at_the_ends_and_for_many_cases(b: int, c: int, p: float) -> None:
    assert statistics.mcnemar(b, c) == pytest.approx(p, rel=1e-9)


def slow_bootstrap(groups: Sequence[Tally], seed: int, replicates: int) -> tuple[float, float]:
    stream = np.random.PCG64(seed)
    rates = []
    for _ in range(replicates):
        drawn = [groups[int(stream.random_raw()) % len(groups)] for _ in groups]
        rates.append(Fraction(sum(tally.successes for tally in drawn), sum(tally.cases for tally in drawn)))
    beyond = max(k for k in range(replicates) if 40 * k <= replicates + 1)
    return float(sorted(rates)[beyond - 1]), float(sorted(rates, reverse=True)[beyond - 1])


@pytest.mark.parametrize("replicates", [39, 40, 79, 1000])
@pytest.mark.parametrize("seed", [0, 1729, 2**255 + 1])
def test_the_bootstrap_equals_a_slow_loop_over_the_same_draws(seed: int, replicates: int) -> None:
    assert statistics.bootstrap(MIXED, seed, replicates) == slow_bootstrap(MIXED, seed, replicates)


@pytest.mark.parametrize("draws", [1, 8, 9, 800, 10**6])
def test_how_many_draws_are_held_at_a_time_changes_nothing(monkeypatch: pytest.MonkeyPatch, draws: int) -> None:
    expected = statistics.bootstrap(MIXED, 5, 500)
    monkeypatch.setattr(statistics, "DRAWS", draws)
    assert statistics.bootstrap(MIXED, 5, 500) == expected


def test_the_draws_are_those_of_every_version_of_numpy() -> None:
    assert statistics.clustered(MIXED, 1729, 10_000) == interval(0.391304, 0.84375, "bootstrap", None)


def test_the_bootstrap_of_groups_of_one_case_is_that_of_the_binomial() -> None:
    low, high = statistics.bootstrap([Tally(1, 1)] * 30 + [Tally(0, 1)] * 70, 3, 20_000)
    below = [sum(math.comb(100, k) * 0.3**k * 0.7 ** (100 - k) for k in range(n + 1)) for n in range(101)]
    exact = [next(n for n, share in enumerate(below) if share >= tail) / 100 for tail in (0.025, 0.975)]
    assert [low, high] == pytest.approx(exact, abs=0.011)  # one case in a hundred


def test_cases_that_agree_within_groups_are_worth_no_more_than_their_groups() -> None:
    groups = [Tally(6, 6)] * 12 + [Tally(0, 6)] * 12
    single = [Tally(1, 1)] * 12 + [Tally(0, 1)] * 12
    assert statistics.bootstrap(groups, 1, 2000) == statistics.bootstrap(single, 1, 2000)
    wide, narrow = statistics.clustered(groups, 1, 2000), statistics.wilson(72, 144)
    assert wide["high"] - wide["low"] > 2 * (narrow["high"] - narrow["low"])


def test_fewer_than_8_groups_have_no_clustered_interval() -> None:
    refused = interval(None, None, None, "fewer than 8 groups")
    assert [statistics.clustered(MIXED[:size], 1, 100) for size in range(1, 8)] == [refused] * 7
    assert statistics.clustered([Tally(1, 1)] * 7, 1, 100) == refused
    assert statistics.clustered(MIXED, 1, 100)["method"] == "bootstrap"


@pytest.mark.parametrize(
    ("tally", "groups", "low", "high"),
    [
        (Tally(4, 4), 24, 0.857526, 1.0),  # Clopper and Pearson for 24 of 24
        (Tally(0, 4), 24, 0.0, 0.142474),
        (Tally(3, 3), 10, 0.691503, 1.0),  # the same for 10 of 10
        (Tally(1, 4), 24, 0.857526 / 4, 0.857526 / 4 + 0.142474),
    ],
    ids=["all", "none", "ten groups", "a quarter"],
)
def test_groups_of_one_rate_leave_room_for_groups_not_seen(tally: Tally, groups: int, low: float, high: float) -> None:
    found = statistics.clustered([tally] * groups, 1, 100)
    assert [found["low"], found["high"]] == pytest.approx([low, high], abs=1e-6)
    assert (found["method"], found["note"]) == ("clopper_pearson", DEGENERATE)


def test_groups_of_different_sizes_can_have_one_rate() -> None:
    assert statistics.clustered([Tally(1, 2), Tally(2, 4)] * 4, 1, 100)["note"] == DEGENERATE


def test_a_rate_without_cases_is_undefined() -> None:
    found = statistics.estimate([], 1, 100)
    assert [found.pop(key) for key in ("successes", "cases", "groups", "rate")] == [0, 0, 0, None]
    assert found == dict.fromkeys(("wilson", "clustered"), interval(None, None, None, "no eligible case"))


def row(case: str, outcome: str, relation: str = "violation", group: str = "g") -> dict[str, Any]:
    return {"id": case, "group": group, "relation": relation, "outcome": outcome}


@pytest.mark.parametrize(
    ("relation", "outcome", "answer"),
    [
        ("violation", "detected", Answer("g", "detection", True)),
        ("violation", "survived", Answer("g", "detection", False)),
        ("violation", "unattributed_rejection", Answer("g", "detection", False)),
        ("violation", "error", Answer("g", "detection", False)),
        ("violation", "undetermined", Answer("g", "detection", False)),
        ("violation", "baseline_failed", Answer("g", "detection", None)),
        ("violation", "excluded", Answer("g", "detection", None)),
        ("preserve", "preserved", Answer("g", "preservation", True)),
        ("preserve", "regressed", Answer("g", "preservation", False)),
        ("preserve", "error", Answer("g", "preservation", False)),
        ("preserve", "baseline_failed", Answer("g", "preservation", None)),
    ],
)
def test_an_outcome_is_a_success_a_failure_or_not_eligible(relation: str, outcome: str, answer: Answer) -> None:
    assert statistics.answers_of([row("a", outcome, relation)]) == {"a": answer}


def test_groups_without_an_eligible_case_are_not_counted() -> None:
    answers = statistics.answers_of(
        [
            row("a", "detected", group="one"),
            row("b", "survived", group="one"),
            row("c", "excluded", group="two"),
            row("d", "preserved", "preserve", group="three"),
        ]
    )
    assert statistics.tallies(answers, "detection") == [Tally(1, 2)]


def answers(*successes: Sequence[bool | None]) -> dict[str, Answer]:
    """One group an argument, one fault a success."""
    return {
        f"{group}/{place}": Answer(f"g{group}", "detection", success)
        for group, found in enumerate(successes)
        for place, success in enumerate(found)
    }


def test_two_validators_are_compared_on_the_cases_eligible_for_both() -> None:
    first = answers([True, True, True], [True, False, None], [True, True], [None])
    second = answers([False, False, True], [False, True, True], [True, None], [True])
    assert statistics.compare(first, second, "detection") == pair(6, 3, 3, 1, 0.625, 1, 0, 1.0, True)


def test_cases_in_groups_of_their_own_are_compared_alike_by_case_and_by_group() -> None:
    found = statistics.compare(answers(*[[True]] * 9, [False]), answers(*[[False]] * 9, [True]), "detection")
    assert found == pair(10, 10, 9, 1, 0.0214844, 9, 1, 0.0214844, False)


def test_validators_without_a_common_case_have_no_p() -> None:
    found = statistics.compare(answers([True, None]), answers([None, True]), "detection")
    assert found == pair(0, 0, 0, 0, None, 0, 0, None, False)


FEW = answers([True], [False])


@pytest.mark.parametrize(
    ("other", "differing"),
    [
        ({**FEW, "9/0": Answer("g9", "detection", True)}, "1 that differ, first '9/0'"),
        ({"0/0": FEW["0/0"]}, "1 that differ, first '1/0'"),
        ({**FEW, "0/0": Answer("elsewhere", "detection", True)}, "1 that differ, first '0/0'"),
        ({**FEW, "0/0": Answer("g0", "preservation", True)}, "1 that differ, first '0/0'"),
        ({}, "2 that differ, first '0/0'"),
    ],
    ids=["one more", "one fewer", "another group", "another relation", "none"],
)
def test_validators_asked_about_different_cases_are_refused(other: Mapping[str, Answer], differing: str) -> None:
    with pytest.raises(StageError) as caught:
        statistics.statistics("demo", {"ours": FEW, "same": FEW, "theirs": other}, 1, 100)
    assert str(caught.value) == (
        "study 'demo': validators 'ours' and 'theirs': expected the same cases with the same group and relation, "
        f"found {differing}; make the outcomes again"
    )


def test_too_few_replicates_are_refused() -> None:
    with pytest.raises(InvalidValue) as caught:
        statistics.statistics("demo", {"ours": FEW}, 1, 38)
    assert str(caught.value) == "replicates=38: expected at least 39; 10000 is usual"


def test_the_draws_follow_from_seed_study_validator_and_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    monkeypatch.setattr(statistics, "estimate", lambda groups, seed, replicates: seeds.append(seed))
    statistics.statistics("demo", {"ours": FEW, "theirs": FEW}, 1729, 39)
    names = [(validator, rate) for validator in ("ours", "theirs") for rate in ("detection", "preservation")]
    texts = [f'[1729,"demo","{validator}","{rate}"]' for validator, rate in names]
    assert seeds == [int.from_bytes(hashlib.sha256(text.encode()).digest(), "big") for text in texts]


SECTION = {"study": "demo", "validators": ["strict", "lax"], "seed": 1729, "replicates": 200}


@pytest.fixture
def outcomes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MATEPROBE_CACHE", raising=False)
    groups = [f"g{number}" for number in range(9)]
    for validator, fault in (("strict", "detected"), ("lax", "survived")):
        rows = [row(f"{g}/fault", fault if g != "g4" else "survived", group=g) for g in groups]
        rows += [row(f"{g}/control", "preserved", "preserve", group=g) for g in groups[:5]]
        write_records(Path(f"results/demo/outcomes/{validator}.jsonl"), "outcomes", rows, {"validator": validator})
    return tmp_path / "results/demo"


def run(section: Mapping[str, Any] = SECTION) -> int:
    return main(["statistics", "--study", "demo", "--section", canonical(section)])


def test_the_stage_writes_canonical_json_and_a_receipt(outcomes: Path) -> None:
    assert run() == 0
    written = (outcomes / "statistics.json").read_bytes()
    content = json.loads(written)
    assert written == canonical_bytes(content) + b"\n"
    asked = [content[key] for key in ("study", "seed", "replicates", "confidence", "order")]
    assert asked == ["demo", 1729, 200, 0.95, ["strict", "lax"]]
    strict = content["validators"]["strict"]
    assert [strict["detection"][key] for key in ("successes", "cases", "groups", "rate")] == [8, 9, 9, 0.888889]
    assert strict["preservation"]["clustered"] == interval(None, None, None, "fewer than 8 groups")
    assert content["validators"]["lax"]["detection"]["clustered"]["note"] == DEGENERATE
    names = {"first": "strict", "second": "lax"}
    assert content["pairs"] == [
        {**names, "rate": "detection", **pair(9, 9, 8, 0, 0.0078125, 8, 0, 0.0078125, False)},
        {**names, "rate": "preservation", **pair(5, 5, 0, 0, 1.0, 0, 0, 1.0, False)},
    ]
    receipt = json.loads((outcomes / "receipts/statistics.json").read_bytes())
    assert (receipt["stage"], list(receipt["outputs"])) == ("statistics", ["results/demo/statistics.json"])


def test_the_stage_restores_the_same_bytes(outcomes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run()
    written = (outcomes / "statistics.json").read_bytes()
    (outcomes / "statistics.json").unlink()
    run()
    assert (outcomes / "statistics.json").read_bytes() == written
    assert capsys.readouterr().err.splitlines()[-1] == "statistics: restored"


def test_the_stage_fails_with_1_when_validators_were_asked_about_different_cases(
    outcomes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_records(outcomes / "outcomes/lax.jsonl", "outcomes", [row("other", "detected")], {"validator": "lax"})
    assert run() == 1
    assert capsys.readouterr().err.startswith("statistics: study 'demo': validators 'strict' and 'lax': expected the")
    assert not (outcomes / "statistics.json").exists()


def test_the_section_of_a_study_is_its_validators_and_the_resampling() -> None:
    data = {"cases": {}, "obligations": [], "validators": [{"id": "strict"}, {"id": "lax"}]}
    assert Study("demo", Path("demo.yaml"), data).section("statistics") == {**SECTION, "replicates": 10_000}


def test_numpy_waits_for_the_first_resample() -> None:
    code = "import sys, mateprobe.pipeline.statistics; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
