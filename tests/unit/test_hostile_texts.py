"""Texts that mean harm are shown as what they are: on a terminal, in Markdown, in a spreadsheet, in Typst."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from mateprobe import AuditCase, Obligation, Relation, Validity, Verdict, audit_validator
from mateprobe.cli import run
from mateprobe.model import Check, Kind, Policy, Report, Status
from mateprobe.pipeline import reproduce
from mateprobe.pipeline.table import Column, Table, fraction
from mateprobe.pipeline.table_forms import csv_text, markdown_text, typst_text
from mateprobe.reports.markdown import cell, code
from mateprobe.reports.output import json_text
from mateprobe.tally import flat
from mateprobe.visible import visible, visible_json
from tests.unit.conftest import CODE

# --- texts that act where they are shown --------------------------------------------------------------------------

ESCAPES = {
    "a colour": "\x1b[31mred\x1b[0m",
    "a cleared screen": "\x1b[2J\x1b[H",
    "a title": "\x1b]0;owned\x07",
    "a pasted command": "\x1b]52;c;cm0gLXJmIC8=\x07",
    "an eight-bit sequence": "\x9b31m",
    "a carriage return": "fails\rholds",
    "a backspace": "rejected\b\b\b\b\b\b\b\baccepted",
    "a direction": "\u202edetpecca\u202c",
    "an isolated direction": "\u2066x\u2069",
    "zero width": "ac\u200bcepted\ufeff",
    "a soft hyphen": "a\xadb",
    "a tag": "a\U000e0041",
    "a lone surrogate": "\ud800",
    "a deletion": "a\x7f",
}
WRITTEN = ["señal", "naïve 日本語", "tab\there", "é́", "😀", "a b", "50 %", "\\x1b"]


@pytest.mark.parametrize("text", ESCAPES.values(), ids=ESCAPES)
def test_what_a_terminal_would_obey_or_not_show_is_written_out(text: str) -> None:
    shown = visible(text)
    assert shown != text
    assert [character for character in shown if not character.isprintable()] == []
    assert shown.encode("latin-1", "strict") if text.isascii() else shown.encode()


@pytest.mark.parametrize("text", WRITTEN, ids=ascii)
def test_what_people_write_with_stays(text: str) -> None:
    assert visible(text) == text


Texts = st.text() | st.sampled_from([*ESCAPES.values()])


@given(value=st.recursive(Texts, lambda inner: st.lists(inner) | st.dictionaries(Texts, inner)))
def test_json_for_people_means_what_it_meant(value: Any) -> None:
    for text in (json_text(value), visible_json(json.dumps(value, ensure_ascii=False))):
        assert (json.loads(text), visible(text)) == (value, text)


TABLE = Table("Demo", (Column("text", "Text"), fraction("n", "Number")), "summary", lambda _: iter(()))
NAMES = "\x1b[31m\x9b\u202ename"


def terminal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a command of the pipeline or of the core; return its status and all it said."""
    out = io.StringIO()
    status = run(arguments, io.BytesIO(), out, out)
    said = out.getvalue() + "".join(capsys.readouterr())
    said.encode()
    assert visible(said) == said
    return status, said


STUDY = """\
study: demo
title: "T{name}"
cases: {{file: c.csv}}
obligations: [{{id: "o{name}", description: "d{name}"}}]
validators: [{{id: v, callable: "numbered:sign"}}]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose study has escape sequences wherever there can be text."""
    monkeypatch.chdir(tmp_path)
    escaped = json.dumps(NAMES)[1:-1]
    Path("studies/_code").mkdir(parents=True)
    Path("studies/_code/numbered.py").write_text(CODE)
    Path("studies/demo.yaml").write_text(STUDY.format(name=escaped))
    Path("studies/c.csv").write_text(
        f'id,obligation,relation,baseline,variant\n"a{NAMES}","o{NAMES}",preserve,1,2\n"a{NAMES}","o{NAMES}",preserve,1,2\n'
    )
    return tmp_path


