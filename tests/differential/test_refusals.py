"""Bad arguments: both engines refuse the same ones, but for the differences listed and argued here."""

from __future__ import annotations

from typing import Any

import pytest

from tests.differential.conftest import Ask

NAN = float("nan")
DOCUMENT = [{"id": "a", "text": "one two"}, {"id": "b", "text": "three"}]
CONTEXT = {"states": {"s": {"k": 1, "f": 1.0, "n": None}, "t": {"k": True}}, "closed_premises": ["p"]}
CONTRACTS = [{"type": "NoRepeatedText", "rule_id": "r", "surface_ids": ["a"]}]


def evaluated(**changed: Any) -> dict[str, Any]:
    return {"do": "check", "document": DOCUMENT, "context": CONTEXT, "contracts": CONTRACTS, "policy": None, **changed}


def surface(**changed: Any) -> dict[str, Any]:
    return evaluated(document=[{"id": "a", "text": "one", **changed}])


def context(**changed: Any) -> dict[str, Any]:
    return evaluated(context={"states": {}, **changed})


def rule(type: str, **settings: Any) -> dict[str, Any]:  # noqa: A002 (the word of a bundle)
    return evaluated(contracts=[{"type": type, "rule_id": "r", **settings}])


def field(state_ref: Any = "s", key: Any = "k") -> dict[str, Any]:
    return {"state_ref": state_ref, "key": key}


def bound(output: Any = {"a": 1}, state: Any = {"b": 1}, bindings: Any = {"a": "b"}) -> dict[str, Any]:  # noqa: B006
    return {"do": "bind", "output": output, "state": state, "bindings": bindings}


def sample(text: str = "one two", claim: Any = 1) -> dict[str, Any]:
    document = [{"id": "a", "text": text, "claims": [["k", claim]]}]
    return {"document": document, "context": {"states": {"current": {"k": 1}}}}


def fault(**changed: Any) -> dict[str, Any]:
    return {
        "id": "1", "family": "f", "group": "", "relation": "violation", "validity": "valid", "provenance": "p",
        "baseline": sample(), "variant": sample(claim=2), "expected": [["c", "CLAIM_STATE_MISMATCH", "a"]], **changed,
    }  # fmt: skip


def control(**changed: Any) -> dict[str, Any]:
    return fault(**{"id": "2", "relation": "preserve", "expected": [], "variant": sample("one two three"), **changed})


def campaign(*cases: dict[str, Any], **changed: Any) -> dict[str, Any]:
    contracts = [{"type": "DeclaredClaimsConsistent", "rule_id": "c"}]
    return {"do": "campaign", "cases": list(cases), "contracts": contracts, "policy": None, **changed}


def told(number: int, **say: Any) -> dict[str, Any]:
    return {"number": number, "say": say}


def asked(**changed: Any) -> dict[str, Any]:
    return {
        "id": "1", "obligation": "o", "relation": "violation", "validity": "valid", "provenance": "p",
        "baseline": told(0, accepted=True), "variant": told(1, accepted=False, violations=["v"]), "expected": ["v"],
        **changed,
    }  # fmt: skip


def audit(*cases: dict[str, Any], **changed: Any) -> dict[str, Any]:
    obligations = [{"id": "o", "description": "d"}]
    return {"do": "validate", "cases": list(cases), "obligations": obligations, "validator_id": "told", **changed}


def holding(value: Any) -> dict[str, Any]:
    """An audit whose variant holds ``value``."""
    return audit(asked(variant={"value": value, "say": {"accepted": False, "violations": ["v"]}}))


