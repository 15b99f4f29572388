"""The paper has no numeral of its own, shows text as text, and is the same bytes wherever it is set."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from mateprobe.errors import StudyError
from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.claims import load_claims, numbers_text
from mateprobe.pipeline.paper import pdf, read_by
from mateprobe.pipeline.prose import numerals, shown
from mateprobe.pipeline.studies import load_studies
from mateprobe.pipeline.study_protocol import read_protocol
from mateprobe.pipeline.table import Column, Table
from mateprobe.pipeline.table_forms import typst_text
from mateprobe.pipeline.table_specs import TABLES
from mateprobe.pipeline.typst_text import string
from tests.unit.conftest import left

ROOT = Path(__file__).parents[2]
PAPER = ROOT / "paper" / "main.typ"


def found(tmp_path: Path, text: str) -> list[str]:
    """Return the numerals found in a source, each as ``LINE NUMERAL``."""
    path = tmp_path / "main.typ"
    path.write_text(text)
    return [re.sub(r".*main\.typ:(\d+): '([^']*)' in .*", r"\1 \2", line) for line in numerals(path)]


FOUND = {
    "a number": ("There are 48 groups.", ["1 48"]),
    "each of several, with its line": ("There are 48.\nOr 1,152 of\n0.8?", ["1 48", "2 1,152", "3 0.8"]),
    "a number in letters": ("Three of them, and twelve more.", ["1 Three", "1 twelve"]),
    "a percentage": ("It is 80 %.", ["1 80"]),
    "a number in a heading": ("= The 48 groups", ["1 48"]),
    "a number in a caption": ('#shown-table("a", caption: [Of 48 groups])', ["1 48"]),
    "a number in brackets in a caption": ('#shown-table("a", caption: [Of [48] groups])', ["1 48"]),
    "a number in emphasis": ("*48* and _49_", ["1 48", "1 49"]),
    "a number in mathematics": ("$x = 48$", ["1 48"]),
    "a number in code, on its own": ("`48`", ["1 48"]),
    "a number as an expression": ("#48", ["1 48"]),
    "a text as an expression": ('#"48"', ["1 48"]),
    "a number after a call": ('#n("a.b") of 48', ["1 48"]),
    "a number that begins like a year": ("19000 and 2026.5", ["1 19000", "1 2026.5"]),
    "a number that is part of no version": ("1.2 and 1.2.3.4", ["1 1.2", "1 1.2.3.4"]),
}
HARMLESS = {
    "a call": '#n("section_6.groups") of #word("a.12"), #share("b.3")',
    "a year": "In 2026, and in 1927.",
    "a section": "See section 6, § 7.1 and sections 6 to 9.",
    "a version": "Release 0.1.0a4, not 3.0.2.",
    "a name in code": "Of `qwen3:1.7b` nothing is said.",
    "a reference and a label": "See @fig-2 <fig-3> @zhou2023.",
    "a comment": "// 48 groups\n/* 48\ngroups */",
    "an import": '#import "style2.typ": paper',
    "an escaped bracket": r"\[one\]",
    "words that hold a number word": "someone often weighs, tension",
    "the word one": "one of them, no one",
}


@pytest.mark.parametrize(("text", "lines"), FOUND.values(), ids=FOUND.keys())
def test_a_numeral_is_found(tmp_path: Path, text: str, lines: list[str]) -> None:
    assert found(tmp_path, text) == lines


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_is_no_numeral_of_the_prose_is_left_alone(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text) == []


REFUSED = {
    "a function of its own": ("\n#text[48]", r"main.typ:2: #text: expected one of .*"),
    "a function that shows a string": ('#emph("48")', r"main.typ:1: #emph: expected one of .*"),
    "a parenthesis": ('a\n#n("a"', r"main.typ:2: a parenthesis is opened and not closed"),
    "a bracket": ('#shown-table("a", caption: [b', r"main.typ: a bracket is opened and not closed"),
    "a semicolon that Typst would swallow": (
        '#n("a"); b',
        r"main.typ:1: Typst takes the ; after #n for its end; write \\;",
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_source_that_could_hide_a_numeral_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(StudyError) as error:
        found(tmp_path, text)
    assert re.fullmatch(message, str(error.value).removeprefix(f"{tmp_path}/"))


def test_the_paper_has_no_numeral_of_its_own() -> None:
    assert numerals(PAPER) == []


def test_the_paper_names_numbers_and_tables_that_exist() -> None:
    claims = load_claims(ROOT / "paper" / "claims.yaml")
    known = {*claims.stated, *claims.own, "claims.computed", "claims.not_computed"}
    named = set(re.findall(r'#(?:n|share|word)\("([^"]*)"\)', PAPER.read_text("utf-8")))
    assert named - known == set()
    assert {path.stem for path in shown(PAPER) if path.suffix == ".typ"} - TABLES.keys() == set()


SECTIONS = ["Questions", "Fixed beforehand", "Labels", "Exclusions", "Not claimed", "Deviations"]


def test_every_study_has_a_protocol_that_says_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    protocols = {path.stem: path.read_text("utf-8") for path in Path("paper/protocols").glob("*.md")}
    assert sorted(protocols) == sorted(load_studies())
    for id, text in protocols.items():
        assert text.startswith(f"# Protocol: {id}\n")
        sections = re.findall(r"^## (.*)\n\n(?=\S)", text, re.MULTILINE)
        assert sections == SECTIONS, id
        assert read_protocol(id) is not None  # raises if it was changed and does not say so


# --- the stage --------------------------------------------------------------------------------------------------

TEXTS = [
    "#pagebreak() *bold* _x_ $1/0$ @nobody <label> `raw`",
    '"quoted" \\ back',
    "two\nlines\t\x00\u2028 end",
    "]) //",
]
TABLE = Table("Demo", (Column("a", "A #heading"), Column("n", "N", "Int64")), "summary", lambda _: iter(()))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MATEPROBE_CACHE", raising=False)
    Path("paper").mkdir()
    for name in ("style.typ", "references.bib"):
        shutil.copy(ROOT / "paper" / name, "paper")
    for name, text in {
        "paper/main.typ": SOURCE,
        "results/paper/numbers.typ": numbers_text({"a.b": 48, "a.rate": 0.5}),
        "results/tables/demo.typ": typst_text(TABLE, TABLE.frame([text, 1] for text in TEXTS)),
    }.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    return tmp_path


SOURCE = """#import "style.typ": paper, shown-table
#import "/results/paper/numbers.typ": n, share, word
#show: paper.with(title: [A title], abstract: [With #n("a.b").])
= First
At #share("a.rate"), see @table and @zhou2023.
#shown-table("demo", caption: [What is there.]) <table>
#bibliography("references.bib")
"""


def run(capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = main(["paper"])
    return code, capsys.readouterr().err


def test_a_paper_is_set_as_pdf(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys)[0] == 0
    made = Path("results/paper/mateprobe.pdf").read_bytes()
    assert made.startswith(b"%PDF-")
    assert b"CreationDate" not in made


def test_two_folders_give_the_same_bytes(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("elsewhere") / "deeper"
    shutil.copytree(folder, other)
    source = Path("paper/main.typ")
    assert pdf(folder, source) == pdf(other, source)


CHECK = """#show table: found => {
  let cells = found.children.slice(1).map(cell => cell.body.text)
  assert.eq(cells, json("/expected.json"))
}
#include "/results/tables/demo.typ"
"""


def test_text_with_markup_in_a_table_is_shown_as_text(folder: Path) -> None:
    Path("expected.json").write_text(json.dumps([cell for text in TEXTS for cell in (text, "1")]))
    Path("paper/main.typ").write_text(CHECK)
    pdf(folder, Path("paper/main.typ"))


@given(text=st.text(st.characters(codec="utf-8")))
def test_a_string_for_typst_is_one_literal_on_one_line(text: str) -> None:
    literal = string(text)
    inner = re.fullmatch(r'"((?:[^"\\]|\\\\|\\"|\\u\{[0-9a-f]+\})*)"', literal)
    assert inner is not None
    assert len(literal.splitlines()) == 1
    plain = re.sub(r"\\u\{([0-9a-f]+)\}", lambda code: chr(int(code[1], 16)), inner[1])
    if "\\" not in text:
        assert plain.replace('\\"', '"') == text


BAD = {
    "a numeral in the prose": (
        SOURCE.replace("= First", "= First of 48"),
        r"paper: paper/main\.typ:4: '48' in '= First of 48'\nexpected #n\(\"ID\"\), .*",
    ),
    "a number nobody computed": (
        SOURCE.replace('#n("a.b")', '#n("a.c")'),
        r"paper: paper/main\.typ: (?s:.*)dictionary does not contain key \"a\.c\"(?s:.*)",
    ),
    "a table nobody made": (
        SOURCE.replace('"demo"', '"gone"'),
        r"paper: paper: input 'results/tables/gone\.typ': no file results/tables/gone\.typ; run the stage .*",
    ),
    "a reference to nothing": (
        SOURCE.replace("@table", "@nowhere"),
        r"paper: paper/main\.typ: (?s:.*)label `<nowhere>` does not exist(?s:.*)",
    ),
}


@pytest.mark.parametrize(("source", "message"), BAD.values(), ids=BAD.keys())
def test_a_paper_that_cannot_be_set_is_refused_and_nothing_written(
    folder: Path, capsys: pytest.CaptureFixture[str], source: str, message: str
) -> None:
    Path("paper/main.typ").write_text(source)
    before = left()
    code, said = run(capsys)
    assert code == 2
    assert re.fullmatch(message, said.removesuffix("\n")), said
    assert left() == before


def test_the_paper_reads_what_it_names(folder: Path) -> None:
    assert [path.as_posix() for path in read_by(Path("paper/main.typ"))] == [
        "paper/main.typ",
        "paper/style.typ",
        "paper/references.bib",
        "results/paper/numbers.typ",
        "results/tables/demo.typ",
    ]


def test_every_number_of_our_own_is_in_the_paper() -> None:
    named = set(re.findall(r'#(?:n|share|word)\("([^"]*)"\)', PAPER.read_text("utf-8")))
    assert load_claims(ROOT / "paper" / "claims.yaml").own.keys() - named == set()