def test_the_title_of_a_study_is_listed_as_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert terminal(["study", "list"], capsys) == (0, "demo  T\\x1b[31m\\x9b\\u202ename\n")
    assert terminal(["study", "list", "--json"], capsys)[0] == 0


def test_what_is_wrong_with_a_study_is_told_as_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert terminal(["study", "check"], capsys)[0] == 1
    path = folder / "studies/demo.yaml"
    path.write_text(path.read_text() + f'"k{json.dumps(NAMES)[1:-1]}": 1\n')
    status, said = terminal(["study", "check", "--json"], capsys)
    assert status == 1
    assert json.loads(said)[0].startswith("studies/demo.yaml:6: ['k\\x1b[31m\\x9b\\u202ename']: unknown key")


def test_a_key_with_a_line_break_makes_no_second_problem(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("studies/c.csv").write_text("id,obligation,relation,baseline,variant\na,o,preserve,1,2\n")
    Path("studies/demo.yaml").write_text(STUDY.format(name="") + '"x\\nstudies/other.yaml:1: title": 1\n')
    status, said = terminal(["study", "check"], capsys)
    assert (status, said.count("\n"), said.splitlines()[-1]) == (1, 2, "1 study file, 1 problem")


def test_an_audit_with_such_names_is_reported_as_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = {"relation": "violation", "expected": [f"x{NAMES}"], "validity": "valid", "provenance": NAMES}
    case = {"id": f"a{NAMES}", "obligation": f"o{NAMES}", "baseline": {"n": 1}, "variant": {"n": 2}, **labels}
    obligations = [{"id": f"o{NAMES}", "description": f"d{NAMES}\ud800"}]
    audit = {"validator": {"callable": "numbered:sign", "id": NAMES}, "obligations": obligations, "cases": [case]}
    path = "studies/_code/a.json"
    Path(path).write_text(json.dumps(audit))
    Path("cases.json").write_text(json.dumps([case]))
    for arguments in (["audit", path], ["audit", "--json", path], ["doctor", "cases.json"]):
        status, said = terminal(arguments, capsys)
        assert (status, "name" in said) == (1, True)
    Path("cases.json").write_text(json.dumps([case, case]))
    assert terminal(["doctor", "cases.json"], capsys)[0] == 2


def test_a_failed_assertion_says_such_names_as_text() -> None:
    case = AuditCase(f"a{NAMES}", "o", 1, 2, Relation.VIOLATION, ("x",), Validity.VALID, "me")
    report = audit_validator(lambda _: Verdict(True), [case], obligations=[Obligation("o", "d")], validator_id=NAMES)
    check = Check(NAMES, "1", Kind.INVARIANT, Status.VIOLATED, "C", NAMES, NAMES)
    for insist in (report.assert_thresholds, Report((check,), "0", "0", Policy()).assert_accepted):
        with pytest.raises(AssertionError) as failure:
            insist()
        assert visible(str(failure.value)) == str(failure.value)


def test_the_tables_of_a_run_are_shown_as_text(folder: Path) -> None:
    Path("results/tables").mkdir(parents=True)
    Path("results/tables/demo.json").write_text(json.dumps({"columns": ["text", "n"], "rows": [[NAMES, 1]]}))
    out = io.StringIO()
    reproduce._show(Console(file=out, width=150, markup=False), "demo", TABLE)
    assert "\\x1b[31m\\x9b\\u202ename" in out.getvalue()
    assert visible(out.getvalue()) == out.getvalue()


# --- Markdown, CSV, Typst -----------------------------------------------------------------------------------------

PARSER = MarkdownIt("commonmark", {"linkify": False}).enable(["table", "strikethrough"])
MARKUP = {
    "an image": ("![x](https://example.org/x.png)", r"![x\](https\://example.org/x.png)"),
    "a link": ("[safe](javascript:alert(1))", r"[safe\](javascript:alert(1))"),
    "a reference": ("[x][y]", r"[x\][y]"),
    "HTML": ("<img src=x onerror=alert(1)>", r"\<img src=x onerror=alert(1)>"),
    "a comment that hides": ("a<!-- b", r"a\<!-- b"),
    "an address": ("<https://example.org>", r"\<https\://example.org>"),
    "a bare address": ("see www.example.org", r"see www\.example.org"),
    "emphasis": ("**a** *b* __c__ _d_ ~~e~~", r"\*\*a\*\* \*b\* \_\_c\_\_ \_d\_ \~\~e\~\~"),
    "code": ("`a` ``b", r"\`a\` \`\`b"),
    "code around a cell's end": ("`a | b`", r"\`a \| b\`"),
    "an escape before a pipe": ("a\\| b", r"a\\\| b"),
    "an entity": ("&lt;b&gt; &#64; R&D", r"\&lt;b\&gt; \&#64; R&D"),
    "a mention": ("@someone and (@team/all)", "@<!-- -->someone and (@<!-- -->team/all)"),
    "mathematics": (r"$\color{white}{x}$", r"\$\\color{white}{x}$"),
    "a new row": ("a\n| b | c |\n# d", r"a \| b \| c \| # d"),
    "a finding id": ("RULE/CODE@state:a_b", "RULE/CODE@state:a_b"),
    "an escape sequence": ("\x1b[2J", r"\\x1b[2J"),
}


@pytest.mark.parametrize(("text", "expected"), MARKUP.values(), ids=MARKUP)
def test_a_text_in_markdown_is_no_markup(text: str, expected: str) -> None:
    assert cell(text) == expected


SIGNS = "\\`*_[]()<>|~$&!#@:;./- \n"
Parts = st.lists(st.text(max_size=4) | st.sampled_from([*SIGNS, *(text for text, _ in MARKUP.values())]))


@given(text=Parts.map("".join))
def test_a_markdown_reader_finds_the_text_in_its_cell_and_nothing_else(text: str) -> None:
    tokens = [token for token in PARSER.parse(markdown_text(TABLE, TABLE.frame([[text, 1]]))) if token.type == "inline"]
    title, _, _, first, second = tokens
    parts = [part for part in first.children or [] if (part.type, part.content) != ("html_inline", "<!-- -->")]
    assert {part.type for part in parts} <= {"text", "text_special"}
    assert "".join(part.content for part in parts) == visible(flat(text))
    assert (title.content, second.content) == ("**Demo**", "1")


@given(text=Parts.map("".join).filter(lambda text: flat(text) and "|" not in text))
def test_a_markdown_reader_finds_code_and_nothing_else(text: str) -> None:
    for before, after in (("| a |\n|---|\n| ", " |\n"), ("- ", " x\n")):
        tokens = [token for token in PARSER.parse(f"{before}{code(text)}{after}") if token.type == "inline"]
        (part, *rest) = tokens[-1].children or []
        assert (part.type, "".join(token.content for token in rest).strip()) == ("code_inline", "x" * (before == "- "))
        assert part.content == visible(flat(text))


def test_code_that_no_table_can_hold_is_text() -> None:
    assert [code(text) for text in ("a`b", "a``", "a|`b", "")] == ["`` a`b ``", "``` a`` ```", r"a\|\`b", ""]


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠1", "=cmd|' /C calc'!A0"]  # noqa: RUF001


@pytest.mark.parametrize("text", FORMULAS, ids=ascii)
def test_a_spreadsheet_runs_no_cell_and_numbers_stay_numbers(text: str) -> None:
    _, line = csv.reader(io.StringIO(csv_text(TABLE, TABLE.frame([[text, -1.5e-300]])), newline=""))
    assert line == [f"'{text}", "-1.5e-300"]


@pytest.mark.parametrize("text", ['#import "x": *', '"); #read("/etc/passwd"); ("', "\\u{22}", "$x$", "@ref", "a\n= b"])
def test_a_text_in_typst_is_a_string_on_one_line(text: str) -> None:
    line = typst_text(TABLE, TABLE.frame([[text, 1]])).splitlines()[2]
    literal = json.dumps(text).replace(r"\n", r"\u{a}")
    assert line == f'  {literal}, "1",'
