"""Stage ``statistics``: how far the rates of a study can be trusted, and which validators differ.

Cases of one group share a baseline and tend to end alike, so groups are what was sampled, not cases.
Counts and resampling are whole numbers and every float is rounded: no machine decides a byte.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

from mateprobe.canonical import digest
from mateprobe.errors import InvalidValue, StageError
from mateprobe.outcome import INELIGIBLE, Outcome, Relation
from mateprobe.pipeline.section import add_section, parse_section
from mateprobe.pipeline.study_report import outcomes_of, run_report
from mateprobe.records import read_records
from mateprobe.tally import ratio

CONFIDENCE = 0.95
TAIL = Fraction(25, 1000)  # what a 95 % interval leaves out on each side
NORMAL = 1.959963984540054  # the standard normal quantile of 1 - TAIL
LEAST_GROUPS = 8  # a convention, see `clustered`
LEAST_REPLICATES = 39  # with fewer, no replicate lies beyond the tails
DRAWS = 1 << 18  # held at a time, however many groups there are
RATES = {Relation.VIOLATION: "detection", Relation.PRESERVE: "preservation"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the stage's arguments."""
    add_section(parser)


def run(args: argparse.Namespace) -> int:
    """Run the stage; return 0.

    Raises:
        InvalidValue: too few replicates. StageError: the validators were asked about different cases.
    """
    section = parse_section(args.section)
    study, inputs = section["study"], outcomes_of(section)

    def report() -> Mapping[str, Any]:
        answers = {id: answers_of(read_records(path, "outcomes")) for id, path in inputs.items()}
        return statistics(study, answers, section["seed"], section["replicates"])

    return run_report("statistics", section, inputs, report)


class Answer(NamedTuple):
    """How a case ended for one validator: its group, the rate it counts for, and success, None if not eligible."""

    group: str
    rate: str
    success: bool | None


class Tally(NamedTuple):
    """One group's successes, and its eligible cases: never 0."""

    successes: int
    cases: int


Answers = Mapping[str, Answer]


def answers_of(outcomes: Iterable[Mapping[str, Any]]) -> dict[str, Answer]:
    """Return the answer to every case, by its id, from outcome rows."""
    return {
        row["id"]: Answer(
            row["group"],
            RATES[Relation(row["relation"])],
            None if row["outcome"] in INELIGIBLE else row["outcome"] in (Outcome.DETECTED, Outcome.PRESERVED),
        )
        for row in outcomes
        if row["outcome"] is not None  # a sample without a pair has nothing to be right about
    }


def statistics(study: str, answers: Mapping[str, Answers], seed: int, replicates: int) -> dict[str, Any]:
    """Return the statistics of a study: each validator's rates, and every two validators on shared cases.

    Args:
        study: its id; with the validator and the rate it decides the draws, so that no place in a list does.
        answers: those of each validator, by its id, in the order to show.
        seed: of the resampling.
        replicates: resamples for each interval.

    Raises:
        InvalidValue: fewer than 39 replicates. StageError: the validators were asked about different cases.
    """
    if replicates < LEAST_REPLICATES:
        raise InvalidValue(f"replicates={replicates!r}: expected at least {LEAST_REPLICATES}; 10000 is usual")
    _check_same_cases(study, answers)
    rates = RATES.values()
    return {
        "study": study,
        "seed": seed,
        "replicates": replicates,
        "confidence": CONFIDENCE,
        "order": list(answers),
        "validators": {
            id: {
                rate: estimate(tallies(given, rate), int(digest([seed, study, id, rate]), 16), replicates)
                for rate in rates
            }
            for id, given in answers.items()
        },
        "pairs": [
            {"first": first, "second": second, "rate": rate, **compare(answers[first], answers[second], rate)}
            for first, second in combinations(answers, 2)
            for rate in rates
        ],
    }


def _check_same_cases(study: str, answers: Mapping[str, Answers]) -> None:
    asked = {id: {case: answer[:2] for case, answer in given.items()} for id, given in answers.items()}
    first, *others = asked
    for other in others:
        if differing := {case for case, _ in asked[first].items() ^ asked[other].items()}:
            raise StageError(
                f"study {study!r}: validators {first!r} and {other!r}: expected the same cases with the same group "
                f"and relation, found {len(differing)} that differ, first {min(differing)!r}; make the outcomes again"
            )


def tallies(answers: Answers, rate: str) -> list[Tally]:
    """Return the tally of every group with an eligible case, sorted: what groups are called plays no part."""
    eligible = [(a.group, a.success) for a in answers.values() if a.rate == rate and a.success is not None]
    cases = Counter(group for group, _ in eligible)
    successes = Counter(group for group, success in eligible if success)
    return sorted(Tally(successes[group], number) for group, number in cases.items())


def estimate(groups: Sequence[Tally], seed: int, replicates: int) -> dict[str, Any]:
    """Return a rate (0 to 1, None where undefined), what it is made of, and its two 95 % intervals."""
    successes, cases = (sum(tally[i] for tally in groups) for i in range(2))
    return {
        "successes": successes,
        "cases": cases,
        "groups": len(groups),
        "rate": _rounded(ratio(successes, cases)),
        "wilson": wilson(successes, cases),
        "clustered": clustered(groups, seed, replicates),
    }


def wilson(successes: int, cases: int) -> dict[str, Any]:
    """Return the score interval of a proportion as if no two cases were alike, which it says.

    Source: Wilson, J. Amer. Statist. Assoc. 22 (1927), 209-212.
    """
    if not cases:
        return _interval(None, None, None, "no eligible case")
    square = NORMAL * NORMAL
    spread = NORMAL * math.sqrt(square + 4 * successes * (cases - successes) / cases)
    low, high = ((2 * successes + square + side) / (2 * (cases + square)) for side in (-spread, spread))
    return _interval(low, high, "wilson", "treats cases as independent")


