"""The document corpora, the profiles that judge them and the validators they are held against."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from mateprobe import (
    CampaignReport,
    InvalidValue,
    Kind,
    LexicalRestatement,
    MutationCase,
    Relation,
    Sample,
    Target,
    Validity,
    audit,
    evaluate,
    serialization,
)
from mateprobe.pipeline.corpora import (
    FORMULAS,
    REOFFERS,
    comparators,
    edit_state,
    edit_surface,
    expanded,
    feasibility,
)
from mateprobe.text import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mateprobe import Verdict
    from mateprobe.pipeline.corpora import Row

PROFILES = Path(__file__).parents[2] / "studies" / "_profiles"

FEASIBILITY = {
    "token_spam": "detected",
    "padding_restatement": "detected",
    "zero_domain_delta": "detected",
    "cross_branch_claim": "detected",
    "unicode_formula": "detected",
    "closed_premise": "detected",
    "repeated_scene": "detected",
    "required_fact": "detected",
    "challenge_semantic_restatement": "survived",
    "challenge_undeclared_contradiction": "survived",
    "whitespace": "preserved",
    "unicode_nfd": "preserved",
    "case_change": "preserved",
    "valid_expansion": "preserved",
    "challenge_negated_formula": "regressed",
}

EXPANDED = {
    "required_fact_type": "detected",
    "branch_claim_mismatch": "detected",
    "branch_claim_cross_scope": "detected",
    "state_delta_removed": "detected",
    "state_snapshot_missing": "excluded",
    "irrelevant_branch_fact": "preserved",
    "undeclared_contradiction": "survived",
    "unicode_nfd": "preserved",
    "accent_case_spacing_punctuation": "preserved",
    "long_novel_expansion": "preserved",
    "long_lexical_restatement": "detected",
    "literal_formula": "detected",
    "negated_formula_control": "regressed",
    "formula_paraphrase": "survived",
    "literal_settled_premise": "detected",
    "premise_paraphrase": "survived",
    "exact_repeat": "detected",
    "paraphrase_repeat": "survived",
    "semantic_restatement": "survived",
    "equivalent_unicode_normalization": "excluded",
    "not_applicable_semantics": "excluded",
}

# First 12 hex digits of the SHA-256 of each sentence of both published corpora, as its tokens joined
# by spaces; without the stock and re-offer phrases, which are settings of the profiles.
PUBLISHED_SENTENCES = frozenset(
    re.findall(
        r"\w+",
        """
    0b1bbebeeb07 10f7756dbf5b 164369caaa15 16513222a203 17920c0ab225 1efa3d0e924c 274ccc0174a1 2a9f49cd6f1b
    312691cc3cef 38384ab350b0 3a6fb10aefd3 3afbb132863c 40210c035b0e 42ba5dd482c8 527375d7f5fc 560cff0b3346
    6bd5e5034855 843ea13029fc 876edf699e99 89ca3e72403d 9edbccdccb8b b343a9935141 b3794e9680ce b6adf0ab05a6
    b7d0d2b6b039 b9c5352090f0 bd3a90f5d858 cf6fdf7de178 d8ac60096476 e2256a77ed04 e5b121c9cc43 e90c0e38e378
    f51473af606c
""",
    )
)


def profile(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((PROFILES / f"{name}.yaml").read_text(encoding="utf-8"))
    return loaded


def sample(data: dict[str, Any], rules: dict[str, Any]) -> Sample:
    document, context, *_ = serialization.load_bundle({**data, **rules})
    return Sample(document, context)


def campaign(rows: Iterable[Row], rules: dict[str, Any]) -> CampaignReport:
    """Audit rows with a profile's contracts, as the pipeline does."""
    rows = list(rows)
    _, _, contracts, policy = serialization.load_bundle({**rows[0]["baseline"], **rules})
    cases = [
        MutationCase(
            id=row["id"],
            family=row["family"],
            relation=Relation(row["relation"]),
            baseline=sample(row["baseline"], rules),
            variant=sample(row["variant"], rules),
            expected=tuple(Target(*re.split("[/@]", target, maxsplit=2)) for target in row["expected"]),
            validity=Validity(row["validity"]),
            provenance=row["provenance"],
            group=row["group"],
        )
        for row in rows
    ]
    return audit(cases, contracts, policy)


def accepts(rules: dict[str, Any]) -> Callable[[dict[str, Any]], bool]:
    def judge(data: dict[str, Any]) -> bool:
        document, context, contracts, policy = serialization.load_bundle({**data, **rules})
        return evaluate(document, context, contracts, policy).accepted

    return judge


