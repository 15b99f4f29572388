"""An audit without the pipeline: one file says what is audited, with which cases, and what must come out."""

from __future__ import annotations

import importlib
import json
import os
import sys
import tomllib
from collections.abc import Iterator
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import mateprobe
from mateprobe.audit_file import Function, Program, load_audit, located
from mateprobe.case_file import UNDESCRIBED
from mateprobe.cli import run
from mateprobe.command import Limits
from mateprobe.errors import MateProbeError
from mateprobe.gate import Gate
from mateprobe.runner import Verdict
from mateprobe.validator_audit import Obligation
from tests.unit.test_cli import Ended

VALIDATOR = """
from mateprobe import Verdict

def check(number):
    print("asked about", number)
    if number == 13:
        raise ValueError("unlucky")
    return Verdict(number > 0, () if number > 0 else ("sign",))

def refuse(number):
    return Verdict(False)
"""
PROGRAM = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["sample"] == 13:
        print(json.dumps({"id": asked["id"], "error": "unlucky"}), flush=True)
        continue
    found = ["sign"] if asked["sample"] <= 0 else []
    print(json.dumps({"id": asked["id"], "accepted": not found, "complete": True, "violations": found, "evidence": []}),
          flush=True)
"""


def case(id: str, variant: int, relation: str = "violation", **changes: Any) -> dict[str, Any]:
    expected = ["sign"] if relation == "violation" else []
    labels = {"relation": relation, "expected": expected, "validity": "valid", "provenance": "by hand"}
    return {"id": id, "obligation": "sign", "baseline": 1, "variant": variant, **labels, **changes}


FAULT, CONTROL = case("flipped", -1), case("doubled", 2, "preserve")
OBLIGATIONS = [{"id": "sign", "description": "The number is above zero."}]
AUDIT: dict[str, Any] = {
    "obligations": OBLIGATIONS,
    "cases": [FAULT, CONTROL],
    "validator": {"callable": "own_signs:check"},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of an audit, which is not the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("mine").mkdir()
    Path("mine/own_signs.py").write_text(VALIDATOR)
    Path("mine/own_program.py").write_text(PROGRAM)
    yield Path("mine")
    sys.modules.pop("own_signs", None)
    importlib.invalidate_caches()


def write(folder: Path, **changes: Any) -> Path:
    path = folder / "audit.json"
    path.write_text(json.dumps({**AUDIT, **changes}))
    return path


def audit(*arguments: object) -> Ended:
    out, err = StringIO(), StringIO()
    status = run(["audit", *map(str, arguments)], BytesIO(), out, err)
    return Ended(status, out.getvalue(), err.getvalue())


# --- the file ---------------------------------------------------------------------------------------------------

TOML = """
title = "Signs"
validator = {callable = "own_signs:check"}

[[obligations]]
id = "sign"
description = "The number is above zero."

[[cases]]
id = "flipped"
obligation = "sign"
baseline = 1
variant = -1
relation = "violation"
expected = ["sign"]
validity = "valid"
provenance = "by hand"

