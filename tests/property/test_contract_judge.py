"""What was worked out for one sample serves the next ones, and no line is another for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from mateprobe.canonical import digest, plain, plain_bytes
from mateprobe.engine import Profile, Reads, Rule
from mateprobe.errors import MateProbeError
from mateprobe.model import Policy, Status
from mateprobe.mutations import Sample, violated
from mateprobe.pipeline import contract_judge
from mateprobe.pipeline.contract_judge import ContractJudge
from mateprobe.serialization import RULES, contracts_from_data, sample_from_data

PROFILE: list[dict[str, Any]] = [
    {"type": "RequiredFact", "rule_id": "fact", "key": "n", "expected": 1},
    {"type": "DeclaredClaimsConsistent", "rule_id": "claims", "surface_ids": ["body"]},
    {"type": "DeclaredClaimsConsistent", "rule_id": "all_claims", "require_claims": False},
    {"type": "StateChanged", "rule_id": "change", "before": "current", "after": "after", "keys": ["n"]},
    {"type": "MinimumTokens", "rule_id": "thin", "surface_ids": ["body", "end"], "minimum": 2, "minimum_unique": 2},
    {"type": "LexicalRestatement", "rule_id": "same", "source": "label", "target": "body"},
    {"type": "ForbiddenPattern", "rule_id": "phrase", "patterns": ["went well"], "surface_ids": ["body", "body"]},
    {"type": "SettledPremise", "rule_id": "premise", "patterns": [["offer", "again"]], "surface_ids": ["body"]},
    {"type": "NoRepeatedText", "rule_id": "repeat", "surface_ids": ["body"]},
    {"type": "CompareFields", "rule_id": "order", "left": {"state_ref": "current", "key": "n"},
     "right": {"state_ref": "after", "key": "n"}, "operator": "le"},
    {"type": "AllowedTransition", "rule_id": "steps", "before": {"state_ref": "current", "key": "n"},
     "after": {"state_ref": "after", "key": "n"}, "allowed": [[1, True]]},
]  # fmt: skip

numbers = st.sampled_from([0, 0.0, -0.0, 1, 1.0, True, "1", None])
texts = st.sampled_from(["", "All went well.", "All went well again.", "Other words, all of them."])
surfaces = st.fixed_dictionaries(
    {"text": texts},
    optional={
        "claims": st.lists(st.fixed_dictionaries({"key": st.just("n"), "value": numbers}), max_size=2),
        "state_ref": st.sampled_from(["current", "after"]),
    },
)
documents = st.dictionaries(st.sampled_from(["body", "label", "end", "more"]), surfaces, min_size=1).map(
    lambda found: {"surfaces": [{"id": id, **surface} for id, surface in found.items()]}
)
contexts = st.fixed_dictionaries(
    {"states": st.dictionaries(st.sampled_from(["current", "after"]), st.dictionaries(st.just("n"), numbers))},
    optional={
        "closed_premises": st.lists(st.sampled_from(["offer", "other"]), unique=True),
        "history": st.lists(texts, max_size=2),
    },
)
samples = st.fixed_dictionaries({"document": documents, "context": contexts})
policies = st.fixed_dictionaries({"block_heuristics": st.booleans(), "block_undetermined": st.booleans()})


def evaluated(profile: Profile, policy: Policy, identity: str, sample: Sample, input_digest: str) -> dict[str, Any]:
    """The observation by the library's own report, with nothing kept."""
    report = profile.evaluate(sample.document, sample.context, policy)
    assert report.input_digest == input_digest
    found = [f"{c.rule_id}/{c.code}@{c.scope}" for c in report.checks if c.status is Status.VIOLATED]
    repeated = {id: found.count(id) for id in found if found.count(id) > 1}
    broken = [check.rule_id for check in report.checks if check.status is Status.ERROR]
    return {
        "sample": identity,
        "accepted": report.accepted,
        "complete": report.complete,
        "violations": [target.finding_id for target in violated(report)],
        **({"repeated": repeated} if repeated else {}),
        "error": f"rules failed: {', '.join(broken)}" if broken else None,
        "input_digest": input_digest,
        "checks": [plain(check) for check in report.checks],
    }


@given(st.lists(samples, min_size=1, max_size=8), policies)
def test_every_line_is_what_the_library_says_of_that_sample_alone(found: list[Any], policy: dict[str, bool]) -> None:
    judge = ContractJudge({"contracts": PROFILE, "policy": policy}, Path())
    profile = Profile(contracts_from_data(PROFILE))
    for data in [*found, *found]:
        sample = sample_from_data(data)
        identity = digest(plain(sample))
        expected = plain_bytes(evaluated(profile, Policy(**policy), identity, sample, identity))
        assert judge.observe(identity, data) == expected


