"""Files of audit cases: three forms of the same cases, and a line or a path for whatever is wrong with them."""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mateprobe.case_file import UNDESCRIBED, CaseFile, load_cases, load_obligations, read_cases
from mateprobe.errors import InvalidType, InvalidValue, MateProbeError
from mateprobe.outcome import Relation, Validity
from mateprobe.pipeline.records import write_records
from mateprobe.validator_audit import AuditCase, Obligation

FAULT: dict[str, Any] = {
    "id": "no receipt",
    "obligation": "receipt",
    "relation": "violation",
    "expected": ["receipt"],
    "validity": "valid",
    "provenance": "by hand",
    "baseline": {"receipt": "R-17"},
    "variant": {"receipt": None},
}
CONTROL = {**FAULT, "id": "other words", "relation": "preserve", "expected": [], "variant": "é"}
CASES = (
    AuditCase(
        "no receipt", "receipt", {"receipt": "R-17"}, {"receipt": None}, Relation.VIOLATION, ("receipt",),
        Validity.VALID, "by hand",
    ),
    AuditCase("other words", "receipt", {"receipt": "R-17"}, "é", Relation.PRESERVE, (), Validity.VALID, "by hand"),
)  # fmt: skip
INFERRED = (Obligation("receipt", UNDESCRIBED),)


def as_lines(*rows: object) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def parsed(text: str) -> CaseFile:
    return read_cases(io.BytesIO(text.encode()), "cases")


FORMS: dict[str, str] = {
    "an array": json.dumps([FAULT, CONTROL]),
    "an array over lines": json.dumps([FAULT, CONTROL], indent=2),
    "an object": json.dumps({"cases": [FAULT, CONTROL]}),
    "an object over lines": json.dumps({"cases": [FAULT, CONTROL]}, indent=2),
    "lines": as_lines(FAULT, CONTROL),
    "lines, some blank": as_lines(FAULT) + "\n \n" + as_lines(CONTROL),
    "lines without a last end": as_lines(FAULT, CONTROL).rstrip("\n"),
    "lines that end in CR LF": as_lines(FAULT, CONTROL).replace("\n", "\r\n"),
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())
def test_each_form_holds_the_same_cases(text: str) -> None:
    assert parsed(text) == CaseFile(CASES, INFERRED)


def test_text_streams_are_read_like_bytes() -> None:
    assert read_cases(io.StringIO(as_lines(FAULT, CONTROL)), "cases") == CaseFile(CASES, INFERRED)


def test_one_line_is_one_case() -> None:
    assert parsed(as_lines(FAULT)).cases == CASES[:1]


@pytest.mark.parametrize("text", ["[]", '{"cases": []}'], ids=["an array", "an object"])
def test_a_file_may_hold_no_cases(text: str) -> None:
    assert parsed(text) == CaseFile((), ())


def test_labels_that_are_left_out_say_nothing() -> None:
    bare = {key: CONTROL[key] for key in ("id", "obligation", "baseline", "variant", "relation")}
    (case,) = parsed(as_lines(bare)).cases
    assert (case.expected, case.validity, case.provenance) == ((), Validity.UNREVIEWED, "")


def test_listed_obligations_keep_their_order_and_what_is_untested() -> None:
    listed = [
        {"id": "amount", "description": "It is right.", "scope": "challenge"},
        {"id": "receipt", "description": "One."},
    ]
    file = parsed(json.dumps({"obligations": listed, "cases": [FAULT]}))
    assert file.obligations == (Obligation("amount", "It is right.", "challenge"), Obligation("receipt", "One."))


def test_obligations_that_are_not_listed_are_those_of_the_cases_in_order_of_appearance() -> None:
    file = parsed(as_lines(*({**FAULT, "id": str(n), "obligation": name} for n, name in enumerate("bab"))))
    assert [obligation.id for obligation in file.obligations] == ["b", "a"]


PIPELINE: dict[str, Any] = {"group": "g", "family": "f", "about": {}, "baseline_sha256": "0", "variant_sha256": "1"}


@pytest.fixture
def record_file(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    write_records(path, "cases", [{**FAULT, **PIPELINE}, {**CONTROL, **PIPELINE}])
    return path


def test_a_record_file_of_the_pipeline_is_read(record_file: Path) -> None:
    assert load_cases(record_file) == CaseFile(CASES, INFERRED)


def test_records_without_their_header_and_footer_are_lines_like_others(record_file: Path) -> None:
    assert parsed("".join(record_file.read_text("utf-8").splitlines(keepends=True)[1:-1])).cases == CASES


def test_a_pipe_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(json.dumps([FAULT, CONTROL], indent=2),))
    writer.start()
    assert load_cases(pipe).cases == CASES
    writer.join()


