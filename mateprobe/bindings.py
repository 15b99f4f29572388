"""Field bindings: flat output fields that must equal named facts of a state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .canonical import digest, same, scalar
from .errors import InvalidType, InvalidValue
from .model import Check, Kind, Policy, Report, Scalar, Status

RULE_ID = "field-bindings"
VERSION = "1"


def check_fields(output: Mapping[str, Scalar], state: Mapping[str, Scalar], bindings: Mapping[str, str]) -> Report:
    """Compare output fields with state fields, type included.

    Args:
        output: the produced fields.
        state: the authoritative fields.
        bindings: output field name to state field name.

    Returns:
        A report with one check per binding, rule id ``field-bindings``, scope ``binding:OUT->STATE``,
        in sorted order.

    Raises:
        InvalidValue: no bindings, or a number that is not finite. InvalidType: a value that is no scalar.

    Examples:
        >>> check_fields({"sum": 40}, {"paid": 40}, {"sum": "paid"}).accepted
        True
    """
    given: tuple[tuple[str, Any], ...] = (("output", output), ("state", state), ("bindings", bindings))
    for name, fields in given:
        if not isinstance(fields, Mapping):
            raise InvalidType(f"{name} has type {type(fields).__name__}; expected a mapping of field names")
        for key, value in fields.items():
            if not isinstance(key, str) or not key:
                raise InvalidValue(f"{name} has key {key!r}; expected a nonempty field name")
            scalar(value, f"{name}[{key!r}]")
    bound: Any
    for produced, bound in bindings.items():
        if not isinstance(bound, str) or not bound:
            raise InvalidValue(f"bindings[{produced!r}]={bound!r}; expected a nonempty field name of the state")
    if not bindings:
        raise InvalidValue("bindings={} is empty: comparing nothing proves nothing; bind at least one field")
    return Report(
        checks=tuple(_compare(output, state, *pair) for pair in sorted(bindings.items())),
        input_digest=digest({"output": output, "state": state, "bindings": bindings}),
        contracts_digest=digest({"type": RULE_ID, "version": VERSION, "bindings": bindings}),
        policy=Policy(),
    )


def _compare(output: Mapping[str, Scalar], state: Mapping[str, Scalar], produced: str, bound: str) -> Check:
    missing = [f"output {produced!r}"] * (produced not in output) + [f"state {bound!r}"] * (bound not in state)
    if missing:
        status, code, evidence = Status.UNDETERMINED, "FIELD_UNAVAILABLE", f"absent: {' and '.join(missing)}"
    else:
        equal = same(output[produced], state[bound])
        status = Status.SATISFIED if equal else Status.VIOLATED
        code = "FIELD_MATCH" if equal else "FIELD_MISMATCH"
        evidence = f"{produced}={output[produced]!r}; {bound}={state[bound]!r}"
    return Check(RULE_ID, VERSION, Kind.INVARIANT, status, code, f"binding:{produced}->{bound}", evidence)
