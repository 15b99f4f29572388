"""The eight built-in rules. A code names the property checked; the status says how it came out.

Invariants compare supplied facts exactly. Heuristics look at words: they never judge meaning, so
paraphrase, negation and undeclared prose pass them by, and each rule's docstring says so.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from .canonical import same
from .engine import Reads, Rule, require, state_of
from .errors import InvalidValue
from .model import Check, Context, Document, Kind, Scalar, Status, names, scalar
from .text import search, tokens

SATISFIED, VIOLATED, UNDETERMINED = Status.SATISFIED, Status.VIOLATED, Status.UNDETERMINED
_MISSING = object()
_PatternError = re.error  # by a plain name: `make mutants` replaces what is caught, and only such


def _verdict(violated: bool) -> Status:
    return VIOLATED if violated else SATISFIED


def _tuples(rule: Rule, *fields: str) -> None:
    for field in fields:
        object.__setattr__(rule, field, names(getattr(rule, field), f"rule {rule.rule_id!r} {field}"))


def _pattern(rule_id: str, pattern: str) -> re.Pattern[str]:
    require(bool(pattern), f"rule {rule_id!r} has an empty pattern, which matches every text; remove it")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # what a set may mean some day is no error today
            return re.compile(pattern, re.IGNORECASE)
    except (_PatternError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidValue(
            f"rule {rule_id!r} pattern={pattern!r} is no regular expression: {error}; correct or escape it"
        ) from None


@dataclass(frozen=True)
class RequiredFact(Rule):
    """The state has the fact, with exactly the expected value and type.

    Violated when the value differs (``True`` is not ``1``); undetermined when the state or key is
    absent. Says nothing about any text.

    Examples:
        >>> from mateprobe import Surface, evaluate
        >>> document, context = Document((Surface("body", "Paid."),)), Context({"current": {"status": "open"}})
        >>> evaluate(document, context, [RequiredFact("paid", "status", "paid")]).accepted
        False
    """

    key: str
    expected: Scalar
    state_ref: str = "current"
    wire_type: ClassVar[str] = "narrative_contracts.rules.RequiredFact"

    def __post_init__(self) -> None:
        scalar(self.expected, f"rule {self.rule_id!r} expected")

    @property
    def reads(self) -> Reads:
        """The states alone."""
        return Reads(context=True)

    def evaluate(self, document: Document, context: Context) -> tuple[Check, ...]:
        """Return one check, scope ``state:REF:KEY``."""
        scope = f"state:{self.state_ref}:{self.key}"
        observed = (state_of(context, self.state_ref) or {}).get(self.key, _MISSING)
        if observed is _MISSING:
            evidence = f"no fact {self.key!r} in state {self.state_ref!r}"
            return (self.result(UNDETERMINED, "FACT_UNAVAILABLE", scope, evidence),)
        evidence = f"{self.key} is {observed!r}; required {self.expected!r}"
        return (self.result(_verdict(not same(observed, self.expected)), "REQUIRED_FACT", scope, evidence),)


@dataclass(frozen=True)
class DeclaredClaimsConsistent(Rule):
    """Every declared claim equals the fact of the surface's own state, type included.

    Looks in no other state. Checks declarations only: prose that says something else passes.

    Examples:
        >>> from mateprobe import Claim, Surface, evaluate
        >>> document = Document((Surface("body", "Paid.", claims=(Claim("status", "paid"),)),))
        >>> evaluate(document, Context({"current": {"status": "paid"}}), [DeclaredClaimsConsistent("claims")]).accepted
        True
    """

    surface_ids: tuple[str, ...] = ()
    require_claims: bool = True
    wire_type: ClassVar[str] = "narrative_contracts.rules.DeclaredClaimsConsistent"

    def __post_init__(self) -> None:
        _tuples(self, "surface_ids")

    @property
    def reads(self) -> Reads:
        """The surfaces with their claims, and the states."""
        return Reads(self.surface_ids or None, context=True)

    def evaluate(self, document: Document, context: Context) -> tuple[Check, ...]:
        """Return one check per claim, or one per surface without claims; scope is the surface id."""
        ids = self.surface_ids or tuple(surface.id for surface in document.surfaces)
        return tuple(check for id in ids for check in self._surface(document, context, id))

    def _surface(self, document: Document, context: Context, id: str) -> Iterator[Check]:
        surface = document.surface(id)
        if not surface.claims:
            status = UNDETERMINED if self.require_claims else SATISFIED
            yield self.result(status, "CLAIMS_ABSENT", id, "declares no claims, so its text was not compared")
        facts = state_of(context, surface.state_ref) or {}
        for claim in surface.claims:
            fact = facts.get(claim.key, _MISSING)
            if fact is _MISSING:
                evidence = f"claims {claim.key}={claim.value!r}; state {surface.state_ref!r} has no such fact"
                yield self.result(UNDETERMINED, "CLAIM_UNAVAILABLE", id, evidence)
            else:
                evidence = f"claims {claim.key}={claim.value!r}; state {surface.state_ref!r} holds {fact!r}"
                yield self.result(_verdict(not same(fact, claim.value)), "CLAIM_STATE_MISMATCH", id, evidence)


@dataclass(frozen=True)
class StateChanged(Rule):
    """At least one of the projected facts differs between two states.

    Undetermined unless both states hold every key. Whether a change was due is the caller's to know.

    Examples:
        >>> from mateprobe import Surface, evaluate
        >>> document = Document((Surface("body", "On we go."),))
        >>> context = Context({"before": {"credits": 20}, "after": {"credits": 20}})
        >>> evaluate(document, context, [StateChanged("advance", "before", "after", ("credits",))]).accepted
        False
    """

    before: str
    after: str
    keys: tuple[str, ...]
    wire_type: ClassVar[str] = "narrative_contracts.rules.StateChanged"

    def __post_init__(self) -> None:
        _tuples(self, "keys")
        require(bool(self.keys), f"rule {self.rule_id!r} keys=() is empty; name the facts whose change counts")

    @property
    def reads(self) -> Reads:
        """The states alone."""
        return Reads(context=True)

    def evaluate(self, document: Document, context: Context) -> tuple[Check, ...]:
        """Return one check, scope ``transition:BEFORE->AFTER``, metric ``changed_keys``."""
        scope = f"transition:{self.before}->{self.after}"
        before, after = state_of(context, self.before) or {}, state_of(context, self.after) or {}
        missing = [key for key in self.keys if key not in before or key not in after]
        if missing:
            evidence = f"not in both states: {', '.join(missing)}"
            return (self.result(UNDETERMINED, "STATE_UNAVAILABLE", scope, evidence),)
        changed = [key for key in self.keys if not same(before[key], after[key])]
        evidence = f"changed: {', '.join(changed) or 'none'} of {', '.join(self.keys)}"
        return (self.result(_verdict(not changed), "NO_DOMAIN_CHANGE", scope, evidence, changed_keys=len(changed)),)


@dataclass(frozen=True)
class MinimumTokens(Rule):
    """Each surface has enough word tokens, and enough different ones.

    A floor under emptiness and repetition; a long text of no worth passes it.

    Examples:
        >>> from mateprobe import Surface, evaluate
        >>> document = Document((Surface("body", "Yes, yes, yes."),))
        >>> evaluate(document, Context({}), [MinimumTokens("thin", ("body",), 3, 2)]).checks[0].metrics
        (('tokens', 3), ('unique_tokens', 1))
    """

    surface_ids: tuple[str, ...]
    minimum: int = 10
    minimum_unique: int = 6
    kind: ClassVar[Kind] = Kind.HEURISTIC
    wire_type: ClassVar[str] = "narrative_contracts.rules.MinimumTokens"

    def __post_init__(self) -> None:
        _tuples(self, "surface_ids")
        require(bool(self.surface_ids), f"rule {self.rule_id!r} surface_ids=() is empty; name the texts to count")
        require(
            1 <= self.minimum_unique <= self.minimum,
            f"rule {self.rule_id!r} minimum={self.minimum}, minimum_unique={self.minimum_unique}; "
            "expected 1 <= minimum_unique <= minimum",
        )

    @property
    def reads(self) -> Reads:
        """The texts alone."""
        return Reads(self.surface_ids)

    def evaluate(self, document: Document, context: Context) -> tuple[Check, ...]:
        """Return one check per surface, metrics ``tokens`` and ``unique_tokens``."""
        return tuple(self._surface(id, tokens(document.surface(id).text)) for id in self.surface_ids)

    def _surface(self, id: str, found: tuple[str, ...]) -> Check:
        unique = len(set(found))
        short = len(found) < self.minimum or unique < self.minimum_unique
        evidence = f"{len(found)} tokens, {unique} different; floor {self.minimum} and {self.minimum_unique}"
        return self.result(
            _verdict(short), "LOW_LEXICAL_CONTENT", id, evidence, tokens=len(found), unique_tokens=unique
        )


@dataclass(frozen=True)
class LexicalRestatement(Rule):
    """The target does not merely repeat the source's words.

    Overlap is the share of the source's different tokens found in the target; novel tokens are the
    target's different tokens the source lacks. Other words for the same thing pass it.

    Examples:
        >>> from mateprobe import Surface, evaluate
        >>> document = Document((Surface("label", "Take the train"), Surface("outcome", "The train you take.")))
        >>> evaluate(document, Context({}), [LexicalRestatement("same", "label", "outcome")]).checks[0].metrics
        (('novel_tokens', 1), ('overlap', 1.0))
    """

    source: str
    target: str
    overlap_threshold: float = 0.7
    minimum_novel_tokens: int = 4
    kind: ClassVar[Kind] = Kind.HEURISTIC
    wire_type: ClassVar[str] = "narrative_contracts.rules.LexicalRestatement"

    def __post_init__(self) -> None:
        require(
            0 <= self.overlap_threshold <= 1 and self.minimum_novel_tokens >= 1,
            f"rule {self.rule_id!r} overlap_threshold={self.overlap_threshold}, "
            f"minimum_novel_tokens={self.minimum_novel_tokens}; expected a share from 0 to 1 and a count from 1",
        )

    @property
    def reads(self) -> Reads:
        """Both texts alone."""
        return Reads((self.source, self.target))

    def evaluate(self, document: Document, context: Context) -> tuple[Check, ...]:
        """Return one check, scope the target, metrics ``overlap`` (0 to 1) and ``novel_tokens``."""
        source, target = (set(tokens(document.surface(id).text)) for id in (self.source, self.target))
        if not source:
            evidence = f"source {self.source!r} has no word tokens to repeat"
            return (self.result(UNDETERMINED, "SOURCE_EMPTY", self.target, evidence),)
        overlap, novel = len(source & target) / len(source), len(target - source)
        restated = overlap > self.overlap_threshold and novel < self.minimum_novel_tokens
        evidence = f"repeats {overlap:.3f} of {self.source!r} and adds {novel} tokens"
        return (
            self.result(
                _verdict(restated), "LEXICAL_RESTATEMENT", self.target, evidence, overlap=overlap, novel_tokens=novel
            ),
        )


@dataclass(frozen=True)
class ForbiddenPattern(Rule):
    """No forbidden phrase occurs in the normalised text (regex search, case ignored).

    Matching knows neither negation nor quotation, and a paraphrase passes it.

    Examples:
        >>> from mateprobe import Surface, evaluate
        >>> document = Document((Surface("body", "All WENT well."),))
        >>> evaluate(document, Context({}), [ForbiddenPattern("phrase", ("went well",), ("body",))]).accepted
        False
    """

    patterns: tuple[str, ...]
    surface_ids: tuple[str, ...]
    fold_accents: bool = True
    kind: ClassVar[Kind] = Kind.HEURISTIC
    wire_type: ClassVar[str] = "narrative_contracts.rules.ForbiddenPattern"

    def __post_init__(self) -> None:
        _tuples(self, "patterns", "surface_ids")
        require(
            bool(self.patterns and self.surface_ids),
            f"rule {self.rule_id!r} patterns={self.patterns}, surface_ids={self.surface_ids}; neither may be empty",
        )
        object.__setattr__(self, "_compiled", tuple(_pattern(self.rule_id, text) for text in self.patterns))

    @property
    def reads(self) -> Reads:
        """The texts alone."""
        return Reads(self.surface_ids)

    def evaluate(self, document: Document, context: Context) -> tuple[Check, ...]:
        """Return one check per surface."""
        return tuple(self._surface(id, document.surface(id).text) for id in self.surface_ids)

    def _surface(self, id: str, text: str) -> Check:
        compiled: tuple[re.Pattern[str], ...] = self._compiled  # type: ignore[attr-defined]
        match = next(filter(None, (search(pattern, text, self.fold_accents) for pattern in compiled)), None)
        if match is None:
            return self.result(SATISFIED, "FORBIDDEN_PATTERN", id, f"none of {len(compiled)} phrases occurs")
        evidence = f"phrase {match.re.pattern!r} occurs as {match.group(0)!r}"
        return self.result(VIOLATED, "FORBIDDEN_PATTERN", id, evidence)


@dataclass(frozen=True)
class SettledPremise(Rule):
    """No text offers again a premise the context has closed.

    ``patterns`` are (premise, regular expression) pairs, searched in the normalised, accent-folded
    text. A closed premise without a pattern is undetermined: nobody could have recognised it.

    Examples:
        >>> from mateprobe import Surface, evaluate
        >>> document = Document((Surface("body", "The same offer again."),))
        >>> rule = SettledPremise("premise", (("offer", "same offer"),), ("body",))
        >>> evaluate(document, Context({}, closed_premises=("offer",)), [rule]).accepted
        False
    """

    patterns: tuple[tuple[str, str], ...]
    surface_ids: tuple[str, ...]
    kind: ClassVar[Kind] = Kind.HEURISTIC
    wire_type: ClassVar[str] = "narrative_contracts.rules.SettledPremise"

    def __post_init__(self) -> None:
        _tuples(self, "surface_ids")
        require(bool(self.surface_ids), f"rule {self.rule_id!r} surface_ids=() is empty; name the texts to read")
        pairs = tuple(names(pair, f"rule {self.rule_id!r} patterns") for pair in self.patterns)
        compiled: dict[str, list[re.Pattern[str]]] = {}
        for pair in pairs:
            require(
                len(pair) == 2 and bool(pair[0]),
                f"rule {self.rule_id!r} patterns has {pair!r}; expected (premise id, regular expression)",
            )
            compiled.setdefault(pair[0], []).append(_pattern(self.rule_id, pair[1]))
        object.__setattr__(self, "patterns", pairs)
        object.__setattr__(self, "_compiled", compiled)

    @property
    def reads(self) -> Reads:
        """The texts, and which premises are closed."""
        return Reads(self.surface_ids, context=True)

    def evaluate(self, document: Document, context: Context) -> tuple[Check, ...]:
        """Return one check per closed premise and surface, premises in the context's order."""
        if not context.closed_premises:
            return (self.result(SATISFIED, "NO_CLOSED_PREMISES", "$", "the context closes no premise"),)
        return tuple(check for premise in context.closed_premises for check in self._premise(document, premise))

    def _premise(self, document: Document, premise: str) -> Iterator[Check]:
        compiled: dict[str, list[re.Pattern[str]]] = self._compiled  # type: ignore[attr-defined]
        if premise not in compiled:
            yield self.result(UNDETERMINED, "PREMISE_UNSUPPORTED", "$", f"no pattern recognises premise {premise!r}")
            return
        for id in self.surface_ids:
            text = document.surface(id).text
            found = any(search(pattern, text, True) for pattern in compiled[premise])
            evidence = f"closed premise {premise!r} {'is offered again' if found else 'is not offered again'}"
            yield self.result(_verdict(found), "SETTLED_PREMISE_REOFFER", id, evidence)


