"""A claim is computed again where it says, and a list of claims that cannot be used is refused with its place."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from mateprobe.errors import StudyError
from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.claims import load_claims, numbers_text
from mateprobe.pipeline.selections import resolve, select
from tests.unit.conftest import left

ROOT = Path(__file__).parents[2]
ARTIFACT = "results/demo/summary.json"
CONTENT = {
    "cases": 1152,
    "order": ["a", "b"],
    "validators": {"a": {"total": 3, "rate": 0.8}, "b": {"total": 4, "rate": None}},
    "odd~/key": 1,
}
TABLE = {
    "columns": ["study", "kind", "n"],
    "rows": [["x", "all", 2], ["x", "some", 3], ["y", "all", 5], ["y", 1, 7], ["y", True, 9]],
}

SELECTIONS: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "a pointer": (CONTENT, {"pointer": "/validators/a/rate"}, 0.8),
    "the empty pointer is the whole": (CONTENT, {"pointer": ""}, CONTENT),
    "an escaped pointer": (CONTENT, {"pointer": "/odd~0~1key"}, 1),
    "a place in a list": (CONTENT, {"pointer": "/order/1"}, "b"),
    "a count": (CONTENT, {"count": "/order"}, 2),
    "a cell": (TABLE, {"cell": {"study": "x", "kind": "all", "column": "n"}}, 2),
    "a cell beside one that only equals it": (TABLE, {"cell": {"study": "y", "kind": 1, "column": "n"}}, 7),
    "rows": (TABLE, {"rows": {"study": "y"}}, 3),
    "no rows": (TABLE, {"rows": {"study": "z"}}, 0),
    "a sum over rows": (TABLE, {"sum": {"kind": "all", "column": "n"}}, 7),
    "a sum over a pointer": (CONTENT, {"sum": "/validators/*/total"}, 7),
}


@pytest.mark.parametrize(("content", "claim", "value"), SELECTIONS.values(), ids=SELECTIONS.keys())
def test_a_selection_finds(content: Any, claim: dict[str, Any], value: Any) -> None:
    assert select(content, claim) == value


NOWHERE: dict[str, tuple[Any, dict[str, Any]]] = {
    "a key that is not there": (CONTENT, {"pointer": "/validators/c"}),
    "a place beyond the list": (CONTENT, {"pointer": "/order/2"}),
    "a place before the list": (CONTENT, {"pointer": "/order/-1"}),
    "a step into a number": (CONTENT, {"pointer": "/cases/1"}),
    "no slash": (CONTENT, {"pointer": "cases"}),
    "the length of a number": (CONTENT, {"count": "/cases"}),
    "no row": (TABLE, {"cell": {"study": "z", "column": "n"}}),
    "several rows": (TABLE, {"cell": {"study": "x", "column": "n"}}),
    "no such column": (TABLE, {"cell": {"studie": "x", "column": "n"}}),
    "a sum over nothing": (TABLE, {"sum": {"study": "z", "column": "n"}}),
    "a sum over words": (TABLE, {"sum": {"study": "x", "column": "kind"}}),
    "a pointer to nothing at all": ({"validators": {}}, {"sum": "/validators/*/total"}),
}


@pytest.mark.parametrize(("content", "claim"), NOWHERE.values(), ids=NOWHERE.keys())
def test_a_selection_that_leads_nowhere_is_an_error(content: Any, claim: dict[str, Any]) -> None:
    with pytest.raises((KeyError, IndexError, ValueError, TypeError)):
        select(content, claim)


def test_a_pointer_is_not_a_star() -> None:
    with pytest.raises(KeyError):
        resolve(CONTENT, "/validators/*/total")


# --- the list ---------------------------------------------------------------------------------------------------


def claim(**changes: Any) -> dict[str, Any]:
    return {"says": "cases", "expected": 1152, "artifact": ARTIFACT, "pointer": "/cases"} | changes


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in claim().items() if name != key}


REFUSED: dict[str, tuple[Any, str]] = {
    "an empty file": (None, r"claims.yaml: expected sections with claims, found none"),
    "numbers of our own alone": (
        {"own": {"n": without("expected")}},
        r"claims.yaml: expected sections with claims, found none",
    ),
    "a section that is a list": ({"s": [claim()]}, r"claims.yaml:1: s: expected claims by name, found \[.*"),
    "a claim that is a number": ({"s": {"n": 3}}, r"claims.yaml:2: s.n: expected the keys .*, found 3"),
    "nothing to compare with": ({"s": {"n": without("expected")}}, r"claims.yaml:2: s.n: expected the keys .*"),
    "no selection": ({"s": {"n": without("pointer")}}, r"claims.yaml:2: s.n: expected .* one of .*'pointer'.*"),
    "two selections": ({"s": {"n": claim(count="/order")}}, r"claims.yaml:2: s.n: expected .* one of .*"),
    "a key misspelt": (
        {"s": {"n": claim(expect=3)}},
        r"claims.yaml:2: s.n: unknown key; expected one of .*; did you mean 'expected'\?",
    ),
    "an artifact elsewhere": (
        {"s": {"n": claim(artifact="/etc/passwd")}},
        r"claims.yaml:2: s.n: artifact='/etc/passwd': expected a path below results/",
    ),
    "an artifact above": (
        {"s": {"n": claim(artifact="results/../secret")}},
        r"claims.yaml:2: s.n: artifact='results/../secret': expected a path below results/",
    ),
    "a number of our own with an expectation": (
        {"s": {"n": claim()}, "own": {"m": claim()}},
        r"claims.yaml:\d+: own.m: unknown key; .*",
    ),
    "not computed, for no reason": (
        {"s": {"n": claim()}, "not_computed": {"m": {"says": "x", "stated": 1}}},
        r"claims.yaml:\d+: not_computed.m: expected the keys says, stated and reason, found .*",
    ),
}


@pytest.mark.parametrize(("content", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_list_that_cannot_be_used_is_refused(tmp_path: Path, content: Any, message: str) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    with pytest.raises(StudyError) as error:
        load_claims(path)
    assert re.fullmatch(message, str(error.value).removeprefix(f"{tmp_path}/")), str(error.value)


def test_the_list_of_the_paper_is_one_and_names_over_a_hundred_numbers() -> None:
    claims = load_claims(ROOT / "paper" / "claims.yaml")
    assert len(claims.stated) > 100
    assert {id.partition(".")[0].partition("_")[0] for id in claims.stated} == {"abstract", "section"}


# --- the stage --------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MATEPROBE_CACHE", raising=False)
    Path(ARTIFACT).parent.mkdir(parents=True)
    Path(ARTIFACT).write_text(json.dumps(CONTENT))
    return tmp_path


def run(content: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    Path("claims.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    code = main(["claims", "--claims", "claims.yaml"])
    return code, capsys.readouterr().err


def test_claims_are_written_with_value_and_hash_and_numbers_for_the_paper(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = {"says": "a rate", "artifact": ARTIFACT, "pointer": "/validators/a/rate"}
    missing = {"says": "a seed", "stated": 1, "reason": "an input"}
    assert run({"s": {"n": claim()}, "own": {"rate": own}, "not_computed": {"seed": missing}}, capsys)[0] == 0
    written = json.loads(Path("results/paper/claims.json").read_text())
    sha256 = hashlib.sha256(Path(ARTIFACT).read_bytes()).hexdigest()
    assert written == {
        "claims": [claim(id="s.n", value=1152, agrees=True, sha256=sha256)],
        "own": [{**own, "id": "own.rate", "value": 0.8, "sha256": sha256}],
        "not_computed": [{**missing, "id": "not_computed.seed"}],
        "stated": 1,
    }
    numbers = Path("results/paper/numbers.typ").read_text()
    assert '"s.n": "1,152",' in numbers
    assert '"own.rate": "80.0%",' in numbers


DIFFERENT = {
    "another number": (1151, "1151"),
    "the same number of another type": (1152.0, "1152.0"),
    "the same number as a word": ("1152", "'1152'"),
}


@pytest.mark.parametrize(("expected", "shown"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_a_difference_fails_the_stage_and_nothing_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str], expected: Any, shown: str
) -> None:
    before = left()
    said = f"claims: 1 of 2 claims differ:\ns.m: stated {shown}, computed 1152 ({ARTIFACT})\n"
    assert run({"s": {"m": claim(expected=expected), "n": claim()}}, capsys) == (1, said)
    assert left() == before


def test_a_claim_that_leads_nowhere_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = run({"s": {"n": claim(pointer="/case")}}, capsys)
    assert (code, said) == (2, f"claims: claim 's.n': {ARTIFACT}: its selection leads nowhere: 'case'\n")


def test_a_missing_artifact_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gone = "results/gone/summary.json"
    code, said = run({"s": {"n": claim(artifact=gone)}}, capsys)
    assert (code, said) == (2, f"claims: claims: input '{gone}': no file {gone}; run the stage that makes it\n")


def test_numbers_are_shown_in_figures_percent_and_letters() -> None:
    assert numbers_text({"a.count": 1234, "a.few": 8, "a.rate": 2 / 3, "a.ratio": "0/96", "a.long": 12.3}) == (
        '#let n(id) = (\n  "a.count": "1,234",\n  "a.few": "8",\n  "a.long": "12.3",\n'
        '  "a.rate": "0.6666666666666666",\n  "a.ratio": "0/96",\n).at(id)\n'
        '#let share(id) = (\n  "a.rate": "66.7%",\n).at(id)\n'
        '#let word(id) = (\n  "a.few": "eight",\n).at(id)\n'
    )


def test_a_function_without_numbers_is_still_one() -> None:
    assert "#let share(id) = (:\n).at(id)\n" in numbers_text({"a.few": 8})
