"""A study's cases may lie in a file of the user's: what is left out is filled in, what is wrong has a place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from mateprobe.canonical import digest
from mateprobe.errors import MateProbeError
from mateprobe.pipeline.file_cases import file_cases
from tests.unit.conftest import Bench, Ended, left, lines, row, study

BARE: dict[str, Any] = {
    "id": "a",
    "obligation": "sign",
    "relation": "preserve",
    "baseline": {"n": 1},
    "variant": {"n": 2},
}
FILLED = {
    **BARE,
    "expected": [],
    "validity": "unreviewed",
    "provenance": "",
    "family": "sign",
    "group": digest({"n": 1}),
}
FULL = row("b")
WRITTEN: dict[str, str] = {
    "cases.json": json.dumps([BARE, FULL], indent=1),
    "cases.jsonl": f"{json.dumps(BARE)}\n{json.dumps(FULL)}\n",
    "cases.yaml": yaml.safe_dump([BARE, FULL]),
    "cases.yml": yaml.safe_dump({"cases": [BARE, FULL]}),
    "cases.csv": "id,obligation,relation,expected,validity,provenance,group,family,baseline,variant\n"
    'a,sign,preserve,,,,,,"{""n"": 1}","{""n"": 2}"\n'
    'b,sign,violation,sign/NEGATIVE@n,valid,the sign was flipped by hand,g,flip,"{""n"": 1}","{""n"": -1}"\n',
}


@pytest.mark.parametrize(("name", "text"), WRITTEN.items(), ids=WRITTEN.keys())
def test_every_form_holds_the_same_cases_and_what_is_left_out_is_filled_in(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    assert list(file_cases(tmp_path / name)) == [FILLED, FULL]


PLACES = {"cases.json": "$[1]", "cases.jsonl": "line 2", "cases.yaml": ":8: [1]", "cases.csv": "line 3"}


@pytest.mark.parametrize(("name", "place"), PLACES.items(), ids=PLACES.keys())
def test_a_case_knows_where_it_stands(tmp_path: Path, name: str, place: str) -> None:
    (tmp_path / name).write_text(WRITTEN[name])
    _, case = file_cases(tmp_path / name)
    assert case.place.endswith(place)
    assert case.place.startswith(str(tmp_path / name))


REFUSED: dict[str, tuple[str, str, str]] = {
    "an object of other things": (
        "cases.json",
        '{\n"rows": []}',
        "cases.json: $: expected a list of cases, alone or under",
    ),
    "obligations of its own": (
        "cases.json",
        '{"cases": [], "obligations": []}',
        "cases.json: $: expected a list of cases",
    ),
    "a text": ("cases.yaml", "just words", "cases.yaml: expected a list of cases"),
    "nothing": ("cases.yaml", "", "cases.yaml: expected a list of cases"),
    "a case that is none": ("cases.yaml", "- 3", "cases.yaml:1: [0]: expected a case, found 3"),
    "a line that is no case": ("cases.jsonl", "{}\n[]\n", "cases.jsonl, line 2: expected a case, found []"),
    "no JSON": ("cases.jsonl", "{}\n{\n", "cases.jsonl, line 2, column 1: not JSON"),
}


@pytest.mark.parametrize(("name", "text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_file_that_holds_no_cases_is_refused_with_the_place(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(MateProbeError) as refusal:
        list(file_cases(tmp_path / name))
    assert str(refusal.value).startswith(f"{tmp_path}/{message}")


# --- the stage --------------------------------------------------------------------------------------------------


def from_file(bench: Bench, name: str, text: str) -> Ended:
    bench.write(study(cases={"file": f"_cases/{name}"}))
    path = Path("studies/_cases", name)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return bench.run("cases")


@pytest.mark.parametrize(("name", "text"), WRITTEN.items(), ids=WRITTEN.keys())
def test_the_cases_of_a_study_are_those_of_its_file_in_every_form(bench: Bench, name: str, text: str) -> None:
    assert from_file(bench, name, text) == Ended(0, "cases: made")
    kept = [{key: case[key] for key in FILLED} for case in lines("results/demo/cases.jsonl")]
    assert kept == [FILLED, FULL]


def test_the_cases_of_one_study_can_be_the_file_of_another(bench: Bench) -> None:
    from_file(bench, "cases.csv", WRITTEN["cases.csv"])
    made = Path("results/demo/cases.jsonl").read_text()
    assert from_file(bench, "cases.jsonl", made).code == 0
    assert Path("results/demo/cases.jsonl").read_text() == made


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown obligation": ({"obligation": "signs"}, "case 'a' obligation='signs': .*; did you mean 'sign'?"),
    "an unknown relation": ({"relation": "control"}, "case 'a' relation='control': expected one of"),
    "a valid label of nobody": ({"validity": "valid"}, "case 'a' is labelled valid without provenance"),
    "an unknown key": ({"comment": "x"}, "case 'a' has the keys "),
    "an id that is no text": ({"id": 3}, "case 3 id=3; expected text"),
}


@pytest.mark.parametrize(("changes", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_case_that_says_not_what_it_must_is_told_with_its_line(
    bench: Bench, changes: dict[str, Any], message: str
) -> None:
    ended = from_file(bench, "cases.jsonl", f"{json.dumps(FULL)}\n{json.dumps({**BARE, **changes})}\n")
    assert (ended.code, left()) == (2, [])
    assert ended.said.startswith(f"cases: studies/_cases/cases.jsonl, line 2: {message.partition('.*')[0]}")
    assert message.rpartition(".*")[2] in ended.said


def test_a_file_that_was_replaced_by_a_link_to_elsewhere_is_not_read(bench: Bench) -> None:
    from_file(bench, "cases.csv", WRITTEN["cases.csv"])
    section = json.dumps(
        {"study": "demo", "cases": {"file": "_cases/link.csv"}, "obligations": ["sign"], "folder": "studies"}
    )
    Path("secret.csv").write_text(WRITTEN["cases.csv"])
    Path("studies/_cases/link.csv").symlink_to(Path("secret.csv").resolve())
    ended = bench.run("cases", "--section", section)
    assert ended == Ended(2, "cases: cases.file='_cases/link.csv': expected a path that stays below studies\n")


def test_the_folder_of_a_study_is_no_part_of_what_its_cases_are(bench: Bench) -> None:
    from_file(bench, "cases.csv", WRITTEN["cases.csv"])
    before = Path("results/demo/cases.jsonl").read_bytes()
    Path("studies").rename("elsewhere")
    assert bench.run("cases", "--studies", "elsewhere") == Ended(0, "cases: restored\n")
    assert Path("results/demo/cases.jsonl").read_bytes() == before
