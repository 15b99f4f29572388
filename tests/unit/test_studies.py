"""A study file is checked as a whole before anything runs; every problem names file, line and key."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from mateprobe.errors import StudyError
from mateprobe.pipeline.section import parameters, section_json
from mateprobe.pipeline.studies import Study, load_studies, load_study
from mateprobe.pipeline.study_problems import RESERVED

REPOSITORY = Path(__file__).parents[2]
PROFILE = {
    "contracts": [
        {"type": "RequiredFact", "rule_id": "fact", "key": "status", "expected": "pending"},
        {"type": "ForbiddenPattern", "rule_id": "formula", "patterns": ["well"], "surface_ids": ["body"]},
    ],
    "policy": {"block_heuristics": True},
}
STUDY: dict[str, Any] = {
    "study": "demo",
    "title": "Demo",
    "cases": {"generate": "mine:cases", "seed": 1, "with": {"number": 2}},
    "obligations": [{"id": "fact", "description": "It is pending."}, {"id": "formula", "description": "No phrase."}],
    "validators": [{"id": "strict", "contracts": "_profiles/p.yaml"}, {"id": "own", "callable": "mine:ask"}],
    "tables": ["feasibility"],
}
AGREEMENT = {
    "kind": "campaign",
    "validator": "strict",
    "frozen": {"report": "r.json", "corpus": "c.json", "summary": "s.json"},
}
Change = Callable[[dict[str, Any]], Any]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("_profiles", "_code"):
        Path("studies", name).mkdir(parents=True)
    Path("studies/_code/mine.py").write_text("def cases(): ...\ndef ask(): ...\n")
    write("_profiles/p.yaml", PROFILE)
    write("demo.yaml", STUDY)
    return Path("studies")


def write(name: str, content: dict[str, Any]) -> None:
    Path("studies", name).write_text(yaml.safe_dump(content, sort_keys=False))


def problems(load: Callable[[], object]) -> list[str]:
    with pytest.raises(StudyError) as refusal:
        load()
    return str(refusal.value).splitlines()


def edited(change: Change) -> dict[str, Any]:
    data = deepcopy(STUDY)
    change(data)
    return data


def test_a_study_is_its_file_with_its_profiles_filled_in(folder: Path) -> None:
    study = load_study(folder / "demo.yaml")
    filled = {"id": "strict", "contracts": PROFILE["contracts"], "policy": PROFILE["policy"]}
    assert study.data == {**STUDY, "validators": [filled, STUDY["validators"][1]]}
    assert (study.id, study.validators, study.tables) == ("demo", ("strict", "own"), ("feasibility",))


def test_studies_come_in_the_order_of_their_ids_and_others_are_left_alone(folder: Path) -> None:
    write("zoo.yml", {**STUDY, "study": "zoo"})
    write("ape.yaml", {**STUDY, "study": "ape"})
    (folder / "_draft.yaml").write_text("not: a study")
    (folder / "notes.txt").write_text("nor is this")
    assert list(load_studies(folder)) == ["ape", "demo", "zoo"]
    assert list(load_studies(folder, only=["zoo", "demo", "zoo"])) == ["demo", "zoo"]


# --- one problem, one line --------------------------------------------------------------------------------------

PROBLEMS: dict[str, tuple[Change, str]] = {
    "an unknown key": (
        lambda data: data.update(validator=[]),
        r"20: validator: unknown key; expected one of .*; did you mean 'validators'\?",
    ),
    "an unknown key below": (
        lambda data: data["cases"].update(sead=2),
        r"8: cases.sead: unknown key; expected one of .*; did you mean 'seed'\?",
    ),
    "an unknown key of a validator": (
        lambda data: data["validators"][1].update(contract="x"),
        r"18: validators\[1\].contract: unknown key; .*; did you mean 'contracts'\?",
    ),
    "a missing key": (
        lambda data: data.pop("title"),
        r"1: \(top level\): expected the key 'title', found \['cases', 'obligations', .*\]",
    ),
    "two missing keys": (
        lambda data: (data.pop("title"), data.pop("validators")),
        r"1: \(top level\): expected the key 'title' and 'validators', found \[.*\]",
    ),
    "text for a number": (
        lambda data: data["cases"].update(seed="1"),
        r'5: cases.seed: expected type "integer" \(.*\), found "1"',
    ),
    "no cases at all": (
        lambda data: data.update(cases={}),
        r"3: cases: expected exactly one of the keys \['generate', 'evidence'.*\], found \[\]",
    ),
    "two sources of cases": (
        lambda data: data["cases"].update(evidence="x.json"),
        r"3: cases: expected exactly one of the keys \['generate', 'evidence'.*\], found \['ev.*",
    ),
    "a validator that is two": (
        lambda data: data["validators"][0].update(callable="mine:ask"),
        r"14: validators\[0\]: expected exactly one of the keys .*, found \['callable', 'contracts'.*",
    ),
    "no validators": (
        lambda data: data.update(validators=[]),
        r"13: validators: expected minItems 1 \(Who is asked.*\), found \[\]",
    ),
    "a word out of place": (
        lambda data: data["obligations"][0].update(scope="challange"),
        r"11: obligations\[0\].scope: found 'challange'; expected one of .*; did you mean 'challenge'\?",
    ),
    "an id that is no file name": (
        lambda data: data["validators"][0].update(id="../up"),
        r'14: validators\[0\].id: expected pattern .*, found "../up"',
    ),
    "an id with a line break": (
        lambda data: data["validators"][0].update(id="up\n"),
        r'14: validators\[0\].id: expected pattern .*, found "up\\n"',
    ),
    "code that is no module and function": (
        lambda data: data["cases"].update(generate="os.system('ls')"),
        r"4: cases.generate: expected pattern .*, found \"os.system\('ls'\)\"",
    ),
    "another id than the file's name": (
        lambda data: data.update(study="demos"),
        r"1: study: found 'demos'; expected 'demo', the name of the file",
    ),
    "a validator twice": (
        lambda data: data["validators"][1].update(id="strict"),
        r"16: validators\[1\].id: 'strict' stands twice; ids must be unique",
    ),
    "an obligation twice": (
        lambda data: data["obligations"][1].update(id="fact"),
        r"11: obligations\[1\].id: 'fact' stands twice; ids must be unique",
    ),
    "a table nobody knows": (
        lambda data: data.update(tables=["feasability"]),
        r"19: tables\[0\]: 'feasability': expected one of .*; did you mean 'feasibility'\?",
    ),
    "a table of what the study does not make": (
        lambda data: data.update(tables=["agreement"]),
        r"19: tables\[0\]: 'agreement': expected the key agreement, which makes its rows",
    ),
    "an agreement of no validator": (
        lambda data: data.update(agreement={**AGREEMENT, "validator": "strikt"}),
        r"\d+: agreement.validator: 'strikt': expected one of 'own', 'strict'; did you mean 'strict'\?",
    ),
    "an agreement without a report": (
        lambda data: data.update(agreement={**AGREEMENT, "frozen": {"corpus": "c.json", "summary": "s.json"}}),
        r"\d+: agreement.frozen: expected the key 'report', found \['corpus', 'summary'\]",
    ),
    "an agreement of shards": (
        lambda data: data.update(agreement=AGREEMENT, shards=2),
        r"\d+: shards: a study with an agreement has one shard; remove the key",
    ),
    "an evidence member outside of the evidence": (
        lambda data: data.update(cases={"evidence": "../../secret.json"}),
        r'4: cases.evidence: expected pattern .*, found "../../secret.json"',
    ),
    "a file for the generator outside of the project": (
        lambda data: data["cases"].update({"from": {"path": "results/../../secret.json"}}),
        r'9: cases.from.path: expected pattern .*, found "results/../../secret.json"',
    ),
    "a recorded profile outside of the project": (
        lambda data: (
            data["validators"][1].update(configuration="studies/../x.json") or data["validators"][1].pop("callable")
        ),
        r'17: validators\[1\].configuration: expected pattern .*, found "studies/../x.json"',
    ),
    "code outside of the code folder": (
        lambda data: data["cases"].update(generate="os:listdir"),
        r"4: cases.generate: module 'os': expected one below mateprobe.pipeline.corpora, or a file .*",
    ),
    "code that is not there": (
        lambda data: data["validators"][1].update(callable="mateprobe.pipeline.corpora.nowhere:ask"),
        r"17: validators\[1\].callable: module 'mateprobe.pipeline.corpora.nowhere' is not found in .*",
    ),
    "an oracle outside of the code folder": (
        lambda data: data["cases"].update(verify="shutil:rmtree"),
        r"8: cases.verify: module 'shutil': expected one below mateprobe.pipeline.corpora, or a file .*",
    ),
    "a profile that is not there": (
        lambda data: data["validators"][0].update(contracts="_profiles/q.yaml"),
        r"15: validators\[0\].contracts: .*='_profiles/q.yaml': expected a file below studies, found none",
    ),
    "a profile elsewhere": (
        lambda data: data["validators"][0].update(contracts="../p.yaml"),
        r"15: validators\[0\].contracts: .*='../p.yaml': expected a path that stays below studies",
    ),
    "a profile at the root": (
        lambda data: data["validators"][0].update(contracts="/etc/passwd"),
        r"15: validators\[0\].contracts: .*='/etc/passwd': expected a path that stays below studies",
    ),
    "a profile behind a link": (
        lambda data: data["validators"][0].update(contracts="_profiles/link.yaml"),
        r"15: validators\[0\].contracts: .*: expected a path that stays below studies",
    ),
}


@pytest.mark.parametrize(("change", "message"), PROBLEMS.values(), ids=PROBLEMS.keys())
def test_a_problem_is_told_once_with_file_line_and_key(folder: Path, change: Change, message: str) -> None:
    Path("p.yaml").write_text(yaml.safe_dump(PROFILE))
    (folder / "_profiles" / "link.yaml").symlink_to(Path("p.yaml").resolve())
    write("demo.yaml", edited(change))
    (found,) = problems(lambda: load_study(folder / "demo.yaml"))
    assert_matches(found, f"studies/demo.yaml:{message}")


def assert_matches(found: str, message: str) -> None:
    assert re.fullmatch(message, found), found


@pytest.mark.parametrize("id", ["all", "cases", "evidence", "figures", "logs", "tables"])
def test_a_study_may_not_have_the_name_of_a_rule_or_of_a_folder_of_results(folder: Path, id: str) -> None:
    write(f"{id}.yaml", {**STUDY, "study": id})
    (found,) = problems(lambda: load_studies(folder))
    assert found == f"studies/{id}.yaml:1: study: {id!r} is a rule or a folder of results; choose another id"


def test_the_names_no_study_may_have_include_every_rule_of_the_workflow() -> None:
    sources = [REPOSITORY / "Snakefile", *REPOSITORY.glob("workflow/rules/*.smk")]
    rules = {name for path in sources for name in re.findall(r"^rule (\w+):", path.read_text("utf-8"), re.MULTILINE)}
    assert rules - RESERVED == set()


BAD_PROFILES: dict[str, tuple[Change, str]] = {
    "an unknown rule": (
        lambda profile: profile["contracts"][0].update(type="RequiredFacts"),
        r".*RequiredFacts.*did you mean 'RequiredFact'.*",
    ),
    "a bad regex": (lambda profile: profile["contracts"][1].update(patterns=["well", "(open"]), r".*\(open.*"),
    "an unknown setting": (lambda profile: profile["contracts"][0].update(kee="x"), r".*contracts\[0\].*kee.*"),
    "a missing setting": (lambda profile: profile["contracts"][0].pop("key"), r".*contracts\[0\].*key.*"),
    "a number for text": (lambda profile: profile["contracts"][0].update(rule_id=3), r".*contracts\[0\].*rule_id.*3.*"),
    "an unknown policy": (lambda profile: profile["policy"].update(block_all=True), r".*policy.*block_all.*"),
    "no contracts": (lambda profile: profile.pop("contracts"), r".*: expected the keys contracts and.*"),
    "another key": (lambda profile: profile.update(contract=1), r".*: expected the keys contracts and.*"),
}


@pytest.mark.parametrize(("change", "message"), BAD_PROFILES.values(), ids=BAD_PROFILES.keys())
def test_a_problem_of_a_profile_names_both_files(folder: Path, change: Change, message: str) -> None:
    profile = deepcopy(PROFILE)
    change(profile)
    write("_profiles/p.yaml", profile)
    (found,) = problems(lambda: load_study(folder / "demo.yaml"))
    where = r"studies/demo.yaml:15: validators\[0\].contracts: studies/_profiles/p.yaml"
    assert_matches(found, where + message)


def test_a_number_of_a_profile_that_is_not_finite_names_its_line(folder: Path) -> None:
    (folder / "_profiles" / "p.yaml").write_text(
        "contracts:\n- {type: RequiredFact, rule_id: a, key: b, expected: .inf}\n"
    )
    (found,) = problems(lambda: load_study(folder / "demo.yaml"))
    assert ": studies/_profiles/p.yaml:2: '.inf' is read as tag:yaml.org,2002:float; expected plain data" in found


# --- all problems at once ---------------------------------------------------------------------------------------


def test_all_problems_of_all_files_are_told_together(folder: Path) -> None:
    write("demo.yaml", edited(lambda data: data["cases"].update(seed="1", sead=2)))
    write("other.yaml", edited(lambda data: data["validators"][1].update(id="strict")))
    (folder / "worse.yaml").write_text("a: }\n")
    found = problems(lambda: load_studies(folder))
    assert [line.split(": ")[:2] for line in found] == [
        ["studies/demo.yaml:8", "cases.sead"],
        ["studies/demo.yaml:5", "cases.seed"],
        ["studies/other.yaml:1", "study"],
        ["studies/other.yaml:16", "validators[1].id"],
        ["studies/worse.yaml:1", "expected YAML"],
    ]


def test_two_studies_with_one_id_are_refused(folder: Path) -> None:
    write("demo.yml", STUDY)
    assert problems(lambda: load_studies(folder)) == [
        "studies/demo.yml: study 'demo' is also studies/demo.yaml; ids must be unique"
    ]


def test_a_study_that_is_asked_for_and_not_there_is_named(folder: Path) -> None:
    assert problems(lambda: load_studies(folder, only=["dem"])) == [
        "studies: study 'dem': expected one of 'demo'; did you mean 'demo'?"
    ]


def test_a_folder_without_studies_is_refused(tmp_path: Path) -> None:
    assert problems(lambda: load_studies(tmp_path)) == [f"{tmp_path}: expected study files *.yaml, found none"]


def test_an_empty_file_is_no_study(folder: Path) -> None:
    (folder / "demo.yaml").write_text("")
    (found,) = problems(lambda: load_study(folder / "demo.yaml"))
    assert_matches(found, r'studies/demo.yaml:1: \(top level\): expected type "object" \(.*\), found null')


# --- sections ---------------------------------------------------------------------------------------------------

STAGES = {
    "cases": None,
    "observe strict": "strict",
    "observe own": "own",
    "outcomes": None,
    "summary": None,
    "statistics": None,
    "gate": None,
    "manifest": None,
}
TOUCHED: dict[str, tuple[Change, set[str]]] = {
    "the title": (lambda data: data.update(title="Another"), set()),
    "the description": (lambda data: data.update(description="Longer"), set()),
    "the tables": (lambda data: data.update(tables=[]), set()),
    "the seed": (lambda data: data["cases"].update(seed=2), {"cases"}),
    "the generator's arguments": (lambda data: data["cases"]["with"].update(number=3), {"cases"}),
    "the wording of an obligation": (lambda data: data["obligations"][0].update(description="So."), {"summary"}),
    "a validator's arguments": (lambda data: data["validators"][1].update({"with": {"a": 1}}), {"observe own"}),
    "the comparators": (lambda data: data.update(comparators=["boolean"]), {"outcomes"}),
    "a threshold": (lambda data: data["gate"].update(detection=0.9), {"gate"}),
}


@pytest.mark.parametrize(("change", "stages"), TOUCHED.values(), ids=TOUCHED.keys())
def test_a_change_reaches_the_sections_it_concerns_and_no_other(folder: Path, change: Change, stages: set[str]) -> None:
    def sections() -> dict[str, str]:
        study = load_study(folder / "demo.yaml")
        return {name: section_json(study.section(name.split()[0], validator)) for name, validator in STAGES.items()}

    gated = {**STUDY, "gate": {"validator": "own"}}
    write("demo.yaml", gated)
    before = sections()
    data = deepcopy(gated)
    change(data)
    write("demo.yaml", data)
    assert {name for name, section in sections().items() if section != before[name]} == stages


def test_where_a_study_lies_reaches_the_stages_that_look_there_and_no_result(folder: Path) -> None:
    def sections(study: Study) -> dict[str, dict[str, Any]]:
        return {name: study.section(name.split()[0], validator) for name, validator in STAGES.items() if name != "gate"}

    here = sections(load_study(folder / "demo.yaml"))
    there = sections(load_study(folder.rename("elsewhere") / "demo.yaml"))
    assert {name for name in here if here[name] != there[name]} == {"cases", "observe strict", "observe own"}
    assert {name for name in here if parameters(here[name]) != parameters(there[name])} == set()


GATES: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "none": ([], []),
    "one": ({"validator": "own"}, [{"validator": "own", "detection": 1.0, "preservation": 1.0}]),
    "two": (
        [{"validator": "own", "detection": 0.5}, {"validator": "strict", "preservation": 0}],
        [
            {"validator": "own", "detection": 0.5, "preservation": 1.0},
            {"validator": "strict", "detection": 1.0, "preservation": 0},
        ],
    ),
}


@pytest.mark.parametrize(("given", "gates"), GATES.values(), ids=GATES.keys())
def test_a_gate_asks_for_everything_it_does_not_say_otherwise(
    folder: Path, given: Any, gates: list[dict[str, Any]]
) -> None:
    write("demo.yaml", {**STUDY, "gate": given} if given else STUDY)
    study = load_study(folder / "demo.yaml")
    assert (study.gates, "gate" in study.stages) == (gates, bool(gates))


def test_a_study_without_tables_may_not_have_the_name_of_one(folder: Path) -> None:
    write("confusion.yaml", {**{key: STUDY[key] for key in STUDY if key != "tables"}, "study": "confusion"})
    (found,) = problems(lambda: load_study(folder / "confusion.yaml"))
    expected = "'confusion' is a table; choose another id, or name the study's tables"
    assert found == f"studies/confusion.yaml:1: study: {expected}"
    write("confusion.yaml", {**STUDY, "study": "confusion"})
    assert load_study(folder / "confusion.yaml").tables == ("feasibility",)


def test_a_change_of_a_profile_reaches_its_validator_alone(folder: Path) -> None:
    before = load_study(folder / "demo.yaml")
    write("_profiles/p.yaml", {**PROFILE, "policy": {}})
    after = load_study(folder / "demo.yaml")
    assert before.section("observe", "strict") != after.section("observe", "strict")
    assert before.section("observe", "own") == after.section("observe", "own")


def test_a_stage_or_validator_that_is_not_there_is_named(folder: Path) -> None:
    study = load_study(folder / "demo.yaml")
    assert_matches(problems(lambda: study.section("outcome"))[0], r"studies/demo.yaml: .* did you mean 'outcomes'\?")
    assert_matches(
        problems(lambda: study.section("observe", "strickt"))[0],
        r"studies/demo.yaml: validator 'strickt': expected one of 'own', 'strict'; did you mean 'strict'\?",
    )


# --- the studies of this repository -----------------------------------------------------------------------------


def test_every_study_of_the_repository_loads_and_points_editors_at_the_schema(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(REPOSITORY)
    studies = load_studies()
    assert {"feasibility", "feasibility_published"} <= studies.keys()
    for study in studies.values():
        first, _ = study.path.read_text("utf-8").split("\n", 1)
        assert first == "# yaml-language-server: $schema=../mateprobe/schemas/study.schema.json"
