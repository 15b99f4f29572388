"""A sample judged several times: what differs is no verdict, and is told answer by answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import pytest

from mateprobe import AuditCase, Outcome, Relation, Validity, Verdict, audit_validator
from mateprobe.errors import InvalidValue
from mateprobe.runner import Failure, Reading, judge_repeatedly
from tests.audits import CASE, OBLIGATIONS, WELL, report, signs

FOUND, ACCEPTED = Verdict(False, ("sign",)), Verdict(True)


def flipping(flips: int, *answers: Any) -> Callable[[int], Verdict]:
    """Return ``signs``, but of one number these answers in turn."""
    turn: Iterator[Any] = cycle(answers)

    def ask(number: int) -> Verdict:
        answer = next(turn) if number == flips else signs(number)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return ask


def ended(validator: Any, cases: list[AuditCase[Any]], repeat: int = 3) -> dict[str, tuple[Outcome, str]]:
    return {one.id: (one.outcome, one.reason) for one in report(cases, validator, repeat=repeat).report.cases}


def test_a_detection_that_flips_is_no_detection() -> None:
    assert ended(flipping(-1, FOUND, FOUND, ACCEPTED), WELL)["flipped"] == (
        Outcome.ERROR,
        "variant_error: not deterministic: rejected ['sign'] at first, then accepted",
    )


def test_a_text_is_asked_about_as_often_as_anything_else() -> None:
    turn = cycle([ACCEPTED, FOUND])
    cases = [AuditCase("c", "sign", "a text", "another", Relation.PRESERVE, (), Validity.VALID, "by hand")]
    found = audit_validator(lambda _: next(turn), cases, obligations=OBLIGATIONS, validator_id="v", repeat=2)
    assert found.cases[0].baseline_readings == (Reading("accepted", 1), Reading("rejected ['sign']", 1))


def test_a_control_whose_baseline_flips_is_not_preserved() -> None:
    assert ended(flipping(1, ACCEPTED, FOUND), WELL)["doubled"] == (
        Outcome.BASELINE_FAILED,
        "baseline_error: not deterministic: accepted at first, then rejected ['sign']",
    )


DIFFERENT = {
    "acceptance": (ACCEPTED, FOUND),
    "the ids": (FOUND, Verdict(False, ("size",))),
    "completeness": (FOUND, Verdict(False, ("sign",), complete=False)),
    "failure": (FOUND, ValueError("no")),
    "only the last time": (FOUND, FOUND, ACCEPTED),
}
ALIKE = {
    "the evidence": (Verdict(False, ("a",), evidence=("1",)), Verdict(False, ("a",), evidence=("2",))),
    "the order of ids": (Verdict(False, ("a", "b")), Verdict(False, ("b", "a"))),
    "what failed": (ValueError("1"), ValueError("2")),
}


@pytest.mark.parametrize("answers", DIFFERENT.values(), ids=DIFFERENT.keys())
def test_answers_differ_in_what_decides(answers: tuple[Any, ...]) -> None:
    found = judge_repeatedly(flipping(0, *answers), 0, 3)
    assert isinstance(found, Failure)
    assert sum(reading.times for reading in found.readings) == 3


@pytest.mark.parametrize("answers", ALIKE.values(), ids=ALIKE.keys())
def test_answers_that_decide_alike_are_one_and_the_first_is_kept(answers: tuple[Any, ...]) -> None:
    found = judge_repeatedly(flipping(0, *answers), 0, 4)
    assert found == judge_repeatedly(flipping(0, answers[0]), 0, 1)


def test_every_answer_is_counted_and_none_is_averaged_away() -> None:
    validator = flipping(-1, FOUND, FOUND, ACCEPTED, ValueError("no"), FOUND)
    (one, *_) = report(WELL, validator, repeat=5).report.cases
    assert one.variant_readings == (Reading("rejected ['sign']", 3), Reading("accepted", 1), Reading(
        "error 'ValueError: no'", 1
    ))  # fmt: skip
    assert (one.variant, one.baseline_readings) == (None, ())


def test_a_flip_is_told_of_its_sample_with_all_its_cases() -> None:
    made = report([*WELL, CASE["tiny"]], flipping(1, ACCEPTED, ACCEPTED, FOUND), repeat=3).report
    (flip,) = made.flips()
    assert (flip.sample, flip.case_ids) == (made.cases[0].baseline_digest, ("flipped", "doubled", "tiny"))
    markdown = made.to_markdown()
    assert f"- sample `{flip.sample[:12]}` (flipped, doubled, tiny): accepted 2 ×, rejected ['sign'] 1 ×" in markdown
    assert "Each sample was judged 3 times." in markdown


def test_without_repetition_nothing_is_said_of_it() -> None:
    made = report(WELL).report
    assert "Answers that differed" not in made.to_markdown()
    assert "repeat" not in made.to_dict()


def test_a_steady_validator_ends_as_it_would_have_and_is_asked_so_often() -> None:
    asked: list[int] = []

    def heard(number: int) -> Verdict:
        asked.append(number)
        return signs(number)

    assert ended(heard, WELL, repeat=4) == ended(signs, WELL, repeat=1)
    assert sorted(asked) == sorted([1, -1, 2] * 4)
    assert "None differed." in report(WELL, repeat=4).report.to_markdown()


@pytest.mark.parametrize("repeat", [0, -1, 1.5, True, "3"])
def test_a_number_of_times_that_is_none_is_refused(repeat: Any) -> None:
    with pytest.raises(InvalidValue, match=r"repeat=.*; expected how often each sample is judged"):
        audit_validator(signs, WELL, obligations=OBLIGATIONS, validator_id="signs", repeat=repeat)
