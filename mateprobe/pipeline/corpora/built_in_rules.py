"""Edits within and beyond what each built-in rule promises, in five languages (``studies/rule_guarantees.yaml``).

A label follows from what the rule says of itself in ``docs/rules.md``, never from what it does: an edit within
breaks, or leaves, what the rule compares or counts; an edit beyond breaks the sense and leaves that, or says
what the rule reads and denies it. Where a script has no such edit (no capitals, no spaces), there is no case.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from mateprobe.operators import OPERATORS, edits
from mateprobe.pipeline.corpora import (
    Family,
    Row,
    Sample,
    as_sentence,
    edit_state,
    edit_surface,
    freeze_credits,
    narrative,
)
from mateprobe.pipeline.corpora.scenes_of_rules import SCENES, Scene

SPELLINGS = ("swap_case", "nfd", "nfc", "white_space")
"""Operators that change how a text is written and none of its words."""

DISGUISES = ("swap_case", "white_space", "confusable", "empty_text")
"""Operators that make another value of a fact."""

PROMISED = "Follows from what the rule promises:"
BEYOND = "Beyond what the rule promises, labelled by its author alone:"

FACT = "REQUIRED_FACT@state:current:status"
CLAIM = "CLAIM_STATE_MISMATCH@outcome"
CREDITS = "NO_DOMAIN_CHANGE@transition:current->take"
THIN = "LOW_LEXICAL_CONTENT@"
RESTATED = "LEXICAL_RESTATEMENT@outcome"
FORMULA = "FORBIDDEN_PATTERN@"
REOFFER = "SETTLED_PREMISE_REOFFER@body"
REUSED = "REUSED_TEXT@body"
ORDER = "FIELDS_MISMATCH@compare:current.creditsletake.credits"
STEP = "TRANSITION_FORBIDDEN@transition:current.status->take.decision"


class Part(NamedTuple):
    """An edit of a rule's kind: its name, what it must raise (None of a control), what it does, the edited sample."""

    rule: str
    name: str
    target: str | None
    states: str
    sample: Sample


def respelled(text: str, operators: tuple[str, ...] = SPELLINGS) -> Iterator[tuple[str, str]]:
    """Yield names of spellings and the text so spelled, each once; those that change nothing are left out."""
    seen = {text}
    for name in operators:
        for edit in edits(OPERATORS[name], text, seed=0, id=name):
            if edit.sample not in seen:
                seen.add(edit.sample)
                yield f"{name}.{edit.label}" if edit.label else name, edit.sample


def within(scene: Scene, sample: Sample) -> Iterator[Part]:
    """Yield edits that a rule must notice, and such that it must let be."""
    yield from _facts(sample)
    yield from _numbers(sample)
    yield from _lengths(scene, sample)
    yield from _restatements(scene, sample)
    for surface in ("body", "outcome"):
        yield from _phrases("formula", FORMULA + surface, scene.formula, sample)
    yield from _phrases("premise", REOFFER, scene.reoffer, sample)
    yield from _repeats(scene, sample)
    for rule, surface in (("claims", "outcome"), ("fact", "body"), ("thin", "body"), ("repeat", "body")):
        for name, text in respelled(getattr(scene, surface)):
            yield Part(
                rule, f"kept.{name}", None, f"the {surface} is spelled anew", edit_surface(surface, text=text)(sample)
            )
    for rule, surface in (("restatement", "outcome"), ("formula", "outcome"), ("premise", "body"), ("repeat", "body")):
        longer = f"{getattr(scene, surface)} {scene.detail}"
        yield Part(
            rule, f"kept.detail_of_{surface}", None, "one more sentence", edit_surface(surface, text=longer)(sample)
        )


def _facts(sample: Sample) -> Iterator[Part]:
    for name, value in _other_values("pending"):
        yield Part("fact", name, FACT, "the status is another value", edit_state("current", status=value)(sample))
        yield Part(
            "steps", f"from.{name}", STEP, "the step begins elsewhere", edit_state("current", status=value)(sample)
        )
    for name, value in _other_values("accepted"):
        yield Part("steps", f"to.{name}", STEP, "the step ends elsewhere", edit_state("take", decision=value)(sample))
        claims = [{"key": "decision", "value": value}]
        yield Part("claims", name, CLAIM, "the claim has another value", edit_surface("outcome", claims=claims)(sample))
    other = edit_surface("outcome", state_ref="leave")(sample)
    yield Part("claims", "other_branch", CLAIM, "the outcome belongs to the other branch", other)


def _other_values(value: str) -> Iterator[tuple[str, Any]]:
    yield from respelled(value, DISGUISES)
    yield from (("word", "cancelled"), ("null", None), ("truth", True), ("number", 1))


def _numbers(sample: Sample) -> Iterator[Part]:
    balance = sample["context"]["states"]["current"]["credits"]
    yield Part("advance", "same", CREDITS, "the credits stay as they were", freeze_credits(sample))
    for less in (1, 7):
        yield Part(
            "order", f"less_{less}", ORDER, "credits are lost", edit_state("take", credits=balance - less)(sample)
        )
    for more in (1, 3):
        for rule in ("advance", "order"):
            kept = edit_state("take", credits=balance + more)(sample)
            yield Part(rule, f"kept.{rule}_more_{more}", None, "other credits are won", kept)


def _lengths(scene: Scene, sample: Sample) -> Iterator[Part]:
    for surface in ("body", "outcome"):
        word = scene.formula_paraphrased.split()[0].rstrip(".")[:4]
        for name, text in (("empty", ""), ("one_word", word), ("one_word_often", " ".join([word] * 40))):
            yield Part(
                "thin", f"{surface}.{name}", THIN + surface, "there are few words, or few different ones",
                edit_surface(surface, text=text)(sample),
            )  # fmt: skip


