"""Asking a validator: what it says is a value, and so is every way it can fail."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from typing import Any

import pytest

from mateprobe import InvalidType, InvalidValue, Verdict
from mateprobe.classify import Evidence, Judged
from mateprobe.runner import Failure, Judgement, Origin, Reading, duplicate, judge, judge_repeatedly, judged

NO_ANSWER = Failure(Origin.ADAPTER, "no answer")
FOUND = Verdict(accepted=False, violations=("total",), evidence=("3 is not 4",))


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError


class Uncopied:
    """A sample that can be neither pickled nor copied."""

    def __reduce__(self) -> Any:
        raise TypeError("holds a connection")


class Undumped(dict[str, int]):
    """A sample that cannot be pickled, but copied."""

    def __reduce_ex__(self, _: Any) -> Any:
        raise TypeError("holds a lock")

    def __deepcopy__(self, _: Any) -> Undumped:
        return Undumped(self)


class Fickle(Verdict):
    """A verdict that fails when it is read."""

    def __init__(self) -> None:
        pass

    @property
    def accepted(self) -> bool:
        raise ValueError("not now")


class Alike(type):
    """Of classes that say they equal every other."""

    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return hash(Verdict)


class Posing(metaclass=Alike):
    """No verdict, whatever its class says."""


class Loud(Verdict):
    """A verdict of one's own that says what every verdict says."""


REFUSED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "what poses as True": ({"accepted": Posing(), "complete": Posing()}, InvalidType, "expected True or False"),
    "a number for accepted": ({"accepted": 1}, InvalidType, "accepted=1, complete=True; expected True or False"),
    "nothing for complete": ({"accepted": True, "complete": None}, InvalidType, "complete=None"),
    "a bare violation": ({"accepted": False, "violations": "total"}, InvalidType, "violations='total' is a bare"),
    "a violation that is a number": ({"accepted": False, "violations": (1,)}, InvalidType, "violations holds 1"),
    "an empty violation": ({"accepted": False, "violations": ("",)}, InvalidValue, r"violations=\('',\)"),
    "a violation twice": ({"accepted": False, "violations": ("v", "v")}, InvalidValue, r"\('v', 'v'\); .* each once"),
    "accepted with a violation": ({"accepted": True, "violations": ("v",)}, InvalidValue, "accepted=True has viol"),
    "bare evidence": ({"accepted": True, "evidence": "because"}, InvalidType, "evidence='because' is a bare string"),
    "evidence that is a number": ({"accepted": True, "evidence": (1,)}, InvalidType, "evidence holds 1"),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "error", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_verdict_that_contradicts_itself_is_refused(
    fields: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Verdict(**fields)


def test_a_verdict_is_complete_and_without_findings_by_default() -> None:
    assert Verdict(True) == Verdict(accepted=True, violations=(), complete=True, evidence=())


def test_a_verdict_keeps_tuples() -> None:
    listed: Any = ["v", "w"]
    assert Verdict(False, listed, evidence=listed) == Verdict(False, ("v", "w"), True, ("v", "w"))


def test_a_validator_may_reject_without_a_name_and_say_one_thing_twice() -> None:
    assert Verdict(False, evidence=("", "x", "x")).violations == ()


SAID: dict[str, tuple[Callable[[Any], Any], Judgement]] = {
    "a verdict": (lambda _: FOUND, FOUND),
    "a failure it speaks of itself": (
        lambda _: Failure(Origin.ADAPTER, "no answer"),
        Failure(Origin.ADAPTER, "no answer"),
    ),
    "a verdict of one's own": (lambda _: Loud(False, ("total",), True, ("3 is not 4",)), FOUND),
}


@pytest.mark.parametrize(("validator", "expected"), SAID.values(), ids=SAID.keys())
def test_what_a_validator_says_is_what_is_kept(validator: Callable[[Any], Any], expected: Judgement) -> None:
    judgement = judge(validator, {})
    assert (judgement, type(judgement)) == (expected, type(expected))


def raising(error: BaseException) -> Callable[[Any], Verdict]:
    def validator(_: Any) -> Verdict:
        raise error

    return validator


def returned(kind: str) -> Failure:
    return Failure(Origin.ADAPTER, f"InvalidType: validator returned a {kind}; expected mateprobe Verdict")


FAILURES: dict[str, tuple[Callable[[Any], Any], Any, Failure]] = {
    "raises": (raising(KeyError("total")), {}, Failure(Origin.VALIDATOR, "KeyError: 'total'")),
    "exits": (lambda _: sys.exit(3), {}, Failure(Origin.VALIDATOR, "SystemExit: 3")),
    "raises what is no Exception": (raising(GeneratorExit()), {}, Failure(Origin.VALIDATOR, "GeneratorExit: ")),
    "raises what cannot be printed": (
        raising(Unprintable()), {},
        Failure(Origin.VALIDATOR, "Unprintable: (its message could not be read: RuntimeError)")),
    "returns nothing": (
        lambda _: None, {}, returned("NoneType")),
    "returns a bool": (
        lambda _: True, {}, returned("bool")),
    "returns what poses as a verdict": (lambda _: Posing(), {}, returned("Posing")),
    "returns a verdict that cannot be read": (lambda _: Fickle(), {}, Failure(Origin.ADAPTER, "ValueError: not now")),
    "is given what cannot be copied": (
        lambda _: FOUND, Uncopied(), Failure(Origin.COPY, "TypeError: holds a connection")),
}  # fmt: skip


@pytest.mark.parametrize(("validator", "sample", "expected"), FAILURES.values(), ids=FAILURES.keys())
def test_a_failure_says_whose_it_is(validator: Callable[[Any], Any], sample: Any, expected: Failure) -> None:
    assert judge(validator, sample) == expected


def test_a_failure_keeps_its_trace_out_of_comparisons() -> None:
    failure = judge(raising(KeyError("total")), {})
    assert isinstance(failure, Failure)
    assert "Traceback" in failure.trace
    assert "Traceback" not in repr(failure)
    assert failure == Failure(failure.origin, failure.message, "another trace")


def test_who_interrupts_ends_the_audit() -> None:
    with pytest.raises(KeyboardInterrupt):
        judge(raising(KeyboardInterrupt()), {})


def test_a_validator_sees_a_copy_it_may_damage() -> None:
    sample = {"items": [1, 2]}

    def damaging(own: dict[str, list[int]]) -> Verdict:
        own["items"].clear()
        own.clear()
        return FOUND

    assert judge(damaging, sample) == FOUND
    assert sample == {"items": [1, 2]}


@pytest.mark.parametrize(
    "sample", [{"a": [1, (2, None)]}, "text", Undumped(a=1)], ids=["plain", "text", "copied alone"]
)
def test_a_copy_equals_its_original(sample: Any) -> None:
    own = duplicate(sample)
    assert own == sample
    assert type(own) is type(sample)
    assert own is not sample or isinstance(sample, str)


JUDGED: dict[str, tuple[Judgement, Judged]] = {
    "accepted": (Verdict(True), Judged(Evidence.COMPLETE, accepted=True)),
    "rejected": (Verdict(False), Judged(Evidence.COMPLETE, accepted=False)),
    "accepted in part": (Verdict(True, complete=False), Judged(Evidence.INCOMPLETE, accepted=True)),
    "rejected in part": (Verdict(False, ("v",), False), Judged(Evidence.INCOMPLETE, accepted=False)),
    "failed": (Failure(Origin.VALIDATOR, "x"), Judged(Evidence.ERROR, accepted=False)),
}


@pytest.mark.parametrize(("judgement", "expected"), JUDGED.values(), ids=JUDGED.keys())
def test_a_judgement_is_reduced_to_what_decides(judgement: Judgement, expected: Judged) -> None:
    assert judged(judgement) == expected


@pytest.mark.parametrize("value", [FOUND, Failure(Origin.COPY, "x", "trace")], ids=["verdict", "failure"])
def test_judgements_can_be_copied_pickled_and_hashed(value: Any) -> None:
    for carried in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):  # noqa: S301
        assert (carried, hash(carried)) == (value, hash(value))