[[cases]]
id = "doubled"
obligation = "sign"
baseline = 1
variant = 2
relation = "preserve"
validity = "valid"
provenance = "by hand"
"""


SCHEMA = Draft202012Validator(json.loads((Path(mateprobe.__file__).parent / "schemas/audit.schema.json").read_text()))
OF_NAMES_ALONE = {"cases elsewhere", "cases that are not there"}  # which no schema can see


def test_the_schema_for_editors_takes_what_is_taken() -> None:
    taken = [AUDIT, tomllib.loads(TOML), *({**AUDIT, **changes} for changes, _, _ in ENDINGS.values())]
    taken += [{**AUDIT, "cases": {"file": "cases.csv"}}, {**AUDIT, "validator": VALIDATORS["a program"]}]
    assert [list(SCHEMA.iter_errors(audit)) for audit in taken] == [[]] * len(taken)


def test_the_schema_for_editors_refuses_what_is_refused() -> None:
    refused = {name: SCHEMA.is_valid({**AUDIT, **changes}) for name, (changes, _) in REFUSED.items()}
    assert {name for name, valid in refused.items() if valid} == OF_NAMES_ALONE


def test_json_json_lines_and_toml_say_the_same(folder: Path) -> None:
    head = {key: AUDIT[key] for key in ("obligations", "validator")}
    (folder / "audit.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in (head, FAULT, CONTROL)))
    (folder / "audit.toml").write_text(TOML)
    as_json = load_audit(write(folder))
    assert load_audit(folder / "audit.jsonl") == load_audit(folder / "audit.toml") == as_json
    assert (as_json.gate, as_json.validator) == (Gate(1.0, 1.0), Function("own_signs:check"))


@pytest.mark.parametrize("name", ["cases.csv", "cases.json", "cases.jsonl"])
def test_the_cases_may_lie_in_a_file_beside(folder: Path, name: str) -> None:
    rows = {
        "cases.json": json.dumps([FAULT, CONTROL]),
        "cases.jsonl": f"{json.dumps(FAULT)}\n{json.dumps(CONTROL)}\n",
        "cases.csv": "id,obligation,baseline,variant,relation,expected,validity,provenance\n"
        "flipped,sign,1,-1,violation,sign,valid,by hand\ndoubled,sign,1,2,preserve,,valid,by hand\n",
    }
    (folder / name).write_text(rows[name])
    assert load_audit(write(folder, cases={"file": name})) == load_audit(write(folder))


def test_obligations_that_are_not_listed_are_those_of_the_cases(folder: Path) -> None:
    assert load_audit(write(folder, obligations=[])).cases.obligations == (Obligation("sign", UNDESCRIBED),)


def test_a_command_has_the_limits_of_the_pipeline_unless_it_names_others(folder: Path) -> None:
    plain, own = {"command": ["judge"]}, {"command": ["judge"], "seconds": 2, "memory_mb": 64, "id": "court"}
    assert load_audit(write(folder, validator=plain)).validator == Program(
        ("judge",), "", Limits().seconds, Limits().memory_mb
    )
    assert load_audit(write(folder, validator=own)).validator == Program(("judge",), "court", 2.0, 64)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown key": ({"validators": []}, "$.validators: no such key; expected one of .*; did you mean 'validator'?"),
    "no form of validator": (
        {"validator": {"id": "x"}},
        "$.validator: expected exactly one of the keys 'callable' and 'command', found 'id'",
    ),
    "two forms of validator": (
        {"validator": {"callable": "a:b", "command": ["a"]}},
        "$.validator: expected exactly one of the keys 'callable' and 'command', found 'callable', 'command'",
    ),
    "a validator that is text": ({"validator": "a:b"}, "$.validator: expected an object, found 'a:b'"),
    "a key of the other form": (
        {"validator": {"callable": "a:b", "seconds": 3}},
        "$.validator.seconds: no such key; expected one of 'callable', 'id'",
    ),
    "a command that is text": (
        {"validator": {"command": "a b"}},
        "$.validator.command: expected an array, found 'a b'",
    ),
    "an empty command": (
        {"validator": {"command": []}},
        "$.validator: command=[], .*: expected a program and limits .*",
    ),
    "no time at all": (
        {"validator": {"command": ["a"], "seconds": 0}},
        "$.validator: command=['a'], seconds=0.0, memory_mb=2048: expected a program and limits above 0",
    ),
    "a threshold above one": (
        {"gate": {"detection": 2}},
        "$.gate: threshold detection=2.0; expected a number from 0 .*",
    ),
    "a threshold that is text": ({"gate": {"detection": "1"}}, "$.gate.detection: expected a number, found '1'"),
    "an unknown threshold": ({"gate": {"detect": 1}}, "$.gate.detect: no such key; .*; did you mean 'detection'?"),
    "cases that are text": (
        {"cases": "cases.csv"},
        "$.cases: expected an array of cases, or an object with the one key 'file', found 'cases.csv'",
    ),
    "a case with an unknown key": (
        {"cases": [{**FAULT, "lable": 1}]},
        "$.cases[0].lable: no such key; expected one of .*",
    ),
    "cases elsewhere": (
        {"cases": {"file": "../cases.csv"}},
        "$.cases: file='../cases.csv': expected a path that stays below mine",
    ),
    "cases that are not there": (
        {"cases": {"file": "cases.csv"}},
        "$.cases: file='cases.csv': expected a file below mine, found none",
    ),
    "an obligation without words": (
        {"obligations": [{"id": "sign"}]},
        "$.obligations[0]: 'description' is missing; found 'id'",
    ),
}


@pytest.mark.parametrize(("changes", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_used_is_told_with_file_and_key(folder: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(MateProbeError) as refusal:
        load_audit(write(folder, **changes))
    parts = f"mine/audit.json: {message}".split(".*")
    found, at = str(refusal.value), 0
    for part in parts:
        assert part in found[at:], found
        at = found.index(part, at) + len(part)
    assert found.startswith(parts[0])


TOML_REFUSED = {
    "no TOML": (
        "title = ",
        "mine/audit.toml: expected TOML whose values JSON can hold: Invalid value (at end of document)",
    ),
    "a date": (
        "title = 2020-01-01",
        "expected TOML whose values JSON can hold: 2020-01-01 is a date; write it as text",
    ),
    "no number": ("title = nan", "expected TOML whose values JSON can hold: "),
    "bytes that are no UTF-8": (
        "title = '\udce9'",
        "expected TOML whose values JSON can hold: 'utf-8' codec can't decode",
    ),
    "a missing key": ("title = 'x'", "mine/audit.toml: $: 'validator' is missing; found 'title'"),
    "endless nesting": (f"title = {'[' * 5000}{']' * 5000}", "expected TOML whose values JSON can hold: "),
}


@pytest.mark.parametrize(("text", "message"), TOML_REFUSED.values(), ids=TOML_REFUSED.keys())
def test_toml_that_cannot_be_used_is_told_with_its_file(folder: Path, text: str, message: str) -> None:
    (folder / "audit.toml").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(MateProbeError) as refusal:
        load_audit(folder / "audit.toml")
    assert message in str(refusal.value)
    assert str(refusal.value).startswith("mine/audit.toml: ")


def test_a_line_that_is_no_case_is_named(folder: Path) -> None:
    head = {key: AUDIT[key] for key in ("obligations", "validator")}
    (folder / "audit.jsonl").write_text(f"{json.dumps(head)}\n{json.dumps(FAULT)}\n{{}}\n")
    with pytest.raises(MateProbeError, match=r"^mine/audit.jsonl, line 3: \$: 'id' is missing; found no keys$"):
        load_audit(folder / "audit.jsonl")


def test_files_of_the_folder_are_named_in_full_and_other_words_stay(folder: Path) -> None:
    script = str((folder / "own_program.py").absolute())
    assert located(("python", "own_program.py", "-v", ""), folder) == [sys.executable, script, "-v", ""]
    assert located(("./own_program.py", "x" * 5000), folder) == [script, "x" * 5000]
    assert located(("own_program.py",), folder) == ["own_program.py"]


# --- the command ------------------------------------------------------------------------------------------------

VALIDATORS = {"a function": {"callable": "own_signs:check"}, "a program": {"command": ["python", "own_program.py"]}}
UNREVIEWED = {"validity": "unreviewed"}
FAILED = "the validator or a baseline failed in 1 case\n"
ENDINGS: dict[str, tuple[dict[str, Any], int, str]] = {
    "met": ({}, 0, "met: detection 100.0% (required 100.0%), preservation 100.0% (required 100.0%)\n"),
    "a fault survives": (
        {"cases": [FAULT, CONTROL, case("tiny", 1, baseline=2)]},
        1,
        "not met: detection 50.0% (required 100.0%), preservation 100.0% (required 100.0%)\n",
    ),
    "a fault survives, and may": (
        {"cases": [FAULT, CONTROL, case("tiny", 1, baseline=2)], "gate": {"detection": 0.5}},
        0,
        "met: detection 50.0% (required 50.0%), preservation 100.0% (required 100.0%)\n",
    ),
    "no control": (
        {"cases": [FAULT]},
        1,
        "not met: detection 100.0% (required 100.0%), preservation undefined (required 100.0%)\n",
    ),
    "the validator fails": (
        {"cases": [FAULT, CONTROL, case("unlucky", 13)]},
        3,
        f"failed: detection 50.0% (required 100.0%), preservation 100.0% (required 100.0%), {FAILED}",
    ),
    "a baseline fails": (
        {"cases": [FAULT, CONTROL, case("wrong way round", 1, baseline=-1)]},
        3,
        f"failed: detection 100.0% (required 100.0%), preservation 100.0% (required 100.0%), {FAILED}",
    ),
    "nobody has looked at the labels": (
        {"cases": [{**FAULT, **UNREVIEWED}, {**CONTROL, **UNREVIEWED}]},
        4,
        "nothing evaluated: detection undefined (required 100.0%), preservation undefined (required 100.0%)\n",
    ),
}


@pytest.mark.parametrize("validator", VALIDATORS.values(), ids=VALIDATORS.keys())
@pytest.mark.parametrize(("changes", "status", "line"), ENDINGS.values(), ids=ENDINGS.keys())
def test_the_exit_status_says_how_the_audit_stands(
    folder: Path, validator: dict[str, Any], changes: dict[str, Any], status: int, line: str
) -> None:
    ended = audit(write(folder, **{**changes, "validator": validator}), "--quiet")
    assert (ended.status, ended.out) == (status, line)


@pytest.mark.parametrize(
    ("validator", "said"),
    list(zip(VALIDATORS.values(), ("ValueError: unlucky", "unlucky"), strict=True)),
    ids=VALIDATORS,
)
def test_a_failure_is_told_in_its_own_words(folder: Path, validator: dict[str, Any], said: str) -> None:
    ended = audit(write(folder, validator=validator, cases=[case("unlucky", 13)]), "--json")
    assert [found["reason"] for found in json.loads(ended.out)["cases"]] == [f"variant_error: {said}"]


def test_without_cases_nothing_is_evaluated(folder: Path) -> None:
    path = write(folder, cases=[])
    assert audit(path) == Ended(4, "", f"mateprobe: {path} has no cases; nothing was evaluated\n")


def test_the_report_begins_with_what_survived_and_lists_no_case_that_ended_well(folder: Path) -> None:
    path = write(folder, cases=[FAULT, CONTROL, case("tiny", 1, baseline=2)])
    report = audit(path).out.splitlines()
    assert report[:4] == [
        "Audit of own_signs:check: 3 cases", "", "survived: 1",
        "  mine/audit.json:1: tiny (sign): expected sign, got acceptance",
    ]  # fmt: skip
    assert report[5:7] == [
        "obligations: 1, of which 0 without a failure", "  sign: known gaps (detected 1, preserved 1, survived 1)",
    ]  # fmt: skip
    assert "flipped" not in "\n".join(report)
    assert report[-1].startswith("not met: ")


def test_what_the_validator_prints_is_no_part_of_the_report(folder: Path) -> None:
    ended = audit(write(folder), "--json")
    assert json.loads(ended.out)["gate"] == {
        "detection": {"required": 1.0, "found": 1.0},
        "preservation": {"required": 1.0, "found": 1.0},
        "failures": 0,
        "standing": "met",
    }
    assert ended.err == "asked about 1\nasked about -1\nasked about 2\n"


def test_the_report_goes_to_files_too(folder: Path, tmp_path: Path) -> None:
    path = write(folder)
    ended = audit(path, "--quiet", "--output", tmp_path / "report.json", "--markdown", tmp_path / "report.md")
    assert (ended.status, ended.out[:4]) == (0, "met:")
    assert (tmp_path / "report.json").read_text() == audit(path, "--json").out
    assert "| flipped | sign | detected | all_expected_violations |" in (tmp_path / "report.md").read_text()


def test_a_report_is_the_same_each_time(folder: Path) -> None:
    path = write(folder, validator=VALIDATORS["a program"])
    assert audit(path, "--json") == audit(path, "--json")


UNUSABLE: dict[str, tuple[dict[str, Any], str]] = {
    "no such module": ({"validator": {"callable": "nowhere:check"}}, "'nowhere:check': expected module:function, the "),
    "a module of another folder": (
        {"validator": {"callable": "json:loads"}},
        "'json:loads': expected module:function, ",
    ),
    "no such function": (
        {"validator": {"callable": "own_signs:chek"}},
        "'own_signs:chek': expected a function, found no ",
    ),
    "no such program": (
        {"validator": {"command": ["no-such-program"]}},
        "command=['no-such-program']: expected a program ",
    ),
    "a case twice": ({"cases": [FAULT, FAULT]}, "case 'flipped' occurs twice"),
    "an unknown obligation": (
        {"cases": [{**FAULT, "obligation": "sing"}]},
        "case 'flipped' obligation='sing': expected ",
    ),
}


@pytest.mark.parametrize(("changes", "message"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_an_audit_that_cannot_be_run_says_why_in_one_line(folder: Path, changes: dict[str, Any], message: str) -> None:
    path = write(folder, **changes)
    ended = audit(path)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"mateprobe: {path}: {message}")
    assert ended.err.count("\n") == 1


def test_a_file_that_is_not_there_is_named(folder: Path) -> None:
    assert audit("mine/none.json") == Ended(2, "", "mateprobe: mine/none.json: No such file or directory\n")


def test_a_program_ends_with_the_audit(folder: Path) -> None:
    program = PROGRAM.replace('"evidence": []', '"evidence": [str(os.getpid())]').replace(
        "import json", "import json, os"
    )
    (folder / "own_program.py").write_text(program)
    found = load_audit(write(folder, validator=VALIDATORS["a program"]))
    with found.validator.opened(folder) as ask:
        answers = [ask(3), ask(-3)]
        pid = answers[0].evidence if isinstance(answers[0], Verdict) else ()
        assert answers == [Verdict(True, evidence=pid), Verdict(False, ("sign",), evidence=pid)]
        os.kill(int(pid[0]), 0)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid[0]), 0)
