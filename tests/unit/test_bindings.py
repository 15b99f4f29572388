"""Field bindings: flat output against flat state."""

from __future__ import annotations

from typing import Any

import pytest

from mateprobe import InvalidType, InvalidValue, Kind, Policy, Status, check_fields
from mateprobe.canonical import digest
from tests.samples import found

COMPARED: dict[str, tuple[dict[str, Any], dict[str, Any], Status, str]] = {
    "equal": ({"total": 30}, {"amount": 30}, Status.SATISFIED, "FIELD_MATCH"),
    "another value": ({"total": 30}, {"amount": 31}, Status.VIOLATED, "FIELD_MISMATCH"),
    "another type": ({"total": 30}, {"amount": 30.0}, Status.VIOLATED, "FIELD_MISMATCH"),
    "null and null": ({"total": None}, {"amount": None}, Status.SATISFIED, "FIELD_MATCH"),
    "no such output": ({}, {"amount": 30}, Status.UNDETERMINED, "FIELD_UNAVAILABLE"),
    "no such state": ({"total": 30}, {"total": 30}, Status.UNDETERMINED, "FIELD_UNAVAILABLE"),
    "neither": ({}, {}, Status.UNDETERMINED, "FIELD_UNAVAILABLE"),
}


@pytest.mark.parametrize(("output", "state", "status", "code"), COMPARED.values(), ids=COMPARED.keys())
def test_a_bound_field_equals_the_fact_it_is_bound_to(
    output: dict[str, Any], state: dict[str, Any], status: Status, code: str
) -> None:
    report = check_fields(output, state, {"total": "amount"})
    assert found(report) == [(status, code, "binding:total->amount")]
    assert (report.checks[0].rule_id, report.checks[0].version, report.checks[0].kind) == (
        "field-bindings", "1", Kind.INVARIANT
    )  # fmt: skip


def test_bindings_are_checked_in_sorted_order() -> None:
    report = check_fields({"a": 1, "b": 2}, {"x": 1, "y": 2}, {"b": "y", "a": "x"})
    assert [check.scope for check in report.checks] == ["binding:a->x", "binding:b->y"]


def test_the_report_holds_the_digests_of_fields_and_bindings() -> None:
    output, state, bindings = {"a": 1, "free": None}, {"x": 1}, {"a": "x"}
    report = check_fields(output, state, bindings)
    assert report.input_digest == digest({"output": output, "state": state, "bindings": bindings})
    assert report.contracts_digest == digest({"type": "field-bindings", "version": "1", "bindings": bindings})
    assert (report.policy, report.accepted, report.complete) == (Policy(), True, True)


REFUSED: dict[str, tuple[tuple[Any, Any, Any], type[Exception], str]] = {
    "no bindings": (({"a": 1}, {"a": 1}, {}), InvalidValue, "bindings={} is empty"),
    "an output in a list": (([1], {"a": 1}, {"a": "a"}), InvalidType, "output has type list; expected a mapping"),
    "no state": (({"a": 1}, None, {"a": "a"}), InvalidType, "state has type NoneType"),
    "bindings in pairs": (({"a": 1}, {"a": 1}, [("a", "a")]), InvalidType, "bindings has type list"),
    "an output without a name": (({"": 1}, {"a": 1}, {"a": "a"}), InvalidValue, "output has key ''; expected"),
    "a state named by a number": (({"a": 1}, {1: 1}, {"a": "a"}), InvalidValue, "state has key 1; expected a nonempty"),
    "a number bound": (({"a": 1}, {"a": 1}, {1: "a", "b": "a"}), InvalidValue, "bindings has key 1"),
    "bound to a number": (({"a": 1}, {"a": 1}, {"a": 1}), InvalidValue, r"bindings\['a'\]=1"),
    "bound to nothing": (({"a": 1}, {"a": 1}, {"a": ""}), InvalidValue, r"bindings\['a'\]=''"),
    "an output of a list": (({"a": [1]}, {"a": 1}, {"a": "a"}), InvalidType, r"output\['a'\]=\[1\] has type list"),
    "a state of NaN": (({"a": 1}, {"a": float("nan")}, {"a": "a"}), InvalidValue, r"state\['a'\]=nan is not finite"),
    "an unbound field of a set": (({"a": 1, "z": {1}}, {"a": 1}, {"a": "a"}), InvalidType, r"output\['z'\]={1}"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "error", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_fields_that_cannot_be_compared_are_refused(
    arguments: tuple[Any, Any, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        check_fields(*arguments)
