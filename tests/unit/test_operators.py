"""Operators edit one place of a sample, by names alone, and claim nothing; their own examples say what they do."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mateprobe.canonical import canonical, same
from mateprobe.errors import InvalidType, InvalidValue
from mateprobe.operators import OPERATORS, Change, Edit, Example, Operator, Pattern, Site, chain, edits, pointer
from mateprobe.operators.__main__ import page
from mateprobe.operators.constraints import applying, broken, certain, constraints
from mateprobe.operators.keywords import KEYWORDS, kind
from mateprobe.operators.places import at, put, walk
from mateprobe.operators.texts import LONG

ROOT = Path(__file__).parents[2]
KINDS = ("null", "boolean", "number", "string", "array", "object")
ROLES = ("detected", "surviving", "control")
EXAMPLES = [(operator, role) for operator in OPERATORS.values() for role in ROLES]
IDS = [f"{operator.name}-{role}" for operator, role in EXAMPLES]
ORDER: dict[str, Any] = {
    "id": 7, "note": "two cafés\nplease", "items": [{"name": "tea", "count": 1}, {"name": "cake", "count": 0}],
    "tags": ["a", "b"], "paid": 1.5, "sent": None,
}  # fmt: skip
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["id", "items"],
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "items": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"$ref": "#/$defs/item"}},
        "tags": {"uniqueItems": True},
    },
    "$defs": {
        "item": {
            "additionalProperties": False,
            "properties": {"name": {"maxLength": 8}, "count": {"type": "integer"}},
        }
    },
}


def made(name: str, sample: Any, **changes: Any) -> list[Edit]:
    """Return the edits of an operator, having looked that the sample is as it was and nothing was left to chance."""
    before, options = canonical(sample), {"seed": 0, "id": "example", **changes}
    found = edits(OPERATORS[name], sample, **options)
    assert canonical(sample) == before
    assert canonical(edits(OPERATORS[name], deepcopy(sample), **options)) == canonical(found)
    assert len({edit.place for edit in found}) == len(found)
    return found


def shown(found: list[Edit]) -> dict[str, Any]:
    return {edit.place: edit.sample for edit in found}


# --- examples ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("operator", "role"), EXAMPLES, ids=IDS)
def test_an_operator_makes_the_edit_of_its_example(operator: Operator, role: str) -> None:
    example: Example = getattr(operator.examples, role)
    found = made(operator.name, example.before, schema=example.schema)
    assert [edit.sample for edit in found if same(edit.sample, example.after)] == [example.after]


@pytest.mark.parametrize(("operator", "role"), EXAMPLES, ids=IDS)
def test_the_schema_of_an_example_judges_it_as_the_example_says(operator: Operator, role: str) -> None:
    example: Example = getattr(operator.examples, role)
    schema = jsonschema.Draft202012Validator(example.schema)
    assert schema.is_valid(example.before)
    assert schema.is_valid(example.after) is (role != "detected")


def test_the_page_of_operators_is_what_they_say_of_themselves() -> None:
    assert (ROOT / "docs" / "operators.md").read_text("utf-8") == page()


def test_every_operator_is_called_what_it_is_listed_as() -> None:
    assert {name: operator.name for name, operator in OPERATORS.items()} == {name: name for name in OPERATORS}


# --- what each does ---------------------------------------------------------------------------------------------


def test_every_key_is_dropped_once_at_every_depth() -> None:
    assert shown(made("drop_key", {"a": {"b": 1, "c": 2}})) == {
        "/a": {}, "/a/b": {"a": {"c": 2}}, "/a/c": {"a": {"b": 1}}
    }  # fmt: skip


def test_an_unknown_key_is_one_that_the_object_has_not() -> None:
    (edit,) = made("unknown_key", {})
    (key,) = edit.sample
    (other,) = made("unknown_key", {key: 1})
    assert other.sample == {key: 1, f"{key}_": None}


def test_siblings_swap_values_of_one_type_only() -> None:
    found = made("swap_siblings", {"a": 1, "b": "x", "c": 2, "d": [1]})
    assert shown(found) == {"/a:c": {"a": 2, "b": "x", "c": 1, "d": [1]}}


def test_siblings_with_one_value_are_no_edit() -> None:
    assert made("swap_siblings", {"a": 1, "b": 1}) == []


def test_each_element_is_duplicated_where_it_stands() -> None:
    assert shown(made("duplicate_element", ["a", "b"])) == {"/1": ["a", "a", "b"], "/2": ["a", "b", "b"]}


def test_a_list_is_rotated_and_one_of_equal_elements_is_no_edit() -> None:
    (edit,) = made("reorder", [1, 2, 3])
    assert edit.sample in ([2, 3, 1], [3, 1, 2])
    assert made("reorder", ["a", "a"]) == []


@pytest.mark.parametrize("value", [None, True, 3, 0.5, "a", [1], {"a": 1}], ids=repr)
def test_a_wrong_type_is_never_the_right_one(value: Any) -> None:
    where = [Pattern.parse("$.*")]
    replaced = [
        at(edit.sample, edit.path) for edit in made("wrong_type", {f"k{n}": value for n in range(20)}, where=where)
    ]
    assert {kind(new) for new in replaced} == {*KINDS} - {kind(value)}


@pytest.mark.parametrize(("number", "flag"), [(0, False), (1, True), (7, True)])
def test_a_whole_number_becomes_a_boolean_and_nothing_else_does(number: int, flag: bool) -> None:
    (edit,) = made("boolean_for_integer", [number, True, 1.0, "1"])
    assert edit.sample[0] is flag


def test_only_whole_numbers_are_off_by_one() -> None:
    assert shown(made("off_by_one", [7, True, 0.5])) == {"/0:less": [6, True, 0.5], "/0:more": [8, True, 0.5]}


def test_a_long_text_repeats_itself_and_a_longer_one_is_left() -> None:
    (edit,) = made("long_text", "abc")
    assert (len(edit.sample), edit.sample[:7]) == (LONG, "abcabca")
    assert [made("long_text", text) for text in ("", "x" * (LONG + 1))] == [[], []]


REWRITTEN = {
    "empty_text": ("a", ""),
    "nfc": ("cafe\u0301", "caf\u00e9"),
    "nfd": ("caf\u00e9", "cafe\u0301"),
    "crlf": ("a\nb\r\nc", "a\r\nb\r\nc"),
    "swap_case": ("aB", "Ab"),
    "confusable": ("1a2", "1\u04302"),
}


@pytest.mark.parametrize(("name", "before", "after"), [(name, *pair) for name, pair in REWRITTEN.items()])
def test_a_text_is_rewritten_and_one_with_nothing_to_rewrite_is_left(name: str, before: str, after: str) -> None:
    assert shown(made(name, [before, "", 1])) == {"/0": [after, "", 1]}
    assert made(name, [""]) == []


def test_white_space_is_added_at_three_places_each_an_edit() -> None:
    assert shown(made("white_space", "a b")) == {":leading": " a b", ":trailing": "a b ", ":doubled": "a  b"}


def test_boundaries_are_read_off_the_schema_and_without_one_there_are_none() -> None:
    schema = {
        "properties": {
            "n": {"minimum": 2, "exclusiveMaximum": 9}, "t": {"minLength": 1, "maxLength": 3}, "l": {"maxItems": 2}
        }
    }  # fmt: skip
    found = made("boundary", {"n": 5, "t": "ab", "l": []}, schema=schema)
    assert {edit.place.replace(" /properties", ""): at(edit.sample, edit.path) for edit in found} == {
        "/n:at/n/minimum": 2, "/n:past/n/minimum": 1, "/n:at/n/exclusiveMaximum": 8, "/n:past/n/exclusiveMaximum": 9,
        "/t:at/t/minLength": "a", "/t:past/t/minLength": "", "/t:at/t/maxLength": "aba", "/t:past/t/maxLength": "abab",
        "/l:at/l/maxItems": [None] * 2, "/l:past/l/maxItems": [None] * 3,
    }  # fmt: skip
    assert made("boundary", {"n": 5}) == []


def test_no_boundary_is_so_far_that_reaching_it_fills_the_memory() -> None:
    assert made("boundary", "a", schema={"maxLength": 10**9}) == []


# --- how they are applied ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPERATORS)
def test_an_edit_changes_its_place_and_no_place_beside_it(name: str) -> None:
    for edit in made(name, ORDER, schema=SCHEMA):
        container = edit.path[:-1] if name in {"drop_key", "swap_siblings", "duplicate_element"} else edit.path
        left = {path: value for path, value in walk(edit.sample) if path[: len(container)] != container}
        was = {path: value for path, value in walk(ORDER) if path[: len(container)] != container}
        changed = {path for path in left.keys() | was.keys() if not same([left.get(path)], [was.get(path)])}
        assert changed <= {container[:length] for length in range(len(container))}
        assert not same(edit.sample, ORDER)


@pytest.mark.parametrize("changed", [{"seed": 1}, {"id": "t"}], ids=str)
def test_chance_comes_from_the_names_of_study_and_sample(changed: dict[str, Any]) -> None:
    sample = {f"k{n}": n for n in range(20)}
    assert shown(made("wrong_type", sample)) != shown(made("wrong_type", sample, **changed))


def test_chance_comes_from_the_version_of_an_operator_too() -> None:
    old = OPERATORS["wrong_type"]
    new = Operator(old.name, "2", old.states, old.change)
    sample = {f"k{n}": n for n in range(20)}
    assert edits(new, sample, seed=0, id="s") != edits(old, sample, seed=0, id="s")


def test_a_place_more_changes_the_edits_of_no_other_place() -> None:
    few, many = ([None, "cab", *more] for more in ([], ["bac", 3]))
    for name in OPERATORS:
        inner = {edit.place: at(edit.sample, edit.path) for edit in made(name, few) if edit.path}
        found = {edit.place: at(edit.sample, edit.path) for edit in made(name, many) if edit.path}
        kept = {place: value for place, value in inner.items() if name != "duplicate_element"}
        assert kept.items() <= found.items() or name == "drop_key"


def test_only_the_places_that_are_asked_for_are_edited() -> None:
    where = [Pattern.parse("$.items[*].count"), Pattern.parse("$.id")]
    assert [edit.place for edit in made("boolean_for_integer", ORDER, where=where)] == [
        "/id", "/items/0/count", "/items/1/count"
    ]  # fmt: skip


def test_a_limit_keeps_the_same_edits_whatever_else_there_is() -> None:
    few = {f"k{n}": n for n in range(10)}
    kept = [edit.place for edit in made("boolean_for_integer", few, limit=3)]
    more = [edit.place for edit in made("boolean_for_integer", {**few, "z": 1}, limit=4)]
    assert (len(kept), len(more), len({*kept} - {*more})) == (3, 4, 0) or set(more) - set(kept) == {"/z"}


def test_an_edit_with_two_labels_alike_is_refused() -> None:
    def twice(site: Site) -> Iterator[Change]:
        yield Change(1)
        yield Change(2)

    with pytest.raises(InvalidValue, match=r"operator 'twice': sample 's' has two edits '/a'; label them"):
        edits(Operator("twice", "1", "two", twice), {"a": 0}, seed=0, id="s", where=[Pattern.parse("$.a")])


@pytest.mark.parametrize(("sample", "error"), [({1, 2}, InvalidType), ([float("nan")], InvalidValue)], ids=repr)
def test_a_sample_that_json_cannot_hold_is_refused(sample: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"\$"):
        edits(OPERATORS["drop_key"], sample, seed=0, id="s")


def test_operators_in_turn_edit_one_place() -> None:
    both = chain(OPERATORS["duplicate_element"], OPERATORS["off_by_one"])
    assert (both.name, both.version) == ("duplicate_element+off_by_one", "1+1")
    assert both.states == "an element of a list stands there twice, then a whole number is one less or one more"
    assert shown(edits(both, [1], seed=0, id="s")) == {"/1:less": [1, 0], "/1:more": [1, 2]}


def test_nothing_follows_on_what_is_gone() -> None:
    assert edits(chain(OPERATORS["drop_key"], OPERATORS["wrong_type"]), {"a": 1}, seed=0, id="s") == []


def test_one_operator_in_turn_is_itself() -> None:
    assert chain(OPERATORS["nfd"]) is OPERATORS["nfd"]


# --- places -----------------------------------------------------------------------------------------------------


def test_a_pointer_escapes_what_it_must() -> None:
    assert [pointer(path) for path in [(), ("a", 0), ("a/b", "c~d", "")]] == ["", "/a/0", "/a~1b/c~0d/"]


def test_putting_a_value_copies_the_way_to_it_and_shares_the_rest() -> None:
    value = {"a": [{"b": 1}, {"c": 2}]}
    new = put(value, ("a", 0, "b"), 9)
    assert (new, value) == ({"a": [{"b": 9}, {"c": 2}]}, {"a": [{"b": 1}, {"c": 2}]})
    assert new["a"][1] is value["a"][1]


SELECTED = {
    "$": [()],
    "$.a": [("a",)],
    "$.*": [("a",), ("b c",)],
    "$.a[0]": [("a", 0)],
    "$.a[*].x": [("a", 0, "x"), ("a", 1, "x")],
    '$["b c"]': [("b c",)],
    "$.a.x": [],
    '$["\\u0061"][1]': [("a", 1)],
}


@pytest.mark.parametrize(("text", "expected"), SELECTED.items(), ids=SELECTED.keys())
def test_a_pattern_selects(text: str, expected: list[Any]) -> None:
    value = {"a": [{"x": 1}, {"x": 2}], "b c": 3}
    assert [path for path, _ in walk(value) if Pattern.parse(text).selects(path)] == expected


BAD_PATTERNS = {"": "''", "a": "'a'", "$.": "'.'", "$a": "'a'", "$..a": "'..a'", "$[x]": "'[x]'", "$.a[-1]": "'[-1]'"}


@pytest.mark.parametrize(("text", "rest"), BAD_PATTERNS.items(), ids=BAD_PATTERNS.keys())
def test_what_is_no_pattern_is_refused_from_where_on(text: str, rest: str) -> None:
    with pytest.raises(InvalidValue) as error:
        Pattern.parse(text)
    assert str(error.value).startswith(f"pattern {text!r}: expected $ and steps such as .name")
    assert str(error.value).endswith(f"found {rest}")


def test_a_key_that_is_badly_quoted_is_refused() -> None:
    with pytest.raises(InvalidValue, match=r"expected a key in JSON's quotes, found \"\\x\""):
        Pattern.parse('$["\\x"]')


# --- constraints ------------------------------------------------------------------------------------------------


def names(found: list[tuple[Any, Any]]) -> list[str]:
    return [f"{constraint.keyword}@{pointer(path)}" for path, constraint in found]


BROKEN: dict[str, tuple[Any, Any, list[str]]] = {
    "type": ({"type": "string"}, 1, ["type@"]),
    "one of the types": ({"type": ["string", "integer"]}, 1.0, []),
    "a fraction for an integer": ({"type": "integer"}, 1.5, ["type@"]),
    "true for an integer": ({"type": "integer"}, True, ["type@"]),
    "an enum": ({"enum": [1, "a"]}, 2, ["enum@"]),
    "an enum, numbers alike": ({"enum": [1]}, 1.0, []),
    "an enum, true for 1": ({"enum": [1]}, True, ["enum@"]),
    "a constant": ({"const": {"a": [1]}}, {"a": [1.0]}, []),
    "another constant": ({"const": None}, False, ["const@"]),
    "bounds": ({"minimum": 2, "maximum": 1, "exclusiveMinimum": 1, "exclusiveMaximum": 1}, 1, [
        "exclusiveMaximum@", "exclusiveMinimum@", "minimum@",
    ]),
    "a boolean bound of an old draft": ({"exclusiveMinimum": True}, 0, []),
    "lengths": ({"minLength": 3, "maxLength": 1}, "ab", ["maxLength@", "minLength@"]),
    "sizes of lists": ({"minItems": 3, "maxItems": 1}, [1, 2], ["maxItems@", "minItems@"]),
    "sizes of objects": ({"minProperties": 2, "maxProperties": 0}, {"a": 1}, ["maxProperties@", "minProperties@"]),
    "a repeated element": ({"uniqueItems": True}, [1, {"a": 1}, {"a": 1.0}], ["uniqueItems@"]),
    "no repeated element": ({"uniqueItems": True}, [1, True], []),
    "a multiple": ({"multipleOf": 3}, 7, ["multipleOf@"]),
    "a pattern": ({"pattern": "^a"}, "ba", ["pattern@"]),
    "a pattern of another dialect": ({"pattern": "\\p{L}"}, "", []),
    "a missing key": ({"required": ["a", "b"]}, {"a": 1}, ["required@"]),
    "an additional key": ({"properties": {"a": {}}, "additionalProperties": False}, {"a": 1, "b": 2}, [
        "additionalProperties@",
    ]),
    "a key of a pattern": ({"patternProperties": {"^x": {}}, "additionalProperties": False}, {"xy": 1}, []),
    "inside": ({"properties": {"a": {"items": {"type": "string"}}}}, {"a": ["x", 1]}, ["type@/a/1"]),
    "of the other keys": (
        {"properties": {"a": {}}, "additionalProperties": {"type": "null"}}, {"a": 1, "b/c": 1}, ["type@/b~1c"]
    ),
    "of the keys of a pattern": ({"patternProperties": {"^x": {"type": "null"}}}, {"xy": 1, "y": 1}, ["type@/xy"]),
    "first items": ({"prefixItems": [{"type": "null"}], "items": {"type": "string"}}, [1, 2], ["type@/0", "type@/1"]),
    "first items of an old draft": (
        {"$schema": DRAFT_7, "items": [{"type": "null"}], "additionalItems": {"type": "string"}}, [1, 2],
        ["type@/0", "type@/1"],
    ),
    "all of": ({"allOf": [{"type": "string"}, {"minimum": 2}]}, 1, ["type@", "minimum@"]),
    "a reference": ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "null"}}}, 1, ["type@"]),
    "a reference by the schema's own name": (
        {"$id": "http://x/y", "$ref": "http://x/y#/$defs/a", "$defs": {"a": {"type": "null"}}}, 1, ["type@"]
    ),
    "a reference that hides what is beside it": (
        {
            "$schema": DRAFT_7, "definitions": {"n": {}},
            "properties": {"a": {"$ref": "#/definitions/n", "type": "null", "properties": {"b": {"type": "null"}}}},
        },
        {"a": {"b": 1}}, [],
    ),
    "a reference to elsewhere": ({"$ref": "http://elsewhere"}, 1, []),
    "a reference to nothing": ({"$ref": "#/$defs/none"}, 1, []),
    "a resource of its own": (
        {"properties": {"a": {"$id": "http://x/y", "properties": {"b": {"type": "null"}}}}}, {"a": {"b": 1}}, []
    ),
    "alternatives": ({"anyOf": [{"type": "null"}], "oneOf": [{"type": "null"}], "not": {"type": "integer"}}, 1, []),
    "a condition": ({"if": {"type": "integer"}, "then": {"minimum": 9}}, 1, []),
    "the schema true": (True, 1, []),
    "a property called like a keyword": ({"properties": {"enum": {"type": "null"}}}, {"enum": 1}, ["type@/enum"]),
}  # fmt: skip


@pytest.mark.parametrize(("schema", "sample", "expected"), BROKEN.values(), ids=BROKEN.keys())
def test_what_a_sample_certainly_breaks(schema: Any, sample: Any, expected: list[str]) -> None:
    assert names(broken(schema, sample)) == expected
    if expected:
        cls = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
        said = {f"{error.validator}@{pointer(tuple(error.absolute_path))}" for error in cls(schema).iter_errors(sample)}
        assert {*expected} <= said


def test_a_reference_that_goes_in_a_circle_ends() -> None:
    assert names(broken({"$ref": "#", "type": "null"}, 1)) == ["type@"]


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_a_keyword_holds_of_what_it_does_not_speak_of(keyword: str) -> None:
    arguments: dict[str, Any] = {
        "additionalProperties": ((), ()),
        "required": ["a"],
        "pattern": "a",
        "uniqueItems": True,
    }
    if keyword not in {"const", "enum", "type"}:
        assert KEYWORDS[keyword].holds(arguments.get(keyword, 1), None)


def test_the_constraints_of_a_schema_are_all_that_can_refuse_with_their_places() -> None:
    assert constraints(SCHEMA) == {
        "/type": "type", "/required": "required", "/properties/id/type": "type", "/properties/id/minimum": "minimum",
        "/properties/items/type": "type", "/properties/items/minItems": "minItems",
        "/properties/items/maxItems": "maxItems", "/properties/tags/uniqueItems": "uniqueItems",
        "/$defs/item/additionalProperties": "additionalProperties",
        "/$defs/item/properties/name/maxLength": "maxLength", "/$defs/item/properties/count/type": "type",
    }  # fmt: skip


def test_a_constraint_under_a_condition_is_listed_and_not_certain() -> None:
    schema = {"anyOf": [{"type": "null"}], "properties": {"a": {"enum": [1]}}, "$defs": {"unused": {"const": 1}}}
    assert set(constraints(schema)) == {"/anyOf", "/anyOf/0/type", "/properties/a/enum", "/$defs/unused/const"}
    assert certain(schema) == {"/properties/a/enum"}


def test_constraints_apply_to_the_places_of_a_sample() -> None:
    found = {pointer(path): [it.location for it in own] for path, own in applying(SCHEMA, ORDER).items() if own}
    item = ["/$defs/item/additionalProperties"]
    assert found == {
        "": ["/required", "/type"], "/id": ["/properties/id/minimum", "/properties/id/type"],
        "/items": ["/properties/items/maxItems", "/properties/items/minItems", "/properties/items/type"],
        "/items/0": item, "/items/1": item, "/tags": ["/properties/tags/uniqueItems"],
        "/items/0/name": ["/$defs/item/properties/name/maxLength"],
        "/items/1/name": ["/$defs/item/properties/name/maxLength"],
        "/items/0/count": ["/$defs/item/properties/count/type"],
        "/items/1/count": ["/$defs/item/properties/count/type"],
    }  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_what_is_certainly_broken_is_what_a_validator_refuses(name: str) -> None:
    schema = jsonschema.Draft202012Validator(SCHEMA)
    for edit in made(name, ORDER, schema=SCHEMA):
        said = {f"{error.validator}@{pointer(tuple(error.absolute_path))}" for error in schema.iter_errors(edit.sample)}
        assert set(names(broken(SCHEMA, edit.sample))) == said