REFUSED = {
    "no contracts": evaluated(contracts=[]),
    "an empty rule id": evaluated(contracts=[{**CONTRACTS[0], "rule_id": ""}]),
    "a rule id twice": evaluated(contracts=CONTRACTS * 2),
    "no surface": evaluated(document=[]),
    "a surface twice": evaluated(document=DOCUMENT[:1] * 2),
    "an empty surface id": surface(id=""),
    "an empty state_ref": surface(state_ref=""),
    "a text that is a number": surface(text=3),
    "a text with a lone surrogate": surface(text="\ud800"),
    "an empty claim key": surface(claims=[["", 1]]),
    "a claim of NaN": surface(claims=[["k", NAN]]),
    "a claim of a list": surface(claims=[["k", [1]]]),
    "a claim of a subclass of str": surface(claims=[["k", {"$text": "s"}]]),
    "states in a list": context(states=[]),
    "no states": context(states=None),
    "an empty state name": context(states={"": {}}),
    "a state name that is a number": context(states={"$map": [[1, {}]]}),
    "facts in pairs": context(states={"s": [["k", 1]]}),
    "an empty fact key": context(states={"s": {"": 1}}),
    "a fact key that is a number": context(states={"s": {"$map": [[1, 1]]}}),
    "a fact of infinity": context(states={"s": {"k": float("inf")}}),
    "a fact of a date": context(states={"s": {"k": {"$date": "2020-01-01"}}}),
    "a fact with a lone surrogate": context(states={"s": {"k": "\ud800"}}),
    "history with a lone surrogate": context(history=["\ud800"]),
    "premises that are no sequence": context(closed_premises=3),
    "an expected fact of NaN": rule("RequiredFact", key="k", expected=NAN),
    "an expected fact of a list": rule("RequiredFact", key="k", expected=[1]),
    "no keys": rule("StateChanged", before="s", after="t", keys=[]),
    "keys that are no sequence": rule("StateChanged", before="s", after="t", keys=None),
    "no surfaces to count": rule("MinimumTokens", surface_ids=[]),
    "a floor of none": rule("MinimumTokens", surface_ids=["a"], minimum=0, minimum_unique=0),
    "more different tokens than tokens": rule("MinimumTokens", surface_ids=["a"], minimum=2, minimum_unique=3),
    "a share above one": rule("LexicalRestatement", source="a", target="b", overlap_threshold=1.1),
    "a share of NaN": rule("LexicalRestatement", source="a", target="b", overlap_threshold=NAN),
    "a negative count": rule("LexicalRestatement", source="a", target="b", minimum_novel_tokens=-1),
    "no patterns": rule("ForbiddenPattern", patterns=[], surface_ids=["a"]),
    "an empty pattern": rule("ForbiddenPattern", patterns=[""], surface_ids=["a"]),
    "a pattern that is none": rule("ForbiddenPattern", patterns=["("], surface_ids=["a"]),
    "a pattern beyond all counting": rule("ForbiddenPattern", patterns=["a{99999999999999}"], surface_ids=["a"]),
    "no surfaces to search": rule("ForbiddenPattern", patterns=["x"], surface_ids=[]),
    "no surfaces to read": rule("SettledPremise", patterns=[["p", "x"]], surface_ids=[]),
    "a premise without a pattern": rule("SettledPremise", patterns=[["p"]], surface_ids=["a"]),
    "a premise without a name": rule("SettledPremise", patterns=[["", "x"]], surface_ids=["a"]),
    "a premise's pattern that is none": rule("SettledPremise", patterns=[["p", "("]], surface_ids=["a"]),
    "a premise's empty pattern": rule("SettledPremise", patterns=[["p", ""]], surface_ids=["a"]),
    "an unknown operator": rule("CompareFields", left=field(), right=field(), operator="lt"),
    "a field without a state": rule("CompareFields", left=field(state_ref=""), right=field()),
    "a field without a key": rule("CompareFields", left=field(), right=field(key="")),
    "a transition of one": rule("AllowedTransition", before=field(), after=field(), allowed=[[1]]),
    "a transition of three": rule("AllowedTransition", before=field(), after=field(), allowed=[[1, 2, 3]]),
    "a transition to a list": rule("AllowedTransition", before=field(), after=field(), allowed=[[1, [2]]]),
    "a transition to NaN": rule("AllowedTransition", before=field(), after=field(), allowed=[[1, NAN]]),
    "no bindings": bound(bindings={}),
    "an output of a list": bound(output={"a": [1]}),
    "an output in a list": bound(output=[1]),
    "a state of NaN": bound(state={"b": NAN}),
    "an unbound output of a set": bound(output={"a": 1, "z": {"$set": [1]}}),
    "an output with a lone surrogate": bound(output={"a": "\ud800"}),
    "a case twice": campaign(fault(), fault()),
    "a campaign without contracts": campaign(fault(), contracts=[]),
    "a case without an id": campaign(fault(id="")),
    "a case without a family": campaign(fault(family="")),
    "a valid case without provenance": campaign(fault(provenance="")),
    "a fault without targets": campaign(fault(expected=[])),
    "a control with targets": campaign(control(expected=[["c", "CLAIM_STATE_MISMATCH", "a"]])),
    "a target no rule has": campaign(fault(expected=[["d", "CLAIM_STATE_MISMATCH", "a"]])),
    "a variant with a lone surrogate": campaign(fault(variant=sample("\ud800"))),
    "a case with a lone surrogate": campaign(fault(provenance="\ud800")),
    "an audit of nothing": audit(),
    "an audit of no obligation": audit(asked(), obligations=[]),
    "an audit without a name": audit(asked(), validator_id=""),
    "an obligation twice": audit(asked(), obligations=[{"id": "o", "description": "d"}] * 2),
    "an obligation without an id": audit(asked(), obligations=[{"id": "", "description": "d"}]),
    "an obligation without a description": audit(asked(), obligations=[{"id": "o", "description": ""}]),
    "an obligation of another scope": audit(asked(), obligations=[{"id": "o", "description": "d", "scope": "x"}]),
    "an unknown obligation": audit(asked(obligation="u")),
    "an audit case twice": audit(asked(), asked()),
    "an audit case without an id": audit(asked(id="")),
    "an audit case of no obligation": audit(asked(obligation="")),
    "a valid audit case without provenance": audit(asked(provenance="")),
    "an audit fault without ids": audit(asked(expected=[])),
    "an audit fault with a bare id": audit(asked(expected="v")),
    "an audit fault with a number for an id": audit(asked(expected=[1])),
    "an audit control with ids": audit(asked(relation="preserve")),
    "a sample with a set": holding({"$set": [1]}),
    "a sample with a date": holding({"$date": "2020-01-01"}),
    "a sample with bytes": holding({"$bytes": "x"}),
    "a sample with NaN": holding(NAN),
    "a sample with a lone surrogate": holding("\ud800"),
}  # fmt: skip


