"""The eight rules: for each what it finds, what it lets pass, what it cannot decide, and what it refuses to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mateprobe import (
    Claim,
    Context,
    DeclaredClaimsConsistent,
    Document,
    ForbiddenPattern,
    InvalidType,
    InvalidValue,
    Kind,
    LexicalRestatement,
    MinimumTokens,
    NoRepeatedText,
    RequiredFact,
    Rule,
    SettledPremise,
    StateChanged,
    Status,
    Surface,
    evaluate,
)
from mateprobe.rules import BUILT_IN_RULES
from tests.samples import context, document, found

SATISFIED, VIOLATED, UNDETERMINED, ERROR = Status

ANY = document()
SCENE = document({"body": "Salió BIEN, dicen", "label": "take the job", "outcome": "the job, taken"})
BRANCHES = Document(
    (
        Surface("a", "", "take", (Claim("paid", True), Claim("credits", 30))),
        Surface("b", "", "leave", (Claim("paid", True),)),
        Surface("c", "", "leave"),
    )
)
STATES = {"take": {"paid": True, "credits": 30}, "leave": {"paid": 1}}


def moved(before: dict[str, Any], after: dict[str, Any]) -> Context:
    return context(before, take=after)


FINDINGS: dict[str, tuple[Rule, Document, Context, list[tuple[Any, ...]]]] = {
    "fact: as required": (
        RequiredFact("r", "status", "open"), ANY, context({"status": "open"}),
        [(SATISFIED, "REQUIRED_FACT", "state:current:status")]),
    "fact: another value": (
        RequiredFact("r", "status", "open"), ANY, context({"status": "closed"}),
        [(VIOLATED, "REQUIRED_FACT", "state:current:status")]),
    "fact: another type": (
        RequiredFact("r", "n", 1), ANY, context({"n": True}),
        [(VIOLATED, "REQUIRED_FACT", "state:current:n")]),
    "fact: null is a fact": (
        RequiredFact("r", "n", None, "take"), ANY, context(take={"n": None}),
        [(SATISFIED, "REQUIRED_FACT", "state:take:n")]),
    "fact: absent": (
        RequiredFact("r", "n", None), ANY, context({"m": 1}),
        [(UNDETERMINED, "FACT_UNAVAILABLE", "state:current:n")]),
    "fact: no such state": (
        RequiredFact("r", "n", 1, "take"), ANY, context({"n": 1}),
        [(UNDETERMINED, "FACT_UNAVAILABLE", "state:take:n")]),
    "claims: one check a claim, each against the surface's own state": (
        DeclaredClaimsConsistent("r"), BRANCHES, context(**STATES),
        [(SATISFIED, "CLAIM_STATE_MISMATCH", "a"), (SATISFIED, "CLAIM_STATE_MISMATCH", "a"),
         (VIOLATED, "CLAIM_STATE_MISMATCH", "b"), (UNDETERMINED, "CLAIMS_ABSENT", "c")]),
    "claims: only the named surfaces, in their order": (
        DeclaredClaimsConsistent("r", ("c", "b")), BRANCHES, context(**STATES),
        [(UNDETERMINED, "CLAIMS_ABSENT", "c"), (VIOLATED, "CLAIM_STATE_MISMATCH", "b")]),
    "claims: none required": (
        DeclaredClaimsConsistent("r", ("c",), require_claims=False), BRANCHES, context(**STATES),
        [(SATISFIED, "CLAIMS_ABSENT", "c")]),
    "claims: a fact the state lacks, whatever another state holds": (
        DeclaredClaimsConsistent("r", ("a",)), BRANCHES, context(take={"paid": True}, leave={"credits": 30}),
        [(SATISFIED, "CLAIM_STATE_MISMATCH", "a"), (UNDETERMINED, "CLAIM_UNAVAILABLE", "a")]),
    "claims: no such state": (
        DeclaredClaimsConsistent("r", ("b",)), BRANCHES, context({"paid": True}),
        [(UNDETERMINED, "CLAIM_UNAVAILABLE", "b")]),
    "claims: prose that denies them passes": (
        DeclaredClaimsConsistent("r"), document({"a": "They did not pay."}, paid=True), context({"paid": True}),
        [(SATISFIED, "CLAIM_STATE_MISMATCH", "a")]),
    "change: one of the facts": (
        StateChanged("r", "current", "take", ("a", "b")), ANY, moved({"a": 1, "b": 1}, {"a": 1, "b": 2}),
        [(SATISFIED, "NO_DOMAIN_CHANGE", "transition:current->take", ("changed_keys", 1))]),
    "change: of type alone": (
        StateChanged("r", "current", "take", ("a", "b")), ANY, moved({"a": 1, "b": 0}, {"a": 1.0, "b": False}),
        [(SATISFIED, "NO_DOMAIN_CHANGE", "transition:current->take", ("changed_keys", 2))]),
    "change: none": (
        StateChanged("r", "current", "take", ("a",)), ANY, moved({"a": 1, "b": 1}, {"a": 1, "b": 2}),
        [(VIOLATED, "NO_DOMAIN_CHANGE", "transition:current->take", ("changed_keys", 0))]),
    "change: a key one state lacks": (
        StateChanged("r", "current", "take", ("a", "b")), ANY, moved({"a": 1, "b": 1}, {"a": 2}),
        [(UNDETERMINED, "STATE_UNAVAILABLE", "transition:current->take")]),
    "change: no such state": (
        StateChanged("r", "current", "take", ("a",)), ANY, context({"a": 1}),
        [(UNDETERMINED, "STATE_UNAVAILABLE", "transition:current->take")]),
    "tokens: enough": (
        MinimumTokens("r", ("body",), 3, 3), ANY, context(),
        [(SATISFIED, "LOW_LEXICAL_CONTENT", "body", ("tokens", 3), ("unique_tokens", 3))]),
    "tokens: one short": (
        MinimumTokens("r", ("body",), 4, 3), ANY, context(),
        [(VIOLATED, "LOW_LEXICAL_CONTENT", "body", ("tokens", 3), ("unique_tokens", 3))]),
    "tokens: too few different ones": (
        MinimumTokens("r", ("body",), 3, 2), document({"body": "no NO no!"}), context(),
        [(VIOLATED, "LOW_LEXICAL_CONTENT", "body", ("tokens", 3), ("unique_tokens", 1))]),
    "tokens: figures do not count": (
        MinimumTokens("r", ("body",), 1, 1), document({"body": "1 2 3"}), context(),
        [(VIOLATED, "LOW_LEXICAL_CONTENT", "body", ("tokens", 0), ("unique_tokens", 0))]),
    "tokens: each surface": (
        MinimumTokens("r", ("outcome", "body"), 3, 3), SCENE, context(),
        [(SATISFIED, "LOW_LEXICAL_CONTENT", "outcome", ("tokens", 3), ("unique_tokens", 3)),
         (SATISFIED, "LOW_LEXICAL_CONTENT", "body", ("tokens", 3), ("unique_tokens", 3))]),
    "restatement: other words": (
        LexicalRestatement("r", "a", "b"), document({"a": "take the job", "b": "you accept it"}), context(),
        [(SATISFIED, "LEXICAL_RESTATEMENT", "b", ("novel_tokens", 3), ("overlap", 0.0))]),
    "restatement: the same words": (
        LexicalRestatement("r", "a", "b"), document({"a": "take the job", "b": "The job: take it."}), context(),
        [(VIOLATED, "LEXICAL_RESTATEMENT", "b", ("novel_tokens", 1), ("overlap", 1.0))]),
    "restatement: padded with one long word": (
        LexicalRestatement("r", "a", "b"), document({"a": "take the job", "b": "take the job " + 90 * "x"}), context(),
        [(VIOLATED, "LEXICAL_RESTATEMENT", "b", ("novel_tokens", 1), ("overlap", 1.0))]),
    "restatement: enough of new": (
        LexicalRestatement("r", "a", "b"), document({"a": "take the job", "b": "take the job and see how far"}),
        context(), [(SATISFIED, "LEXICAL_RESTATEMENT", "b", ("novel_tokens", 4), ("overlap", 1.0))]),
    "restatement: no more than the threshold": (
        LexicalRestatement("r", "a", "b", 0.5), document({"a": "take it", "b": "take"}), context(),
        [(SATISFIED, "LEXICAL_RESTATEMENT", "b", ("novel_tokens", 0), ("overlap", 0.5))]),
    "restatement: repeated words count once": (
        LexicalRestatement("r", "a", "b", 0.4, 2), document({"a": "no no no yes", "b": "no no x x x"}), context(),
        [(VIOLATED, "LEXICAL_RESTATEMENT", "b", ("novel_tokens", 1), ("overlap", 0.5))]),
    "restatement: nothing to repeat": (
        LexicalRestatement("r", "a", "b"), document({"a": "1 !", "b": "one"}), context(),
        [(UNDETERMINED, "SOURCE_EMPTY", "b")]),
    "pattern: in other case and without accents": (
        ForbiddenPattern("r", (r"\bsalio bien\b",), ("body", "label")), SCENE, context(),
        [(VIOLATED, "FORBIDDEN_PATTERN", "body"), (SATISFIED, "FORBIDDEN_PATTERN", "label")]),
    "pattern: in full width": (
        ForbiddenPattern("r", ("went well",), ("body",)),
        document({"body": "It \uff37\uff45\uff4e\uff54 well"}), context(), [(VIOLATED, "FORBIDDEN_PATTERN", "body")]),
    "pattern: accents kept on request": (
        ForbiddenPattern("r", ("salio",), ("body",), fold_accents=False), SCENE, context(),
        [(SATISFIED, "FORBIDDEN_PATTERN", "body")]),
    "pattern: accents kept and written": (
        ForbiddenPattern("r", ("SALIÓ",), ("body",), fold_accents=False), SCENE, context(),
        [(VIOLATED, "FORBIDDEN_PATTERN", "body")]),
    "pattern: any of several": (
        ForbiddenPattern("r", ("never", "dicen$"), ("body",)), SCENE, context(),
        [(VIOLATED, "FORBIDDEN_PATTERN", "body")]),
    "pattern: a word is no part of a word": (
        ForbiddenPattern("r", (r"\bsalio\b",), ("body",)), document({"body": "salioses"}), context(),
        [(SATISFIED, "FORBIDDEN_PATTERN", "body")]),
    "pattern: a negation is found all the same": (
        ForbiddenPattern("r", ("went well",), ("body",)), document({"body": "Nothing went well."}), context(),
        [(VIOLATED, "FORBIDDEN_PATTERN", "body")]),
    "premise: offered again": (
        SettledPremise("r", (("offer", "take the job"),), ("body", "label")), SCENE,
        context(closed_premises=["offer"]),
        [(SATISFIED, "SETTLED_PREMISE_REOFFER", "body"), (VIOLATED, "SETTLED_PREMISE_REOFFER", "label")]),
    "premise: several patterns and several premises, in the order they were closed": (
        SettledPremise("r", (("offer", "x"), ("threat", "dicen"), ("offer", "salio")), ("body",)), SCENE,
        context(closed_premises=["threat", "rumour", "offer"]),
        [(VIOLATED, "SETTLED_PREMISE_REOFFER", "body"), (UNDETERMINED, "PREMISE_UNSUPPORTED", "$"),
         (VIOLATED, "SETTLED_PREMISE_REOFFER", "body")]),
    "premise: open ones may be offered": (
        SettledPremise("r", (("offer", "take the job"),), ("label",)), SCENE, context(),
        [(SATISFIED, "NO_CLOSED_PREMISES", "$")]),
    "repetition: word by word": (
        NoRepeatedText("r", ("body", "label")), SCENE, context(history=["x", "salió, bien: DICEN."]),
        [(VIOLATED, "REUSED_TEXT", "body"), (SATISFIED, "REUSED_TEXT", "label")]),
    "repetition: a part is not the whole": (
        NoRepeatedText("r", ("body",)), SCENE, context(history=["salió bien"]),
        [(SATISFIED, "REUSED_TEXT", "body")]),
    "repetition: no history": (
        NoRepeatedText("r", ("body",)), SCENE, context(), [(SATISFIED, "REUSED_TEXT", "body")]),
}  # fmt: skip


@pytest.mark.parametrize(("rule", "judged", "context", "expected"), FINDINGS.values(), ids=FINDINGS.keys())
def test_a_rule_finds(rule: Rule, judged: Document, context: Context, expected: list[tuple[Any, ...]]) -> None:
    checks = rule.evaluate(judged, context)
    assert found(checks) == expected
    assert {(check.rule_id, check.version, check.kind) for check in checks} == {("r", "1", type(rule).kind)}
    assert evaluate(judged, context, [rule]).checks == checks


EVIDENCE: dict[str, tuple[str, ...]] = {
    "fact: another value": ("status is 'closed'; required 'open'",),
    "fact: absent": ("no fact 'n' in state 'current'",),
    "claims: one check a claim, each against the surface's own state": (
        "claims paid=True; state 'take' holds True", "claims credits=30; state 'take' holds 30",
        "claims paid=True; state 'leave' holds 1", "declares no claims, so its text was not compared"),
    "claims: no such state": ("claims paid=True; state 'leave' has no such fact",),
    "change: one of the facts": ("changed: b of a, b",),
    "change: none": ("changed: none of a",),
    "change: a key one state lacks": ("not in both states: b",),
    "tokens: one short": ("3 tokens, 3 different; floor 4 and 3",),
    "restatement: the same words": ("repeats 1.000 of 'a' and adds 1 tokens",),
    "restatement: nothing to repeat": ("source 'a' has no word tokens to repeat",),
    "pattern: in other case and without accents": (
        r"phrase '\\bsalio bien\\b' occurs as 'salio bien'", "none of 1 phrases occurs"),
    "premise: offered again": (
        "closed premise 'offer' is not offered again", "closed premise 'offer' is offered again"),
    "premise: open ones may be offered": ("the context closes no premise",),
    "repetition: word by word": ("equals a history entry token by token", "equals no history entry"),
}  # fmt: skip


@pytest.mark.parametrize(("example", "expected"), EVIDENCE.items(), ids=EVIDENCE.keys())
def test_the_evidence_shows_what_was_compared(example: str, expected: tuple[str, ...]) -> None:
    rule, judged, context, _ = FINDINGS[example]
    assert tuple(check.evidence for check in rule.evaluate(judged, context)) == expected


@pytest.mark.parametrize("kind", BUILT_IN_RULES, ids=lambda rule: rule.__name__)
def test_the_examples_show_every_rule_satisfied_violated_and_undecided(kind: type[Rule]) -> None:
    shown = {status for rule, *_, checks in FINDINGS.values() if type(rule) is kind for status, *_ in checks}
    always_decides = {MinimumTokens, ForbiddenPattern, NoRepeatedText}
    assert shown == {SATISFIED, VIOLATED} | (set() if kind in always_decides else {UNDETERMINED})


@pytest.mark.parametrize("example", FINDINGS)
def test_a_rule_says_the_same_of_what_it_reads_alone(example: str) -> None:
    rule, judged, given, _ = FINDINGS[example]
    assert rule.reads is not None
    surfaces, reads_context = rule.reads
    kept = [surface for surface in judged.surfaces if surfaces is None or surface.id in surfaces]
    alone = Document((*kept, Surface("elsewhere", "what no rule is about")) if surfaces is not None else tuple(kept))
    assert rule.evaluate(alone, given if reads_context else context()) == rule.evaluate(judged, given)


def test_a_rule_about_texts_alone_does_not_read_the_context() -> None:
    assert {rule.__name__ for rule in BUILT_IN_RULES if any(
        type(example) is rule and example.reads == (example.reads and example.reads.surfaces, False)
        for example, *_ in FINDINGS.values()
    )} == {"MinimumTokens", "LexicalRestatement", "ForbiddenPattern"}  # fmt: skip


def test_rules_that_read_words_are_heuristics() -> None:
    assert {rule.__name__ for rule in BUILT_IN_RULES if rule.kind is Kind.HEURISTIC} == {
        "MinimumTokens", "LexicalRestatement", "ForbiddenPattern", "SettledPremise", "NoRepeatedText"
    }  # fmt: skip


ABSENT: dict[str, Rule] = {
    "claims": DeclaredClaimsConsistent("r", ("nowhere",)),
    "tokens": MinimumTokens("r", ("nowhere",)),
    "restatement of": LexicalRestatement("r", "nowhere", "body"),
    "restatement in": LexicalRestatement("r", "body", "nowhere"),
    "pattern": ForbiddenPattern("r", ("x",), ("nowhere",)),
    "premise": SettledPremise("r", (("offer", "x"),), ("nowhere",)),
    "repetition": NoRepeatedText("r", ("nowhere",)),
}


@pytest.mark.parametrize("rule", ABSENT.values(), ids=ABSENT.keys())
def test_a_surface_the_document_lacks_is_an_error_of_the_rule(rule: Rule) -> None:
    report = evaluate(SCENE, context(closed_premises=["offer"]), [rule])
    assert found(report) == [(ERROR, "RULE_ERROR", "$")]


DEFAULTS: dict[str, tuple[Rule, dict[str, Any]]] = {
    "fact": (RequiredFact("r", "k", 1), {"key": "k", "expected": 1, "state_ref": "current"}),
    "claims": (DeclaredClaimsConsistent("r"), {"surface_ids": [], "require_claims": True}),
    "change": (StateChanged("r", "a", "b", ("k",)), {"before": "a", "after": "b", "keys": ["k"]}),
    "tokens": (MinimumTokens("r", ("a",)), {"surface_ids": ["a"], "minimum": 10, "minimum_unique": 6}),
    "restatement": (
        LexicalRestatement("r", "a", "b"),
        {"source": "a", "target": "b", "overlap_threshold": 0.7, "minimum_novel_tokens": 4},
    ),
    "pattern": (
        ForbiddenPattern("r", ("x",), ("a",)), {"patterns": ["x"], "surface_ids": ["a"], "fold_accents": True}
    ),
    "premise": (SettledPremise("r", (("p", "x"),), ("a",)), {"patterns": [["p", "x"]], "surface_ids": ["a"]}),
    "repetition": (NoRepeatedText("r", ("a",)), {"surface_ids": ["a"]}),
}  # fmt: skip


@pytest.mark.parametrize(("rule", "parameters"), DEFAULTS.values(), ids=DEFAULTS.keys())
def test_a_configuration_is_the_settings_and_no_more(rule: Rule, parameters: dict[str, Any]) -> None:
    assert rule.configuration() == {
        "type": f"narrative_contracts.rules.{type(rule).__name__}",
        "version": "1",
        "kind": type(rule).kind.value,
        "parameters": {"rule_id": "r", **parameters},
    }


@pytest.mark.parametrize("rule", [rule for rule, _ in DEFAULTS.values()], ids=DEFAULTS.keys())
def test_rules_of_equal_settings_are_equal(rule: Rule) -> None:
    assert replace(rule) == rule
    assert hash(replace(rule)) == hash(rule)
    assert replace(rule, rule_id="other") != rule


def test_settings_in_lists_become_tuples() -> None:
    listed: Any = ["a", "b"]
    assert NoRepeatedText("r", listed) == NoRepeatedText("r", ("a", "b"))
    pairs: Any = [["p", "x"]]
    assert SettledPremise("r", pairs, listed) == SettledPremise("r", (("p", "x"),), ("a", "b"))


REFUSED: dict[str, tuple[Callable[..., Rule], tuple[Any, ...], type[Exception], str]] = {
    "an expected fact of a list": (RequiredFact, ("k", [1]), InvalidType, r"rule 'r' expected=\[1\] has type list"),
    "an expected fact of NaN": (RequiredFact, ("k", float("nan")), InvalidValue, "rule 'r' expected=nan"),
    "bare surface ids": (NoRepeatedText, ("body",), InvalidType, "rule 'r' surface_ids='body' is a bare"),
    "surface ids of numbers": (DeclaredClaimsConsistent, ([1],), InvalidType, "rule 'r' surface_ids holds 1"),
    "bare keys": (StateChanged, ("a", "b", "k"), InvalidType, "rule 'r' keys='k' is a bare string"),
    "no keys": (StateChanged, ("a", "b", ()), InvalidValue, r"rule 'r' keys=\(\) is empty"),
    "no texts to count": (MinimumTokens, ((),), InvalidValue, r"rule 'r' surface_ids=\(\) is empty"),
    "a floor of none": (MinimumTokens, (("a",), 0, 0), InvalidValue, "minimum=0, minimum_unique=0; expected 1 <= "),
    "more different than all": (MinimumTokens, (("a",), 2, 3), InvalidValue, "minimum=2, minimum_unique=3"),
    "a share below 0": (LexicalRestatement, ("a", "b", -0.1), InvalidValue, "overlap_threshold=-0.1"),
    "a share above 1": (LexicalRestatement, ("a", "b", 1.1), InvalidValue, "overlap_threshold=1.1"),
    "a share of NaN": (LexicalRestatement, ("a", "b", float("nan")), InvalidValue, "overlap_threshold=nan"),
    "no novel tokens at all": (LexicalRestatement, ("a", "b", 0.7, 0), InvalidValue, "minimum_novel_tokens=0"),
    "a negative count": (LexicalRestatement, ("a", "b", 0.7, -1), InvalidValue, "minimum_novel_tokens=-1"),
    "a bare pattern": (ForbiddenPattern, ("x", ("a",)), InvalidType, "rule 'r' patterns='x' is a bare string"),
    "no patterns": (ForbiddenPattern, ((), ("a",)), InvalidValue, r"patterns=\(\)"),
    "no texts to search": (ForbiddenPattern, (("x",), ()), InvalidValue, r"surface_ids=\(\)"),
    "an empty pattern": (ForbiddenPattern, (("x", ""), ("a",)), InvalidValue, "rule 'r' has an empty pattern"),
    "a pattern that is none": (ForbiddenPattern, (("(",), ("a",)), InvalidValue, r"rule 'r' pattern='\(' is no"),
    "a pattern beyond counting": (ForbiddenPattern, (("a{99999999999}",), ("a",)), InvalidValue, "no regular expr"),
    "a pattern too deep": (ForbiddenPattern, (("(" * 9000 + ")" * 9000,), ("a",)), InvalidValue, "no regular expr"),
    "no texts to read": (SettledPremise, ((("p", "x"),), ()), InvalidValue, r"rule 'r' surface_ids=\(\) is empty"),
    "a bare pair": (SettledPremise, (("px",), ("a",)), InvalidType, "rule 'r' patterns='px' is a bare string"),
    "a premise alone": (SettledPremise, ((("p",),), ("a",)), InvalidValue, r"patterns has \('p',\); expected"),
    "a premise without an id": (SettledPremise, ((("", "x"),), ("a",)), InvalidValue, r"patterns has \('', 'x'\)"),
    "a premise's empty pattern": (SettledPremise, ((("p", ""),), ("a",)), InvalidValue, "has an empty pattern"),
    "a premise's bad pattern": (SettledPremise, ((("p", "["),), ("a",)), InvalidValue, r"pattern='\['"),
}  # fmt: skip


@pytest.mark.parametrize(("rule", "settings", "error", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_settings_that_cannot_be_meant_are_refused_when_they_are_written(
    rule: Callable[..., Rule], settings: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        rule("r", *settings)


BOUNDARIES: dict[str, Callable[[], Rule]] = {
    "one token": lambda: MinimumTokens("r", ("a",), 1, 1),
    "a share of 0": lambda: LexicalRestatement("r", "a", "b", 0, 1),
    "a share of 1": lambda: LexicalRestatement("r", "a", "b", 1.0, 1),
    "no patterns for any premise": lambda: SettledPremise("r", (), ("a",)),
    "no texts to compare": lambda: NoRepeatedText("r", ()),
}


@pytest.mark.parametrize("make", BOUNDARIES.values(), ids=BOUNDARIES.keys())
def test_settings_at_the_bounds_are_taken(make: Callable[[], Rule]) -> None:
    assert make().rule_id == "r"


LONG = "so many words that no floor is near, each of them said once and none of them said again"


def test_a_text_far_above_the_floors_is_no_violation() -> None:
    report = evaluate(document({"body": LONG}), context(), [MinimumTokens("r", ("body",), 3, 2)])
    assert report.checks[0].status is SATISFIED


def test_a_text_that_repeats_its_source_and_adds_much_is_no_restatement() -> None:
    scene = document({"label": "no floor is near", "body": LONG})
    report = evaluate(scene, context(), [LexicalRestatement("r", "label", "body", 0.5, 2)])
    assert report.checks[0].status is SATISFIED


def test_a_pattern_of_a_premise_is_a_pair() -> None:
    with pytest.raises(InvalidValue, match="expected"):
        SettledPremise("r", (("offer", "x", "y"),), ("body",))  # type: ignore[arg-type]
