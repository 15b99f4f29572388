"""Shards of an audit make the report that one run makes; anything less is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mateprobe.audit_file import AuditFile, Function, load_audit
from mateprobe.case_file import CaseFile
from mateprobe.errors import InvalidValue
from mateprobe.gate import Gate
from mateprobe.report_file import ReportFile
from mateprobe.reports.forms import WRITERS
from mateprobe.shards import merged, part_of
from tests.audits import CASES, OBLIGATIONS, case

MANY = (*CASES, *(case(f"more {number}", number - 20) for number in range(12)))


@pytest.fixture
def audit(monkeypatch: pytest.MonkeyPatch) -> AuditFile:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    lines = tuple(range(2, 2 + len(MANY)))
    validator = Function("tests.audits:signs")
    return AuditFile(Path(__file__).parents[2], validator, CaseFile(MANY, OBLIGATIONS, lines), Gate(0.5), "cases.csv")


def shards(audit: AuditFile, of: int) -> list[tuple[str, ReportFile]]:
    return [(f"{number}.jsonl", audit.run(shard=(number, of))) for number in range(1, of + 1)]


@pytest.mark.parametrize("of", [1, 2, 3, 40])
def test_all_shards_make_the_report_of_one_run(audit: AuditFile, of: int) -> None:
    parts = shards(audit, of)
    assert merged(parts[::-1]) == audit.run()
    assert "".join(WRITERS["jsonl"](merged(parts))) == "".join(WRITERS["jsonl"](audit.run()))


def test_a_shard_without_a_case_is_a_shard(audit: AuditFile) -> None:
    empty = [file for _, file in shards(audit, 40) if not file.report.cases]
    assert {file.report.corpus_digest for file in empty} == {audit.run().report.corpus_digest}


def test_a_new_case_moves_no_other() -> None:
    ids = [one.id for one in MANY]
    before, after = (
        [{listed[place] for place in part_of(listed, number, 3).positions} for number in (1, 2, 3)]
        for listed in (ids, ["new", *ids])
    )
    assert [later - {"new"} for later in after] == before


BROKEN: dict[str, tuple[Any, str]] = {
    "none": (lambda _: [], "merge: expected the reports of shards, found none"),
    "one missing": (lambda parts: parts[:2] + parts[3:], "merge: of 4 shards number 3 is missing"),
    "two missing": (lambda parts: parts[:2], "merge: of 4 shards numbers 3, 4 are missing"),
    "one twice": (lambda parts: [*parts, ("again.jsonl", parts[1][1])], "again.jsonl: shard 2 of 4 is in 2.jsonl"),
    "a file twice": (lambda parts: [*parts, parts[1]], "2.jsonl: shard 2 of 4 is in 2.jsonl already"),
    "a whole report": (
        lambda parts: [*parts, ("whole.jsonl", merged(parts))],
        "whole.jsonl: expected the report of a shard, found that of a whole audit",
    ),
    "another validator": (
        lambda parts: [parts[0], changed(parts[1], validator_id="other"), *parts[2:]],
        "2.jsonl: validator_id='other'; expected 'tests.audits:signs' as in 1.jsonl",
    ),
    "another corpus": (
        lambda parts: [parts[0], changed(parts[1], corpus_digest="0"), *parts[2:]],
        "2.jsonl: corpus_digest='0'; expected '",
    ),
    "another number of repetitions": (
        lambda parts: [parts[0], changed(parts[1], repeat=2), *parts[2:]],
        "2.jsonl: repeat=2; expected None as in 1.jsonl",
    ),
    "another gate": (
        lambda parts: [parts[0], ("2.jsonl", replace(parts[1][1], gate=Gate(0.1))), *parts[2:]],
        "2.jsonl: gate={'detection': 0.1",
    ),
    "another number of shards": (
        lambda parts: [("1.jsonl", replace(parts[0][1], shard=replace(parts[0][1].shard, of=5))), *parts[1:]],
        "2.jsonl: shard=(4, 21); expected (5, 21) as in 1.jsonl",
    ),
    "places that overlap": (
        lambda parts: [parts[0], ("2.jsonl", replace(parts[0][1], shard=replace(parts[0][1].shard, number=2))),
                       *parts[2:]],
        "merge: the shards have ",
    ),
}  # fmt: skip


def changed(part: tuple[str, ReportFile], **fields: Any) -> tuple[str, ReportFile]:
    name, file = part
    return name, replace(file, report=replace(file.report, **fields))


@pytest.mark.parametrize(("edit", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_shards_that_make_no_whole_are_refused(audit: AuditFile, edit: Any, message: str) -> None:
    with pytest.raises(InvalidValue) as refusal:
        merged(edit(shards(audit, 4)))
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize(("number", "of"), [(0, 2), (3, 2), (1, 0)])
def test_a_shard_that_is_none_is_refused(number: int, of: int) -> None:
    with pytest.raises(InvalidValue, match="expected NUMBER/OF with a number from 1 to OF"):
        part_of(["a"], number, of)


def test_the_validator_of_an_empty_shard_is_not_started(tmp_path: Path) -> None:
    path = tmp_path / "audit.json"
    one = {"id": "a", "obligation": "o", "relation": "preserve", "baseline": 1, "variant": 2}
    path.write_text(json.dumps({"validator": {"command": ["there-is-no-such-program"]}, "cases": [one]}))
    empty: Iterator[ReportFile] = (
        load_audit(path).run(shard=(number, 2)) for number in (1, 2) if not part_of(["a"], number, 2).positions
    )
    assert [file.report.cases for file in empty] == [()]
