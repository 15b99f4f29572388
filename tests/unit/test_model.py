"""Documents, contexts, checks, policies and reports."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from itertools import product
from typing import Any, NamedTuple

import pytest

from mateprobe import (
    Check,
    Claim,
    Context,
    Document,
    InvalidType,
    InvalidValue,
    Kind,
    Policy,
    Report,
    Status,
    Surface,
    __version__,
)
from mateprobe.model import names
from tests.samples import check


class Text(str):
    __slots__ = ()


def report(*checks: Check, policy: Policy | None = None) -> Report:
    return Report(checks, "1" * 64, "2" * 64, policy or Policy())


def test_a_surface_speaks_of_the_current_state_and_declares_nothing_by_default() -> None:
    assert Surface("body", "text") == Surface(id="body", text="text", state_ref="current", claims=())


def test_fields_stand_in_their_published_order() -> None:
    assert Claim("key", 1) == Claim(key="key", value=1)
    assert Surface("a", "b", "c", ()) == Surface(id="a", text="b", state_ref="c", claims=())
    assert Context({}, ("p",), ("h",)) == Context(states={}, closed_premises=("p",), history=("h",))
    assert Policy(False, True) == Policy(block_heuristics=False, block_undetermined=True)


def test_the_defaults_block_heuristics_and_the_undetermined() -> None:
    assert Policy() == Policy(block_heuristics=True, block_undetermined=True)


def test_sequences_become_tuples() -> None:
    claims: Any = [Claim("k", 1)]
    surfaces: Any = [Surface("a", "", claims=claims)]
    texts: Any = ["x"]
    assert Document(surfaces).surfaces == (Surface("a", "", claims=(Claim("k", 1),)),)
    assert (Context({}, texts, texts).closed_premises, Context({}, texts, texts).history) == (("x",), ("x",))


REFUSED: dict[str, tuple[Callable[[Any], object], Any, type[Exception], str]] = {
    "an empty claim key": (lambda key: Claim(key, 1), "", InvalidValue, "claim key='' is empty"),
    "a claim of a list": (lambda value: Claim("k", value), [1], InvalidType, r"claim 'k' value=\[1\] has type list"),
    "a claim of NaN": (lambda value: Claim("k", value), float("nan"), InvalidValue, "claim 'k' value=nan"),
    "an empty surface id": (lambda id: Surface(id, ""), "", InvalidValue, "surface id='', state_ref='current'"),
    "an empty state_ref": (lambda ref: Surface("a", "", ref), "", InvalidValue, "surface id='a', state_ref=''"),
    "a text that is bytes": (lambda text: Surface("a", text), b"x", InvalidType, "surface 'a' text has type bytes"),
    "claims in pairs": (lambda claims: Surface("a", "", "s", claims), [("k", 1)], InvalidType,
                        "surface 'a' claims holds .* of type tuple; expected only Claim"),
    "no surface": (Document, (), InvalidValue, "at least one surface"),
    "two surfaces of one id": (Document, (Surface("a", "x"), Surface("a", "y")), InvalidValue, "id='a'"),
    "surfaces that are texts": (Document, ("a",), InvalidType, "document surfaces holds 'a' of type str"),
    "states in a list": (Context, [], InvalidType, "context states has type list; expected a mapping"),
    "no states": (Context, None, InvalidType, "context states has type NoneType"),
    "an empty state name": (Context, {"": {}}, InvalidValue, "state name ''"),
    "a state named by a number": (Context, {1: {}}, InvalidValue, "state name 1"),
    "a state named by a subclass of str": (Context, {Text("s"): {}}, InvalidValue, "state name 's'"),
    "facts in a list": (Context, {"s": [("k", 1)]}, InvalidType, "state 's' has type list"),
    "an empty fact key": (Context, {"s": {"": 1}}, InvalidValue, "state 's' has fact key ''"),
    "a fact keyed by a number": (Context, {"s": {1: 1}}, InvalidValue, "state 's' has fact key 1"),
    "a fact that is an infinity": (Context, {"s": {"k": float("inf")}}, InvalidValue, "state 's' fact 'k'=inf"),
    "a fact that is a mapping": (Context, {"s": {"k": {}}}, InvalidType, "state 's' fact 'k'={} has type dict"),
    "bare premises": (lambda value: Context({}, value), "offer", InvalidType, "closed_premises='offer' is a bare"),
    "bare history": (lambda value: Context({}, (), value), "once", InvalidType, "history='once' is a bare string"),
    "history of numbers": (lambda value: Context({}, (), value), [1], InvalidType, "history holds 1 of type int"),
    "metrics out of order": (lambda metrics: Check("r", "1", Kind.INVARIANT, Status.ERROR, "C", "$", "", metrics),
                             (("b", 1), ("a", 1)), InvalidValue, "check 'r' metrics=.* not sorted"),
    "a metric of a list": (lambda metrics: Check("r", "1", Kind.INVARIANT, Status.ERROR, "C", "$", "", metrics),
                           (("a", [1]),), InvalidType, r"metric 'a'=\[1\]"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "argument", "error", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_used_is_refused_and_shown(
    make: Callable[[Any], object], argument: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make(argument)


def test_errors_are_also_the_built_in_ones() -> None:
    with pytest.raises(ValueError, match="empty"):
        Claim("", 1)
    with pytest.raises(TypeError, match="list"):
        Claim("k", [1])  # type: ignore[arg-type]


class Lone(NamedTuple):
    """A tuple of one's own type."""

    name: str