@given(st.lists(samples, min_size=2, max_size=4))
def test_little_is_kept_at_a_time(found: list[Any]) -> None:
    judge = ContractJudge({"contracts": PROFILE}, Path())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contract_judge, "KEPT", 3)
        lines = [judge.observe(str(position), data) for position, data in enumerate(found)]
    fresh = [ContractJudge({"contracts": PROFILE}, Path()).observe(str(n), data) for n, data in enumerate(found)]
    assert lines == fresh
    assert all(len(kept) <= 3 for kept in (judge._said, judge._surfaces, judge._contexts))


def test_the_profile_has_a_contract_of_every_kind_and_each_says_what_it_reads() -> None:
    assert {contract["type"] for contract in PROFILE} == set(RULES)
    assert all(isinstance(getattr(contract, "reads", None), Reads) for contract in contracts_from_data(PROFILE))
    assert Rule("own").reads is None


GOOD: dict[str, Any] = {"document": {"surfaces": [{"id": "body", "text": "All is paid."}]}, "context": {"states": {}}}


class Asked(Rule):
    """Counts how often it is asked; says nothing of what it reads."""

    asked = 0

    def evaluate(self, document: Any, context: Any) -> Any:
        """Count."""
        Asked.asked += 1
        return (self.result(Status.SATISFIED, "ASKED", "$", ""),)


class AskedOfContext(Asked):
    """Says that it reads the context."""

    @property
    def reads(self) -> Reads:
        """The context."""
        return Reads(context=True)


@pytest.mark.parametrize(("rule", "asked"), [(Asked, [1, 2, 3, 4]), (AskedOfContext, [1, 1, 2, 3])])
def test_a_rule_is_asked_anew_if_what_it_reads_may_differ_and_of_a_sample_that_comes_twice(
    rule: type[Asked], asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contract_judge, "contracts_of", lambda *_: (rule("asked"),))
    monkeypatch.setattr(Asked, "asked", 0)
    judge = ContractJudge({}, Path())
    other_text = {**GOOD, "document": {"surfaces": [{"id": "body", "text": "No."}]}}
    other_states = {**GOOD, "context": {"states": {"current": {}}}}
    counted = []
    for identity, data in (("a", GOOD), ("b", other_text), ("c", other_states), ("c", other_states)):
        judge.observe(identity, data)
        counted.append(Asked.asked)
    assert counted == asked


BROKEN: dict[str, tuple[Any, str]] = {
    "no object": (3, r"sample x: \$: expected an object, found 3"),
    "a key too many": ({**GOOD, "more": 1}, r"\$\.more: no such key"),
    "a key too many in the document": (
        {**GOOD, "document": {**GOOD["document"], "title": ""}}, r"\$\.document\.title: no such key",
    ),
    "no surface": ({**GOOD, "document": {"surfaces": []}}, "expected at least one surface"),
    "two surfaces of one id": (
        {**GOOD, "document": {"surfaces": [*GOOD["document"]["surfaces"]] * 2}}, "two surfaces with id='body'",
    ),
    "a surface no rule reads": (
        {**GOOD, "document": {"surfaces": [*GOOD["document"]["surfaces"], {"id": "more", "text": 1}]}},
        r"\$\.document\.surfaces\[1\]\.text: expected a string, found 1",
    ),
    "states that are none": ({**GOOD, "context": {"states": 1}}, r"\$\.context\.states: expected an object, found 1"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_a_sample_that_is_no_document_with_its_context_is_refused_wherever_it_is_wrong(data: Any, message: str) -> None:
    judge = ContractJudge({"contracts": PROFILE[4:5]}, Path())
    judge.observe("good", GOOD)
    with pytest.raises(MateProbeError, match=message):
        judge.observe("x", data)


def test_an_adapted_sample_has_the_digest_of_what_was_judged() -> None:
    def adapt(data: Any) -> Any:
        return GOOD if data == "as data" else sample_from_data(GOOD)

    judge = ContractJudge({"contracts": PROFILE}, Path(), adapt)
    profile = Profile(contracts_from_data(PROFILE))
    sample = sample_from_data(GOOD)
    expected = evaluated(profile, Policy(), "x", sample, digest(plain(sample)))
    assert {judge.observe("x", data) for data in ("as data", "as a sample")} == {plain_bytes(expected)}
