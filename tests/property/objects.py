"""Strategies for what the core is made of: JSON values, documents, checks, reports, cases."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from mateprobe import (
    AuditCase,
    Check,
    Claim,
    Context,
    Document,
    Kind,
    MutationCase,
    Obligation,
    Policy,
    Relation,
    Report,
    Sample,
    Status,
    Surface,
    Target,
    Validity,
    Verdict,
)

text = st.text(max_size=5)
word = st.text(min_size=1, max_size=5)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | text | st.sampled_from([0, 0.0, -0.0, 1, 1.0, True, False, "1", ""])
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4), max_leaves=12
)
digests = st.text("0123456789abcdef", min_size=64, max_size=64)
words = st.lists(word, max_size=3).map(tuple)

claims = st.builds(Claim, word, scalars)
surfaces = st.builds(Surface, word, text, word, st.lists(claims, max_size=2).map(tuple))
documents = st.lists(surfaces, min_size=1, max_size=3, unique_by=lambda surface: surface.id).map(
    lambda found: Document(tuple(found))
)
contexts = st.builds(
    Context, st.dictionaries(word, st.dictionaries(word, scalars, max_size=2), max_size=2), words, words
)
metrics = st.dictionaries(word, scalars, max_size=2).map(lambda found: tuple(sorted(found.items())))
checks = st.builds(Check, word, word, st.sampled_from(Kind), st.sampled_from(Status), word, word, text, metrics)
policies = st.builds(Policy, st.booleans(), st.booleans())
reports = st.builds(Report, st.lists(checks, max_size=3).map(tuple), digests, digests, policies)

samples = st.builds(Sample, documents, contexts)
targets = st.builds(Target, word, word, word)


def labels(expected: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    fault = {
        "relation": st.just(Relation.VIOLATION),
        "expected": st.lists(expected, min_size=1, max_size=2, unique=True).map(tuple),
    }
    control = {"relation": st.just(Relation.PRESERVE), "expected": st.just(())}
    rest = {"id": word, "validity": st.sampled_from(Validity), "provenance": word}
    return st.fixed_dictionaries(rest | fault) | st.fixed_dictionaries(rest | control)


mutation_cases = st.builds(
    lambda labels, **rest: MutationCase(**labels, **rest),
    labels(targets), family=word, baseline=samples, variant=samples, group=text,
)  # fmt: skip
audit_cases = st.builds(
    lambda labels, **rest: AuditCase(**labels, **rest),
    labels(word), obligation=word, baseline=values, variant=values,
)  # fmt: skip
obligations = st.builds(Obligation, word, word, st.sampled_from(["contract", "challenge"]))
ids = st.lists(word, max_size=3, unique=True).map(tuple)
verdicts = st.builds(Verdict, st.just(False), ids, st.booleans(), words) | st.builds(
    Verdict, st.just(True), st.just(()), st.booleans(), words
)
everything = st.one_of(
    claims, surfaces, documents, contexts, checks, policies, reports, samples, targets, mutation_cases, audit_cases,
    obligations, verdicts,
)  # fmt: skip
