"""Whatever an audit says comes back from its report; any text makes XML; a comparison accounts for every case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

from mateprobe import AuditCase, Obligation, Verdict, audit_validator
from mateprobe.canonical import digest
from mateprobe.diff import Change, compare
from mateprobe.gate import Gate
from mateprobe.report_file import ReportFile, read_report
from mateprobe.reports.forms import WRITERS
from mateprobe.reports.junit import FORBIDDEN
from mateprobe.reports.output import write_whole
from mateprobe.shards import merged, part_of
from mateprobe.validator_audit import Source, ValidatorAuditReport
from tests.property import objects

ODD = st.text(st.characters(), max_size=6)  # surrogates, control characters and all
ids = st.sampled_from(["a", "b"]) | ODD.filter(bool)
shares = st.floats(0, 1)
answers = st.lists(
    st.builds(Verdict, st.just(True), st.just(()), st.booleans(), st.lists(ODD, max_size=1))
    | st.builds(Verdict, st.just(False), st.lists(ids, max_size=2, unique=True))
    | st.builds(ValueError, ODD),
    min_size=4, max_size=4,
)  # fmt: skip
cases = st.lists(
    st.builds(
        lambda labels, **rest: AuditCase(**labels, **rest),
        objects.labels(st.sampled_from(["a", "b"])),
        obligation=st.sampled_from(["one", "two"]), baseline=st.integers(0, 3), variant=st.integers(0, 3),
    ),
    min_size=1, max_size=6, unique_by=lambda case: case.id,
)  # fmt: skip


def validator(given: Sequence[Any]) -> Callable[[Any], Verdict]:
    """Return a validator whose answer follows from the digest of the sample, most often acceptance."""
    accepted = [Verdict(True)] * 3

    def ask(sample: Any) -> Verdict:
        answer = [*given, *accepted][int(digest(sample)[:8], 16) % (len(given) + len(accepted))]
        if isinstance(answer, ValueError):
            raise answer
        return answer  # type: ignore[no-any-return]

    return ask


def audited(asked: Sequence[AuditCase[Any]], given: Sequence[Any], repeat: int = 1) -> ValidatorAuditReport:
    obligations = [Obligation("one", "d"), Obligation("two", "d", "challenge")]
    return audit_validator(validator(given), asked, obligations=obligations, validator_id="v", repeat=repeat)


def filed(asked: Sequence[AuditCase[Any]], given: Sequence[Any], gate: Gate, source: Source | None) -> ReportFile:
    report = audited(asked, given)
    return ReportFile(replace(report, cases=tuple(replace(case, source=source) for case in report.cases)), gate)


sources = st.none() | st.builds(Source, st.text(min_size=1, max_size=5), st.none() | st.integers(1, 99))
files = st.builds(filed, cases, answers, st.builds(Gate, shares, shares), sources)
reports = st.builds(audited, cases, answers)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@given(file=files)
@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_what_is_written_is_read(folder: Path, form: str, file: ReportFile) -> None:
    path = folder / f"report.{form}"
    write_whole(path, WRITERS[form](file))
    assert read_report(path) == file


@given(text=ODD.filter(bool), said=ODD, file=files)
def test_any_text_makes_xml_with_all_that_xml_can_hold(text: str, said: str, file: ReportFile) -> None:
    odd = tuple(replace(case, reason=said, provenance=said, obligation=text) for case in file.report.cases)
    document = "".join(WRITERS["junit"](replace(file, report=replace(file.report, cases=odd, validator_id=text))))
    root = ElementTree.fromstring(document.encode())  # noqa: S314 (our own bytes)
    tests = [*root.iter("testcase")]
    assert [test.get("name") for test in tests] == [FORBIDDEN.sub("", case.id) for case in file.report.cases]
    assert {test.get("classname") for test in tests} == {FORBIDDEN.sub("", text)}


EDGES = "\0\x08\t\n\x0b\x0c\r\x0e\x1f \x7f\x85\ud7ff\ud800\udfff\ue000\ufffd\ufffe\uffff\U00010000\U0010ffff"


@given(st.sampled_from(EDGES) | st.characters())
def test_a_character_is_left_out_exactly_if_a_parser_refuses_it(character: str) -> None:
    try:
        ElementTree.fromstring(f"<a>{'' if character in '<&' else character}</a>".encode())  # noqa: S314
        taken = True
    except (ElementTree.ParseError, UnicodeEncodeError):
        taken = False
    assert (FORBIDDEN.sub("", character) == character) is taken


@given(reports)
def test_a_report_and_itself_differ_in_nothing(report: ValidatorAuditReport) -> None:
    assert compare(report, report).empty


@given(reports, reports)
def test_every_case_of_either_report_is_in_exactly_one_class(
    old: ValidatorAuditReport, new: ValidatorAuditReport
) -> None:
    diff = compare(old, new)
    assert Counter(change.id for change in diff.cases) == Counter({case.id for case in (*old.cases, *new.cases)})
    assert sum(diff.counts().values()) == len(diff.cases)
    assert [change.id for kind in Change for change in diff.of(kind)] == [
        change.id for kind in Change for change in diff.cases if change.change is kind
    ]


@given(reports, st.data())
def test_a_corpus_that_shrank_has_nothing_fixed(report: ValidatorAuditReport, data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.sampled_from(report.cases), unique_by=lambda case: case.id))
    diff = compare(report, replace(report, cases=tuple(kept)))
    assert diff.counts()[Change.FIXED] == 0
    assert diff.counts()[Change.NO_LONGER_ASKED] == len(report.cases) - len(kept)
    assert diff.comparable()[0] == diff.comparable()[1]


@given(asked=cases, given_answers=answers, of=st.integers(1, 4))
def test_shards_make_the_whole(asked: list[AuditCase[Any]], given_answers: list[Any], of: int) -> None:
    whole = audited(asked, given_answers)
    parts = [part_of([case.id for case in asked], number, of) for number in range(1, of + 1)]
    reports = [replace(whole, cases=tuple(whole.cases[place] for place in part.positions)) for part in parts]
    files = [(str(part), ReportFile(report, shard=part)) for part, report in zip(parts, reports, strict=True)]
    assert merged(files) == ReportFile(whole)


@given(asked=cases, given_answers=answers, repeat=st.integers(2, 3))
def test_a_steady_validator_ends_alike_however_often_it_is_asked(
    asked: list[AuditCase[Any]], given_answers: list[Any], repeat: int
) -> None:
    assert audited(asked, given_answers, repeat).cases == audited(asked, given_answers).cases