def confusion(rows: Iterable[Row], accepted: Callable[[dict[str, Any]], bool]) -> tuple[int, int, int, int]:
    """TP, FN, FP, TN of a judgement of the variants: a rejected fault is a true positive."""
    seen = Counter((row["relation"], accepted(row["variant"])) for row in rows)
    cells = [("violation", False), ("violation", True), ("preserve", False), ("preserve", True)]
    tp, fn, fp, tn = (seen[cell] for cell in cells)
    return tp, fn, fp, tn


def texts(rows: Iterable[Row]) -> set[str]:
    found: set[str] = set()
    for row in rows:
        for side in (row["baseline"], row["variant"]):
            found.update(surface["text"] for surface in side["document"]["surfaces"])
            found.update(side["context"]["history"])
    return found


@pytest.fixture(scope="module")
def narrative() -> dict[str, Any]:
    return profile("narrative")


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(feasibility.cases())


def test_feasibility_has_720_rows_in_48_groups_of_the_fifteen_families(rows: list[Row]) -> None:
    assert len(rows) == 720
    assert Counter(row["family"] for row in rows) == dict.fromkeys(FEASIBILITY, 48)
    groups = [
        f"{domain}/{language}/{number}"
        for domain in ("employment", "customer_support", "interactive_fiction")
        for language in ("es", "en")
        for number in range(8)
    ]
    assert list(dict.fromkeys(row["group"] for row in rows)) == groups


def test_strict_contracts_end_every_family_as_published(rows: list[Row], narrative: dict[str, Any]) -> None:
    summary = campaign(rows, narrative).summary()
    assert summary["families"] == {family: {outcome: 48} for family, outcome in FEASIBILITY.items()}
    assert summary["counts"] == {"detected": 384, "preserved": 192, "regressed": 48, "survived": 96}
    assert (summary["eligible"], summary["valid_faults"], summary["valid_controls"]) == (720, 480, 240)


@pytest.mark.parametrize(
    ("validator", "table"),
    [
        pytest.param("contracts", (384, 96, 48, 192), id="strict contracts"),
        pytest.param("excerpt_baseline", (96, 384, 48, 192), id="excerpt baseline"),
        pytest.param("always_accept", (0, 480, 0, 240), id="always accept"),
        pytest.param("always_reject", (480, 0, 240, 0), id="always reject"),
    ],
)
def test_each_validator_scores_the_published_table(
    rows: list[Row], narrative: dict[str, Any], validator: str, table: tuple[int, int, int, int]
) -> None:
    if validator == "contracts":
        assert confusion(rows, accepts(narrative)) == table
    else:
        judge: Callable[[dict[str, Any]], Verdict] = getattr(comparators, validator)
        assert confusion(rows, lambda data: judge(data).accepted) == table


def test_the_excerpt_baseline_rejects_two_fault_families_and_one_control(rows: list[Row]) -> None:
    verdicts = Counter((row["family"], comparators.excerpt_baseline(row["variant"]).violations) for row in rows)
    assert {key: number for key, number in verdicts.items() if key[1]} == {
        ("required_fact", ("excerpt/pending",)): 48,
        ("closed_premise", ("excerpt/reoffer",)): 48,
        ("challenge_negated_formula", ("excerpt/formula",)): 48,
    }


def test_the_excerpt_baseline_accepts_every_baseline(rows: list[Row]) -> None:
    assert all(comparators.excerpt_baseline(row["baseline"]).accepted for row in rows)


def test_the_credits_are_those_the_published_seed_draws(rows: list[Row]) -> None:
    drawn = [row["baseline"]["context"]["states"]["current"]["credits"] for row in rows[::15]]
    assert drawn[:8] == [187, 31, 125, 148, 137, 63, 190, 34]
    assert drawn[-4:] == [94, 166, 137, 170]


def test_another_seed_changes_credits_and_nothing_else(rows: list[Row]) -> None:
    def without_credits(row: Row) -> str:
        return re.sub(r'"credits": \d+', '"credits": N', json.dumps(row))

    others = list(feasibility.cases(seed=1730))
    assert others != rows
    assert [without_credits(row) for row in others] == [without_credits(row) for row in rows]


def test_more_variations_keep_every_familys_outcome_in_proportion(narrative: dict[str, Any]) -> None:
    grown = list(feasibility.cases(variations=20))
    assert campaign(grown, narrative).summary()["families"] == {
        family: {outcome: 120} for family, outcome in FEASIBILITY.items()
    }
    assert confusion(grown, lambda data: comparators.excerpt_baseline(data).accepted) == (240, 960, 120, 480)
    assert len({row["id"] for row in grown}) == len(grown) == 1800


def test_the_stream_starts_before_it_is_complete() -> None:
    first = list(islice(feasibility.cases(variations=10**12), 16))
    assert (first[0]["group"], first[15]["group"]) == ("employment/es/0", "employment/es/1")


