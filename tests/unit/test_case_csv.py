"""Cases as CSV: the table a spreadsheet writes, read as strictly as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mateprobe.case_file import case_rows, load_cases
from mateprobe.errors import InvalidValue
from mateprobe.outcome import Relation, Validity
from mateprobe.validator_audit import AuditCase

HEADER = "id,obligation,relation,expected,validity,provenance,baseline,variant"
FAULT = 'no receipt,receipt,violation,receipt,valid,by hand,"{""receipt"": ""R-17""}","{""receipt"": null}"'
CONTROL = 'other words,receipt,preserve,,valid,by hand,"{""receipt"": ""R-17""}","""é"""'
CASES = (
    AuditCase(
        "no receipt", "receipt", {"receipt": "R-17"}, {"receipt": None}, Relation.VIOLATION, ("receipt",),
        Validity.VALID, "by hand",
    ),
    AuditCase("other words", "receipt", {"receipt": "R-17"}, "é", Relation.PRESERVE, (), Validity.VALID, "by hand"),
)  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cases.csv"


def table(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


FORMS: dict[str, bytes] = {
    "as written": table(HEADER, FAULT, CONTROL).encode(),
    "with a byte order mark": b"\xef\xbb\xbf" + table(HEADER, FAULT, CONTROL).encode(),
    "with lines that end in CR LF": table(HEADER, FAULT, CONTROL).replace("\n", "\r\n").encode(),
    "without a last line end": table(HEADER, FAULT, CONTROL).rstrip("\n").encode(),
    "with blank lines": table(HEADER, "", FAULT, "", CONTROL, "").encode(),
    "with blanks after commas": table(HEADER.replace(",", ", "), FAULT, CONTROL).encode(),
}


@pytest.mark.parametrize("data", FORMS.values(), ids=FORMS.keys())
def test_a_table_holds_the_cases_of_its_rows(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert load_cases(path).cases == CASES


def test_the_columns_may_stand_in_any_order_and_those_that_say_nothing_may_be_left_out(path: Path) -> None:
    path.write_text("variant,baseline,relation,obligation,id\n2,1,preserve,o,a\n")
    (case,) = load_cases(path).cases
    assert case == AuditCase("a", "o", 1, 2, Relation.PRESERVE, (), Validity.UNREVIEWED, "")


@pytest.mark.parametrize("cell", ["a b", "a;b", "a; b", " a  b "], ids=["blank", "semicolon", "both", "many"])
def test_expected_ids_are_separated_by_blanks_or_semicolons(path: Path, cell: str) -> None:
    path.write_text(f"id,obligation,relation,expected,baseline,variant\nx,o,violation,{cell},1,2\n")
    assert load_cases(path).cases[0].expected == ("a", "b")


def test_a_cell_may_hold_several_lines(path: Path) -> None:
    path.write_text(table(HEADER, 'a,o,preserve,,,,"[1,\n2]",3', "b,o,preserve,,,,oops,3"))
    with pytest.raises(InvalidValue, match=r"cases.csv, line 4, column baseline, column 1: not JSON"):
        load_cases(path)


def test_group_and_family_are_kept_for_those_who_want_them(path: Path) -> None:
    path.write_text("id,obligation,relation,baseline,variant,group,family\na,o,preserve,1,2,g,f\n")
    row: dict[str, Any] = {"id": "a", "obligation": "o", "relation": "preserve", "baseline": 1, "variant": 2}
    assert list(case_rows(path)) == [(f"{path}, line 2", {**row, "group": "g", "family": "f"})]
    assert load_cases(path).cases[0].id == "a"


REFUSED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "cases.csv: expected a first line that names the columns id, obligation, .*, found no line"),
    "another separator": (
        HEADER.replace(",", ";").encode(),
        "cases.csv, line 1: expected columns separated by commas, found 'id;obligation;relation;.*'",
    ),
    "an unknown column": (
        HEADER.replace("variant", "varient").encode(),
        "cases.csv, line 1: column 'varient': expected one of .*; did you mean 'variant'\\?",
    ),
    "a column twice": (f"{HEADER},id".encode(), "cases.csv, line 1: column 'id' stands twice; keep one"),
    "columns too few": (
        b"id,obligation,relation,variant",
        "cases.csv, line 1: expected the column 'baseline', found id, obligation, relation, variant",
    ),
    "a cell too many": (
        table(HEADER, FAULT, f"{CONTROL},more").encode(),
        "cases.csv, line 3: expected 8 cells \\(id, .*\\), found 9; a cell with a comma or a quote .*",
    ),
    "a cell too few": (table(HEADER, "a,b").encode(), "cases.csv, line 2: expected 8 cells \\(id, .*\\), found 2; .*"),
    "a text without quotes of its own": (
        table(HEADER, "a,o,preserve,,,,Paid back,2").encode(),
        "cases.csv, line 2, column baseline, column 1: not JSON: .*; a sample is JSON, so that a text is .*",
    ),
    "an empty sample": (
        table(HEADER, "a,o,preserve,,,,1,").encode(),
        "cases.csv, line 2, column variant, column 1: not JSON: .*found the end of the text; a sample is JSON, .*",
    ),
    "a key twice in a sample": (
        table(HEADER, 'a,o,preserve,,,,"{""a"": 1, ""a"": 2}",2').encode(),
        "cases.csv, line 2, column baseline: key 'a' occurs twice in one object; keep one; .*",
    ),
    "an unknown relation": (
        table(HEADER, "a,o,fault,x,,,1,2").encode(),
        "cases.csv, line 2: \\$.relation: expected one of 'violation', 'preserve', found 'fault'",
    ),
    "a fault that expects nothing": (
        table(HEADER, "a,o,violation,,,,1,2").encode(),
        "cases.csv, line 2: \\$: case 'a' is a fault with expected=\\(\\); .*",
    ),
    "a quote that never ends": (
        table(HEADER, 'a,o,"preserve').encode(),
        "cases.csv, line 2: expected CSV in UTF-8: unexpected end of data",
    ),
    "text after a quote": (
        table(HEADER, 'a,o,"preserve"d').encode(),
        "cases.csv, line 2: expected CSV in UTF-8: ',' expected after '\"'",
    ),
    "bytes that are no UTF-8": (
        table(HEADER).encode() + b"\xe9,o\n",
        "cases.csv, line 1: expected CSV in UTF-8: 'utf-8' codec can't decode byte 0xe9 .*",
    ),
    "a cell beyond what the reader takes": (
        table(HEADER, "a" * 140_000).encode(),
        "cases.csv, line 2: expected CSV in UTF-8: field larger than field limit .*",
    ),
}


@pytest.mark.parametrize(("data", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_table_of_cases_is_refused_with_its_line(path: Path, data: bytes, message: str) -> None:
    path.write_bytes(data)
    with pytest.raises(InvalidValue, match=f"{message}$"):
        load_cases(path)


def test_an_endless_line_is_refused_before_it_fills_the_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mateprobe.strict_json.LIMIT", 100)
    path.write_text(table(HEADER, "a" * 200))
    with pytest.raises(InvalidValue, match=r"cases.csv, line 2: expected at most 100 bytes"):
        load_cases(path)