def _restatements(scene: Scene, sample: Sample) -> Iterator[Part]:
    words = scene.label.split()
    again = {"verbatim": scene.label, "twice": f"{scene.label}. {scene.label}.", "one_more": f"{scene.label}! 1 2 3 q."}
    again |= {"reversed": " ".join(reversed(words))} if len(words) > 1 else {}
    for name, text in [*again.items(), *respelled(scene.label)]:
        edited = edit_surface("outcome", text=text)(sample)
        yield Part("restatement", name, RESTATED, "the outcome is the words of the label", edited)


def _phrases(rule: str, target: str, phrase: str, sample: Sample) -> Iterator[Part]:
    surface = target.partition("@")[2]
    text = next(each["text"] for each in sample["document"]["surfaces"] if each["id"] == surface)
    for name, spelled in [("verbatim", phrase), *respelled(phrase)]:
        if not name.endswith("doubled"):  # a pattern says how many spaces it wants
            for place, whole in (("before", f"{spelled}. {text}"), ("behind", f"{text} {spelled}.")):
                edited = edit_surface(surface, text=whole)(sample)
                yield Part(rule, f"{surface}.{place}.{name}", target, "the phrase stands in the text", edited)


def _repeats(scene: Scene, sample: Sample) -> Iterator[Part]:
    for name, text in [("verbatim", scene.history), *respelled(scene.history), ("exclaimed", f"{scene.history}!")]:
        yield Part("repeat", name, REUSED, "the body is the scene before", edit_surface("body", text=text)(sample))


def beyond(scene: Scene, sample: Sample) -> Iterator[Part]:
    """Yield edits that break the sense and not what a rule reads, and such that only seem to break it."""

    def text(surface: str, *texts: str) -> Sample:
        return edit_surface(surface, text=" ".join(texts))(sample)

    balance = sample["context"]["states"]["current"]["credits"]
    much = edit_state("take", credits=balance + 1_000_000)(sample)
    yield Part("fact", "undeclared", FACT, "prose contradicts the status", text("body", scene.body, scene.settled))
    yield Part("steps", "undeclared", STEP, "prose tells another step", text("outcome", scene.denied, scene.detail))
    yield Part("claims", "undeclared", CLAIM, "prose denies what the claim declares", text("outcome", scene.denied))
    yield Part("advance", "absurd", CREDITS, "the credits grow beyond reason", much)
    yield Part(
        "order",
        "absurd",
        ORDER,
        "the credits grow beyond reason",
        edit_state("take", credits=balance + 999_999)(sample),
    )
    yield Part("thin", "filler", f"{THIN}body", "words that say nothing", text("body", scene.filler))
    yield Part("restatement", "paraphrased", RESTATED, "the label in other words", text("outcome", scene.restated))
    for rule, target, phrase in (("formula", f"{FORMULA}body", "formula"), ("premise", REOFFER, "reoffer")):
        verbatim, other = getattr(scene, phrase), getattr(scene, f"{phrase}_paraphrased")
        yield Part(rule, "paraphrased", target, "the phrase in other words", text("body", other, scene.body))
        for name, spelled in respelled(verbatim, ("white_space", "confusable")):
            if not name.endswith(("leading", "trailing")):
                changed = text("body", as_sentence(spelled), scene.body)
                yield Part(rule, name, target, "the phrase reads the same and is spelled otherwise", changed)
    denied = text("body", scene.formula_denied, scene.body)
    yield Part("formula", "kept.denied", None, "a sentence denies the phrase", denied)
    quoted = text("body", scene.body, f"«{scene.formula}»?")
    yield Part("formula", "kept.quoted", None, "the phrase is quoted, as a question", quoted)
    yield Part(
        "repeat", "paraphrased", REUSED, "the scene before in other words", text("body", scene.history_paraphrased)
    )
    yield Part(
        "repeat", "extended", REUSED, "the scene before, and a sentence", text("body", scene.history, scene.detail)
    )
    if scene.few_with_signs:
        yield Part("thin", "signs", f"{THIN}body", "two words, cut by their signs", text("body", scene.few_with_signs))
    if all(scene.twins):
        shown, other = scene.twins
        told = {**sample, "context": {**sample["context"], "history": [shown]}}
        twin = edit_surface("body", text=other)(told)
        yield Part("repeat", "kept.twin", None, "a text of other words, which differ in signs for vowels alone", twin)
    voweled = "".join(letter + "\u064e" * (letter in "كتبسمنر") for letter in scene.history)
    if voweled != scene.history:
        yield Part("repeat", "vowel_signs", REUSED, "the scene before with vowel signs", text("body", voweled))


def cases(*, seed: int, variations: int, promised: bool) -> Iterator[Row]:
    """Yield the rows of every language: edits within what the rules promise, or beyond it.

    A group is ``LANGUAGE/N``, the Nth draw of the credits; a family is ``LANGUAGE/RULE/EDIT``.
    """
    draw = random.Random(seed)
    for scene in SCENES:
        balances = draw.sample(range(20, 2000), variations)
        for variation, balance in enumerate(balances):
            baseline = narrative(
                body=scene.body, label=scene.label, outcome=scene.outcome, history=scene.history, balance=balance
            )
            for part in within(scene, baseline) if promised else beyond(scene, baseline):
                provenance = f"{PROMISED if promised else BEYOND} {part.states}."
                yield _row(part, f"{scene.language}/{variation}", provenance, baseline)


def _row(part: Part, group: str, provenance: str, baseline: Sample) -> Row:
    name = f"{part.rule}/{part.name}"
    row = Family(name, part.rule, part.target, provenance, lambda _: part.sample).row(group, baseline)
    return {**row, "family": f"{group.partition('/')[0]}/{name}"}