@pytest.mark.parametrize("variations", [0, -1])
def test_a_corpus_needs_a_variation(variations: int) -> None:
    with pytest.raises(InvalidValue, match=f"variations={variations}: expected 1 or more"):
        next(feasibility.cases(variations=variations))


@pytest.mark.parametrize("scene", feasibility.SCENES, ids=lambda scene: f"{scene.domain}-{scene.language}")
def test_the_challenges_of_a_scene_are_what_they_say(scene: feasibility.Scene, narrative: dict[str, Any]) -> None:
    rows = {row["family"]: row for row in feasibility.cases() if row["group"] == f"{scene.domain}/{scene.language}/0"}
    restated = sample(rows["challenge_semantic_restatement"]["variant"], narrative)
    (check,) = LexicalRestatement("restatement", "label", "outcome").evaluate(restated.document, restated.context)
    assert dict(check.metrics)["overlap"] <= 0.4  # type: ignore[operator]  # this metric is a float

    denied = rows["challenge_undeclared_contradiction"]
    claims = [surface["claims"] for surface in denied["variant"]["document"]["surfaces"]]
    assert claims == [surface["claims"] for surface in denied["baseline"]["document"]["surfaces"]]

    negated = rows["challenge_negated_formula"]["variant"]["document"]["surfaces"][0]["text"]
    assert re.match(rf"(Sería falso|It would be false) .*{FORMULAS[scene.language]}", negated)


@pytest.mark.parametrize("family", ["whitespace", "unicode_nfd", "case_change"])
def test_a_formatting_control_keeps_the_words(rows: list[Row], family: str) -> None:
    def words(side: dict[str, Any]) -> list[tuple[str, ...]]:
        return [tokens(surface["text"]) for surface in side["document"]["surfaces"]]

    chosen = [row for row in rows if row["family"] == family]
    assert [words(row["variant"]) for row in chosen] == [words(row["baseline"]) for row in chosen]


def test_the_expanded_families_end_as_published() -> None:
    summary = campaign(expanded.cases(), profile("expanded")).summary()
    assert summary["families"] == {family: {outcome: 1} for family, outcome in EXPANDED.items()}
    assert (summary["valid_faults"], summary["detected_faults"]) == (13, 8)
    assert (summary["valid_controls"], summary["preserved_controls"]) == (5, 4)


@pytest.mark.parametrize(
    ("kind", "counts"),
    [
        (Kind.INVARIANT, {"detected": 4, "survived": 1, "preserved": 1, "excluded": 1}),
        (Kind.HEURISTIC, {"detected": 4, "survived": 4, "preserved": 3, "regressed": 1, "excluded": 2}),
    ],
    ids=["invariant", "heuristic"],
)
def test_the_expanded_counts_by_the_obligations_kind_are_the_published_ones(kind: Kind, counts: dict[str, int]) -> None:
    rows = list(expanded.cases())
    _, _, contracts, _ = serialization.load_bundle({**rows[0]["baseline"], **profile("expanded")})
    rules = {contract.rule_id for contract in contracts if contract.kind is kind}
    assert Counter(EXPANDED[row["family"]] for row in rows if row["obligation"] in rules) == counts


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("narrative", "67763f2079c3927568c8ca2a0a60b8eb8459d359319c43be9ed469264dcaadfe"),
        ("expanded", "e5181fd2990f1d432e8e4927631562aee6d8b86edd3e7eafac4752e6ec943bb8"),
    ],
    ids=["narrative", "expanded"],
)
def test_a_profile_has_the_published_contracts_digest(name: str, digest: str) -> None:
    document, context, contracts, policy = serialization.load_bundle(
        {**next(expanded.cases())["baseline"], **profile(name)}
    )
    assert evaluate(document, context, contracts, policy).contracts_digest == digest


CORPORA = [
    pytest.param(feasibility.cases, "narrative", id="feasibility"),
    pytest.param(expanded.cases, "expanded", id="expanded"),
]


@pytest.mark.parametrize(("cases", "_"), CORPORA)
def test_the_stream_is_the_same_every_time(cases: Callable[[], Iterable[Row]], _: str) -> None:
    assert json.dumps(list(cases())) == json.dumps(list(cases()))


@pytest.mark.parametrize(("cases", "name"), CORPORA)
def test_every_row_is_a_case_of_the_pipelines_format(cases: Callable[[], Iterable[Row]], name: str) -> None:
    rules = {contract["rule_id"] for contract in profile(name)["contracts"]}
    rows = list(cases())
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        assert list(row) == [
            "id", "group", "family", "obligation", "relation", "validity", "provenance", "expected",
            "baseline", "variant",
        ]  # fmt: skip
        assert row["id"] == f"{row['group']}/{row['family']}"
        assert row["variant"] != row["baseline"]
        assert json.loads(json.dumps(row)) == row
        assert row["provenance"].endswith(".")
        assert row["obligation"] in rules
        assert all(target.startswith(f"{row['obligation']}/") for target in row["expected"])
        assert bool(row["expected"]) == (row["relation"] == "violation")