def clustered(groups: Sequence[Tally], seed: int, replicates: int) -> dict[str, Any]:
    """Return the interval of a rate when groups, not cases, are independent.

    It is the percentile interval of the cluster bootstrap. That knows no groups but those it was given:
    with few it is too narrow, so below 8 it is refused (Cameron, Gelbach and Miller, Rev. Econ. Stat. 90
    (2008), 414-427). Where every group has the same rate, so has every resample, and the bootstrap would
    claim certainty; see ``unanimous`` for what is said instead.
    """
    if not groups:
        return _interval(None, None, None, "no eligible case")
    if len(groups) < LEAST_GROUPS:
        return _interval(None, None, None, f"fewer than {LEAST_GROUPS} groups")
    if len({Fraction(*tally) for tally in groups}) == 1:
        low, high = unanimous(Fraction(*groups[0]), len(groups))
        return _interval(low, high, "clopper_pearson", "degenerate: every group has the same rate")
    return _interval(*bootstrap(groups, seed, replicates), "bootstrap", None)


def unanimous(rate: Fraction, groups: int) -> tuple[float, float]:
    """Return the interval of the mean rate of groups of which all drawn have one rate.

    None of n groups differs; by the exact bound for 0 of n (Clopper and Pearson, Biometrika 26 (1934),
    404-413) at most a share q = 1 - 0.025^(1/n) of all groups does. Whatever rates those have, the mean,
    which is the rate where groups are of one size, lies between (1 - q) rate and (1 - q) rate + q. For a
    rate of 1 that is Clopper and Pearson's own interval for n of n groups. Nothing is assumed of cases
    within a group, unlike with the same bound on cases.

    The one rate is only known from the data. That n groups agree on any rate which less than 1 - q of all
    groups have comes about with a probability below (1 - q)^(n - 1), from 8 groups on under 0.04: 95 % hold.
    """
    agreeing = float(TAIL) ** (1 / groups)
    low = agreeing * float(rate)
    return low, low + (1 - agreeing)


def bootstrap(groups: Sequence[Tally], seed: int, replicates: int) -> tuple[float, float]:
    """Return the 2.5 % and 97.5 % points of the rate over resamples of whole groups.

    A resample is as many groups, drawn with replacement; its rate is its successes per case. The points
    are the k-th lowest and k-th highest with k = floor(0.025 (replicates + 1)): no interpolation, so both
    are rates of resamples. Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), 12.5, 13.3.

    Only the raw stream of PCG64 is promised to stay the same in every version and on every machine;
    ``multinomial`` keeps no such promise and goes through logarithms. The remainder makes no group
    likelier than another by more than groups / 2^64 of its chance.
    """
    import numpy as np

    size = len(groups)
    successes, cases = np.array(groups, dtype=np.int64).T
    stream = np.random.PCG64(seed)
    rates = np.empty(replicates)
    step = max(1, DRAWS // size)
    for start in range(0, replicates, step):
        part = rates[start : start + step]
        drawn = (stream.random_raw((len(part), size)) % size).astype(np.intp)
        part[:] = successes[drawn].sum(axis=1) / cases[drawn].sum(axis=1)
    outside = math.floor(TAIL * (replicates + 1))
    low, high = outside - 1, replicates - outside
    rates.partition((low, high))
    return float(rates[low]), float(rates[high])


def compare(first: Answers, second: Answers, rate: str) -> dict[str, Any]:
    """Return how two validators did on the cases eligible for both.

    ``b`` and ``c`` count cases only the first and only the second got right, ``p`` is McNemar's of these.
    It treats cases as independent. ``groups_b``, ``groups_c`` and ``groups_p`` are the same for groups in
    which one got more right than the other: the sign test, which asks only that groups are independent.
    """
    shared = [
        (one.group, one.success, other.success)
        for one, other in ((one, second[id]) for id, one in first.items())
        if one.rate == rate and one.success is not None and other.success is not None
    ]
    leads: Counter[str] = Counter()
    for group, one, other in shared:
        leads[group] += one - other
    b = sum(one > other for _, one, other in shared)
    c = sum(one < other for _, one, other in shared)
    groups_b = sum(lead > 0 for lead in leads.values())
    groups_c = sum(lead < 0 for lead in leads.values())
    return {
        "cases": len(shared),
        "groups": len(leads),
        "b": b,
        "c": c,
        "p": _rounded(mcnemar(b, c)) if shared else None,
        "groups_b": groups_b,
        "groups_c": groups_c,
        "groups_p": _rounded(mcnemar(groups_b, groups_c)) if shared else None,
        "cases_share_groups": len(leads) < len(shared),
    }


def mcnemar(b: int, c: int) -> float:
    """Return the exact two-sided p of McNemar's test: how rarely a fair coin splits so unevenly.

    1 without a discordant case; 0 where it is below the smallest float, about 5e-324. The largest term is
    an exact quotient of integers and the others follow from it, so no logarithm can overflow or round.

    Source: McNemar, Psychometrika 12 (1947), 153-157; exact by the binomial distribution of b out of b + c.
    """
    total, fewer = b + c, min(b, c)
    term = tail = math.comb(total, fewer) / (1 << total)
    for left in range(fewer, 0, -1):
        term *= left / (total - left + 1)
        tail += term
    return min(1.0, 2 * tail)


def _interval(low: float | None, high: float | None, method: str | None, note: str | None) -> dict[str, Any]:
    return {"low": _rounded(low), "high": _rounded(high), "method": method, "note": note}


def _rounded(value: float | None) -> float | None:
    """Return six significant digits: more would show how a C library rounds."""
    return None if value is None else float(f"{value:.6g}")