def test_names_are_a_tuple_of_strings() -> None:
    assert names(iter(["a", "b"]), "x") == ("a", "b")
    assert type(names(Lone("b"), "x")) is tuple
    with pytest.raises(InvalidType, match=r"x='a' is a bare string; expected .*\('a',\)"):
        names("a", "x")


def test_a_surface_is_found_by_its_id_or_the_iteration_stops() -> None:
    document = Document((Surface("a", "x"), Surface("b", "y")))
    assert document.surface("b") == Surface("b", "y")
    with pytest.raises(StopIteration):
        document.surface("c")


def test_a_context_keeps_a_copy_nobody_can_change() -> None:
    facts: dict[str, Any] = {"k": 1}
    states = {"s": facts}
    context = Context(states)
    facts["k"] = 2
    states["t"] = {}
    assert context.states == {"s": {"k": 1}}
    with pytest.raises(TypeError):
        context.states["s"]["k"] = 3  # type: ignore[index]
    with pytest.raises(TypeError):
        context.states["t"] = {}  # type: ignore[index]


EVERYTHING = (
    Claim("k", None),
    Surface("a", "text", "s", (Claim("k", 1.5),)),
    Document((Surface("a", "text"),)),
    Context({"s": {"k": True}}, ("p",), ("h",)),
    Check("r", "1", Kind.HEURISTIC, Status.VIOLATED, "C", "$", "why", (("a", 1), ("b", None))),
    Policy(False, False),
    report(check()),
)


@pytest.mark.parametrize("value", EVERYTHING, ids=lambda value: type(value).__name__)
def test_everything_is_frozen_and_can_be_copied_pickled_and_hashed(value: Any) -> None:
    for carried in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):  # noqa: S301
        assert carried == value
        assert hash(carried) == hash(value)
        assert type(carried) is type(value)
    name = next(iter(type(value).__slots__))
    with pytest.raises(FrozenInstanceError):
        setattr(value, name, None)


BLOCKED: dict[tuple[Status, Kind], Callable[[Policy], bool]] = {
    (Status.SATISFIED, Kind.INVARIANT): lambda policy: False,
    (Status.SATISFIED, Kind.HEURISTIC): lambda policy: False,
    (Status.VIOLATED, Kind.INVARIANT): lambda policy: True,
    (Status.VIOLATED, Kind.HEURISTIC): lambda policy: policy.block_heuristics,
    (Status.UNDETERMINED, Kind.INVARIANT): lambda policy: policy.block_undetermined,
    (Status.UNDETERMINED, Kind.HEURISTIC): lambda policy: policy.block_undetermined,
    (Status.ERROR, Kind.INVARIANT): lambda policy: True,
    (Status.ERROR, Kind.HEURISTIC): lambda policy: True,
}
POLICIES = [Policy(*flags) for flags in product((True, False), repeat=2)]


@pytest.mark.parametrize(("status", "kind"), list(product(Status, Kind)))
def test_a_policy_blocks_what_its_flags_say(status: Status, kind: Kind) -> None:
    expected = [BLOCKED[status, kind](policy) for policy in POLICIES]
    assert [policy.blocks(check(status, kind)) for policy in POLICIES] == expected
    assert [report(check(status, kind), policy=policy).accepted for policy in POLICIES] == [not it for it in expected]


@pytest.mark.parametrize("status", Status)
def test_a_report_is_complete_if_every_check_came_to_a_decision(status: Status) -> None:
    decided = status in {Status.SATISFIED, Status.VIOLATED}
    assert report(check(), check(status)).complete == decided


def test_a_report_without_checks_is_neither_accepted_nor_complete() -> None:
    assert (report().accepted, report().complete) == (False, False)


def test_one_blocked_check_keeps_a_report_from_being_accepted() -> None:
    assert not report(check(), check(Status.VIOLATED), check()).accepted


def test_a_report_is_data_with_its_verdict() -> None:
    assert report(check(Status.VIOLATED, Kind.HEURISTIC), policy=Policy(block_heuristics=False)).to_dict() == {
        "checks": [
            {
                "rule_id": "rule", "version": "1", "kind": "heuristic", "status": "violated", "code": "CODE",
                "scope": "$", "evidence": "as told", "metrics": [],
            }
        ],
        "input_digest": "1" * 64,
        "contracts_digest": "2" * 64,
        "policy": {"block_heuristics": False, "block_undetermined": True},
        "library_version": __version__,
        "schema_version": 1,
        "accepted": True,
        "complete": True,
    }  # fmt: skip


def test_an_accepted_report_asserts_nothing() -> None:
    report(check(), check(Status.VIOLATED, Kind.HEURISTIC), policy=Policy(block_heuristics=False)).assert_accepted()


def test_a_rejected_report_names_every_blocking_check_on_a_line() -> None:
    rejected = report(
        check(Status.VIOLATED, rule_id="one", scope="body"),
        check(rule_id="two"),
        check(Status.UNDETERMINED, rule_id="three", code="ABSENT"),
    )
    with pytest.raises(AssertionError) as caught:
        rejected.assert_accepted()
    assert str(caught.value).splitlines() == [
        "MateProbe contract failure:",
        "- one: violated CODE at body: as told",
        "- three: undetermined ABSENT at $: as told",
    ]


def test_a_report_without_checks_says_that_nothing_was_evaluated() -> None:
    with pytest.raises(AssertionError, match=r"MateProbe contract failure:\n.*no checks"):
        report().assert_accepted()
