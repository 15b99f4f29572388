"""Evaluation: every contract is asked once, and a broken one is a finding about itself."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from mateprobe import (
    Check,
    Context,
    Contract,
    Document,
    InvalidValue,
    Kind,
    MinimumTokens,
    Policy,
    Profile,
    RequiredFact,
    Rule,
    Status,
    evaluate,
)
from mateprobe.canonical import digest
from mateprobe.engine import Reads, describe
from mateprobe.rules import BUILT_IN_RULES
from tests.samples import context, document, found

DOCUMENT, CONTEXT = document(), context({"k": 1})


@dataclass(frozen=True)
class Says(Rule):
    """A user's rule that does what it is given to do."""

    does: Callable[[Says], Any] = lambda rule: (rule.result(Status.SATISFIED, "SAID", "$", "said"),)

    def evaluate(self, document: Document, context: Context) -> Any:
        return self.does(self)

    def configuration(self) -> dict[str, Any]:
        return {"type": "says"}


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError


@dataclass(frozen=True)
class Longer(MinimumTokens):
    """A subclass of a built-in rule."""

    minimum: int = 20


@dataclass(frozen=True)
class Settings(Rule):
    """A user's rule with settings of every kind."""

    names: tuple[str, ...] = ("a",)
    nested: Any = None
    version: ClassVar[str] = "3"
    kind: ClassVar[Kind] = Kind.HEURISTIC


def yielding(rule: Rule) -> Iterator[Check]:
    yield rule.result(Status.SATISFIED, "SAID", "$", "said")
    yield rule.result(Status.VIOLATED, "SAID", "body", "said")


def raising(error: BaseException) -> Callable[[Rule], Any]:
    def does(rule: Rule) -> Any:
        raise error

    return does


def changed(**fields: Any) -> Callable[[Rule], Any]:
    """Return what gives one good check and then one with these fields changed."""

    def does(rule: Rule) -> Any:
        own = rule.result(Status.SATISFIED, "SAID", "$", "said")
        return own, dataclasses.replace(own, **fields)

    return does


def test_contracts_are_asked_in_order() -> None:
    report = evaluate(DOCUMENT, CONTEXT, [RequiredFact("b", "k", 1), Says("a"), RequiredFact("c", "k", 2)])
    assert [check.rule_id for check in report.checks] == ["b", "a", "c"]
    assert [check.status for check in report.checks] == [Status.SATISFIED, Status.SATISFIED, Status.VIOLATED]


def test_a_contract_may_yield_its_checks() -> None:
    assert found(evaluate(DOCUMENT, CONTEXT, [Says("a", yielding)])) == [
        (Status.SATISFIED, "SAID", "$"),
        (Status.VIOLATED, "SAID", "body"),
    ]


BROKEN: dict[str, tuple[Callable[[Rule], Any], str]] = {
    "raises": (raising(KeyError("k")), "KeyError: 'k'"),
    "raises what cannot be printed": (raising(Unprintable()), "Unprintable: (its message could not be read"),
    "recurses without end": (raising(RecursionError("deep")), "RecursionError: deep"),
    "is not written": (lambda rule: Rule.evaluate(rule, DOCUMENT, CONTEXT), "Says must implement evaluate"),
    "returns nothing": (lambda rule: None, "TypeError"),
    "returns no checks": (lambda rule: (), "rule 'says' returned no checks"),
    "returns something else": (lambda rule: ("fine",), "rule 'says' returned a str; expected Check"),
    "speaks for another rule": (changed(rule_id="other"), "rule_id='other'"),
    "speaks for another version": (changed(version="2"), "version='2'"),
    "speaks for another kind": (changed(kind=Kind.HEURISTIC), "kind=<Kind.HEURISTIC"),
    "says a bare word": (changed(status="satisfied"), "status='satisfied'; expected a Status"),
}


@pytest.mark.parametrize(("does", "evidence"), BROKEN.values(), ids=BROKEN.keys())
def test_a_contract_that_is_broken_gives_one_error_and_the_others_go_on(
    does: Callable[[Rule], Any], evidence: str
) -> None:
    report = evaluate(DOCUMENT, CONTEXT, [Says("says", does), RequiredFact("fact", "k", 1)])
    assert found(report) == [
        (Status.ERROR, "RULE_ERROR", "$"),
        (Status.SATISFIED, "REQUIRED_FACT", "state:current:k"),
    ]
    broken = report.checks[0]
    assert (broken.rule_id, broken.version, broken.kind) == ("says", "1", Kind.INVARIANT)
    assert evidence in broken.evidence


def test_who_interrupts_is_not_a_broken_rule() -> None:
    with pytest.raises(KeyboardInterrupt):
        evaluate(DOCUMENT, CONTEXT, [Says("says", raising(KeyboardInterrupt()))])