@pytest.mark.parametrize("request_", REFUSED.values(), ids=REFUSED.keys())
def test_both_engines_refuse(ours: Ask, peer: Ask, request_: dict[str, Any]) -> None:
    assert (list(ours(request_)), list(peer(request_))) == (["refused"], ["refused"])


# A string is a sequence of strings, and a list of anything is a list: what was meant is another thing, and what came of
# it is a rule that looks at surfaces "a", "b", "c", or fails at every document. Refused where it is written.
_BARE = {
    "bare closed premises": context(closed_premises="offer"),
    "a premise that is a number": context(closed_premises=[1]),
    "bare history": context(history="once"),
    "history of numbers": context(history=[1]),
    "bare surface ids of claims": rule("DeclaredClaimsConsistent", surface_ids="a"),
    "bare surface ids to count": rule("MinimumTokens", surface_ids="a"),
    "bare surface ids to search": rule("ForbiddenPattern", patterns=["x"], surface_ids="a"),
    "bare surface ids to read": rule("SettledPremise", patterns=[["p", "x"]], surface_ids="a"),
    "bare surface ids to compare": rule("NoRepeatedText", surface_ids="a"),
    "no surface ids to compare": rule("NoRepeatedText", surface_ids=None),
    "surface ids that are numbers": rule("NoRepeatedText", surface_ids=[1]),
    "a bare key": rule("StateChanged", before="s", after="t", keys="k"),
    "a bare pattern": rule("ForbiddenPattern", patterns="one", surface_ids=["a"]),
    "a bare premise and pattern": rule("SettledPremise", patterns=["px"], surface_ids=["a"]),
}
# Two facts under one text in JSON: one of them would be lost, and the sample judged would not be the sample hashed.
_COLLIDING = {
    "keys 1 and '1' of a sample": holding({"$map": [[1, "a"], ["1", "b"]]}),
    "keys None and 'None' of a value": {"do": "identity", "value": {"$map": [[None, 1], ["None", 2]]}, "other": None},
}
# States are kept as they are, without another look at each digest: their keys must be what JSON gives back.
_SUBCLASSED = {
    "a state name of a subclass of str": context(states={"$map": [[{"$text": "s"}, {}]]}),
    "a fact key of a subclass of str": context(states={"s": {"$map": [[{"$text": "k"}, 1]]}}),
}
REFUSED_BY_US = _BARE | _COLLIDING | _SUBCLASSED


@pytest.mark.parametrize("request_", REFUSED_BY_US.values(), ids=REFUSED_BY_US.keys())
def test_we_alone_refuse(ours: Ask, peer: Ask, request_: dict[str, Any]) -> None:
    assert (list(ours(request_)), list(peer(request_))) == (["refused"], ["answer"])


