"""Relations between facts."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from mateprobe import (
    AllowedTransition,
    CompareFields,
    FieldRef,
    InvalidType,
    InvalidValue,
    Kind,
    Status,
    evaluate,
)
from tests.samples import context, document, found

LEFT, RIGHT = FieldRef("a", "v"), FieldRef("b", "v")
INFINITY = 10**400  # larger than any float

COMPARED: dict[str, tuple[str, Any, Any, Status]] = {
    "equal numbers": ("eq", 1, 1, Status.SATISFIED),
    "an int and a float": ("eq", 1, 1.0, Status.VIOLATED),
    "a number and a bool": ("eq", 1, True, Status.VIOLATED),
    "texts": ("eq", "x", "y", Status.VIOLATED),
    "null and null": ("eq", None, None, Status.SATISFIED),
    "less": ("le", 1, 2, Status.SATISFIED),
    "as much": ("le", 2, 2, Status.SATISFIED),
    "more": ("le", 3, 2, Status.VIOLATED),
    "as much, of two types": ("le", 2, 2.0, Status.SATISFIED),
    "an int beyond all floats": ("le", INFINITY, 1.5, Status.VIOLATED),
    "a float below it": ("le", 1.5, INFINITY, Status.SATISFIED),
    "a bool is no number": ("le", True, 2, Status.ERROR),
    "a text is no number": ("le", 1, "2", Status.ERROR),
    "null is no number": ("le", None, None, Status.ERROR),
}
CODES = {
    Status.SATISFIED: "FIELDS_COMPARE",
    Status.VIOLATED: "FIELDS_MISMATCH",
    Status.ERROR: "ORDERING_TYPE_ERROR",
}


@pytest.mark.parametrize(("operator", "left", "right", "status"), COMPARED.values(), ids=COMPARED.keys())
def test_two_facts_are_compared(operator: Any, left: Any, right: Any, status: Status) -> None:
    report = evaluate(document(), context(a={"v": left}, b={"v": right}), [CompareFields("r", LEFT, RIGHT, operator)])
    assert found(report) == [(status, CODES[status], f"compare:a.v{operator}b.v")]


PAIRS = ((None, "open"), ("open", "paid"), (1, 2))
TRANSITIONS: dict[str, tuple[Any, Any, Status]] = {
    "allowed": ("open", "paid", Status.SATISFIED),
    "from null": (None, "open", Status.SATISFIED),
    "the other way": ("paid", "open", Status.VIOLATED),
    "halves of two pairs": ("open", "open", Status.VIOLATED),
    "of another type": (1, 2.0, Status.VIOLATED),
    "from another type": (True, 2, Status.VIOLATED),
}


@pytest.mark.parametrize(("before", "after", "status"), TRANSITIONS.values(), ids=TRANSITIONS.keys())
def test_a_transition_is_one_of_the_allowed_pairs(before: Any, after: Any, status: Status) -> None:
    report = evaluate(
        document(), context(a={"v": before}, b={"v": after}), [AllowedTransition("r", LEFT, RIGHT, PAIRS)]
    )
    code = "ALLOWED_TRANSITION" if status is Status.SATISFIED else "TRANSITION_FORBIDDEN"
    assert found(report) == [(status, code, "transition:a.v->b.v")]


@pytest.mark.parametrize(
    "states", [{}, {"a": {"v": 1}}, {"b": {"v": 1}}, {"a": {"v": 1}, "b": {"w": 1}}], ids=["none", "a", "b", "key"]
)
def test_a_fact_that_is_absent_leaves_it_undetermined(states: Any) -> None:
    rules = [CompareFields("c", LEFT, RIGHT, "le"), AllowedTransition("t", LEFT, RIGHT, PAIRS)]
    assert found(evaluate(document(), context(**states), rules)) == [
        (Status.UNDETERMINED, "FIELD_UNAVAILABLE", "compare:a.vleb.v"),
        (Status.UNDETERMINED, "FIELD_UNAVAILABLE", "transition:a.v->b.v"),
    ]


def test_relations_keep_the_names_of_the_frozen_evidence() -> None:
    left, right = ({"state_ref": name, "key": "v"} for name in "ab")
    assert CompareFields("c", LEFT, RIGHT).configuration() == {
        "type": "narrative_contracts.relations.CompareFields",
        "version": "1",
        "kind": "invariant",
        "parameters": {"rule_id": "c", "left": left, "right": right, "operator": "eq"},
    }
    assert AllowedTransition("t", LEFT, RIGHT, ((1, None),)).configuration() == {
        "type": "narrative_contracts.relations.AllowedTransition",
        "version": "1",
        "kind": "invariant",
        "parameters": {"rule_id": "t", "before": left, "after": right, "allowed": [[1, None]]},
    }
    assert (CompareFields.kind, AllowedTransition.kind) == (Kind.INVARIANT, Kind.INVARIANT)


REFUSED: dict[str, tuple[Callable[..., object], tuple[Any, ...], type[Exception], str]] = {
    "no state": (FieldRef, ("", "v"), InvalidValue, "field state_ref='' is empty"),
    "no key": (FieldRef, ("a", ""), InvalidValue, "field key='' is empty"),
    "a state that is a number": (FieldRef, (1, "v"), InvalidType, "field state_ref=1 has type int; expected str"),
    "a key that is nothing": (FieldRef, ("a", None), InvalidType, "field key=None has type NoneType"),
    "a text for a field": (CompareFields, ("r", "a.v", RIGHT), InvalidType, "rule 'r' has 'a.v' for a field"),
    "nothing for a field": (AllowedTransition, ("r", LEFT, None, ()), InvalidType, "rule 'r' has None for a field"),
    "another operator": (CompareFields, ("r", LEFT, RIGHT, "lt"), InvalidValue, "operator='lt'; expected 'eq'"),
    "one value": (AllowedTransition, ("r", LEFT, RIGHT, ((1,),)), InvalidValue, r"allowed has \(1,\); expected"),
    "three values": (AllowedTransition, ("r", LEFT, RIGHT, ((1, 2, 3),)), InvalidValue, r"allowed has \(1, 2, 3\)"),
    "a list": (AllowedTransition, ("r", LEFT, RIGHT, ((1, [2]),)), InvalidType, r"rule 'r' allowed value=\[2\]"),
    "NaN": (AllowedTransition, ("r", LEFT, RIGHT, ((1, float("nan")),)), InvalidValue, "allowed value=nan"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "settings", "error", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_settings_that_cannot_be_meant_are_refused(
    make: Callable[..., object], settings: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make(*settings)


def test_allowed_pairs_in_lists_become_tuples() -> None:
    pairs: Any = [[1, 2]]
    assert AllowedTransition("r", LEFT, RIGHT, pairs) == AllowedTransition("r", LEFT, RIGHT, ((1, 2),))


def test_a_field_is_written_as_its_state_and_key() -> None:
    assert str(LEFT) == "a.v"


def test_null_is_a_fact_that_is_there() -> None:
    assert (LEFT.read(context(a={"v": None})), LEFT.read(context(a={}))) == ((None,), ())


@pytest.mark.parametrize("rule", [CompareFields("r", LEFT, RIGHT), AllowedTransition("r", LEFT, RIGHT, PAIRS)])
def test_relations_read_the_states_alone(rule: CompareFields | AllowedTransition) -> None:
    assert rule.reads == ((), True)


@pytest.mark.parametrize("value", [LEFT, CompareFields("r", LEFT, RIGHT), AllowedTransition("r", LEFT, RIGHT, PAIRS)])
def test_relations_can_be_copied_pickled_and_hashed(value: Any) -> None:
    for carried in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):  # noqa: S301
        assert (carried, hash(carried)) == (value, hash(value))


def test_a_transition_shows_what_was_and_what_came_after() -> None:
    rule = AllowedTransition("r", LEFT, RIGHT, (("open", "paid"),))
    (check,) = evaluate(document(), context(a={"v": "open"}, b={"v": 1}), [rule]).checks
    assert check.evidence == "'open' -> 1"


def test_an_operator_read_from_a_file_is_the_operator() -> None:
    rule = CompareFields("r", LEFT, RIGHT, "".join(["e", "q"]))  # type: ignore[arg-type]
    assert found(evaluate(document(), context(a={"v": "x"}, b={"v": "x"}), [rule]))[0][0] is Status.SATISFIED
