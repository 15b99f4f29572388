"""What no order, name or side may change, and what holds of every interval."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import given, strategies as st

from mateprobe.canonical import canonical
from mateprobe.outcome import Outcome, Relation
from mateprobe.pipeline import statistics
from mateprobe.pipeline.statistics import Tally
from mateprobe.tally import rates

BOTH = [Outcome.ERROR, Outcome.UNDETERMINED, Outcome.BASELINE_FAILED, Outcome.EXCLUDED]
ENDINGS = {
    Relation.VIOLATION: [Outcome.DETECTED, Outcome.SURVIVED, Outcome.UNATTRIBUTED_REJECTION, *BOTH],
    Relation.PRESERVE: [Outcome.PRESERVED, Outcome.REGRESSED, *BOTH],
}
Row = dict[str, Any]


@st.composite
def studies(draw: st.DrawFn) -> dict[str, list[Row]]:
    """The outcome rows of three validators about the same cases."""
    choice = random.Random(draw(st.integers(0, 2**32)))
    size = draw(st.integers(0, 90))
    cases = [(f"c{i}", f"g{choice.randrange(12)}", choice.choice([*Relation])) for i in range(size)]
    return {
        validator: [
            {"id": id, "group": group, "relation": relation, "outcome": choice.choice(ENDINGS[relation])}
            for id, group, relation in cases
        ]
        for validator in ("one", "two", "three")
    }


tallies = st.integers(1, 9).flatmap(lambda cases: st.builds(Tally, st.integers(0, cases), st.just(cases)))


def of(study: dict[str, list[Row]]) -> dict[str, Any]:
    return statistics.statistics("demo", {id: statistics.answers_of(rows) for id, rows in study.items()}, 7, 100)


@given(study=studies(), shuffle=st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(study: dict[str, list[Row]], shuffle: random.Random) -> None:
    shuffled = {id: shuffle.sample(rows, len(rows)) for id, rows in study.items()}
    assert canonical(of(shuffled)) == canonical(of(study))


@given(study=studies(), names=st.permutations(range(12)))
def test_the_names_of_groups_and_cases_change_nothing(study: dict[str, list[Row]], names: Sequence[int]) -> None:
    renamed = {
        id: [{**row, "id": f"x{row['id'][::-1]}", "group": f"{names[int(row['group'][1:])]:x}"} for row in rows]
        for id, rows in study.items()
    }
    assert canonical(of(renamed)) == canonical(of(study))


@given(study=studies())
def test_the_order_of_validators_swaps_sides_and_nothing_else(study: dict[str, list[Row]]) -> None:
    there, back = of(study), of(dict(reversed(study.items())))
    sides = {"first": "second", "second": "first", "b": "c", "c": "b", "groups_b": "groups_c", "groups_c": "groups_b"}
    swapped = [{sides.get(key, key): value for key, value in pair.items()} for pair in back["pairs"]]
    assert canonical(back["validators"]) == canonical(there["validators"])
    assert sorted(map(canonical, swapped)) == sorted(map(canonical, there["pairs"]))


@given(study=studies())
def test_successes_and_cases_are_those_of_the_summary(study: dict[str, list[Row]]) -> None:
    found = of(study)["validators"]
    for id, rows in study.items():
        expected = rates((row["relation"], row["outcome"]) for row in rows)
        for rate, successes, cases in (
            ("detection", expected.detected, expected.faults),
            ("preservation", expected.preserved, expected.controls),
        ):
            assert (found[id][rate]["successes"], found[id][rate]["cases"]) == (successes, cases)


@given(study=studies())
def test_a_pair_explains_the_difference_of_its_rates_where_all_is_eligible(study: dict[str, list[Row]]) -> None:
    found = of(study)
    for pair in found["pairs"]:
        first, second = (found["validators"][pair[side]][pair["rate"]] for side in ("first", "second"))
        assert pair["b"] + pair["c"] <= pair["cases"] <= min(first["cases"], second["cases"])
        assert pair["groups_b"] + pair["groups_c"] <= pair["groups"] <= min(first["groups"], second["groups"])
        if first["cases"] == second["cases"] == pair["cases"]:
            assert pair["b"] - pair["c"] == first["successes"] - second["successes"]


@given(tally=tallies)
def test_wilson_holds_the_rate_and_mirrors(tally: Tally) -> None:
    found = statistics.wilson(*tally)
    mirrored = statistics.wilson(tally.cases - tally.successes, tally.cases)
    assert found["low"] <= tally.successes / tally.cases <= found["high"]
    assert abs(found["low"] + mirrored["high"] - 1) < 2e-6


@given(groups=st.lists(tallies, min_size=8, max_size=30), seed=st.integers(0, 2**256 - 1))
def test_a_clustered_interval_lies_between_0_and_1_and_has_a_width(groups: list[Tally], seed: int) -> None:
    found = statistics.clustered(groups, seed, 400)
    assert 0 <= found["low"] < found["high"] <= 1


@given(groups=st.lists(tallies, min_size=1, max_size=30), seed=st.integers(0, 2**256 - 1))
def test_a_bootstrap_stays_between_the_lowest_and_the_highest_group(groups: list[Tally], seed: int) -> None:
    low, high = statistics.bootstrap(groups, seed, 100)
    found = [tally.successes / tally.cases for tally in groups]
    assert min(found) <= low <= high <= max(found)


@given(b=st.integers(0, 400), c=st.integers(0, 400))
def test_mcnemar_is_a_symmetric_probability_that_falls_as_the_split_grows(b: int, c: int) -> None:
    p = statistics.mcnemar(b, c)
    assert p == statistics.mcnemar(c, b)
    assert 0 < p <= 1
    assert statistics.mcnemar(max(b, c) + 1, min(b, c)) <= p