@pytest.mark.parametrize(("cases", "_"), CORPORA)
def test_no_sentence_is_one_of_the_published_corpora(cases: Callable[[], Iterable[Row]], _: str) -> None:
    sentences = {" ".join(tokens(part)) for text in texts(cases()) for part in re.split(r"[.:;!?]+", text)}
    ours = {hashlib.sha256(sentence.encode()).hexdigest()[:12] for sentence in sentences}
    assert ours.isdisjoint(PUBLISHED_SENTENCES)


def narrative_sample() -> dict[str, Any]:
    baseline: dict[str, Any] = next(feasibility.cases())["baseline"]
    return baseline


LABEL = next(surface["text"] for surface in narrative_sample()["document"]["surfaces"] if surface["id"] == "label")


@pytest.mark.parametrize(
    ("edit", "violations"),
    [
        pytest.param(edit_state("current", status=None), ("excerpt/pending",), id="another status"),
        pytest.param(edit_surface("body", text="x" * 70), (), id="70 characters of body"),
        pytest.param(edit_surface("body", text=f"  {'x' * 69}  "), ("excerpt/body-length",), id="69 after trimming"),
        pytest.param(edit_surface("outcome", text="x" * 60), (), id="60 characters of outcome"),
        pytest.param(edit_surface("outcome", text="x" * 59 + " "), ("excerpt/outcome-length",), id="59 after trimming"),
        pytest.param(
            edit_surface("outcome", text=f"{LABEL.upper()} {'x' * 58}"),
            ("excerpt/restatement",),
            id="label, 89 long",
        ),
        pytest.param(edit_surface("outcome", text=f"{LABEL} {'x' * 59}"), (), id="label, 90 long"),
        pytest.param(
            edit_surface("outcome", text=f"{FORMULAS['es']} {'x' * 90}"),
            ("excerpt/formula",),
            id="formula in outcome",
        ),
        pytest.param(
            edit_surface("body", text=f"{FORMULAS['en'].upper()} {'x' * 90}"),
            ("excerpt/formula",),
            id="formula in body",
        ),
        pytest.param(
            edit_surface("outcome", text=f"La reunion salio bien {'x' * 90}"),
            (),
            id="formula without accents",
        ),
        pytest.param(
            edit_surface("body", text=f"{REOFFERS['en']} {'x' * 90}"),
            ("excerpt/reoffer",),
            id="offer in body",
        ),
        pytest.param(edit_surface("outcome", text=f"{REOFFERS['en']} {'x' * 90}"), (), id="offer in outcome"),
        pytest.param(
            edit_surface("body", text=REOFFERS["es"]),
            ("excerpt/body-length", "excerpt/reoffer"),
            id="one id for each predicate",
        ),
    ],
)
def test_the_excerpt_baseline_names_each_failed_predicate(
    edit: Callable[[dict[str, Any]], dict[str, Any]], violations: tuple[str, ...]
) -> None:
    verdict = comparators.excerpt_baseline(edit(narrative_sample()))
    assert (verdict.accepted, verdict.violations) == (not violations, violations)
    assert len(verdict.evidence) == len(violations)


def test_a_restatement_takes_more_than_seven_tenths_of_the_label() -> None:
    words = "uno dos tres cuatro cinco seis siete ocho nueve diez"
    labelled = edit_surface("label", text=words.upper())(narrative_sample())
    for share, violations in [(7, ()), (8, ("excerpt/restatement",))]:
        outcome = " ".join(words.split()[:share]) + " " + "x" * 45
        verdict = comparators.excerpt_baseline(edit_surface("outcome", text=outcome)(labelled))
        assert verdict.violations == violations


def test_the_excerpt_baseline_cannot_judge_a_sample_without_its_surfaces() -> None:
    whole = narrative_sample()
    body = {**whole, "document": {"surfaces": whole["document"]["surfaces"][:1]}}
    verdict = comparators.excerpt_baseline(body)
    assert (verdict.accepted, verdict.complete, verdict.violations) == (False, False, ())
    assert verdict.evidence == ("no surface label, outcome",)


def test_an_edit_leaves_its_sample_as_it_was() -> None:
    whole = narrative_sample()
    before = json.dumps(whole)
    edit_surface("body", text="")(whole)
    edit_state("take", credits=0)(whole)
    assert json.dumps(whole) == before
