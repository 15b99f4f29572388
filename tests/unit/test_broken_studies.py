"""Study files with one thing wrong: each is told once, with file, line and key, and with what would be right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mateprobe.errors import StudyError
from mateprobe.pipeline.studies import load_studies, load_study

STUDY = """\
study: demo
title: Demo
description: What it asks.
cases: {file: _cases/demo.csv}
obligations:
  - {id: sign, description: The number is above zero.}
  - id: size
    description: The number is small.
    kind: invariant
    scope: challenge
validators:
  - id: own
    callable: "mine:ask"
    with: {zero: true}
    rejudge: 3
  - id: strict
    contracts: _profiles/p.yaml
    adapter: "mine:adapt"
  - id: program
    command: [python, check.py]
    seconds: 3
    memory_mb: 64
shards: 2
comparators: [boolean, detailed]
gate:
  - validator: own
    detection: 0.9
  - validator: strict
    preservation: 1
tables: [feasibility, confusion]
"""
PROFILE = """\
contracts:
  - {type: RequiredFact, rule_id: fact, key: status, expected: pending}
policy: {block_heuristics: true}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the study names, and a few things that it may not name."""
    monkeypatch.chdir(tmp_path)
    files = {
        "studies/demo.yaml": STUDY,
        "studies/_cases/demo.csv": "id,obligation,relation,baseline,variant\n",
        "studies/_cases/demo.txt": "x",
        "studies/_code/mine.py": "def ask(): ...\n",
        "studies/_code/syntax.py": "def ask(:\n",
        "studies/_profiles/p.yaml": PROFILE,
        "studies/_profiles/bad.yaml": PROFILE.replace("RequiredFact", "RequiredFacts"),
        "secret.csv": "id\n",
    }
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    Path("studies/_cases/link.csv").symlink_to(Path("secret.csv").resolve())
    return Path("studies")


def test_the_study_the_others_are_made_from_has_nothing_wrong_with_it(folder: Path) -> None:
    study = load_study(folder / "demo.yaml")
    assert (study.id, study.validators) == ("demo", ("own", "strict", "program"))


# An edit replaces a piece of the study; § marks the line that the problem must name. Then follow the key, and what
# is said of it: what was expected, what was found, and what to do where that is not plain.
Edit = tuple[str, str, str, str]
GENERATED = "cases: {generate: 'mine:ask', seed: 1}"
KEYS: dict[str, Edit] = {
    "an unknown key": ("title: Demo", "title: Demo\ntitel: x§", "titel", "unknown key; .*did you mean 'title'"),
    "an unknown key of cases": (
        "{file: _cases/demo.csv}", "{file: _cases/demo.csv, sed: 1}§", "cases.sed",
        "unknown key; .*did you mean 'seed'",
    ),
    "an unknown key of an obligation": (
        "    kind: invariant", "    knd: invariant§", r"obligations\[1\].knd", "unknown key; .*did you mean 'kind'",
    ),
    "an unknown key of a validator": (
        "    rejudge: 3", "    rejudged: 3§", r"validators\[0\].rejudged", "unknown key; .*did you mean 'rejudge'",
    ),
    "an unknown key of a gate": (
        "    detection: 0.9", "    detect: 0.9§", r"gate\[0\].detect", "unknown key; .*did you mean 'detection'",
    ),
    "no id": ("study: demo\n", "", r"\(top level\)", "expected the key 'study', found"),
    "no title": ("title: Demo\n", "", r"\(top level\)", "expected the key 'title', found"),
    "no cases": ("cases: {file: _cases/demo.csv}\n", "", r"\(top level\)", "expected the key 'cases', found"),
    "an obligation without an id": (
        "{id: sign, description: The number is above zero.}", "{description: Above zero.}§", r"obligations\[0\]",
        r"expected the key 'id', found \['description'\]",
    ),
    "an obligation without words": (
        "    description: The number is small.\n", "", r"obligations\[1\]", "expected the key 'description', found",
    ),
    "a validator without an id": (
        "  - id: own\n    callable", "  - callable", r"validators\[0\]", "expected the key 'id'",
    ),
    "a gate of nobody": (
        "  - validator: own\n    detection", "  - detection", r"gate\[0\]", "expected the key 'validator'",
    ),
    "cases from nowhere": (
        "{file: _cases/demo.csv}", "{}§", "cases", r"expected exactly one of the keys \['generate', .*\], found \[\]",
    ),
    "cases from two places": (
        "{file: _cases/demo.csv}", "{file: a.csv, evidence: b.json}§", "cases",
        r"expected exactly one of the keys \[.*\], found \['evidence', 'file'\]",
    ),
    "a validator that is nothing": (
        '    callable: "mine:ask"\n    with: {zero: true}\n', "", r"validators\[0\]",
        r"expected exactly one of the keys \['contracts', .*\], found \[\]",
    ),
    "a validator that is two": (
        "    rejudge: 3", "    command: [python]", r"validators\[0\]",
        r"expected exactly one of the keys \[.*\], found \['callable', 'command'\]",
    ),
}  # fmt: skip
TYPES: dict[str, Edit] = {
    "a title that is a number": ("Demo\nd", "2024§\nd", "title", r'expected type "string" \(One line .*\), found 2024'),
    "an empty title": ("title: Demo", "title: ''§", "title", r'expected minLength 1 \(One line .*\), found ""'),
    "no words at all": ("title: Demo", "title:§", "title", r'expected type "string" \(One line .*\), found null'),
    "a description that is a list": (
        "What it asks.", "[What]§", "description", r'expected type "string" \(.*\), found \[',
    ),
    "cases that are text": (
        "{file: _cases/demo.csv}", "demo.csv§", "cases", r'expected type "object" \(Where the cases',
    ),
    "a seed that is text": (
        "cases: {file: _cases/demo.csv}", "cases: {generate: 'mine:ask', seed: '1'}§", "cases.seed",
        r'expected type "integer" \(Passed to the generator.*\), found "1"',
    ),
    "arguments that are a list": (
        "{zero: true}", "[zero]§", r"validators\[0\].with", r'expected type "object" \(More arg',
    ),
    "a count that is a fraction": (
        "rejudge: 3", "rejudge: 1.5§", r"validators\[0\].rejudge", r'expected type "integer"',
    ),
    "a count below zero": ("rejudge: 3", "rejudge: -1§", r"validators\[0\].rejudge", r"expected minimum 0 \(How many"),
    "no time": ("seconds: 3", "seconds: 0§", r"validators\[2\].seconds", r"expected exclusiveMinimum 0 \(How long"),
    "no memory": ("memory_mb: 64", "memory_mb: 0§", r"validators\[2\].memory_mb", r"expected minimum 1 \(How much"),
    "no shards": ("shards: 2", "shards: 0§", "shards", r"expected minimum 1 \(How many jobs.*\), found 0"),
    "shards without end": ("shards: 2", "shards: 99999§", "shards", r"expected maximum 10000 \(How many jobs"),
    "shards by a word": (
        "shards: 2", "shards: yes§", "shards", r'expected type "integer" \(How many jobs.*\), found true',
    ),
    "no obligations": (
        STUDY.partition("obligations:")[2].partition("validators:")[0], " []§\n", "obligations",
        r"expected minItems 1 \(What the validators must enforce.*\), found \[\]",
    ),
    "no gates": (STUDY.partition("gate:")[2].partition("tables:")[0], " []§\n", "gate", "expected minItems 1"),
    "a gate that is a number": (
        STUDY.partition("gate:")[2].partition("tables:")[0], " 0.9§\n", "gate",
        r'expected type \["object", "array"\] \(What validators must reach.*\), found 0.9',
    ),
    "an obligation that is text": (
        "  - {id: sign, description: The number is above zero.}", "  - sign§", r"obligations\[0\]",
        r'expected type "object" \(What the validators must enforce.*\), found "sign"',
    ),
    "a command that is text": (
        "[python, check.py]", "python check.py§", r"validators\[2\].command",
        r'expected type "array" \(A program.*\), found "python check.py"',
    ),
    "an empty command": ("[python, check.py]", "[]§", r"validators\[2\].command", r"expected minItems 1 \(A program"),
    "a threshold above one": (
        "detection: 0.9", "detection: 90§", r"gate\[0\].detection", r"expected maximum 1 \(Least",
    ),
    "a threshold below zero": (
        "detection: 0.9", "detection: -1§", r"gate\[0\].detection", r"expected minimum 0 \(Least",
    ),
    "a threshold in words": (
        "detection: 0.9", "detection: 90%§", r"gate\[0\].detection", r'expected type "number" \(Least',
    ),
    "tables that are text": ("[feasibility, confusion]", "confusion§", "tables", r'expected type "array" \(The tables'),
    "a table twice": (
        "[feasibility, confusion]", "[confusion, confusion]§", "tables", r"expected uniqueItems true \(The tables",
    ),
    "a comparator twice": ("[boolean, detailed]", "[boolean, boolean]§", "comparators", "expected uniqueItems true"),
}  # fmt: skip
WORDS: dict[str, Edit] = {
    "a kind there is not": (
        "kind: invariant", "kind: invarient§", r"obligations\[1\].kind",
        "found 'invarient'; .*did you mean 'invariant'",
    ),
    "a scope there is not": (
        "scope: challenge", "scope: chalenge§", r"obligations\[1\].scope",
        "found 'chalenge'; .*did you mean 'challenge'",
    ),
    "a comparator there is not": (
        "[boolean, detailed]", "[bool, detailed]§", r"comparators\[0\]", "found 'bool'; .*did you mean 'boolean'",
    ),
    "a table there is not": (
        "[feasibility, confusion]", "[feasibility, confusions]§", r"tables\[1\]",
        "'confusions': expected one of .*did you mean 'confusion'",
    ),
    "a table of what the study does not make": (
        "[feasibility, confusion]", "[agreement]§", r"tables\[0\]",
        "'agreement': expected the key agreement, which makes",
    ),
    "a gate of a validator there is not": (
        "  - validator: own", "  - validator: won§", r"gate\[0\].validator",
        "'won': expected one of .*did you mean 'own'",
    ),
    "a gate twice": (
        "  - validator: strict", "  - validator: own§", r"gate\[1\].validator",
        "'own' stands twice; one gate a validator",
    ),
    "an id that is no file name": (
        "id: own", "id: ../own§", r"validators\[0\].id",
        r'expected pattern .* \(The validator\'s id.*\), found "../own"',
    ),
    "an id with capitals": ("id: own", "id: Own§", r"validators\[0\].id", r"expected pattern .*, found \"Own\""),
    "an id without end": ("id: own", f"id: {'o' * 65}§", r"validators\[0\].id", "expected maxLength 64"),
    "another id than the file's": ("study: demo", "study: demos§", "study", "found 'demos'; expected 'demo', the name"),
    "a validator twice": (
        "- id: program", "- id: own§", r"validators\[2\].id", "'own' stands twice; ids must be unique",
    ),
    "an obligation twice": (
        "- id: size", "- id: sign§", r"obligations\[1\].id", "'sign' stands twice; ids must be unique",
    ),
    "a function that is no name": (
        '"mine:ask"', '"mine.ask()"§', r"validators\[0\].callable",
        r'expected pattern .* \(A function that takes a sample.*\), found "mine.ask\(\)"',
    ),
}  # fmt: skip
PLACES: dict[str, Edit] = {
    "a file of cases above": (
        "_cases/demo.csv", "../secret.csv}§ #", "cases.file",
        r"='../secret.csv': expected a path that stays below studies",
    ),
    "a file of cases at the root": (
        "_cases/demo.csv", "/etc/hosts.csv}§ #", "cases.file",
        "='/etc/hosts.csv': expected a path that stays below studies",
    ),
    "a file of cases behind a link": (
        "_cases/demo.csv", "_cases/link.csv}§ #", "cases.file", "='_cases/link.csv': expected a path that stays below",
    ),
    "a file of cases that is not there": (
        "_cases/demo.csv", "_cases/dmo.csv}§ #", "cases.file",
        "='_cases/dmo.csv': expected a file below studies, found none",
    ),
    "a file of cases without end": (
        "_cases/demo.csv", f"{'a' * 5000}.csv}}§ #", "cases.file",
        "aaa.csv': expected a file below studies, found none",
    ),
    "a file of no kind of cases": (
        "_cases/demo.csv", "_cases/demo.txt}§ #", "cases.file",
        "'_cases/demo.txt' ends in '.txt': expected one of '.csv', ",
    ),
    "a key for a generator beside a file": (
        "{file: _cases/demo.csv}", "{file: _cases/demo.csv, seed: 3}§", "cases.seed",
        "expected it beside generate.*, found it beside file",
    ),
    "a profile above": (
        "_profiles/p.yaml", "../p.yaml§", r"validators\[1\].contracts",
        "='../p.yaml': expected a path that stays below",
    ),
    "a profile that is not there": (
        "_profiles/p.yaml", "_profiles/q.yaml§", r"validators\[1\].contracts",
        "='_profiles/q.yaml': expected a file below",
    ),
    "a profile that cannot be used": (
        "_profiles/p.yaml", "_profiles/bad.yaml§", r"validators\[1\].contracts",
        "studies/_profiles/bad.yaml: contracts.*'RequiredFacts'.*did you mean 'RequiredFact'",
    ),
    "a function of the standard library": (
        '"mine:ask"', '"os:listdir"§', r"validators\[0\].callable",
        "module 'os': expected one below mateprobe.pipeline.corpora, or a file below studies/_code",
    ),
    "a module that is not there": (
        '"mine:adapt"', '"nowhere:adapt"§', r"validators\[1\].adapter",
        "module 'nowhere': expected one below .*studies/_code",
    ),
    "a module that is no Python": (
        '"mine:ask"', '"syntax:ask"§', r"validators\[0\].callable", "studies/_code/syntax.py: expected Python source: ",
    ),
    "a generator of another package": (
        "cases: {file: _cases/demo.csv}", "cases: {generate: 'subprocess:run'}§", "cases.generate",
        "module 'subprocess': expected one below mateprobe.pipeline.corpora",
    ),
    "a recorded profile elsewhere": (
        "    contracts: _profiles/p.yaml", "    configuration: /etc/passwd§", r"validators\[1\].configuration",
        r'expected pattern .* \(.*\), found "/etc/passwd"',
    ),
    "evidence elsewhere": (
        "{file: _cases/demo.csv}", "{evidence: ../secret.json}§", "cases.evidence",
        r'expected pattern .* \(A published file.*\), found "../secret.json"',
    ),
    "lanes with a gate": ("shards: 2", "lanes: true", "gate", "expected none beside lanes, .*; remove one of them"),
    "an environment without a program": (
        "    rejudge: 3", '    environment: ["yaml==1.0"]§', r"validators\[0\].environment",
        "expected it beside command or worker, found",
    ),
}  # fmt: skip
EDITS = {**KEYS, **TYPES, **WORDS, **PLACES}
UNMARKED = {
    "no id": 1, "no title": 1, "no cases": 1, "an obligation without words": 7, "a validator without an id": 12,
    "a gate of nobody": 26, "a validator that is nothing": 12, "a validator that is two": 12, "lanes with a gate": 25,
}  # fmt: skip
"""The lines of problems that have no line of their own: what is missing is told where it should be."""


@pytest.mark.parametrize("name", EDITS)
def test_a_problem_is_told_once_with_file_line_key_and_what_would_be_right(folder: Path, name: str) -> None:
    old, new, key, message = EDITS[name]
    marked = STUDY.replace(old, new, 1)
    assert marked != STUDY
    at = marked.find("§")
    line = marked.count("\n", 0, at) + 1 if at >= 0 else UNMARKED[name]
    (folder / "demo.yaml").write_text(marked.replace("§", ""))
    with pytest.raises(StudyError) as refusal:
        load_study(folder / "demo.yaml")
    (found,) = str(refusal.value).splitlines()
    assert re.match(f"studies/demo.yaml:{line}: {key}: .*{message}", found), found


YAML: dict[str, tuple[str, int, str]] = {
    "a tab": ("study: demo\n\ttitle: x\n", 2, "expected YAML: "),
    "a bracket that never closes": ("study: demo\ntitle: [x\n", 3, "expected YAML: "),
    "a quote that never closes": ('study: demo\ntitle: "x\n', 3, "expected YAML: "),
    "a value without a key": ("study: demo\ntitle\n", 3, "expected YAML: "),
    "two documents": ("study: demo\n---\nstudy: other\n", 2, "expected YAML: "),
    "a key twice": ("study: demo\ntitle: a\ntitle: b\n", 3, "key title stands twice; keep one"),
    "a key that is a number": ("study: demo\n3: x\n", 2, "key 3 is no text; quote it"),
    "a tag": ("study: demo\ntitle: !!python/object:os.system x\n", 2, "'x' is read as "),
    "a collection with a tag": (
        "study: demo\ncases: !!set {a, b}\n",
        2,
        "a collection is read as tag:yaml.org,2002:set",
    ),
    "an alias": ("study: &a demo\ntitle: *a\n", 2, "alias *a; write the value out where it is used"),
    "a date": ("study: demo\ntitle: 2020-01-01\n", 2, "'2020-01-01' is read as tag:yaml.org,2002:timestamp"),
    "no number": ("study: demo\nshards: .nan\n", 2, "'.nan' is read as tag:yaml.org,2002:float"),
    "a list": ("- study: demo\n", 1, '(top level): expected type "object" (One study: where its cases come from'),
    "endless nesting": (f"study: {'[' * 10_000}{']' * 10_000}\n", 1, "expected YAML: while increasing flow level"),
    "nothing": ("", 1, '(top level): expected type "object" (One study'),
}


@pytest.mark.parametrize(("text", "line", "message"), YAML.values(), ids=YAML.keys())
def test_a_file_that_is_no_study_at_all_is_told_with_its_line(folder: Path, text: str, line: int, message: str) -> None:
    (folder / "demo.yaml").write_text(text)
    with pytest.raises(StudyError) as refusal:
        load_study(folder / "demo.yaml")
    assert str(refusal.value).startswith(f"studies/demo.yaml:{line}: {message}")
    assert "\n" not in str(refusal.value)


BYTES: dict[str, tuple[bytes, str]] = {
    "no UTF-8": (b"study: d\xe9mo\n", "studies/demo.yaml: expected UTF-8 text: byte 8 is 0xe9"),
    "deep nesting": (
        b"study: " + b"[" * 900 + b"]" * 900,
        "studies/demo.yaml:1: nested deeper than 200 levels; flatten it",
    ),
    "far too much": (b"#" * (17 << 20), "studies/demo.yaml: expected at most 16,777,216 bytes, found more"),
}


@pytest.mark.parametrize(("data", "message"), BYTES.values(), ids=BYTES.keys())
def test_a_file_that_is_no_text_to_read_is_told_by_its_name(folder: Path, data: bytes, message: str) -> None:
    (folder / "demo.yaml").write_bytes(data)
    with pytest.raises(StudyError) as refusal:
        load_study(folder / "demo.yaml")
    assert str(refusal.value) == message


def test_there_are_enough_of_them() -> None:
    assert len(EDITS) + len(YAML) + len(BYTES) >= 60


def test_all_of_them_together_are_told_file_by_file_and_none_hides_another(folder: Path) -> None:
    (folder / "demo.yaml").unlink()
    for number, (old, new, _, _) in enumerate(EDITS.values()):
        text = STUDY.replace(old, new.replace("§", ""), 1).replace("study: demo\n", f"study: s{number}\n")
        (folder / f"s{number}.yaml").write_text(text)
    for number, (data, _, _) in enumerate(YAML.values()):
        (folder / f"y{number}.yaml").write_text(data)
    with pytest.raises(StudyError) as refusal:
        load_studies(folder)
    told = {line.partition(":")[0] for line in str(refusal.value).splitlines()}
    assert told == {path.as_posix() for path in folder.glob("*.yaml")}


def test_what_is_wrong_with_others_does_not_stop_a_study_asked_for_alone(folder: Path) -> None:
    (folder / "other.yaml").write_text("- 1\n")
    assert list(load_studies(folder, ["demo"])) == ["demo"]
    assert list(load_studies(folder, "demo")) == ["demo"]
    with pytest.raises(
        StudyError, match=r"^studies: study 'dem': expected one of 'demo', 'other'; did you mean 'demo'"
    ):
        load_studies(folder, ["dem"])