REFUSED_BY_PEER = {
    "no novel tokens": rule("LexicalRestatement", source="a", target="b", minimum_novel_tokens=0),
    "a field that is a number": rule("CompareFields", left=3, right=field()),
    "a field named by numbers": rule("CompareFields", left=field(1, 2), right=field()),
    "a binding to a number": bound(bindings={"a": 3}),
    "an output named by a number": bound(output={"$map": [[1, 1]]}, bindings={"$map": [[1, "b"]]}),
    "bindings without names": bound({"": 1}, {"": 1}, {"": ""}),
    "an id expected twice": audit(asked(expected=["v", "v"])),
    "an expected id that is empty": audit(asked(expected=[""])),
    "provenance that is a number": audit(asked(provenance=3)),
    "a validator named by a number": audit(asked(), validator_id=3),
    "a threshold below 0": campaign(fault(), control(), do="thresholds", detection=-1, preservation=0),
    "a threshold above 1": campaign(fault(), control(), do="thresholds", detection=1, preservation=2),
    "a threshold of NaN": campaign(fault(), control(), do="thresholds", detection=NAN, preservation=1),
    "a validator's threshold below 0": audit(asked(), do="validator_thresholds", detection=-1, preservation=0),
}  # fmt: skip


@pytest.mark.parametrize("request_", REFUSED_BY_PEER.values(), ids=REFUSED_BY_PEER.keys())
def test_nothing_the_peer_refuses_passes_here(ours: Ask, peer: Ask, request_: dict[str, Any]) -> None:
    assert (list(ours(request_)), list(peer(request_))) == (["refused"], ["refused"])


def ends(ask: Ask, request: dict[str, Any]) -> list[tuple[str, str]]:
    return [(case["outcome"], case["reason"]) for case in ask(request)["answer"]["cases"]]


def test_identical_samples_are_excluded_as_such_whatever_the_baseline(ours: Ask, peer: Ask) -> None:
    # In every audit labels and identity come first: they are known without asking anybody.
    request = campaign(fault(baseline=sample(claim=3), variant=sample(claim=3)))
    assert ends(ours, request) == [("excluded", "identical_variant")]
    assert ends(peer, request) == [("excluded", "baseline_not_accepted_and_complete")]


def test_a_failed_baseline_is_told_from_an_exclusion_and_meets_no_threshold(ours: Ask, peer: Ask) -> None:
    # Else fifty broken baselines beside one good pair pass every threshold.
    cases = (fault(), control(), fault(id="3", baseline=sample(claim=3)))
    assert ends(ours, campaign(*cases))[2] == ("baseline_failed", "baseline_not_accepted_and_complete")
    assert ends(peer, campaign(*cases))[2] == ("excluded", "baseline_not_accepted_and_complete")
    request = campaign(*cases, do="thresholds", detection=0, preservation=0)
    assert (ours(request), peer(request)) == ({"answer": False}, {"answer": True})


def test_a_fault_found_and_let_pass_has_a_reason_of_its_own(ours: Ask, peer: Ask) -> None:
    # Under an advisory policy nothing was rejected: a reader must see which detections would have stopped anything.
    contracts = [
        {"type": "DeclaredClaimsConsistent", "rule_id": "c"},
        {"type": "MinimumTokens", "rule_id": "m", "surface_ids": ["a"], "minimum": 2, "minimum_unique": 1},
    ]
    found = fault(variant=sample("one"), expected=[["m", "LOW_LEXICAL_CONTENT", "a"]])
    request = campaign(found, contracts=contracts, policy={"block_heuristics": False})
    assert ends(ours, request) == [("detected", "detected_but_accepted")]
    assert ends(peer, request) == [("detected", "all_expected_violations")]


def test_a_validator_that_exits_is_an_error_and_ends_no_audit(ours: Ask, peer: Ask) -> None:
    request = audit(asked(variant=told(1, **{"raise": "SystemExit"})))
    assert ends(ours, request) == [("error", "variant_error")]
    assert peer(request) == {"refused": "SystemExit"}


def test_a_sample_shared_by_many_cases_is_judged_once(ours: Ask, peer: Ask) -> None:
    # A deterministic validator says the same again; fifteen cases a baseline are fifteen times the cost.
    cases = [asked(id=str(number), variant=told(number, accepted=False, violations=["v"])) for number in range(1, 6)]
    request = audit(*cases, do="calls")
    assert (ours(request), peer(request)) == ({"answer": 6}, {"answer": 10})


def test_the_bare_base_of_rules_has_the_name_it_goes_by_today(ours: Ask, peer: Ask) -> None:
    mine, theirs = (ask(rule("Rule"))["answer"] for ask in (ours, peer))
    assert mine.pop("contracts_digest") != theirs.pop("contracts_digest")
    assert mine == theirs


def test_our_contexts_alone_can_be_copied_pickled_and_hashed(ours: Ask, peer: Ask) -> None:
    # What cannot be copied cannot be a sample of a validator audit.
    request = {"do": "carry", "context": CONTEXT}
    assert (list(ours(request)), list(peer(request))) == (["answer"], ["refused"])
