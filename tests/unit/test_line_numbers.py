"""The line of each case in a file, however the file is laid out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mateprobe.audit_file import load_audit
from mateprobe.case_file import load_cases
from mateprobe.line_numbers import json_lines, toml_lines

ARRAYS = {
    "an item a line": ('[\n1,\n 2 ,\r\n\n{"a":\n[3]}\n]', (2, 3, 5)),
    "all in one line": ('[1,"]",[2],{"a":[3]}]', (1, 1, 1, 1)),
    "none": (" [ ] ", ()),
    "line ends in texts are none": ('[\n"a\\nb",\n"c"]', (2, 3)),
    "under the key": ('{"o": [1,\n[2]],\n "cases" :\n [ 1\n,2,3\n\n,4 ] , "z":3}', (4, 5, 5, 7)),
    "under the key at the top alone": ('{"o": {"cases":\n[1]},\n"cases": [2]}', (3,)),
    "none under the key": ('{"cases":[]}', ()),
}


@pytest.mark.parametrize(("text", "lines"), ARRAYS.values(), ids=ARRAYS.keys())
def test_items_of_json_begin_in_these_lines(text: str, lines: tuple[int, ...]) -> None:
    assert json_lines(text, "cases") == lines


def test_tables_of_toml_begin_at_their_headers() -> None:
    assert toml_lines("a = 1\n[[cases]]\nb = 2\n [[ cases ]] # c\n[[others]]\n[cases.d]\n", "cases") == (2, 4)


CASE = {
    "id": "a", "obligation": "o", "relation": "preserve", "baseline": 1, "variant": 2, "expected": [],
    "validity": "valid", "provenance": "p",
}  # fmt: skip
TWO = [{**CASE, "id": "a"}, {**CASE, "id": "b"}]
CSV = 'id,obligation,relation,baseline,variant\na,o,preserve,"[\n1]",2\n\nb,o,preserve,1,2\n'
FILES: dict[str, tuple[str, tuple[int, ...]]] = {
    "cases.json": (json.dumps(TWO, indent=1), (2, 12)),
    "object.json": (json.dumps({"obligations": [], "cases": TWO}, indent=1), (4, 14)),
    "cases.jsonl": ("".join(f"\n{json.dumps(one)}\n" for one in TWO), (1, 3)),
    "cases.csv": (CSV, (2, 5)),
}
FILES["cases.jsonl"] = (FILES["cases.jsonl"][0].lstrip("\n"), (1, 3))


@pytest.mark.parametrize("name", FILES)
def test_cases_know_their_lines(name: str, tmp_path: Path) -> None:
    text, lines = FILES[name]
    (tmp_path / name).write_text(text)
    assert load_cases(tmp_path / name).lines == lines


HEAD = 'validator = {callable = "a:b"}\n'
TABLE = 'id = "{}"\nobligation = "o"\nrelation = "preserve"\nbaseline = 1\nvariant = 2\n'
AUDITS: dict[str, tuple[str, tuple[int, ...]]] = {
    "audit.json": (json.dumps({"validator": {"callable": "a:b"}, "cases": TWO}, indent=1), (6, 16)),
    "audit.jsonl": ("".join(f"{json.dumps(one)}\n" for one in ({"validator": {"callable": "a:b"}}, *TWO)), (2, 3)),
    "audit.toml": (f"{HEAD}[[cases]]\n{TABLE.format('a')}[[cases]]\n{TABLE.format('b')}", (2, 8)),
    "inline.toml": (f"{HEAD}cases = [{{{TABLE.format('a').strip().replace(chr(10), ', ')}}}]\n", ()),
    "puzzling.toml": (f'title = """\n[[cases]]\n"""\n{HEAD}[[cases]]\n{TABLE.format("a")}', ()),
}


@pytest.mark.parametrize("name", AUDITS)
def test_cases_in_the_file_of_an_audit_know_their_lines_or_say_none(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text, lines = AUDITS[name]
    Path("mine").mkdir()
    Path("mine", name).write_text(text)
    audit = load_audit(Path("mine", name))
    assert (audit.cases.lines, audit.source) == (lines, f"mine/{name}")


def test_a_file_of_cases_beside_is_what_they_are_found_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/cases.csv").write_text(CSV)
    path = tmp_path / "mine/audit.json"
    path.write_text(json.dumps({"validator": {"callable": "a:b"}, "cases": {"file": "cases.csv"}}))
    monkeypatch.chdir(tmp_path)
    inside = load_audit(path)
    monkeypatch.chdir("/")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    outside = load_audit(path)
    assert (inside.source, inside.cases.lines, outside.source) == ("mine/cases.csv", (2, 5), "cases.csv")
