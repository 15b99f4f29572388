"""The loader: declared fields, exact JSON types, listed rules; every refusal has its path."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from mateprobe import serialization
from mateprobe.engine import evaluate
from mateprobe.errors import InvalidType, InvalidValue, MateProbeError
from mateprobe.model import Check, Claim, Context, Document, Kind, Policy, Scalar, Status, Surface
from mateprobe.mutations import Sample, Target
from mateprobe.provenance import GitProvenance
from mateprobe.relations import AllowedTransition, CompareFields, FieldRef
from mateprobe.rules import (
    DeclaredClaimsConsistent,
    ForbiddenPattern,
    LexicalRestatement,
    MinimumTokens,
    NoRepeatedText,
    RequiredFact,
    SettledPremise,
    StateChanged,
)
from mateprobe.serialization import (
    contracts_from_data,
    decode,
    from_data,
    load_bundle,
    policy_from_data,
    sample_from_data,
)

SAMPLE: dict[str, Any] = {
    "document": {
        "surfaces": [
            {"id": "title", "text": "Paid"},
            {"id": "body", "text": "é", "state_ref": "after", "claims": [{"key": "paid", "value": True}]},
        ]
    },
    "context": {
        "states": {"current": {}, "after": {"paid": True, "sum": 1, "rate": 1.5, "name": "x", "note": None}},
        "closed_premises": ["refund"],
        "history": ["Paid."],
    },
}
DOCUMENT = Document((Surface("title", "Paid"), Surface("body", "é", "after", (Claim("paid", True),))))
CONTEXT = Context(
    {"current": {}, "after": {"paid": True, "sum": 1, "rate": 1.5, "name": "x", "note": None}}, ("refund",), ("Paid.",)
)

RULES: dict[str, tuple[dict[str, Any], object]] = {
    "RequiredFact": ({"key": "paid", "expected": None}, RequiredFact("r", "paid", None)),
    "DeclaredClaimsConsistent": (
        {"surface_ids": ["a"], "require_claims": False},
        DeclaredClaimsConsistent("r", ("a",), False),
    ),
    "StateChanged": ({"before": "a", "after": "b", "keys": ["k"]}, StateChanged("r", "a", "b", ("k",))),
    "MinimumTokens": ({"surface_ids": ["a"], "minimum": 7}, MinimumTokens("r", ("a",), 7)),
    "LexicalRestatement": (
        {"source": "a", "target": "b", "overlap_threshold": 1},
        LexicalRestatement("r", "a", "b", 1.0),
    ),
    "ForbiddenPattern": (
        {"patterns": ["x+"], "surface_ids": ["a"], "fold_accents": False},
        ForbiddenPattern("r", ("x+",), ("a",), False),
    ),
    "SettledPremise": (
        {"patterns": [["p", "x"], ["p", "y"]], "surface_ids": ["a"]},
        SettledPremise("r", (("p", "x"), ("p", "y")), ("a",)),
    ),
    "NoRepeatedText": ({"surface_ids": ["a"]}, NoRepeatedText("r", ("a",))),
    "CompareFields": (
        {"left": {"state_ref": "a", "key": "k"}, "right": {"state_ref": "b", "key": "k"}, "operator": "le"},
        CompareFields("r", FieldRef("a", "k"), FieldRef("b", "k"), "le"),
    ),
    "AllowedTransition": (
        {
            "before": {"state_ref": "a", "key": "k"},
            "after": {"state_ref": "b", "key": "k"},
            "allowed": [["x", 1], [None, 2.5]],
        },
        AllowedTransition("r", FieldRef("a", "k"), FieldRef("b", "k"), (("x", 1), (None, 2.5))),
    ),
}


def rule(name: str, **fields: Any) -> dict[str, Any]:
    return {"type": name, "rule_id": "r", **fields}


def bundle(**parts: Any) -> dict[str, Any]:
    return {**SAMPLE, "contracts": [rule("RequiredFact", key="paid", expected=True)], **parts}


def test_a_bundle_is_read_as_the_arguments_of_an_evaluation() -> None:
    loaded = load_bundle(bundle(policy={"block_heuristics": False}))
    assert loaded == (DOCUMENT, CONTEXT, (RequiredFact("r", "paid", True),), Policy(block_heuristics=False))
    assert evaluate(*loaded).checks[0].status is Status.UNDETERMINED


def test_a_bundle_without_policy_has_the_one_that_blocks_everything() -> None:
    assert load_bundle(bundle())[3] == Policy()


@pytest.mark.parametrize(("name", "fields", "expected"), [(name, *row) for name, row in RULES.items()], ids=RULES)
def test_a_rule_is_read_from_its_name_and_fields(name: str, fields: dict[str, Any], expected: object) -> None:
    assert contracts_from_data([rule(name, **fields)]) == (expected,)


def test_every_rule_data_may_name_is_tested() -> None:
    assert serialization.RULES.keys() == RULES.keys()


def test_contracts_keep_their_order() -> None:
    data = [rule("NoRepeatedText", surface_ids=[name]) for name in ("b", "a", "c")]
    assert contracts_from_data(data) == tuple(NoRepeatedText("r", (name,)) for name in ("b", "a", "c"))


def test_an_integer_where_a_float_is_declared_becomes_one() -> None:
    (contract,) = contracts_from_data([rule("LexicalRestatement", source="a", target="b", overlap_threshold=1)])
    assert type(contract.overlap_threshold) is float  # type: ignore[attr-defined]


def test_a_sample_is_read_from_its_document_and_context() -> None:
    assert sample_from_data(SAMPLE) == Sample(DOCUMENT, CONTEXT)


def test_facts_keep_their_types() -> None:
    facts = sample_from_data(SAMPLE).context.states["after"]
    assert [type(fact) for fact in facts.values()] == [bool, int, float, str, type(None)]


def test_data_are_not_changed_and_not_shared() -> None:
    data: dict[str, Any] = {"document": SAMPLE["document"], "context": {"states": {"current": {"k": 1}}}}
    sample = sample_from_data(data)
    data["context"]["states"]["current"]["k"] = 2
    assert sample.context.states == {"current": {"k": 1}}


def surfaces(*items: Any) -> dict[str, Any]:
    return bundle(document={"surfaces": list(items)})


def contract(name: str, **fields: Any) -> dict[str, Any]:
    return bundle(contracts=[bundle()["contracts"][0], rule(name, **fields)])


REFERENCE = {"state_ref": "a", "key": "k"}
REFUSED: dict[str, tuple[Any, type[MateProbeError], str]] = {
    "null": (None, InvalidType, "$: expected an object, found null"),
    "a list": ([1], InvalidType, "$: expected an object, found an array of 1"),
    "nothing": ({}, InvalidValue, "$: 'document' is missing; found no keys"),
    "no contracts": (
        SAMPLE,
        InvalidValue,
        "$: 'contracts' is missing; found 'document', 'context'",
    ),
    "many other keys": (
        {"document": SAMPLE["document"], **dict.fromkeys("abcdefghij", 1)},
        InvalidValue,
        "$.a: no such key; expected one of 'context', 'contracts', 'document', 'policy'",
    ),
    "a misspelt part": (bundle(contract=[]), InvalidValue, "$.contract: no such key; expected one of"),
    "no surfaces": (surfaces(), InvalidValue, "$.document: document surfaces=() is empty"),
    "twice one surface": (
        surfaces({"id": "a", "text": ""}, {"id": "a", "text": ""}),
        InvalidValue,
        "$.document: document has two surfaces with id='a'",
    ),
    "a surface id that is no string": (
        surfaces({"id": 3, "text": ""}),
        InvalidType,
        "$.document.surfaces[0].id: expected a string, found 3",
    ),
    "an empty surface id": (surfaces({"id": "", "text": ""}), InvalidValue, "$.document.surfaces[0]: surface id=''"),
    "a text that is missing": (
        surfaces({"id": "a", "text": ""}, {"id": "b"}),
        InvalidValue,
        "$.document.surfaces[1]: 'text' is missing; found 'id'",
    ),
    "a text that is null": (
        surfaces({"id": "a", "text": None}),
        InvalidType,
        "$.document.surfaces[0].text: expected a string, found null",
    ),
    "claims by key": (
        surfaces({"id": "a", "text": "", "claims": {"k": 1}}),
        InvalidType,
        "$.document.surfaces[0].claims: expected an array, found an object of 1",
    ),
    "a claim that is no scalar": (
        surfaces({"id": "a", "text": "", "claims": [{"key": "k", "value": [1]}]}),
        InvalidType,
        "$.document.surfaces[0].claims[0].value: expected a string or an integer or a number or true or false or null",
    ),
    "a claim that is not finite": (
        surfaces({"id": "a", "text": "", "claims": [{"key": "k", "value": float("nan")}]}),
        InvalidValue,
        "$.document.surfaces[0].claims[0].value: expected a number that a double can hold, found nan",
    ),
    "a state that is no object": (
        bundle(context={"states": {"after": [1, 2]}}),
        InvalidType,
        "$.context.states.after: expected an object, found an array of 2",
    ),
    "a fact that is an object": (
        bundle(context={"states": {"a state": {"k": {}}}}),
        InvalidType,
        "$.context.states['a state'].k: expected a string or an integer",
    ),
    "a fact whose key is no string": (
        bundle(context={"states": {"a": {1: 2}}}),
        InvalidType,
        "$.context.states.a[1]: expected a key that is a string, found 1",
    ),
    "a state without a name": (bundle(context={"states": {"": {}}}), InvalidValue, "$.context: context has state name"),
    "a history that is text": (
        bundle(context={"states": {}, "history": "Paid."}),
        InvalidType,
        "$.context.history: expected an array, found 'Paid.'",
    ),
    "a premise that is no text": (
        bundle(context={"states": {}, "closed_premises": ["a", True]}),
        InvalidType,
        "$.context.closed_premises[1]: expected a string, found true",
    ),
    "contracts by name": (bundle(contracts={}), InvalidType, "$.contracts: expected an array, found an object of 0"),
    "a contract that is a name": (
        bundle(contracts=["RequiredFact"]),
        InvalidType,
        "$.contracts[0]: expected an object, found 'RequiredFact'",
    ),
    "a contract without type": (
        bundle(contracts=[{"rule_id": "r"}]),
        InvalidValue,
        "$.contracts[0]: 'type' is missing; found 'rule_id'",
    ),
    "a type that is no name": (
        bundle(contracts=[{"type": ["RequiredFact"]}]),
        InvalidType,
        "$.contracts[0].type: expected the name of a rule, found an array of 1",
    ),
    "an unknown rule": (
        contract("MinimumToken"),
        InvalidValue,
        "$.contracts[1].type: no rule has the name 'MinimumToken'; expected one of 'AllowedTransition', ",
    ),
    "a rule by its module": (
        contract("mateprobe.rules.RequiredFact"),
        InvalidValue,
        "$.contracts[1].type: no rule has the name 'mateprobe.rules.RequiredFact'",
    ),
    "a rule that is only a base": (contract("Rule"), InvalidValue, "$.contracts[1].type: no rule has the name 'Rule'"),
    "a field that is missing": (
        contract("RequiredFact", key="k"),
        InvalidValue,
        "$.contracts[1]: 'expected' is missing; found 'rule_id', 'key'",
    ),
    "a field that is misspelt": (
        contract("MinimumTokens", surface_ids=["a"], minimun=1),
        InvalidValue,
        "$.contracts[1].minimun: no such key; expected one of 'minimum', 'minimum_unique', 'rule_id', 'surface_ids'",
    ),
    "a setting of the class": (
        contract("RequiredFact", key="k", expected=1, kind="heuristic"),
        InvalidValue,
        "$.contracts[1].kind: no such key; expected one of 'expected', 'key', 'rule_id', 'state_ref'",
    ),
    "true as a number": (
        contract("MinimumTokens", surface_ids=["a"], minimum=True, minimum_unique=1),
        InvalidType,
        "$.contracts[1].minimum: expected an integer, found true",
    ),
    "a float as an integer": (
        contract("MinimumTokens", surface_ids=["a"], minimum=10.0),
        InvalidType,
        "$.contracts[1].minimum: expected an integer, found 10.0",
    ),
    "false as a share": (
        contract("LexicalRestatement", source="a", target="b", overlap_threshold=False),
        InvalidType,
        "$.contracts[1].overlap_threshold: expected a number, found false",
    ),
    "an integer no double can hold": (
        contract("LexicalRestatement", source="a", target="b", overlap_threshold=10**400),
        InvalidValue,
        "$.contracts[1].overlap_threshold: expected a number that a double can hold, found an integer of 1329 bits",
    ),
    "1 as true": (
        contract("ForbiddenPattern", patterns=["x"], surface_ids=["a"], fold_accents=1),
        InvalidType,
        "$.contracts[1].fold_accents: expected true or false, found 1",
    ),
    "settings out of range": (
        contract("MinimumTokens", surface_ids=["a"], minimum=2, minimum_unique=3),
        InvalidValue,
        "$.contracts[1]: rule 'r' minimum=2, minimum_unique=3",
    ),
    "a bad pattern": (
        contract("ForbiddenPattern", patterns=["x", "("], surface_ids=["a"]),
        InvalidValue,
        "$.contracts[1]: rule 'r' pattern='('",
    ),
    "a pattern number without end": (
        contract("ForbiddenPattern", patterns=["x{" + "9" * 5000 + "}"], surface_ids=["a"]),
        InvalidValue,
        "$.contracts[1]: ",
    ),
    "a premise with two patterns": (
        contract("SettledPremise", patterns=[["p", "x"], ["p", "x", "y"]], surface_ids=["a"]),
        InvalidType,
        "$.contracts[1].patterns[1]: expected an array of 2, found an array of 3",
    ),
    "half a reference": (
        contract("CompareFields", left=REFERENCE, right={"key": "k"}),
        InvalidValue,
        "$.contracts[1].right: 'state_ref' is missing; found 'key'",
    ),
    "another operator": (
        contract("CompareFields", left=REFERENCE, right=REFERENCE, operator="lt"),
        InvalidValue,
        "$.contracts[1].operator: expected one of 'eq', 'le', found 'lt'",
    ),
    "an operator that is no word": (
        contract("CompareFields", left=REFERENCE, right=REFERENCE, operator=["eq"]),
        InvalidValue,
        "$.contracts[1].operator: expected one of 'eq', 'le', found an array of 1",
    ),
    "half a transition": (
        contract("AllowedTransition", before=REFERENCE, after=REFERENCE, allowed=[["x", 1], ["x"]]),
        InvalidType,
        "$.contracts[1].allowed[1]: expected an array of 2, found an array of 1",
    ),
    "a transition to an object": (
        contract("AllowedTransition", before=REFERENCE, after=REFERENCE, allowed=[["x", {}]]),
        InvalidType,
        "$.contracts[1].allowed[0][1]: expected a string or",
    ),
    "a policy that is null": (bundle(policy=None), InvalidType, "$.policy: expected an object, found null"),
    "a flag that is a number": (
        bundle(policy={"block_heuristics": 0}),
        InvalidType,
        "$.policy.block_heuristics: expected true or false, found 0",
    ),
}


@pytest.mark.parametrize(("data", "kind", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_bundle_is_refused_with_its_path(data: Any, kind: type[MateProbeError], message: str) -> None:
    with pytest.raises(kind) as error:
        load_bundle(data)
    assert str(error.value).startswith(message)


def test_a_misspelt_field_is_answered_with_the_near_miss() -> None:
    with pytest.raises(InvalidValue, match=r"did you mean 'minimum'\?$"):
        load_bundle(contract("MinimumTokens", surface_ids=["a"], minimun=1))


def test_values_in_messages_are_cut_short() -> None:
    with pytest.raises(InvalidType) as error:
        sample_from_data({"document": {"surfaces": "x" * 1000}, "context": {}})
    assert str(error.value) == f"$.document.surfaces: expected an array, found '{'x' * 59}…"


def test_keys_in_messages_are_cut_short() -> None:
    with pytest.raises(InvalidValue) as error:
        policy_from_data({"a " + "x" * 1000: True})
    assert str(error.value).startswith(f"$['a {'x' * 57}…]: no such key; ")


def test_only_the_first_keys_are_listed() -> None:
    @dataclass(frozen=True)
    class Wide:
        a: int
        b: int = 0
        c: int = 0
        d: int = 0
        e: int = 0
        f: int = 0
        g: int = 0
        h: int = 0
        i: int = 0
        j: int = 0

    with pytest.raises(InvalidValue) as error:
        from_data(Wide, dict.fromkeys("bcdefghij", 1))
    assert str(error.value) == "$: 'a' is missing; found 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', …"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sample_from_data({"document": 1}, "cases.jsonl, line 3: $"), "cases.jsonl, line 3: $.document: "),
        (lambda: contracts_from_data([{}], "profile.yaml: contracts"), "profile.yaml: contracts[0]: "),
        (lambda: policy_from_data({"block": 1}, "profile.yaml: policy"), "profile.yaml: policy.block: "),
    ],
    ids=["sample", "contracts", "policy"],
)
def test_the_caller_says_where_paths_begin(call: Any, message: str) -> None:
    with pytest.raises(MateProbeError) as error:
        call()
    assert str(error.value).startswith(message)


DECODED: dict[str, tuple[Any, Any, Any]] = {
    "a string": (str, "a", "a"),
    "an integer as a float": (float, 1, 1.0),
    "none": (None, None, None),
    "its type": (type(None), None, None),
    "any object": (dict, {"a": [1]}, {"a": [1]}),
    "any array": (list, [1, {}], [1, {}]),
    "a tuple of any length": (tuple[str, ...], ["a", "b"], ("a", "b")),
    "a tuple from a tuple": (tuple[str, ...], ("a",), ("a",)),
    "an empty tuple": (tuple[str, ...], [], ()),
    "a tuple of two": (tuple[str, int], ["a", 1], ("a", 1)),
    "a mapping": (Mapping[str, float], {"a": 1}, {"a": 1.0}),
    "a dict": (dict[str, int], {"a": 1}, {"a": 1}),
    "an optional that is absent": (str | None, None, None),
    "an optional dataclass": (FieldRef | None, {"state_ref": "a", "key": "k"}, FieldRef("a", "k")),
    "the exact member of a union first": (float | int, 1, 1),
    "a float of a union": (float | str, 1, 1.0),
    "a scalar": (Scalar, True, True),
    "a word": (Literal["a", "b"], "b", "b"),
    "a number of a few": (Literal[1, 2], 2, 2),
    "an enum": (Status, "violated", Status.VIOLATED),
    "a target": (Target, {"rule_id": "r", "code": "C", "scope": "$"}, Target("r", "C", "$")),
    "a check": (
        Check,
        {
            "rule_id": "r",
            "version": "1",
            "kind": "invariant",
            "status": "error",
            "code": "C",
            "scope": "$",
            "evidence": "e",
            "metrics": [["a", 1]],
        },
        Check("r", "1", Kind.INVARIANT, Status.ERROR, "C", "$", "e", (("a", 1),)),
    ),
}


@pytest.mark.parametrize(("annotation", "value", "expected"), DECODED.values(), ids=DECODED.keys())
def test_data_become_what_an_annotation_declares(annotation: Any, value: Any, expected: Any) -> None:
    decoded = decode(annotation, value)
    assert (decoded, type(decoded)) == (expected, type(expected))


NOT_DECODED: dict[str, tuple[Any, Any, type[MateProbeError], str]] = {
    "true as an integer": (int, True, InvalidType, "$: expected an integer, found true"),
    "a word of another type": (Literal[1], True, InvalidValue, "$: expected one of 1, found true"),
    "a word of no enum": (Status, "VIOLATED", InvalidValue, "$: expected one of 'satisfied', "),
    "neither of a union": (str | None, 1, InvalidType, "$: expected a string or null, found 1"),
    "an optional that is wrong inside": (
        GitProvenance | None,
        {"commit": 1, "dirty": None, "source": "supplied"},
        InvalidType,
        "$.commit: expected a string or null, found 1",
    ),
    "an optional that is refused": (
        FieldRef | None,
        {"state_ref": "", "key": "k"},
        InvalidValue,
        "$: field state_ref='' is empty",
    ),
    "an optional of another type": (FieldRef | None, [], InvalidType, "$: expected an object or null, found an array"),
    "text as an annotation": ("str", "a", InvalidType, "annotation='str' cannot be read"),
    "a set": (set[str], ["a"], InvalidType, "annotation=set[str] cannot be read"),
    "anything": (Any, 1, InvalidType, "annotation=typing.Any cannot be read"),
    "a mapping from numbers": (dict[int, int], {}, InvalidType, "annotation=dict[int, int] cannot be read"),
    "an instance": (Policy(), {}, InvalidType, "annotation=Policy("),
}


@pytest.mark.parametrize(("annotation", "value", "kind", "message"), NOT_DECODED.values(), ids=NOT_DECODED.keys())
def test_other_data_and_other_annotations_are_refused(
    annotation: Any, value: Any, kind: type[MateProbeError], message: str
) -> None:
    with pytest.raises(kind) as error:
        decode(annotation, value)
    assert str(error.value).startswith(message)


@dataclass(frozen=True)
class Own:
    """A caller's own dataclass, which data cannot name but the caller can."""

    number: int
    others: tuple[str, ...] = field(default_factory=tuple)
    derived: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError("below zero")