REFUSED: dict[str, tuple[list[Contract], str]] = {
    "none": ([], "contracts=() is empty"),
    "one without an id": ([RequiredFact("", "k", 1)], "rule_id=''"),
    "two of one id": ([RequiredFact("a", "k", 1), RequiredFact("a", "k", 2)], "two contracts have rule_id='a'"),
}


@pytest.mark.parametrize(("contracts", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_contracts_that_cannot_be_told_apart_are_refused(contracts: list[Contract], message: str) -> None:
    with pytest.raises(InvalidValue, match=re.escape(message)):
        evaluate(DOCUMENT, CONTEXT, contracts)


def test_a_report_holds_the_digests_of_what_was_judged_and_by_what() -> None:
    contracts = (RequiredFact("a", "k", 1), Settings("b"))
    report = evaluate(DOCUMENT, CONTEXT, contracts)
    assert report.input_digest == digest({"document": DOCUMENT, "context": CONTEXT})
    assert report.contracts_digest == digest([contract.configuration() for contract in contracts])


def test_a_report_holds_the_policy_it_was_judged_under() -> None:
    assert evaluate(DOCUMENT, CONTEXT, [Says("a")]).policy == Policy()
    assert evaluate(DOCUMENT, CONTEXT, [Says("a")], Policy(False, False)).policy == Policy(False, False)


def test_contracts_may_come_from_an_iterator() -> None:
    assert len(evaluate(DOCUMENT, CONTEXT, iter([Says("a"), Says("b")])).checks) == 2


def test_a_profile_evaluates_as_often_as_it_is_asked() -> None:
    profile = Profile([RequiredFact("a", "k", 1)])
    assert profile.evaluate(DOCUMENT, CONTEXT) == evaluate(DOCUMENT, CONTEXT, profile.contracts)
    assert profile.evaluate(DOCUMENT, context({"k": 2})) == evaluate(DOCUMENT, context({"k": 2}), profile.contracts)
    assert profile.evaluate(DOCUMENT, CONTEXT, input_digest="known").input_digest == "known"
    assert profile.rule_ids == {"a"}


def test_anything_with_the_right_shape_is_a_contract() -> None:
    assert isinstance(RequiredFact("a", "k", 1), Contract)
    assert not isinstance(object(), Contract)


def test_a_rule_of_ones_own_is_known_by_its_module_and_name() -> None:
    assert Settings("mine", ("b", "c"), {"x": (1, Kind.HEURISTIC)}).configuration() == {
        "type": f"{Settings.__module__}.Settings",
        "version": "3",
        "kind": "heuristic",
        "parameters": {"rule_id": "mine", "names": ["b", "c"], "nested": {"x": [1, "heuristic"]}},
    }


def test_a_subclass_of_a_built_in_rule_is_known_by_its_own_name() -> None:
    assert Longer("a", ("body",)).configuration()["type"] == f"{Longer.__module__}.Longer"


def test_the_base_of_rules_is_known_by_the_name_of_this_package() -> None:
    assert Rule("a").configuration() == {
        "type": "mateprobe.engine.Rule", "version": "1", "kind": "invariant", "parameters": {"rule_id": "a"}
    }  # fmt: skip


@pytest.mark.parametrize("rule", BUILT_IN_RULES, ids=lambda rule: rule.__name__)
def test_the_built_in_rules_keep_the_names_of_the_frozen_evidence(rule: type[Rule]) -> None:
    assert rule.__dict__["wire_type"] == f"narrative_contracts.rules.{rule.__name__}"


def test_it_is_not_known_what_a_rule_reads_that_does_not_say_so() -> None:
    assert Rule("a").reads is None
    assert Reads() == ((), False)


def test_metrics_are_sorted_by_name() -> None:
    check = Rule("a").result(Status.SATISFIED, "C", "$", "why", b=1, a=None)
    assert check == Check("a", "1", Kind.INVARIANT, Status.SATISFIED, "C", "$", "why", (("a", None), ("b", 1)))


def test_an_error_is_described_by_its_type_and_message() -> None:
    assert describe(ValueError("bad")) == "ValueError: bad"


def test_an_iteration_that_stopped_in_a_generator_is_described_as_itself() -> None:
    error = RuntimeError("generator raised StopIteration")
    error.__cause__ = StopIteration("no surface 'a'")
    assert describe(error) == "StopIteration: no surface 'a'"


def test_a_known_digest_is_given_by_name() -> None:
    profile = Profile([Says("a")])
    with pytest.raises(TypeError):
        profile.evaluate(document(), context(), None, "0" * 64)  # type: ignore[call-arg]