def test_a_verdict_without_findings_holds_empty_tuples_whatever_it_is_given() -> None:
    verdict = Verdict(True, [], True, [])  # type: ignore[arg-type]
    assert (verdict.violations, verdict.evidence) == ((), ())


def test_a_verdict_may_hold_many_findings() -> None:
    ids = tuple(f"rule/{number}" for number in range(1000))
    assert Verdict(False, ids).violations == ids


def test_an_error_that_cannot_be_shown_is_a_failure_all_the_same() -> None:
    class Hidden(type):
        def __getattribute__(cls, name: str) -> Any:
            if name == "__qualname__":
                raise RuntimeError("nothing to see")
            return super().__getattribute__(name)

    class Unshown(Exception, metaclass=Hidden):
        pass

    def validator(_: Any) -> Verdict:
        raise Unshown

    judgement = judge(validator, 1)
    assert isinstance(judgement, Failure)
    assert judgement.trace == ""


def test_of_failures_that_differ_in_words_alone_the_first_is_told() -> None:
    answers = iter([ValueError("one"), ValueError("two"), None])

    def validator(_: Any) -> Verdict:
        if error := next(answers):
            raise error
        return Verdict(True)

    judgement = judge_repeatedly(validator, 1, 3)
    assert isinstance(judgement, Failure)
    assert judgement.readings == (Reading("error 'ValueError: one'", 2), Reading("accepted", 1))


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_validator_is_asked_as_often_as_it_was_to_be(times: int) -> None:
    answers = iter([Verdict(True)] * 4)
    judge_repeatedly(lambda _: next(answers), 1, times)
    assert len([*answers]) == 4 - times