@dataclass(frozen=True)
class NoRepeatedText(Rule):
    """The surface's token sequence equals no history entry's. Any other wording passes it.

    Tokens are runs of letters: signs for vowels that stand beside the letters, as in Devanagari, are not in them.

    Examples:
        >>> from mateprobe import Surface, evaluate
        >>> document = Document((Surface("body", "it rained ALL day"),))
        >>> context = Context({}, history=("It rained all day.",))
        >>> evaluate(document, context, [NoRepeatedText("repeat", ("body",))]).accepted
        False
    """

    surface_ids: tuple[str, ...]
    kind: ClassVar[Kind] = Kind.HEURISTIC
    wire_type: ClassVar[str] = "narrative_contracts.rules.NoRepeatedText"

    def __post_init__(self) -> None:
        _tuples(self, "surface_ids")

    @property
    def reads(self) -> Reads:
        """The texts, and the history."""
        return Reads(self.surface_ids, context=True)

    def evaluate(self, document: Document, context: Context) -> tuple[Check, ...]:
        """Return one check per surface."""
        history = [tokens(entry) for entry in context.history]
        return tuple(self._surface(id, tokens(document.surface(id).text) in history) for id in self.surface_ids)

    def _surface(self, id: str, repeated: bool) -> Check:
        evidence = "equals a history entry token by token" if repeated else "equals no history entry"
        return self.result(_verdict(repeated), "REUSED_TEXT", id, evidence)


BUILT_IN_RULES: tuple[type[Rule], ...] = (
    RequiredFact, DeclaredClaimsConsistent, StateChanged, MinimumTokens,
    LexicalRestatement, ForbiddenPattern, SettledPremise, NoRepeatedText,
)  # fmt: skip
