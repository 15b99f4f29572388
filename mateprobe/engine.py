"""Evaluate a document against contracts: each contract is asked once, a broken one is an error check."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from .canonical import digest, field_names, plain
from .errors import InvalidValue
from .model import Check, Context, Document, Kind, Policy, Report, Scalar, Status

RULE_ERROR = "RULE_ERROR"


@runtime_checkable
class Contract(Protocol):
    """Anything with an id, a version, a kind, an evaluation and a configuration can be a contract.

    Examples:
        >>> from mateprobe import NoRepeatedText
        >>> isinstance(NoRepeatedText("repeat", ("body",)), Contract)
        True
    """

    version: ClassVar[str]
    kind: ClassVar[Kind]

    @property
    def rule_id(self) -> str:
        """The id of the contract, by which its checks are known."""
        ...

    def evaluate(self, document: Document, context: Context) -> tuple[Check, ...]:
        """Return at least one check of this contract."""
        ...

    def configuration(self) -> dict[str, Any]:
        """Return the declared settings as JSON data."""
        ...


class Reads(NamedTuple):
    """What of a sample decides what a rule says: surfaces by id (None: all of them), and whether the context does.

    Examples:
        >>> from mateprobe import MinimumTokens
        >>> MinimumTokens("thin", ("body",)).reads
        Reads(surfaces=('body',), context=False)
    """

    surfaces: tuple[str, ...] | None = ()
    context: bool = False


@dataclass(frozen=True)
class Rule:
    """Base of contracts that are frozen dataclasses: the fields are the configuration.

    A subclass sets ``version`` and ``kind`` on the class and implements ``evaluate``.

    Examples:
        >>> from dataclasses import dataclass
        >>> from mateprobe import Surface
        >>> @dataclass(frozen=True)
        ... class Greets(Rule):
        ...     def evaluate(self, document, context):
        ...         status = Status.SATISFIED if "Hello" in document.surface("body").text else Status.VIOLATED
        ...         return (self.result(status, "GREETING", "body", "a reply begins with a greeting"),)
        >>> document = Document((Surface("body", "All is paid."),))
        >>> [check.status.value for check in evaluate(document, Context({}), [Greets("greets")]).checks]
        ['violated']
    """

    rule_id: str
    version: ClassVar[str] = "1"
    kind: ClassVar[Kind] = Kind.INVARIANT
    wire_type: ClassVar[str] = "mateprobe.engine.Rule"

    def evaluate(self, document: Document, context: Context) -> tuple[Check, ...]:
        """Return at least one check; every subclass implements this."""
        raise NotImplementedError(f"{type(self).__qualname__} must implement evaluate(document, context)")

    @property
    def reads(self) -> Reads | None:
        """What decides the checks, where every surface it names is there; None if that is not known.

        Samples that are equal there get equal checks, so that one who judges many need not ask again. A
        subclass that looks at more than its parent says so here.
        """
        return None

    def configuration(self) -> dict[str, Any]:
        """Return type, version, kind and parameters, the identity of this rule in reports.

        A class that declares no ``wire_type`` of its own is identified by its module and name.
        """
        cls = type(self)
        return {
            "type": cls.__dict__.get("wire_type", f"{cls.__module__}.{cls.__qualname__}"),
            "version": self.version,
            "kind": self.kind.value,
            "parameters": {name: plain(getattr(self, name)) for name in field_names(cls)},
        }

    def result(self, status: Status, code: str, scope: str, evidence: str, **metrics: Scalar) -> Check:
        """Return a check of this rule; metrics are sorted by name."""
        return Check(
            self.rule_id, self.version, self.kind, status, code, scope, evidence,
            tuple(sorted(metrics.items())) if metrics else (),
        )  # fmt: skip


class Profile:
    """Contracts made ready for many evaluations: ids checked and settings digested once.

    Raises:
        InvalidValue: no contracts, an empty rule id, or two contracts with one id.

    Examples:
        >>> from mateprobe import NoRepeatedText, Surface
        >>> profile = Profile([NoRepeatedText("repeat", ("body",))])
        >>> [profile.evaluate(Document((Surface("body", text),)), Context({})).accepted for text in ("One.", "Two.")]
        [True, True]
    """

    __slots__ = ("contracts", "digest", "rule_ids")

    def __init__(self, contracts: Iterable[Contract]) -> None:
        self.contracts = tuple(contracts)
        self.rule_ids = frozenset(contract.rule_id for contract in self.contracts)
        ids = [contract.rule_id for contract in self.contracts]
        if not ids:
            raise InvalidValue("contracts=() is empty: evaluating nothing proves nothing; pass at least one")
        for rule_id in ids:
            if not rule_id:
                raise InvalidValue("a contract has rule_id=''; give every contract a nonempty id")
            if ids.count(rule_id) > 1:
                raise InvalidValue(f"two contracts have rule_id={rule_id!r}; ids must be unique")
        self.digest = digest([contract.configuration() for contract in self.contracts])

    def evaluate(
        self, document: Document, context: Context, policy: Policy | None = None, *, input_digest: str | None = None
    ) -> Report:
        """Return the report on one document; ``input_digest`` saves a caller who knows it the hashing."""
        checks = tuple(check for contract in self.contracts for check in ask(contract, document, context))
        return Report(
            checks=checks,
            input_digest=input_digest or digest({"document": document, "context": context}),
            contracts_digest=self.digest,
            policy=policy or Policy(),
        )


def evaluate(
    document: Document, context: Context, contracts: Iterable[Contract], policy: Policy | None = None
) -> Report:
    """Evaluate ``document`` in ``context`` with every contract, in order.

    A contract that raises, returns nothing, or returns checks that are not its own gives exactly
    one check: status error, code ``RULE_ERROR``, scope ``$``.

    Raises:
        InvalidValue: no contracts, an empty rule id, or a duplicate one.

    Examples:
        >>> from mateprobe import ForbiddenPattern, Surface
        >>> document = Document((Surface("body", "The meeting went well."),))
        >>> report = evaluate(document, Context({}), [ForbiddenPattern("phrase", ("went well",), ("body",))])
        >>> [(check.code, check.status.value) for check in report.checks]
        [('FORBIDDEN_PATTERN', 'violated')]
    """
    return Profile(contracts).evaluate(document, context, policy)


def ask(contract: Contract, document: Document, context: Context) -> tuple[Check, ...]:
    """Return the checks of one contract, or the one check that says how it failed.

    Examples:
        >>> from mateprobe import MinimumTokens, Surface
        >>> document = Document((Surface("body", "Paid."),))
        >>> [check.code for check in ask(MinimumTokens("thin", ("title",)), document, Context({}))]
        ['RULE_ERROR']
    """
    try:
        checks = tuple(contract.evaluate(document, context))
        problem = _misattributed(contract, checks)
    except Exception as error:  # noqa: BLE001 - any failure of a rule is a finding about the rule
        problem = describe(error)
        checks = ()
    if problem is None:
        return checks
    return (Check(contract.rule_id, contract.version, contract.kind, Status.ERROR, RULE_ERROR, "$", problem),)


def _misattributed(contract: Contract, checks: tuple[Any, ...]) -> str | None:
    if not checks:
        return f"rule {contract.rule_id!r} returned no checks; a rule that has nothing to say must say so"
    for check in checks:
        if not isinstance(check, Check):
            return f"rule {contract.rule_id!r} returned a {type(check).__name__}; expected Check"
        status: Any = check.status  # a rule of a user may hold anything here
        if not isinstance(status, Status):
            return f"rule {contract.rule_id!r} returned status={status!r}; expected a Status"
        if (check.rule_id, check.version, check.kind) != (contract.rule_id, contract.version, contract.kind):
            return (
                f"rule {contract.rule_id!r} returned a check of rule_id={check.rule_id!r}, "
                f"version={check.version!r}, kind={check.kind!r}; expected its own"
            )
    return None


def describe(error: BaseException) -> str:
    """Return ``Type: message``, also for an exception whose own text cannot be had.

    Examples:
        >>> describe(ValueError("no"))
        'ValueError: no'
    """
    if isinstance(error.__cause__, StopIteration):  # raised in a generator, where it becomes a RuntimeError
        error = error.__cause__
    try:
        message = str(error)
    except Exception as unprintable:  # noqa: BLE001 - the text of a foreign exception is foreign code
        message = f"(its message could not be read: {type(unprintable).__name__})"
    return f"{type(error).__name__}: {message}"


def state_of(context: Context, state_ref: str) -> Any:
    """Return the facts of a state, or None where the context has no such state.

    Examples:
        >>> state_of(Context({"before": {"paid": False}}), "after") is None
        True
    """
    return context.states.get(state_ref)


def require(condition: bool, message: str) -> None:
    """Raise InvalidValue with ``message`` unless ``condition`` holds: the guard of rule settings.

    Examples:
        >>> require(len("") > 0, "name=''; expected a name")
        Traceback (most recent call last):
        mateprobe.errors.InvalidValue: name=''; expected a name
    """
    if not condition:
        raise InvalidValue(message)


__all__ = ["RULE_ERROR", "Contract", "Profile", "Reads", "Rule", "ask", "describe", "evaluate", "require", "state_of"]
