"""A report is read back as it was, in every version there was, and nothing in it is believed without its verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from mateprobe import Outcome, Verdict
from mateprobe.errors import EvidenceError, MateProbeError
from mateprobe.gate import EVERYTHING, Gate
from mateprobe.outcome import Assessment
from mateprobe.provenance import supplied_git_provenance
from mateprobe.report_file import ReportFile, Shard, read_report
from mateprobe.reports.forms import WRITERS
from mateprobe.reports.output import write_whole
from tests.audits import CASES, WELL, case, report


def written(file: ReportFile, path: Path) -> Path:
    write_whole(path, WRITERS[{".jsonl": "jsonl"}.get(path.suffix, "json")](file))
    return path


def changing() -> Callable[[int], Verdict]:
    """A validator that accepts every sample, but the second time it is asked something."""
    answers = cycle([True, False, True])
    return lambda _: Verdict(next(answers))


FORMS = pytest.mark.parametrize("name", ["report.json", "report.jsonl"])
FILES: dict[str, ReportFile] = {
    "every outcome": report(),
    "another gate": report(gate=Gate(0.5, 0.25)),
    "a commit": report(provenance=supplied_git_provenance("a" * 40, dirty=True)),
    "answers that differ": report(validator=changing(), repeat=3, cases=WELL),
    "what has no UTF-8": report(validator=lambda number: Verdict(number == 1, () if number == 1 else ("\ud800",))),
}


@FORMS
@pytest.mark.parametrize("file", FILES.values(), ids=FILES.keys())
def test_what_is_written_is_read(file: ReportFile, name: str, tmp_path: Path) -> None:
    assert read_report(written(file, tmp_path / name)) == file


def test_every_outcome_is_in_what_these_tests_read() -> None:
    assert {one.outcome for one in report().report.cases} == {*Outcome}
    assert {item["assessment"] for item in report().report.summary()["obligations"]} >= {Assessment.UNTESTED}


def test_a_shard_is_read_as_json_lines(tmp_path: Path) -> None:
    whole = report(WELL)
    part = replace(whole, report=replace(whole.report, cases=whole.report.cases[:1]), shard=Shard(1, 2, (0,), 2))
    assert read_report(written(part, tmp_path / "shard.jsonl")) == part


def test_json_lines_are_a_header_a_case_a_line_and_a_footer(tmp_path: Path) -> None:
    header, *cases, footer = map(json.loads, written(report(), tmp_path / "a.jsonl").read_text("utf-8").splitlines())
    assert (header["format"], header["version"], "cases" in header) == ("mateprobe.report", 2, False)
    assert [one["id"] for one in cases] == [one.id for one in CASES]
    assert footer["end"] == len(CASES)


def test_json_lines_are_written_one_at_a_time() -> None:
    lines = WRITERS["jsonl"](report())
    assert next(lines).startswith('{"corpus_digest"')
    assert json.loads(next(lines))["id"] == "flipped"


# --- versions -------------------------------------------------------------------------------------------------------


def version_1(**changes: Any) -> dict[str, Any]:
    """A report as it was written before there were versions, without gate, sources or repetitions."""
    data = report().report.to_dict()
    for one in data["cases"]:
        del one["source"]
    return {**data, **changes}


def unplaced(file: ReportFile) -> ReportFile:
    cases = tuple(replace(one, source=None) for one in file.report.cases)
    return replace(file, report=replace(file.report, cases=cases))


def saved(data: Any, path: Path) -> Path:
    path.write_text(json.dumps(data), "utf-8")
    return path


def test_a_report_without_a_version_is_upgraded_to_one_with_a_gate_that_asks_for_everything(tmp_path: Path) -> None:
    assert read_report(saved(version_1(), tmp_path / "old.json")) == unplaced(report(gate=EVERYTHING))


def test_a_gate_in_a_report_without_a_version_is_kept(tmp_path: Path) -> None:
    gate = report(gate=Gate(0.25, 1)).held.to_dict()
    assert read_report(saved(version_1(gate=gate), tmp_path / "old.json")).gate == Gate(0.25, 1)


# --- what is refused ------------------------------------------------------------------------------------------------

Edit = Callable[[dict[str, Any]], object]


def edit_case(id: str, **changes: Any) -> Edit:
    return lambda data: next(one for one in data["cases"] if one["id"] == id).update(changes)


REFUSED: dict[str, tuple[Edit, str]] = {
    "a newer version": (
        lambda data: data.update(version=3),
        "$.version=3; this mateprobe reads 1 to 2, upgrade it for more",
    ),
    "no version": (lambda data: data.pop("version"), "$.version=None; this mateprobe reads 1 to 2"),
    "another format": (lambda data: data.update(format="mateprobe.cases"), "$.format='mateprobe.cases'; expected"),
    "no gate": (lambda data: data.pop("gate"), "$: 'gate' is missing; found"),
    "a gate that no rate meets": (
        lambda data: data["gate"]["detection"].update(required=2),
        "$.gate: threshold detection=2.0; expected a number from 0 to 1",
    ),
    "another summary": (
        lambda data: data["summary"].update(detected_faults=5),
        "$.summary is not what follows from the cases; it was edited",
    ),
    "another standing": (
        lambda data: data["gate"].update(standing="met"),
        "$.gate is not what follows from the cases; it was edited",
    ),
    "a survivor called detected": (
        edit_case("tiny", outcome="detected", reason="all_expected_violations"),
        "case 'tiny' outcome='detected', reason='all_expected_violations' do not follow from its verdicts; expected ",
    ),
    "an error called excluded": (
        edit_case("unlucky", outcome="excluded", reason="label_unreviewed"),
        "case 'unlucky' outcome='excluded', reason='label_unreviewed' do not follow",
    ),
    "a control that expects": (
        edit_case("doubled", expected=["sign"]),
        "case 'doubled' is a control with expected=('sign',)",
    ),
    "a case twice": (lambda data: data["cases"].append(data["cases"][0]), "case 'flipped' occurs twice"),
    "no cases": (lambda data: data["cases"].clear(), "the report has no cases"),
    "an obligation nobody listed": (
        edit_case("flipped", obligation="sing"),
        "case 'flipped' obligation='sing': expected one of 'parity', 'sign', 'size'; did you mean 'sign'?",
    ),
    "an unknown outcome": (edit_case("flipped", outcome="killed"), "$.cases[0].outcome: expected one of"),
    "an unknown key": (lambda data: data.update(verdict="fine"), "$.verdict: no such key; expected one of"),
    "another form of results": (lambda data: data.update(schema_version=1), "schema_version=1; this mateprobe reads 2"),
}


@pytest.mark.parametrize(("edit", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_report_that_says_what_does_not_follow_is_refused(edit: Edit, message: str, tmp_path: Path) -> None:
    data = report().to_dict()
    edit(data)
    path = saved(data, tmp_path / "report.json")
    with pytest.raises(MateProbeError) as refusal:
        read_report(path)
    assert str(refusal.value).startswith(f"{path}: {message}")


LINES: dict[str, tuple[Callable[[list[str]], list[str]], type[MateProbeError], str]] = {
    "cut short": (lambda lines: lines[:-1], EvidenceError, "the file was cut short"),
    "a case less": (lambda lines: [lines[0], *lines[2:]], EvidenceError, "expected 9 records"),
    "a newer version": (
        lambda lines: [lines[0].replace('"version":2', '"version":3'), *lines[1:]],
        EvidenceError,
        "expected version 2 of mateprobe.report, found 3, of a newer mateprobe; upgrade this one",
    ),
    "records of another kind": (
        lambda lines: [lines[0].replace("mateprobe.report", "mateprobe.cases"), *lines[1:]],
        EvidenceError,
        'line 1: expected the header {"format":"mateprobe.report", …}',
    ),
}


@pytest.mark.parametrize(("edit", "kind", "message"), LINES.values(), ids=LINES.keys())
def test_json_lines_that_are_not_whole_are_refused(
    edit: Callable[[list[str]], list[str]], kind: type[MateProbeError], message: str, tmp_path: Path
) -> None:
    path = written(report(), tmp_path / "report.jsonl")
    path.write_text("".join(edit(path.read_text("utf-8").splitlines(keepends=True))), "utf-8")
    with pytest.raises(kind) as refusal:
        read_report(path)
    assert message in str(refusal.value)


@pytest.mark.parametrize("text", ["[]", "3"])
def test_what_is_no_object_is_no_report(text: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(MateProbeError, match="expected a report, which is an object"):
        read_report(path)


SHARDS = {
    "number 0": (0, 2, (0,), 2),
    "a number above": (3, 2, (0,), 2),
    "a place outside": (1, 2, (2,), 2),
    "a place twice": (1, 2, (0, 0), 2),
    "places that fall": (1, 2, (1, 0), 2),
    "a place before all": (1, 2, (-1,), 2),
}


@pytest.mark.parametrize("fields", SHARDS.values(), ids=SHARDS.keys())
def test_a_shard_that_fits_no_audit_is_refused(fields: Any) -> None:
    with pytest.raises(MateProbeError, match="expected a number from 1 to `of`, and positions that rise"):
        Shard(*fields)


def test_a_shard_with_fewer_cases_than_places_is_refused(tmp_path: Path) -> None:
    part = replace(report(WELL), shard=Shard(1, 1, (0, 1, 2), 3))
    with pytest.raises(MateProbeError, match="shard 1 of 1 has 3 positions, 2 cases"):
        read_report(written(part, tmp_path / "shard.jsonl"))


def test_a_case_that_was_added_is_read_too(tmp_path: Path) -> None:
    more = report([*CASES, case("more", -5)])
    assert len(read_report(written(more, tmp_path / "report.json")).report.cases) == len(CASES) + 1
