"""Documents, states, checks and reports: what is judged, and what a judgement says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from ._version import __version__
from .canonical import FrozenDict, canonical, digest, plain, same, scalar
from .errors import InvalidType, InvalidValue
from .visible import visible

__all__ = [
    "Check", "Claim", "Context", "Document", "Kind", "Policy", "Report", "Scalar", "Status", "Surface",
    "canonical", "digest", "names", "plain", "same", "scalar",
]  # fmt: skip

Scalar: TypeAlias = str | int | float | bool | None


class Status(StrEnum):
    """What a check found. The last two tell absent evidence from a failure of the check itself.

    Examples:
        >>> Status.UNDETERMINED == "undetermined"
        True
    """

    SATISFIED = "satisfied"
    VIOLATED = "violated"
    UNDETERMINED = "undetermined"
    ERROR = "error"


class Kind(StrEnum):
    """Whether a rule states an exact invariant or a declared heuristic.

    Examples:
        >>> from mateprobe import ForbiddenPattern, RequiredFact
        >>> RequiredFact.kind.value, ForbiddenPattern.kind.value
        ('invariant', 'heuristic')
    """

    INVARIANT = "invariant"
    HEURISTIC = "heuristic"


def names(values: Iterable[str], where: str) -> tuple[str, ...]:
    """Return ``values`` as a tuple of strings; ``where`` names them in errors.

    Raises:
        InvalidType: a bare string, or an item that is no string.

    Examples:
        >>> names(["subtotal", "tax"], "fields")
        ('subtotal', 'tax')
    """
    if type(values) is tuple:  # most are: spares them the slow question whether they are a set
        result = values
    elif isinstance(values, str):
        raise InvalidType(f"{where}={values!r} is a bare string; expected a sequence of strings such as ({values!r},)")
    elif isinstance(values, AbstractSet):
        raise InvalidType(f"{where}={values!r} has no order; expected a sequence of strings, sorted as you mean it")
    else:
        result = tuple(values)
    for item in result:
        if not isinstance(item, str):
            raise InvalidType(f"{where} holds {item!r} of type {type(item).__name__}; expected only strings")
    return result


def _set(instance: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def _members(values: Iterable[Any], member: type, where: str) -> tuple[Any, ...]:
    if isinstance(values, member | AbstractSet):
        raise InvalidType(f"{where}={values!r} is no sequence; expected a sequence of {member.__name__}")
    result = tuple(values)
    for item in result:
        if not isinstance(item, member):
            raise InvalidType(f"{where} holds {item!r} of type {type(item).__name__}; expected only {member.__name__}")
    return result


@dataclass(frozen=True, slots=True)
class Claim:
    """A fact the text's author declares: a nonempty key and a JSON scalar.

    Raises:
        InvalidValue: an empty key, NaN or an infinity. InvalidType: a value that is no scalar.

    Examples:
        >>> Claim("status", "paid").value
        'paid'
    """

    key: str
    value: Scalar

    def __post_init__(self) -> None:
        if not self.key:
            raise InvalidValue("claim key='' is empty; name the fact it declares")
        scalar(self.value, f"claim {self.key!r} value")


@dataclass(frozen=True, slots=True)
class Surface:
    """One text a reader sees, the state it speaks of, and the claims declared for it.

    Raises:
        InvalidValue: an empty id or state_ref. InvalidType: text that is no string.

    Examples:
        >>> Surface("body", "All is paid.", claims=(Claim("status", "paid"),)).state_ref
        'current'
    """

    id: str
    text: str
    state_ref: str = "current"
    claims: tuple[Claim, ...] = ()

    def __post_init__(self) -> None:
        if not self.id or not self.state_ref:
            raise InvalidValue(f"surface id={self.id!r}, state_ref={self.state_ref!r}: neither may be empty")
        if not isinstance(self.text, str):
            raise InvalidType(f"surface {self.id!r} text has type {type(self.text).__name__}; expected str")
        if self.claims.__class__ is not tuple or self.claims:
            _set(self, claims=_members(self.claims, Claim, f"surface {self.id!r} claims"))


@dataclass(frozen=True, slots=True)
class Document:
    """The surfaces of one output, in order.

    Raises:
        InvalidValue: no surface, or two with one id.

    Examples:
        >>> Document((Surface("title", "Refund"), Surface("body", "All is paid."))).surface("body").text
        'All is paid.'
    """

    surfaces: tuple[Surface, ...]

    def __post_init__(self) -> None:
        surfaces = _members(self.surfaces, Surface, "document surfaces")
        _set(self, surfaces=surfaces)
        ids = [surface.id for surface in surfaces]
        if not ids:
            raise InvalidValue("document surfaces=() is empty; expected at least one surface")
        if len(set(ids)) != len(ids):
            twice = next(item for item in ids if ids.count(item) > 1)
            raise InvalidValue(f"document has two surfaces with id={twice!r}; ids must be unique")

    def surface(self, id: str) -> Surface:
        """Return the surface called ``id``.

        Raises:
            StopIteration: there is none (kept for existing callers).
        """
        for surface in self.surfaces:
            if surface.id == id:
                return surface
        raise StopIteration(f"document has no surface {id!r}; it has {[surface.id for surface in self.surfaces]}")


def _facts(state: str, facts: object) -> FrozenDict:
    if not isinstance(facts, Mapping):
        raise InvalidType(f"state {state!r} has type {type(facts).__name__}; expected a mapping of facts")
    for key, value in facts.items():
        if type(key) is not str or not key:
            raise InvalidValue(f"state {state!r} has fact key {key!r}; expected a nonempty string")
        scalar(value, f"state {state!r} fact {key!r}")
    return FrozenDict(facts)


@dataclass(frozen=True, slots=True)
class Context:
    """What the trusted application supplies: named state snapshots, closed premises, history.

    ``states`` maps a state name to a flat mapping of scalar facts. The input is copied and read-only.

    Raises:
        InvalidValue: an empty or non-string state name or fact key, a number that is not finite.
        InvalidType: facts that are no mapping, or no scalars; a bare string for a sequence.

    Examples:
        >>> Context({"current": {"status": "paid"}}, closed_premises=("offer",)).states["current"]["status"]
        'paid'
    """

    states: Mapping[str, Mapping[str, Scalar]]
    closed_premises: tuple[str, ...] = ()
    history: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.states, Mapping):
            raise InvalidType(f"context states has type {type(self.states).__name__}; expected a mapping of states")
        for state in self.states:
            if type(state) is not str or not state:
                raise InvalidValue(f"context has state name {state!r}; expected a nonempty string")
        _set(
            self,
            states=FrozenDict({state: _facts(state, facts) for state, facts in self.states.items()}),
            closed_premises=names(self.closed_premises, "context closed_premises"),
            history=names(self.history, "context history"),
        )


@dataclass(frozen=True, slots=True)
class Check:
    """One finding of one rule. ``code`` names the property checked, whatever the status.

    ``metrics`` are (name, scalar) pairs sorted by name.

    Raises:
        InvalidValue: metrics that are not sorted by name.

    Examples:
        >>> Check("thin", "1", Kind.HEURISTIC, Status.VIOLATED, "LOW_LEXICAL_CONTENT", "body", "2 tokens").code
        'LOW_LEXICAL_CONTENT'
    """

    rule_id: str
    version: str
    kind: Kind
    status: Status
    code: str
    scope: str
    evidence: str
    metrics: tuple[tuple[str, Scalar], ...] = ()

    def __post_init__(self) -> None:
        if self.metrics.__class__ is tuple and not self.metrics:
            return
        metrics = tuple([(name, scalar(value, f"metric {name!r}")) for name, value in self.metrics])
        order = [name for name, _ in metrics]
        if order != sorted(order):
            raise InvalidValue(f"check {self.rule_id!r} metrics={metrics!r} are not sorted by name; sort them")
        _set(self, metrics=metrics)


@dataclass(frozen=True, slots=True)
class Policy:
    """Which checks keep a document from being accepted. An error always does.

    Examples:
        >>> thin = Check("thin", "1", Kind.HEURISTIC, Status.VIOLATED, "LOW_LEXICAL_CONTENT", "body", "2 tokens")
        >>> Policy().blocks(thin), Policy(block_heuristics=False).blocks(thin)
        (True, False)
    """

    block_heuristics: bool = True
    block_undetermined: bool = True

    def blocks(self, check: Check) -> bool:
        """Tell whether ``check`` keeps its document from being accepted."""
        if check.status is Status.VIOLATED:
            return self.block_heuristics or check.kind is Kind.INVARIANT
        if check.status is Status.UNDETERMINED:
            return self.block_undetermined
        return check.status is Status.ERROR


@dataclass(frozen=True, slots=True)
class Report:
    """The checks of one evaluation, the digests of what was judged and by what, and the policy.

    Examples:
        >>> from mateprobe import RequiredFact, evaluate
        >>> document = Document((Surface("body", "All is paid."),))
        >>> report = evaluate(document, Context({"current": {}}), [RequiredFact("paid", "status", "paid")])
        >>> report.accepted, report.complete
        (False, False)
    """

    checks: tuple[Check, ...]
    input_digest: str
    contracts_digest: str
    policy: Policy
    library_version: str = field(default=__version__)
    schema_version: int = 1

    @property
    def accepted(self) -> bool:
        """Whether there are checks and the policy blocks none of them."""
        return bool(self.checks) and not any(map(self.policy.blocks, self.checks))

    @property
    def complete(self) -> bool:
        """Whether there are checks and each of them came to a decision."""
        return bool(self.checks) and all(
            check.status is Status.SATISFIED or check.status is Status.VIOLATED for check in self.checks
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON data, with ``accepted`` and ``complete``."""
        return {**plain(self), "accepted": self.accepted, "complete": self.complete}

    def assert_accepted(self) -> None:
        """Do nothing if the report is accepted.

        Raises:
            AssertionError: one line per blocking check, after a first line that says what this is.
        """
        if self.accepted:
            return
        lines = ["MateProbe contract failure:"]
        lines += [
            f"- {check.rule_id}: {check.status} {check.code} at {check.scope}: {check.evidence}"
            for check in self.checks
            if self.policy.blocks(check)
        ]
        if not self.checks:
            lines.append("- the report holds no checks: nothing was evaluated, so nothing can be accepted")
        raise AssertionError(visible("\n".join(lines)))
