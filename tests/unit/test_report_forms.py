"""The forms of a report: each valid by the schema of its kind, each with the same accounts."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft4Validator, Draft7Validator
from xmlschema import XMLSchema

from mateprobe import AuditCase, Outcome, Validity, Verdict
from mateprobe.gate import Gate
from mateprobe.outcome import FAILURES, GAPS, INCOMPLETE, WELL as WELL_ENDED
from mateprobe.report_file import ReportFile
from mateprobe.reports import FORMS, form_of
from mateprobe.reports.forms import WRITERS
from mateprobe.reports.markdown import STEP_SUMMARY, within
from mateprobe.reports.sarif import fingerprint, sarif
from mateprobe.validator_audit import Source
from tests.audits import CASE, CASES, WELL, case, report, signs

SCHEMAS = Path(__file__).parents[1] / "schemas"
STRANGE = "\ud800 & <b>\"'|\x00\x1b[31m\ufffe\r\n]]>"
ODD: dict[str, ReportFile] = {
    "every outcome": report(),
    "all well": report(WELL),
    "no source": replace(report(), report=replace(report().report, cases=tuple(
        replace(one, source=None) for one in report().report.cases
    ))),
    "strange text": report(
        [case("a & <b>\x00\x1b[31m|\n", -1, provenance=STRANGE[1:]), *WELL],
        lambda number: Verdict(number == 1, () if number == 1 else (STRANGE,), evidence=(STRANGE,)),
    ),
}  # fmt: skip
each = pytest.mark.parametrize("file", ODD.values(), ids=ODD.keys())


def text(form: str, file: ReportFile) -> str:
    return "".join(WRITERS[form](file))


def data(form: str, file: ReportFile) -> Any:
    return json.loads(text(form, file))


@cache
def schema(name: str) -> Any:
    path = SCHEMAS / name
    if path.suffix == ".xsd":
        return XMLSchema(str(path))
    kind = Draft4Validator if name.startswith("sarif") else Draft7Validator
    return kind(json.loads(path.read_text("utf-8")), format_checker=kind.FORMAT_CHECKER)


def problems(name: str, document: Any) -> list[str]:
    return [error.message for error in schema(name).iter_errors(document)]


def test_the_schemas_are_those_whose_origin_is_told() -> None:
    page = (SCHEMAS / "README.md").read_text("utf-8")
    told = dict(re.findall(r"^\| `([\w.-]+)` \|.*`([0-9a-f]{64})` \|$", page, flags=re.MULTILINE))
    files = {path.name: path for path in SCHEMAS.iterdir() if path.name != "README.md"}
    assert {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()} == told


def test_every_form_has_a_writer() -> None:
    assert tuple(WRITERS) == FORMS


NAMES = {"a.json": "json", "a.jsonl": "jsonl", "b/a.md": "markdown", "a.xml": "junit", "a.sarif": "sarif", "a": "json"}


@pytest.mark.parametrize(("name", "form"), NAMES.items())
def test_the_ending_of_a_name_asks_for_a_form(name: str, form: str) -> None:
    assert form_of(name) == form


@each
@pytest.mark.parametrize("form", FORMS)
def test_a_form_can_be_encoded_and_is_the_same_each_time(form: str, file: ReportFile) -> None:
    assert text(form, file).encode() == text(form, file).encode()
    assert text(form, file).endswith("\n")


# --- JUnit ----------------------------------------------------------------------------------------------------------


def junit(file: ReportFile) -> ElementTree.Element:
    return ElementTree.fromstring(text("junit", file))  # noqa: S314 (our own bytes)


@each
def test_junit_is_valid(file: ReportFile) -> None:
    assert [str(error.reason) for error in schema("junit-10.xsd").iter_errors(text("junit", file))] == []


def test_junit_without_a_name_would_not_be_valid() -> None:
    broken = text("junit", report()).replace('<testcase name="flipped"', "<testcase")
    assert not schema("junit-10.xsd").is_valid(broken)


def test_a_junit_test_case_is_a_case_and_says_how_it_ended() -> None:
    found = {
        (test.get("classname"), test.get("name")): [(child.tag, child.get("type")) for child in test]
        for test in junit(report()).iter("testcase")
    }
    assert found == {
        ("sign", "flipped"): [],
        ("sign", "doubled"): [],
        ("sign", "tiny"): [("failure", "survived")],
        ("sign", "zero"): [("failure", "unattributed_rejection")],
        ("size", "huge"): [("failure", "regressed")],
        ("sign", "unlucky"): [("error", "error")],
        ("sign", "vague"): [("error", "undetermined")],
        ("sign", "wrong way round"): [("error", "baseline_failed")],
        ("sign", "not looked at"): [("skipped", "excluded")],
    }


def test_junit_counts_are_those_of_its_test_cases() -> None:
    root = junit(report())
    (suite,) = root
    counted = {tag: str(len([*root.iter(tag)])) for tag in ("testcase", "failure", "error", "skipped")}
    assert counted == {
        "testcase": suite.get("tests"),
        "failure": suite.get("failures"),
        "error": suite.get("errors"),
        "skipped": suite.get("skipped"),
    }
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("9", "3", "3")


def test_a_junit_message_gives_the_reason_and_its_text_what_helps_to_find_the_case() -> None:
    messages = {test.get("name"): child.get("message") for test in junit(report()).iter("testcase") for child in test}
    assert messages["tiny"] == "survived; expected sign, got acceptance"
    assert messages["unlucky"] == "error; variant_error: ValueError: unlucky"
    assert messages["not looked at"] == "label_unreviewed"
    (failure,) = (child for test in junit(report()).iter("testcase") if test.get("name") == "huge" for child in test)
    lines = str(failure.text).splitlines()
    assert {"reported: size", "evidence: too large", "source: cases.csv:6", "provenance: by hand"} <= {*lines}


def test_what_xml_forbids_and_terminals_interpret_is_left_out() -> None:
    (test, *_) = junit(ODD["strange text"]).iter("testcase")
    assert test.get("name") == "a & <b>|\n"
    assert "\x1b" not in text("junit", ODD["strange text"])
    assert "[31m" not in text("junit", ODD["strange text"])


# --- SARIF ----------------------------------------------------------------------------------------------------------


def results(file: ReportFile, old: ReportFile | None = None) -> dict[str, dict[str, Any]]:
    """Return the results by the case they are of; each case has at most one."""
    listed = json.loads("".join(sarif(file, old)))["runs"][0]["results"]
    found = {one["properties"]["case"]: one for one in listed}
    assert len(found) == len(listed)
    return found


@each
def test_sarif_is_valid(file: ReportFile) -> None:
    assert problems("sarif-2.1.0-rtm.5.json", data("sarif", file)) == []


@each
def test_sarif_with_a_baseline_is_valid(file: ReportFile) -> None:
    assert problems("sarif-2.1.0-rtm.5.json", json.loads("".join(sarif(file, report())))) == []


def test_sarif_of_another_version_would_not_be_valid() -> None:
    assert problems("sarif-2.1.0-rtm.5.json", {**data("sarif", report()), "version": "2.2.0"}) != []


def test_sarif_has_a_result_for_each_case_that_did_not_end_well_and_a_rule_for_each_obligation() -> None:
    found = results(report())
    kinds = {id: one["kind"] for id, one in found.items()}
    assert kinds == {
        one.id: "fail" if one.outcome in GAPS else "open" for one in report().report.cases if one.outcome in FAILURES
    }
    rules = data("sarif", report())["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["sign", "size", "parity"]
    assert {(one["ruleId"], rules[one["ruleIndex"]]["id"]) for one in found.values()} == {
        ("sign", "sign"), ("size", "size"),
    }  # fmt: skip


def test_the_level_is_that_of_the_obligation_and_none_where_the_tool_could_not_tell() -> None:
    levels = {id: one["level"] for id, one in results(report()).items()}
    assert (levels["tiny"], levels["huge"], levels["unlucky"]) == ("error", "warning", "none")


def test_a_result_lies_at_the_line_of_its_case() -> None:
    place = results(report())["tiny"]["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "cases.csv", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 4},
    }


def test_a_file_without_lines_has_no_region_and_its_name_is_a_uri() -> None:
    source = Source("my cases/ü#1.toml")
    placed = tuple(replace(one, source=source) for one in report().report.cases)
    file = replace(report(), report=replace(report().report, cases=placed))
    place = results(file)["tiny"]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "my%20cases/%C3%BC%231.toml", "uriBaseId": "%SRCROOT%"}}


def test_a_failed_validator_is_no_successful_execution() -> None:
    run = data("sarif", report())["runs"][0]
    well = data("sarif", report(WELL))["runs"][0]
    assert [one["invocations"][0]["executionSuccessful"] for one in (run, well)] == [False, True]


CHANGED: dict[str, AuditCase[Any]] = {
    "the id": case("tiny too", 3),
    "the sample": case("tiny", 4),
    "the baseline": case("tiny", 3, baseline=5),
    "the expected ids": case("tiny", 3, expected=("sign", "size")),
    "the obligation": case("tiny", 3, obligation="size"),
}


@pytest.mark.parametrize("other", CHANGED.values(), ids=CHANGED.keys())
def test_a_fingerprint_is_of_what_is_asked(other: AuditCase[Any]) -> None:
    one, two = (report([asked]).report.cases[0] for asked in (CASE["tiny"], other))
    assert fingerprint(one) != fingerprint(two)


def test_a_fingerprint_does_not_depend_on_the_answer_the_line_or_the_label() -> None:
    again = [
        report([CASE["doubled"], CASE["tiny"]]).report.cases[1],
        report([CASE["tiny"]], lambda _: Verdict(False)).report.cases[0],
        report([replace(CASE["tiny"], validity=Validity.UNREVIEWED, provenance="")]).report.cases[0],
    ]
    assert {fingerprint(one) for one in again} == {fingerprint(report([CASE["tiny"]]).report.cases[0])}
    assert results(report())["tiny"]["partialFingerprints"]["caseAndSamples/v1"] == fingerprint(again[0])


def test_a_baseline_says_of_each_result_what_became_of_it() -> None:
    old = report([CASE["tiny"], CASE["zero"], case("mended", -3), case("gone", 8), case("relabelled", 9)],
                 lambda number: Verdict(True) if number == -3 else signs(number))  # fmt: skip
    new = report(
        [CASE["tiny"], CASE["zero"], case("mended", -3), case("fresh", 10),
         case("relabelled", 9, validity=Validity.UNREVIEWED)],
        lambda number: Verdict(True) if number == 0 else signs(number),
    )  # fmt: skip
    states = {id: (one["baselineState"], one["kind"]) for id, one in results(new, old).items()}
    assert states == {
        "tiny": ("unchanged", "fail"),
        "zero": ("updated", "fail"),
        "mended": ("absent", "fail"),
        "fresh": ("new", "fail"),
        "gone": ("updated", "open"),
        "relabelled": ("updated", "open"),
    }


def test_what_is_not_asked_any_more_says_so_and_keeps_its_rule() -> None:
    old = report([CASE["huge"], *WELL])
    new = report(WELL, obligations=[one for one in report().report.obligations if one.id == "sign"])
    gone = results(new, old)["huge"]
    assert (gone["ruleId"], gone["ruleIndex"], gone["level"]) == ("size", 1, "none")
    assert gone["message"]["text"].endswith("it is not asked any more, which does not mend it)")


# --- CTRF -----------------------------------------------------------------------------------------------------------


@each
def test_ctrf_is_valid(file: ReportFile) -> None:
    assert problems("ctrf-schema-0.0.json", data("ctrf", file)) == []


def test_ctrf_without_a_summary_would_not_be_valid() -> None:
    document = data("ctrf", report())
    del document["results"]["summary"]
    assert problems("ctrf-schema-0.0.json", document) != []


def test_a_ctrf_test_is_a_case_with_its_outcome() -> None:
    found = data("ctrf", report())["results"]
    ended = {test["name"]: (test["status"], test["rawStatus"]) for test in found["tests"]}
    status = {**dict.fromkeys(WELL_ENDED, "passed"), **dict.fromkeys(FAILURES, "failed"), Outcome.EXCLUDED: "skipped"}
    assert ended == {one.id: (status[one.outcome], one.outcome.value) for one in report().report.cases}
    assert [found["summary"][key] for key in ("tests", "passed", "failed", "skipped", "pending", "other")] == [
        9, 2, 6, 1, 0, 0,
    ]  # fmt: skip
    assert len(INCOMPLETE) == 3, "a validator that failed is among the failed, and never left out"


def test_a_ctrf_test_says_where_its_case_stands() -> None:
    tiny = data("ctrf", report())["results"]["tests"][2]
    assert (tiny["filePath"], tiny["line"], tiny["message"]) == (
        "cases.csv", 4, "survived; expected sign, got acceptance",
    )  # fmt: skip


# --- Markdown -------------------------------------------------------------------------------------------------------


def test_markdown_has_every_case_and_how_it_stands() -> None:
    lines = text("markdown", report(gate=Gate(0.5, 0.5))).splitlines()
    assert [f"| {one.id} | {one.obligation} | {one.outcome} |" for one in report().report.cases] == [
        line.rpartition("|")[0].rpartition("|")[0] + "|" for line in lines[-11:-2]
    ]
    assert lines[-1].startswith("failed: detection 20.0% (required 50.0%)")


def test_what_could_begin_html_is_escaped() -> None:
    assert "a & \\<b>" in text("markdown", ODD["strange text"])
    assert "a < b" in text("markdown", report([case("a < b", -1)]))


def test_lines_that_fit_are_all_there() -> None:
    assert [*within(["é", "b"], 5)] == ["é\n", "b\n"]


def test_lines_that_do_not_fit_are_cut_and_the_cut_is_told_within_the_limit() -> None:
    lines = [f"line {number}" for number in range(1000)]
    cut = "".join(within(lines, 500))
    kept = cut.partition("\n\n**Cut here: ")[0].splitlines()
    assert kept == lines[: len(kept)]
    assert cut.endswith(f"\n\n**Cut here: {len(kept)} of 1,000 lines are shown, which is what fits into 500 bytes.**\n")
    assert 480 < len(cut.encode()) <= 500


def test_a_summary_of_many_cases_stays_within_what_github_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mateprobe.reports.forms.STEP_SUMMARY", 2000)
    many = text("markdown", report([case(f"case {number}", 3) for number in range(100)]))
    assert len(many.encode()) <= 2000
    assert "**Cut here: " in many


def test_the_limit_is_that_of_a_step_summary() -> None:
    assert STEP_SUMMARY == 1024 * 1024
    assert len(text("markdown", report(CASES))) < STEP_SUMMARY
