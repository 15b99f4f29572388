"""Relations between two facts of the supplied states: equality, order, allowed transitions."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Literal

from .canonical import same
from .engine import Reads, Rule, require, state_of
from .errors import InvalidType
from .model import Check, Context, Document, Scalar, Status, scalar


@dataclass(frozen=True, slots=True)
class FieldRef:
    """One fact of one state.

    Raises:
        InvalidValue: an empty state_ref or key.

    Examples:
        >>> str(FieldRef("after", "credits"))
        'after.credits'
    """

    state_ref: str
    key: str

    def __post_init__(self) -> None:
        for name in ("state_ref", "key"):
            value: object = getattr(self, name)
            if not isinstance(value, str):
                raise InvalidType(f"field {name}={value!r} has type {type(value).__name__}; expected str")
            require(bool(value), f"field {name}='' is empty; name it")

    def __str__(self) -> str:
        return f"{self.state_ref}.{self.key}"

    def read(self, context: Context) -> tuple[Scalar, ...]:
        """Return the fact as a one-tuple, or () where it is absent (None is a fact)."""
        facts = state_of(context, self.state_ref) or {}
        return (facts[self.key],) if self.key in facts else ()


def _fields(rule: Rule, *fields: object) -> None:
    for field in fields:
        if not isinstance(field, FieldRef):
            raise InvalidType(f"rule {rule.rule_id!r} has {field!r} for a field; expected FieldRef(state_ref, key)")


def _number(value: Scalar) -> bool:
    return type(value) is int or (type(value) is float and isfinite(value))


@dataclass(frozen=True)
class CompareFields(Rule):
    """Two facts are equal (type included), or the left number is at most the right one.

    Raises:
        InvalidValue: an operator other than ``eq`` and ``le``.

    Examples:
        >>> from mateprobe import Surface, evaluate
        >>> document = Document((Surface("body", "You win."),))
        >>> context = Context({"before": {"credits": 20}, "after": {"credits": 30}})
        >>> rule = CompareFields("order", FieldRef("before", "credits"), FieldRef("after", "credits"), "le")
        >>> evaluate(document, context, [rule]).accepted
        True
    """

    left: FieldRef
    right: FieldRef
    operator: Literal["eq", "le"] = "eq"
    wire_type: ClassVar[str] = "narrative_contracts.relations.CompareFields"

    def __post_init__(self) -> None:
        _fields(self, self.left, self.right)
        require(
            self.operator in ("eq", "le"), f"rule {self.rule_id!r} operator={self.operator!r}; expected 'eq' or 'le'"
        )

    @property
    def reads(self) -> Reads:
        """The states alone."""
        return Reads(context=True)

    def evaluate(self, document: Document, context: Context) -> tuple[Check, ...]:
        """Return one check, scope ``compare:L.kOPR.k``."""
        scope = f"compare:{self.left}{self.operator}{self.right}"
        values = self.left.read(context) + self.right.read(context)
        if len(values) < 2:
            evidence = f"needs both {self.left} and {self.right}"
            return (self.result(Status.UNDETERMINED, "FIELD_UNAVAILABLE", scope, evidence),)
        left, right = values
        evidence = f"{self.left}={left!r} {self.operator} {self.right}={right!r}"
        if self.operator == "eq":
            holds = same(left, right)
        elif _number(left) and _number(right):
            holds = left <= right  # type: ignore[operator]
        else:
            return (self.result(Status.ERROR, "ORDERING_TYPE_ERROR", scope, f"{evidence}: le needs two numbers"),)
        if holds:
            return (self.result(Status.SATISFIED, "FIELDS_COMPARE", scope, evidence),)
        return (self.result(Status.VIOLATED, "FIELDS_MISMATCH", scope, evidence),)


@dataclass(frozen=True)
class AllowedTransition(Rule):
    """The (before, after) pair of facts is one of the allowed pairs, types included.

    Examples:
        >>> from mateprobe import Surface, evaluate
        >>> document = Document((Surface("body", "Closed."),))
        >>> context = Context({"before": {"status": "open"}, "after": {"status": "closed"}})
        >>> before, after = FieldRef("before", "status"), FieldRef("after", "status")
        >>> evaluate(document, context, [AllowedTransition("steps", before, after, (("open", "paid"),))]).accepted
        False
    """

    before: FieldRef
    after: FieldRef
    allowed: tuple[tuple[Scalar, Scalar], ...]
    wire_type: ClassVar[str] = "narrative_contracts.relations.AllowedTransition"

    def __post_init__(self) -> None:
        _fields(self, self.before, self.after)
        given: tuple[Any, ...] = self.allowed
        pairs = tuple(pair if isinstance(pair, str) else tuple(pair) for pair in given)
        for pair in pairs:
            require(not isinstance(pair, str), f"rule {self.rule_id!r} allowed has text {pair!r}; expected pairs")
            require(len(pair) == 2, f"rule {self.rule_id!r} allowed has {pair!r}; expected (before, after) pairs")
            for value in pair:
                scalar(value, f"rule {self.rule_id!r} allowed value")
        object.__setattr__(self, "allowed", pairs)

    @property
    def reads(self) -> Reads:
        """The states alone."""
        return Reads(context=True)

    def evaluate(self, document: Document, context: Context) -> tuple[Check, ...]:
        """Return one check, scope ``transition:A.k->B.k``."""
        scope = f"transition:{self.before}->{self.after}"
        pair = self.before.read(context) + self.after.read(context)
        if len(pair) < 2:
            evidence = f"needs both {self.before} and {self.after}"
            return (self.result(Status.UNDETERMINED, "FIELD_UNAVAILABLE", scope, evidence),)
        before, after = pair
        evidence = f"{before!r} -> {after!r}"
        if any(same(before, old) and same(after, new) for old, new in self.allowed):
            return (self.result(Status.SATISFIED, "ALLOWED_TRANSITION", scope, evidence),)
        return (self.result(Status.VIOLATED, "TRANSITION_FORBIDDEN", scope, evidence),)