def test_a_dataclass_of_the_callers_is_read_too() -> None:
    assert from_data(Own, {"number": 1, "others": ["a"]}) == Own(1, ("a",))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"number": -1}, "$: below zero"),
        ({"number": 1, "derived": 2}, "$.derived: no such key; expected one of 'number', 'others'"),
    ],
    ids=["refused by the class", "a field it derives"],
)
def test_what_a_class_of_the_callers_refuses_is_named_with_its_path(data: Any, message: str) -> None:
    with pytest.raises(InvalidValue) as error:
        from_data(Own, data)
    assert str(error.value) == message


def test_only_dataclasses_are_made_from_data() -> None:
    with pytest.raises(InvalidType, match=r"^cls=<class 'str'>; expected a dataclass$"):
        from_data(str, "a")


def test_contracts_are_read_from_the_text_of_a_file() -> None:
    text = '[{"type": "RequiredFact", "rule_id": "paid", "key": "status", "expected": "paid", "state_ref": "now"}]'
    assert contracts_from_data(json.loads(text), "c") == (RequiredFact("paid", "status", "paid", "now"),)


def test_a_field_that_sorts_after_the_name_of_the_rule_is_read() -> None:
    with pytest.raises(InvalidValue, match="zone"):
        contracts_from_data([{"type": "RequiredFact", "rule_id": "r", "key": "k", "expected": 1, "zone": 2}], "c")
