"""A corpus: labels that say what they must, a digest for each sample and one for the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from mateprobe import AuditCase, InvalidType, InvalidValue, MutationCase, Relation, Sample, Target, Validity
from mateprobe.canonical import canonical, digest
from mateprobe.corpus import Corpus, Pair
from tests.samples import context, document


def case(id: str = "one", **fields: Any) -> AuditCase[Any]:
    return AuditCase(
        **{"id": id, "obligation": "o", "baseline": 1, "variant": 2, "relation": Relation.PRESERVE, **fields}
    )


@dataclass(frozen=True)
class Weighted(AuditCase[Any]):
    """A user's case with a field that sorts after the variant."""

    weight: float = 1.0


@dataclass(frozen=True)
class Annotated(AuditCase[Any]):
    """A user's case with a field that sorts before the baseline."""

    author: str = ""


SHARED = {"total": [1, 2.0, "é"]}
CORPORA: dict[str, tuple[Any, ...]] = {
    "none": (),
    "one": (case(),),
    "a sample shared by object": (case("a", baseline=SHARED), case("b", baseline=SHARED, variant=SHARED)),
    "a sample shared by value": (case("a", baseline={"x": 1}), case("b", baseline={"x": 1})),
    "all labels": (
        case("a", relation=Relation.VIOLATION, expected=["v", "w"], validity=Validity.VALID, provenance="me"),
        case("b", validity=Validity.EQUIVALENT),
    ),
    "cases of one's own": (
        Weighted("w", "o", 1, 2, Relation.PRESERVE, weight=0.5),
        Annotated("a", "o", 1, 2, Relation.PRESERVE, author="me"),
    ),
    "campaign cases": (
        MutationCase("m", "f", Relation.VIOLATION, Sample(document(), context()), Sample(document(k=1), context()),
                     (Target("r", "C", "$"),)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("cases", CORPORA.values(), ids=CORPORA.keys())
def test_the_digest_of_a_corpus_is_that_of_its_cases(cases: tuple[Any, ...]) -> None:
    assert Corpus(cases).digest == digest(cases)


@pytest.mark.parametrize("cases", CORPORA.values(), ids=CORPORA.keys())
def test_every_case_has_the_digests_of_its_samples(cases: tuple[Any, ...]) -> None:
    assert Corpus(cases).pairs == [Pair(digest(one.baseline), digest(one.variant)) for one in cases]


def test_cases_may_be_made_as_they_are_read() -> None:
    cases: Any = (case(str(number), baseline={"n": number}, variant={"m": number}) for number in range(100))
    assert (
        Corpus(cases).digest == Corpus([case(str(n), baseline={"n": n}, variant={"m": n}) for n in range(100)]).digest
    )


def test_a_corpus_of_other_samples_or_labels_is_another_corpus() -> None:
    corpora = [
        (case(),),
        (case(baseline=3),),
        (case(variant=3),),
        (case(baseline=2, variant=1),),
        (case(id="two"),),
        (case(validity=Validity.EQUIVALENT),),
        (case(), case("two")),
        (case("two"), case()),
    ]
    assert len({Corpus(cases).digest for cases in corpora}) == len(corpora)


REFUSED: dict[str, tuple[tuple[Any, ...], type[Exception], str]] = {
    "an id twice": ((case("a"), case("b"), case("a")), InvalidValue, "case 'a' occurs twice"),
    "a baseline with a set": ((case(), case("b", baseline={"x": [{1}]})), InvalidType, r"'b' baseline: \$\.x\[0\] has"),
    "a variant with NaN": ((case("b", variant={"x": float("nan")}),), InvalidValue, r"case 'b' variant: \$\.x=nan"),
    "a variant with a lone surrogate": ((case("b", variant="\ud800"),), InvalidValue, "case 'b' variant: .* surrogate"),
    "a baseline with a lone surrogate": ((case("b", baseline="\ud800"),), InvalidValue, "'b' baseline: .* surrogate"),
    "two keys of one text": ((case("b", variant={1: 0, "1": 0}),), InvalidValue, r"'b' variant: \$ has keys 1"),
}  # fmt: skip


@pytest.mark.parametrize(("cases", "error", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_hashed_is_refused_by_case_and_path(
    cases: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Corpus(cases)


def test_a_case_is_unreviewed_until_someone_says_otherwise() -> None:
    assert (case().validity, case().provenance, case().expected) == (Validity.UNREVIEWED, "", ())


LABELS: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "no id": ({"id": ""}, InvalidValue, "case id='', obligation='o'"),
    "no obligation": ({"obligation": ""}, InvalidValue, "case id='one', obligation=''"),
    "a bare relation": ({"relation": "preserve"}, InvalidType, "relation='preserve', .* expected a Relation"),
    "a bare validity": ({"validity": "valid"}, InvalidType, "validity='valid'; expected a Relation and a Validity"),
    "a fault that expects nothing": ({"relation": Relation.VIOLATION}, InvalidValue, "'one' is a fault with exp"),
    "a control that expects something": ({"expected": ("v",)}, InvalidValue, r"'one' is a control .*\('v',\)"),
    "a valid label nobody established": ({"validity": Validity.VALID}, InvalidValue, "'one' is labelled valid"),
    "a bare id expected": ({"expected": "v"}, InvalidType, "case 'one' expected='v' is a bare string"),
    "an id expected twice": (
        {"relation": Relation.VIOLATION, "expected": ("v", "v")}, InvalidValue, r"expected=\('v', 'v'\)"),
    "an empty id expected": ({"relation": Relation.VIOLATION, "expected": ("",)}, InvalidValue, "nonempty ids"),
    "provenance that is a number": ({"provenance": 3}, InvalidType, "case 'one' provenance=3; expected text"),
    "provenance with a lone surrogate": ({"provenance": "\ud800"}, InvalidValue, "case 'one': .* surrogate"),
    "a number expected": ({"expected": (1,)}, InvalidType, "case 'one' expected holds 1"),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "error", "message"), LABELS.values(), ids=LABELS.keys())
def test_a_label_that_says_too_little_or_too_much_is_refused(
    fields: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        case(**{"id": "one", **fields})


def test_the_canonical_text_of_a_case_is_its_fields_in_sorted_order() -> None:
    assert canonical(case()) == (
        '{"baseline":1,"expected":[],"id":"one","obligation":"o","provenance":"",'
        '"relation":"preserve","validity":"unreviewed","variant":2}'
    )
