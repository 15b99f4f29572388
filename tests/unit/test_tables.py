"""A table says the same in JSON, CSV and Markdown, and says undefined where nothing can be counted."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pandas import DataFrame

from mateprobe.errors import StageError
from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.section import RESULTS
from mateprobe.pipeline.studies import load_study
from mateprobe.pipeline.table import NOT_EVALUATED, Column, Row, Table, count, fraction, share
from mateprobe.pipeline.table_forms import csv_text, json_text, markdown_text, typst_text
from mateprobe.pipeline.table_specs import FAMILIES, TABLES, together
from tests.unit.conftest import Bench, left, row, study

FORMS = [f"results/tables/feasibility.{form}" for form in ("csv", "json", "md", "typ")]


def table(*columns: Column) -> Table:
    return Table("Demo", columns, "summary", lambda _: iter(()))


THREE = table(Column("study", "Study"), count("n", "Cases"), share("rate", "Rate"))


def written(form: Callable[[Table, DataFrame], str], *rows: Row) -> str:
    return form(THREE, THREE.frame(rows))


def test_a_table_in_markdown_is_for_people() -> None:
    assert written(markdown_text, ["demo", 1234, 0.5], ["a|b\nc", 5, 2 / 3]) == (
        "**Demo**\n\n| Study | Cases | Rate |\n|---|---:|---:|\n| demo | 1,234 | 50.0% |\n| a\\|b c | 5 | 66.7% |\n"
    )


def test_html_in_a_table_in_markdown_is_shown_as_text() -> None:
    line = written(markdown_text, ["<script>alert('1')</script> &amp; <b>", 1, 0.5]).splitlines()[4]
    assert line == r"| \<script>alert('1')\</script> \&amp; \<b> | 1 | 50.0% |"


def test_a_column_with_a_word_in_it_is_not_set_as_numbers() -> None:
    assert written(markdown_text, ["demo", 1, None], ["demo", 2, 1.0]).splitlines()[3] == "|---|---:|---|"


def test_a_table_in_typst_is_strings_alone() -> None:
    assert written(typst_text, ['de"mo', 1234, 0.5], ["#a\nc\\", 5, 2 / 3]) == (
        '#table(columns: 3, align: (left, right, right,),\n  table.header("Study", "Cases", "Rate"),\n'
        '  "de\\"mo", "1,234", "50.0%",\n  "#a\\u{a}c\\\\", "5", "66.7%",\n)\n'
    )


def test_a_fraction_that_is_no_share_has_three_digits() -> None:
    assert [fraction("p", "p").shown(value) for value in (12.34, 0.5, 4.235e-22)] == ["12.3", "0.5", "4.24e-22"]


def test_a_table_in_csv_is_exact() -> None:
    assert written(csv_text, ["demo", 1234, 2 / 3], ['a "b", c', 0, None]) == (
        'study,n,rate\ndemo,1234,0.6666666666666666\n"a ""b"", c",0,undefined\n'
    )


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"], ids=repr)  # OWASP, CSV injection
def test_a_text_a_spreadsheet_would_run_is_no_formula_in_csv(text: str) -> None:
    _, line = csv.reader(io.StringIO(written(csv_text, [text, -1, -0.5]), newline=""))
    assert line == [f"'{text}", "-1", "-0.5"]


FORMULA = ["=", "+", "-", "@", "\t", "\r"]
Texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
Whole = st.integers(-(2**63), 2**63 - 1)
Cells = st.tuples(Texts, Whole, st.floats(allow_nan=False, allow_infinity=False) | st.none())


@given(rows=st.lists(Cells))
def test_a_csv_reader_gets_back_what_was_written(rows: list[tuple[Any, ...]]) -> None:
    header, *lines = csv.reader(io.StringIO(written(csv_text, *rows), newline=""))
    assert header == ["study", "n", "rate"]
    assert [line[1:] for line in lines] == [[str(n), "undefined" if rate is None else str(rate)] for _, n, rate in rows]
    for (text, *_), (read, *_) in zip(rows, lines, strict=True):
        assert read == (f"'{text}" if text[:1] in FORMULA else text)


@given(rows=st.lists(Cells))
def test_a_markdown_table_keeps_its_shape_whatever_stands_in_it(rows: list[tuple[Any, ...]]) -> None:
    _, _, head, rule, *body = written(markdown_text, *rows).removesuffix("\n").split("\n")
    assert (head, rule.count("|")) == ("| Study | Cases | Rate |", 4)
    assert len(body) == len(rows)
    for line in body:
        assert line.replace("\\|", "").count("|") == 4


@given(rows=st.lists(Cells))
def test_a_table_in_json_holds_exactly_what_the_rows_hold(rows: list[tuple[Any, ...]]) -> None:
    content = json.loads(written(json_text, *rows))
    assert content == {
        "columns": ["study", "n", "rate"],
        "rows": [["undefined" if value is None else value for value in row] for row in rows],
    }


def test_a_frame_has_the_types_of_its_columns_and_nothing_where_something_is_undefined() -> None:
    frame = THREE.frame([["demo", 1, None], [None, None, 0.5]])
    assert frame.dtypes.astype(str).to_dict() == {"study": "string", "n": "Int64", "rate": "Float64"}
    assert frame.isna().to_numpy().tolist() == [[False, False, True], [True, True, False]]
    assert THREE.frame([]).dtypes.astype(str).to_list() == ["string", "Int64", "Float64"]


def test_what_is_undefined_is_called_what_its_column_calls_it() -> None:
    two = table(count("accepted", "Accepted", NOT_EVALUATED), count("tokens", "Tokens"))
    frame = two.frame([[None, None], [0, 0]])
    assert json.loads(json_text(two, frame))["rows"] == [["not evaluated", "undefined"], [0, 0]]
    assert markdown_text(two, frame).splitlines()[3:] == ["|---|---|", "| not evaluated | undefined |", "| 0 | 0 |"]


ODD = {
    "a word among numbers": (count("n", "N"), "undefined", "column 'n': expected int or nothing, found 'undefined'"),
    "a fraction among whole numbers": (count("n", "N"), 0.5, "column 'n': expected int or nothing, found 0.5"),
    "yes or no among numbers": (count("n", "N"), True, "column 'n': expected int or nothing, found True"),
    "a number among texts": (Column("t", "T"), 1, "column 't': expected str or nothing, found 1"),
    "a text among shares": (share("s", "S"), "1/2", "column 's': expected float or nothing, found '1/2'"),
}


@pytest.mark.parametrize(("column", "value", "message"), ODD.values(), ids=ODD.keys())
def test_a_value_of_another_type_than_its_column_is_refused(column: Column, value: Any, message: str) -> None:
    with pytest.raises(StageError, match=f"^{re.escape(message)}$"):
        table(column).frame([[None], [value]])


# --- the stage --------------------------------------------------------------------------------------------------


def tables(bench: Bench, table: str, *inputs: str) -> tuple[int, str]:
    code = main(["tables", "--table", table, *inputs])
    return code, bench.capsys.readouterr().err


@pytest.fixture
def judged(bench: Bench) -> Bench:
    bench.write(study(row("a"), row("b", variant=2)))
    bench.judge()
    return bench


def test_a_table_is_written_in_four_forms_with_the_same_rows(judged: Bench) -> None:
    assert tables(judged, "feasibility", "results/demo/summary.json")[0] == 0
    content = json.loads(Path(FORMS[1]).read_text())
    names = ["study", "validator", "tp", "fn", "fp", "tn", "precision", "recall", "valid_acceptance"]
    values = ["demo", "by_sign", 1, 1, 0, 0, 1.0, 0.5, "undefined"]
    assert content == {"columns": names, "rows": [values]}
    assert Path(FORMS[0]).read_bytes().decode() == "\n".join([",".join(names), ",".join(map(str, values)), ""])
    assert Path(FORMS[2]).read_text().splitlines()[-1] == (
        "| demo | by_sign | 1 | 1 | 0 | 0 | 100.0% | 50.0% | undefined |"
    )
    assert Path(FORMS[3]).read_text().splitlines()[-2] == (
        '  "demo", "by_sign", "1", "1", "0", "0", "100.0%", "50.0%", "undefined",'
    )


def test_rows_come_in_the_order_in_which_the_studies_are_named(judged: Bench) -> None:
    other = Path("results/other/summary.json")
    other.parent.mkdir()
    other.write_text(Path("results/demo/summary.json").read_text().replace('"demo"', '"other"'))
    for inputs, studies in ((["demo", "other"], ["demo", "other"]), (["other", "demo"], ["other", "demo"])):
        assert tables(judged, "feasibility", *(f"results/{name}/summary.json" for name in inputs))[0] == 0
        assert [row[0] for row in json.loads(Path(FORMS[1]).read_text())["rows"]] == studies


def test_tables_of_one_run_are_stages_of_their_own(judged: Bench) -> None:
    summary = "results/demo/summary.json"
    assert tables(judged, "feasibility", summary)[0] == 0
    _, said = tables(judged, "feasibility", summary, "--table", "confusion", summary)
    assert [line.partition(" in ")[0] for line in said.splitlines()] == ["tables: restored", "tables: made"]


def test_a_text_of_a_megabyte_stands_whole_in_every_form(bench: Bench) -> None:
    long = "word#" * 200_000
    bench.write(study(row("a", provenance=long), tables=["support"]))
    bench.judge()
    assert tables(bench, "support", "results/demo/outcomes/by_sign.jsonl")[0] == 0
    for form in ("csv", "json", "md", "typ"):
        assert Path(f"results/tables/support.{form}").read_text().count(long) == 1, form


def test_a_table_nobody_knows_is_refused(judged: Bench) -> None:
    before = left()
    code, said = tables(judged, "feasibilty", "results/demo/summary.json")
    assert (code, left()) == (2, before)
    assert said.startswith("tables: table 'feasibilty': expected one of ")
    assert said.endswith("; did you mean 'feasibility'?\n")


def test_a_table_without_rows_is_refused(judged: Bench) -> None:
    path = Path("results/demo/summary.json")
    path.write_text('{"study":"demo","order":[],"validators":{}}')
    before = left()
    assert tables(judged, "feasibility", str(path)) == (
        1,
        f"tables: table 'feasibility' has no rows from {path}; an empty table proves nothing\n",
    )
    assert left() == before


SPOILT = {
    "no JSON": ("{", "tables: results/demo/summary.json, column 2: not JSON: .*"),
    "a number that is not finite": ('{"study":NaN}', "tables: results/demo/summary.json: NaN is not JSON; .*"),
    "a key twice": ('{"study":1,"study":2}', "tables: results/demo/summary.json: key 'study' occurs twice .*"),
}


@pytest.mark.parametrize(("text", "message"), SPOILT.values(), ids=SPOILT.keys())
def test_a_summary_that_is_spoilt_is_refused_and_no_table_written(judged: Bench, text: str, message: str) -> None:
    Path("results/demo/summary.json").write_text(text)
    before = left()
    code, said = tables(judged, "feasibility", "results/demo/summary.json")
    assert (code, left()) == (2, before)
    assert re.fullmatch(message, said.removesuffix("\n")), said


def test_a_study_that_names_no_table_has_one_of_its_own(bench: Bench) -> None:
    content = study(row("a"), row("b", variant=13), row("c", relation="preserve", variant=2))
    content["obligations"].append({"id": "size", "description": "It is small."})
    bench.write({key: value for key, value in content.items() if key != "tables"})
    bench.judge()
    assert load_study(Path("studies/demo.yaml")).tables == ("demo",)
    assert tables(bench, "demo", "results/demo/summary.json")[0] == 0
    assert Path("results/tables/demo.md").read_text() == (
        "**Outcomes by obligation**\n\n"
        "| Study | Validator | Obligation | Eligible faults | Detected | Eligible controls | Preserved "
        "| Other outcomes | Assessment |\n|---|---|---|---:|---:|---:|---:|---|---|\n"
        "| demo | by_sign | sign | 2 | 1 | 1 | 1 | 1 error | incomplete evidence |\n"
        "| demo | by_sign | size | 0 | 0 | 0 | 0 | none | untested |\n"
    )


def test_a_table_with_the_name_of_no_study_is_none(judged: Bench) -> None:
    code, said = tables(judged, "demos", "results/demo/summary.json")
    assert (code, said.startswith("tables: table 'demos': expected one of ")) == (2, True)


def test_a_summary_that_is_not_there_is_named(bench: Bench) -> None:
    path = "results/demo/summary.json"
    said = f"tables: tables: input '{path}': no file {path}; run the stage that makes it\n"
    assert tables(bench, "feasibility", path) == (2, said)


# --- the tables of the report -----------------------------------------------------------------------------------

OF_ANY_SUMMARY = [
    "obligations",
    "feasibility",
    "expanded",
    "controlled",
    "ablations",
    "confusion",
    "attribution",
    "error_policies",
]


@pytest.mark.parametrize("name", sorted(TABLES))
def test_the_columns_of_a_table_have_names_and_headings_of_their_own(name: str) -> None:
    columns = TABLES[name].columns
    assert len({column.name for column in columns}) == len({column.heading for column in columns}) == len(columns)


def test_tables_of_a_family_are_made_together_and_that_of_a_study_alone() -> None:
    assert together(["lanes", "mine", "agreement", "intervals", "yours"]) == {
        "model-outputs": ["lanes"],
        "mine": ["mine"],
        "rates-and-agreement": ["agreement", "intervals"],
        "yours": ["yours"],
    }
    assert sum(len(family) for family in FAMILIES.values()) == len(TABLES)
    assert [name for name in FAMILIES if re.fullmatch("[a-z0-9_]+", name)] == []  # as ids of studies are


def test_a_table_reads_the_artifacts_of_its_studies() -> None:
    assert TABLES["feasibility"].inputs("demo", ["a", "b"]) == [f"{RESULTS}/demo/summary.json"]
    assert TABLES["support"].inputs("demo", ["a", "b"]) == [f"{RESULTS}/demo/outcomes/{id}.jsonl" for id in "ab"]
    assert TABLES["agreement"].inputs("demo", ["a"]) == [f"{RESULTS}/demo/agreement.json"]


@pytest.mark.parametrize("name", OF_ANY_SUMMARY)
def test_every_row_of_a_summary_has_a_value_for_each_column(bench: Bench, name: str) -> None:
    content = study(row("a"), row("b", variant=13), row("c", relation="preserve", variant=2), comparators=["boolean"])
    content["obligations"][0]["kind"] = "invariant"
    bench.write(content)
    bench.judge()
    frame = TABLES[name].read([Path("results/demo/summary.json")])
    assert (frame.empty, list(frame.columns)) == (False, [column.name for column in TABLES[name].columns])