Edit = Callable[[list[str]], list[str]]
BROKEN: dict[str, tuple[Edit, str]] = {
    "cut short": (lambda lines: lines[:-1], 'expected a closing line {"end":…,"sha256":…}; the file was cut short'),
    "a case less": (lambda lines: [lines[0], *lines[2:]], "line 3: the closing line says {'end': 2"),
    "a case changed": (
        lambda lines: [lines[0], lines[1].replace("R-17", "R-18"), *lines[2:]],
        "line 4: the closing line says {'end': 2",
    ),
    "a case after the end": (lambda lines: [*lines, lines[1]], "line 5: expected nothing after the closing line"),
    "another kind": (
        lambda lines: [lines[0].replace("mateprobe.cases", "mateprobe.outcomes"), *lines[1:]],
        "line 1: format='mateprobe.outcomes'; expected 'mateprobe.cases'",
    ),
    "a newer version": (
        lambda lines: [lines[0].replace('"version":1', '"version":2'), *lines[1:]],
        "line 1: version=2 of mateprobe.cases; this mateprobe reads 1",
    ),
}


@pytest.mark.parametrize(("edit", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_a_record_file_that_is_not_whole_is_refused(record_file: Path, edit: Edit, message: str) -> None:
    lines = edit(record_file.read_text("utf-8").splitlines(keepends=True))
    record_file.write_text("".join(lines), "utf-8")
    with pytest.raises(InvalidValue) as error:
        load_cases(record_file)
    assert message in str(error.value)


REFUSED: dict[str, tuple[str, type[MateProbeError], str]] = {
    "nothing": ("", InvalidValue, "cases, column 1: not JSON"),
    "no cases at all": ("3", InvalidType, "cases: $: expected an object, found 3"),
    "an object of something else": (
        '{\n"document": {}}',
        InvalidValue,
        "cases: $.document: no such key; expected one of 'cases', 'obligations'",
    ),
    "two texts": ("[]\n[]", InvalidValue, "cases, line 2, column 1: not JSON: Extra data"),
    "a broken line": (as_lines(FAULT) + "{\n", InvalidValue, "cases, line 2, column 1: not JSON"),
    "a broken first line": ('{"id" 1}\n' + as_lines(FAULT), InvalidValue, "cases, line 1, column 7: not JSON"),
    "a line that is no object": (as_lines(FAULT, 3), InvalidType, "cases, line 2: $: expected an object, found 3"),
    "an unknown key": (
        json.dumps([FAULT, {**CONTROL, "expect": []}]),
        InvalidValue,
        "cases: $[1].expect: no such key; expected one of 'baseline', 'expected', 'id', ",
    ),
    "an unknown key of a line": (as_lines({**FAULT, "lable": 1}), InvalidValue, "cases, line 1: $.lable: no such key"),
    "a missing key": (
        as_lines({key: FAULT[key] for key in FAULT if key != "variant"}),
        InvalidValue,
        "cases, line 1: $: 'variant' is missing; found 'id'",
    ),
    "an unknown relation": (
        as_lines(FAULT, {**CONTROL, "relation": "fault"}),
        InvalidValue,
        "cases, line 2: $.relation: expected one of 'violation', 'preserve', found 'fault'",
    ),
    "a sample without a pair": (as_lines({**FAULT, "relation": None}), InvalidValue, "cases, line 1: $.relation: "),
    "ids that are one text": (
        as_lines({**FAULT, "expected": "receipt"}),
        InvalidType,
        "cases, line 1: $.expected: expected an array, found 'receipt'",
    ),
    "a fault that expects nothing": (
        as_lines({**FAULT, "expected": []}),
        InvalidValue,
        "cases, line 1: $: case 'no receipt' is a fault with expected=()",
    ),
    "an obligation without a description": (
        json.dumps({"obligations": [{"id": "receipt"}], "cases": []}),
        InvalidValue,
        "cases: $.obligations[0]: 'description' is missing; found 'id'",
    ),
}


@pytest.mark.parametrize(("text", "kind", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_case_is_refused_with_its_place(text: str, kind: type[MateProbeError], message: str) -> None:
    with pytest.raises(MateProbeError) as error:
        parsed(text)
    assert (type(error.value), str(error.value)[: len(message)]) == (kind, message)


def test_an_unknown_key_is_answered_with_the_near_miss() -> None:
    with pytest.raises(InvalidValue, match="did you mean 'expected'"):
        parsed(as_lines({**CONTROL, "expect": []}))


def test_an_endless_text_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mateprobe.strict_json.LIMIT", 100)
    with pytest.raises(InvalidValue, match="cases: expected at most 100 bytes of JSON, found more"):
        parsed("[\n" * 1000)


def test_obligations_are_read_from_a_file_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "obligations.json"
    path.write_text('[{"id": "receipt", "description": "There is one."}]')
    assert load_obligations(path) == (Obligation("receipt", "There is one."),)


def test_obligations_that_are_no_array_are_refused_with_their_file(tmp_path: Path) -> None:
    path = tmp_path / "obligations.json"
    path.write_text('{"id": "receipt", "description": "There is one."}')
    with pytest.raises(InvalidType) as error:
        load_obligations(path)
    assert str(error.value) == f"{path}: $: expected an array, found an object of 2"
