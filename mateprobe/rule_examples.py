"""Examples of the built-in rules: of each a fault it detects, a fault it lets pass, and an edit that does no harm.

What survives is no defect of a rule but the end of what it promises: who relies on a rule should have seen it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .engine import Rule
from .model import Claim, Context, Document, Surface
from .relations import AllowedTransition, CompareFields, FieldRef
from .rules import (
    DeclaredClaimsConsistent,
    ForbiddenPattern,
    LexicalRestatement,
    MinimumTokens,
    NoRepeatedText,
    RequiredFact,
    SettledPremise,
    StateChanged,
)

NOW = "current"


@dataclass(frozen=True, slots=True)
class RuleExample:
    """A document and the context a rule judges it in, and why it comes to its verdict."""

    document: Document
    context: Context
    why: str


@dataclass(frozen=True, slots=True)
class RuleExamples:
    """A rule as one may be configured, a fault it detects, a fault it lets pass, an edit that does no harm."""

    rule: Rule
    detected: RuleExample
    surviving: RuleExample
    control: RuleExample


def _text(body: str, why: str, context: Context | None = None) -> RuleExample:
    return RuleExample(Document((Surface("body", body),)), context or Context({}), why)


def _texts(why: str, **texts: str) -> RuleExample:
    return RuleExample(Document(tuple(Surface(id, text) for id, text in texts.items())), Context({}), why)


def _claimed(body: str, claim: str, why: str) -> RuleExample:
    surface = Surface("body", body, claims=(Claim("status", claim),))
    return RuleExample(Document((surface,)), Context({NOW: {"status": "paid"}}), why)


def _states(body: str, why: str, **states: Mapping[str, str | int]) -> RuleExample:
    return _text(body, why, Context(states))


_BEFORE, _AFTER = FieldRef("before", "status"), FieldRef("after", "status")
_OPEN = Context({}, closed_premises=("offer",))
_TOLD = Context({}, history=("It rained all day.",))

_ALL = (
    RuleExamples(
        RequiredFact("paid", "status", "paid"),
        _states("All is paid.", "the state says otherwise", current={"status": "open"}),
        _states("Nothing is paid.", "the text says otherwise, and no text is read", current={"status": "paid"}),
        _states("All is settled.", "the fact stands, whatever the words", current={"status": "paid"}),
    ),
    RuleExamples(
        DeclaredClaimsConsistent("claims"),
        _claimed("Nothing is paid.", "open", "the claim is not what the state holds"),
        _claimed("Nothing is paid.", "paid", "the claim is right and the prose beside it is not"),
        _claimed("All is settled.", "paid", "the claim is what the state holds"),
    ),
    RuleExamples(
        StateChanged("advance", "before", "after", ("credits",)),
        _states("On we go.", "nothing has changed", before={"credits": 20}, after={"credits": 20}),
        _states("You win 10.", "it changed, in the wrong direction", before={"credits": 20}, after={"credits": 10}),
        _states("You win 10.", "it changed", before={"credits": 20}, after={"credits": 30}),
    ),
    RuleExamples(
        MinimumTokens("thin", ("body",), 4, 3),
        _text("Yes, yes, yes, yes.", "four words, and one of them different"),
        _text("Words words and more words.", "enough words, which say nothing"),
        _text("Nobody has called back.", "four words, four different"),
    ),
    RuleExamples(
        LexicalRestatement("restated", "label", "outcome"),
        _texts("the same words in another order", label="Take the night train", outcome="The night train you take."),
        _texts("the same thing in other words", label="Take the night train", outcome="You board a sleeper."),
        _texts("it goes on from there", label="Take the night train", outcome="Snow stops it before dawn at a border."),
    ),
    RuleExamples(
        ForbiddenPattern("phrase", (r"\bwent well\b",), ("body",)),
        _text("The meeting WENT well.", "the phrase occurs, case aside"),
        _text("The meeting was a great success.", "a paraphrase"),
        _text("The meeting ended at noon.", "the phrase does not occur"),
    ),
    RuleExamples(
        SettledPremise("premise", (("offer", r"\bsame offer\b"),), ("body",)),
        _text("The same offer is on the table again.", "what is closed is offered again", _OPEN),
        _text("They come back with what you refused.", "it is offered again in other words", _OPEN),
        _text("They write about something else.", "it is not offered again", _OPEN),
    ),
    RuleExamples(
        NoRepeatedText("repeat", ("body",)),
        _text("it rained ALL day", "the words of the history, case and marks aside", _TOLD),
        _text("It rained all day long.", "one word more", _TOLD),
        _text("The sun came out.", "another text", _TOLD),
    ),
    RuleExamples(
        CompareFields("order", FieldRef("before", "credits"), FieldRef("after", "credits"), "le"),
        _states("You win.", "there are fewer than before", before={"credits": 20}, after={"credits": 10}),
        _states("You win 10.", "more than before, and not by 10", before={"credits": 20}, after={"credits": 90}),
        _states("You win 10.", "not fewer than before", before={"credits": 20}, after={"credits": 30}),
    ),
    RuleExamples(
        AllowedTransition("steps", _BEFORE, _AFTER, (("open", "paid"), ("paid", "closed"))),
        _states("Closed.", "a step that is not allowed", before={"status": "open"}, after={"status": "closed"}),
        _states("Closed.", "an allowed step, and the text tells another", before={"status": "open"},
                after={"status": "paid"}),
        _states("Paid.", "an allowed step", before={"status": "open"}, after={"status": "paid"}),
    ),
)  # fmt: skip

RULE_EXAMPLES: Mapping[type[Rule], RuleExamples] = MappingProxyType({type(it.rule): it for it in _ALL})
"""The examples of every built-in rule and relation, by its type."""
