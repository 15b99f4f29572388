"""Cases by operators: entries say what edits are, the schema may say which ids, and what nobody breaks is listed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from mateprobe.errors import StudyError
from mateprobe.operators import Edit
from mateprobe.pipeline.case_sources import spelled_out
from mateprobe.pipeline.corpora.by_operators import UNEXERCISED, cases
from mateprobe.pipeline.operator_entries import Entry, problems
from tests.unit.conftest import Bench, Ended, lines

SCHEMA = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "tags": {"type": "array", "maxItems": 2, "items": {"enum": ["a", "b"]}},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "sent": {"const": True},
    },
}
DROP = {"use": "drop_key", "as": "fault", "expected": "schema", "obligation": "keys"}
VALID = {"validity": "valid", "provenance": "By construction."}
SAMPLE = {"id": 1, "tags": ["a"]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, *rows: Any) -> Path:
    path = Path(name)
    text = "".join(json.dumps(row) + "\n" for row in rows) if path.suffix == ".jsonl" else json.dumps(rows[0])
    path.write_text(text)
    return path


def made(*entries: dict[str, Any], baselines: Any = None, schema: Any = SCHEMA, seed: int = 1) -> list[dict[str, Any]]:
    """Return the rows that entries make of one baseline, constraints that are left over included."""
    given = write("b.jsonl", {"id": "one", "sample": SAMPLE}) if baselines is None else baselines
    files = {} if schema is None else {"schema": write("s.json", schema)}
    return list(cases(operators=entries, seed=seed, baselines=given, **files))


def pairs(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["relation"]]


def test_a_case_says_which_operator_made_it_of_what_and_where() -> None:
    (row,) = pairs(made(DROP))
    assert row == {
        "id": "one/drop_key/id", "group": "one", "family": "drop_key", "obligation": "keys", "relation": "violation",
        "validity": "unreviewed", "expected": ["required@"], "baseline": SAMPLE, "variant": {"tags": ["a"]},
        "provenance": "Operator drop_key version 1, seed 1, at /id: a key is gone.",
        "about": {"operator": "drop_key", "version": "1", "seed": 1, "path": "/id", "constraints": ["/required"]},
    }  # fmt: skip


def test_a_label_is_valid_because_the_study_says_who_established_it() -> None:
    (row,) = pairs(made({**DROP, **VALID}))
    assert row["validity"] == "valid"
    assert row["provenance"] == "Operator drop_key version 1, seed 1, at /id: a key is gone. By construction."


def test_a_fault_by_the_schema_breaks_something_and_a_control_breaks_nothing() -> None:
    entries = [{"use": "off_by_one", "as": "fault", "expected": "schema", "obligation": "o"},
               {"use": "off_by_one", "name": "more", "as": "control", "obligation": "o"}]  # fmt: skip
    found = [(row["id"], row["relation"], row["expected"]) for row in pairs(made(*entries))]
    assert found == [("one/off_by_one/id:less", "violation", ["minimum@/id"]), ("one/more/id:more", "preserve", [])]


@pytest.mark.parametrize("named", ["key {key} at {path} in {parent}", "always"])
def test_an_id_may_name_the_changed_place(named: str) -> None:
    entry = {**DROP, "expected": [named], "at": "$.tags"}
    (row,) = pairs(made(entry, schema=None))
    assert row["expected"] == [named.replace("{key}", "tags").replace("{path}", "/tags").replace("{parent}", "")]


def test_at_the_top_there_is_no_key_and_nothing_above() -> None:
    entry = Entry.of({**DROP, "expected": ["<{key}|{parent}|{path}>"]})
    assert entry.expected(Edit((), "", 1), []) == ["<||>"]


def test_operators_in_turn_have_one_name() -> None:
    entry = {"use": ["duplicate_element", "swap_case"], "as": "control", "obligation": "o"}
    (row,) = pairs(made(entry, schema=None))
    assert (row["id"], row["variant"]["tags"]) == ("one/duplicate_element+swap_case/tags/1", ["a", "A"])


def test_a_limit_holds_for_each_baseline() -> None:
    two = write("two.json", [{"id": id, "sample": {f"k{n}": n for n in range(9)}} for id in ("p", "q")])
    rows = made({"use": "drop_key", "as": "control", "obligation": "o", "limit": 2}, baselines=two, schema=None)
    assert [row["group"] for row in rows] == ["p", "p", "q", "q"]


def test_a_baseline_more_changes_no_other_case() -> None:
    few = [{"id": "p", "sample": SAMPLE, "group": "g"}]
    more = [{"id": "o", "sample": {"id": 2, "tags": ["b", "b"]}}, *few]
    entries = [{"use": name, "as": "control", "obligation": "o"} for name in ("wrong_type", "swap_case", "unknown_key")]
    rows = {row["id"]: row for row in made(*entries, baselines=write("m.jsonl", *more), schema=None)}
    for row in made(*entries, baselines=write("f.jsonl", *few), schema=None):
        assert (rows[row["id"]], row["group"]) == (row, "g")


def test_another_seed_makes_other_cases() -> None:
    entry = {"use": "wrong_type", "as": "control", "obligation": "o", "at": "$.tags[*]"}
    assert len({json.dumps(made(entry, schema=None, seed=seed)[0]["variant"]) for seed in range(20)}) > 1


def test_a_constraint_that_no_valid_fault_breaks_is_listed_with_the_reason() -> None:
    rows = [row for row in made({**DROP, **VALID}) if row["family"] == UNEXERCISED]
    assert {row["about"]["constraint"]: row["about"]["status"] for row in rows} == {
        "/type": "no_fault", "/properties/id/type": "no_fault", "/properties/id/minimum": "no_fault",
        "/properties/tags/type": "no_fault", "/properties/tags/maxItems": "no_fault",
        "/properties/tags/items/enum": "no_fault", "/properties/sent/const": "not_reached",
        "/properties/note/anyOf": "conditional", "/properties/note/anyOf/0/type": "conditional",
        "/properties/note/anyOf/1/type": "conditional",
    }  # fmt: skip
    assert {(row["relation"], row["baseline"], row["variant"], row["obligation"]) for row in rows} == {(None,) * 4}


def test_a_fault_whose_label_does_not_count_exercises_nothing() -> None:
    assert "/required" in {row["about"].get("constraint") for row in made(DROP)}


def test_several_schemas_each_have_their_baselines_and_constraints() -> None:
    Path("doc.yaml").write_text("id: 3\n")
    rows = list(
        cases(
            operators=[{**DROP, **VALID}],
            seed=1,
            baselines=[{"id": "one", "schema": "order"}, {"id": "two", "schema": "any"}],
            **{
                "baseline one": write("one.json", SAMPLE),
                "baseline two": Path("doc.yaml"),
                "schema order": write("s.json", SCHEMA),
                "schema any": write("any.json", {"minProperties": 1}),
            },
        )
    )
    found = [(row["id"], row["about"]["schema"], row["baseline"]) for row in pairs(rows)]
    assert found == [
        ("one/drop_key/id", "order", {"schema": "order", "instance": SAMPLE}),
        ("two/drop_key/id", "any", {"schema": "any", "instance": {"id": 3}}),
    ]
    assert {row["about"]["schema"] for row in rows if row["family"] == UNEXERCISED} == {"order"}


UNFIT: dict[str, tuple[Callable[[], Any], str]] = {
    "no list": (lambda: write("b.json", {}), r"b\.json: expected a list of baselines, found {}"),
    "no sample": (lambda: write("b.jsonl", {"id": "a"}), r"b\.jsonl, line 1: expected the keys id, sample and"),
    "a key more": (lambda: write("b.json", [{"id": "a", "sample": 1, "x": 1}]), r"b\.json: \[0\]: expected the keys"),
    "an empty id": (lambda: write("b.json", [{"id": "", "sample": 1}]), r"id='', group='', schema=None; expected"),
    "an id that is a number": (lambda: write("b.json", [{"id": 1, "sample": 1}]), r"\[0\]: id=1, group=1, schema=None"),
    "an id twice": (lambda: write("b.json", [{"id": "a", "sample": {"id": 1}}] * 2), r"\[1\]: id='a' occurs twice"),
    "another schema": (
        lambda: write("b.json", [{"id": "a", "sample": 1, "schema": "x"}]), r"baseline 'a': schema='x': expected one of"
    ),
    "one that is not valid": (
        lambda: write("b.json", [{"id": "a", "sample": {"id": 0}}]),
        r"baseline 'a': /id breaks /properties/id/minimum of its schema; a baseline must be valid",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("baselines", "message"), UNFIT.values(), ids=UNFIT.keys())
def test_baselines_that_cannot_be_used_are_refused(baselines: Callable[[], Any], message: str) -> None:
    with pytest.raises(StudyError, match=message):
        made(DROP, baselines=baselines())


def test_an_entry_that_makes_no_case_is_refused() -> None:
    with pytest.raises(
        StudyError, match=r"cases\.operators\[0\]: 'drop_key' makes no case of 1 baselines: expected `at`"
    ):
        made({**DROP, "at": "$.nothing"})


# --- the entries of a study file --------------------------------------------------------------------------------

WRONG: dict[str, tuple[dict[str, Any], str, str]] = {
    "an operator nearly right": ({"use": "drop_keys"}, "use", "did you mean 'drop_key'?"),
    "one of several": ({"use": ["drop_key", "x"]}, "use", "'x': expected one of 'boolean_for_integer'"),
    "no pattern": ({"at": "items"}, "at", "pattern 'items': expected $ and steps"),
    "one of several patterns": ({"at": ["$.a", "$.."]}, "at", "pattern '$..'"),
    "an unknown obligation": ({"obligation": "kys"}, "obligation", "did you mean 'keys'?"),
    "a fault without ids": ({"expected": []}, "expected", "found [] of a fault; a fault names the ids it raises"),
    "a control with ids": ({"as": "control"}, "expected", "found 'schema' of a control"),
    "an unknown placeholder": (
        {"expected": ["a@{pth}"]},
        "expected",
        "{pth}: expected one of 'key', 'parent', 'path'; did",
    ),
    "an attribute of one": ({"expected": ["{path.real}"]}, "expected", "{path.real}: expected one of"),
    "valid without provenance": ({"validity": "valid"}, "validity", "'valid' without provenance"),
}


@pytest.mark.parametrize(("change", "key", "message"), WRONG.values(), ids=WRONG.keys())
def test_an_entry_that_cannot_be_meant_is_refused(change: dict[str, Any], key: str, message: str) -> None:
    found = dict(problems([DROP, {**DROP, **change}], obligations=["keys"], schema=True))
    assert list(found) == [(1, key)]
    assert message in found[1, key]


def test_ids_are_read_off_a_schema_only_if_there_is_one() -> None:
    (found,) = problems([DROP], obligations=["keys"], schema=False)
    assert found == ((0, "expected"), "'schema': expected the key cases.schema too, from which ids are read")


def test_the_page_of_operators_shows_entries_without_problems() -> None:
    page = (Path(__file__).parents[2] / "docs" / "operators.md").read_text("utf-8")
    shown = yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0])["cases"]
    assert list(problems(shown["operators"], obligations=["keys", "totals", "texts"], schema=True)) == []
    assert spelled_out(shown)["from"] == {"schema": shown["schema"], "baselines": shown["baselines"]}


STUDY: dict[str, Any] = {
    "study": "demo",
    "title": "Demo",
    "cases": {"operators": [{**DROP, **VALID}], "baselines": "studies/b.jsonl", "schema": "studies/s.json", "seed": 1},
    "obligations": [{"id": "keys", "description": "The id is there."}],
    "validators": [{"id": "schema", "schema": "studies/s.json"}],
    "tables": ["feasibility"],
}


def test_shorthands_are_spelled_out_as_a_generator_and_its_files() -> None:
    listed = [{"id": "a", "schema": "x", "file": "studies/a.json"}]
    source = {"operators": [DROP], "baselines": listed, "schema": {"x": "studies/x.json"}, "seed": 1, "verify": "m:f"}
    assert spelled_out(source) == {
        "generate": "mateprobe.pipeline.corpora.by_operators:cases", "seed": 1, "verify": "m:f",
        "with": {"operators": [DROP], "baselines": [{"id": "a", "schema": "x"}]},
        "from": {"schema x": "studies/x.json", "baseline a": "studies/a.json"},
    }  # fmt: skip
    assert spelled_out({"generate": "m:f"}) == {"generate": "m:f"}


def test_a_study_with_operators_and_a_schema_needs_no_code(bench: Bench) -> None:
    bench.write(STUDY)
    write("studies/b.jsonl", {"id": "one", "sample": SAMPLE})
    write("studies/s.json", SCHEMA)
    bench.judge()
    outcomes = [row for row in lines("results/demo/outcomes/schema.jsonl") if row["outcome"]]
    assert [(row["id"], row["outcome"], row["reported"]) for row in outcomes] == [
        ("one/drop_key/id", "detected", ["required@"])
    ]  # fmt: skip


BROKEN_STUDIES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "no seed": (lambda data: data["cases"].pop("seed"), "cases: expected beside operators the key seed, found none"),
    "no baselines": (lambda data: data["cases"].pop("baselines"), "expected beside operators the key baselines"),
    "baselines beside a generator": (
        lambda data: data.update(cases={"generate": "numbered:cases", "baselines": "studies/b.jsonl"}),
        "cases.baselines: expected it beside operators, found it beside generate",
    ),
    "a path that leaves": (
        lambda data: data["cases"].update(schema="studies/../s.json"), "cases.schema: expected pattern"
    ),
    "a misspelt key": (
        lambda data: data["cases"]["operators"][0].update(expect="schema"),
        "cases.operators[0].expect: unknown key; expected one of",
    ),
    "neither fault nor control": (
        lambda data: data["cases"]["operators"][0].update({"as": "faults"}),
        "cases.operators[0].as: found 'faults'; expected one of 'control', 'fault'; did you mean 'fault'?",
    ),
    "an unknown operator": (
        lambda data: data["cases"]["operators"][0].update(use="drop"), "cases.operators[0].use: 'drop': expected one of"
    ),
    "an unknown archive": (
        lambda data: data.update(cases={"generate": "numbered:cases", "archive": "suite"}),
        "cases.archive: archive 'suite': expected one of (there are none), a pins file in studies/_frozen",
    ),
    "a validator's schema elsewhere": (
        lambda data: data["validators"][0].update(schema={"a": "/etc/passwd"}),
        "validators[0].schema.a: expected pattern",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "message"), BROKEN_STUDIES.values(), ids=BROKEN_STUDIES.keys())
def test_a_study_that_cannot_be_meant_is_refused_with_its_place(
    bench: Bench, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    data = json.loads(json.dumps(STUDY))
    change(data)
    bench.write(data)
    ended = bench.run("cases")
    assert (ended.code, message in ended.said, "studies/demo.yaml:" in ended.said) == (2, True, True), ended.said


def test_the_files_of_a_study_are_inputs_of_its_stages(bench: Bench) -> None:
    bench.write(STUDY)
    write("studies/b.jsonl", {"id": "one", "sample": SAMPLE})
    write("studies/s.json", SCHEMA)
    assert bench.run("cases") == Ended(0, "cases: made")
    assert bench.run("observe", "--validator", "schema") == Ended(0, "observe: made")
    assert bench.run("observe", "--validator", "schema") == Ended(0, "observe: restored\n")
    write("studies/s.json", {**SCHEMA, "title": "Another"})
    assert bench.run("observe", "--validator", "schema") == Ended(0, "observe: made")
    receipt = json.loads(Path("results/demo/receipts/cases.json").read_text())
    assert set(receipt["inputs"]) == {"studies/b.jsonl", "studies/s.json"}
    assert yaml.safe_load(Path("studies/demo.yaml").read_text()) == STUDY
