"""A JSON Schema as a validator: ids that name keyword and place, and nothing fetched."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from mateprobe import Verdict
from mateprobe.canonical import canonical_bytes
from mateprobe.errors import InvalidValue, StudyError
from mateprobe.pipeline.observe import observer_of
from mateprobe.pipeline.schema_validator import EVIDENCE_LIMIT, schema_validator
from mateprobe.runner import Failure, judge

ORDER = {
    "type": "object",
    "required": ["id", "items"],
    "properties": {
        "id": {"type": "integer"},
        "items": {"type": "array", "items": {"required": ["name"], "properties": {"count": {"minimum": 1}}}},
        "a/b": {"anyOf": [{"type": "null"}, {"const": 1}]},
        "never": False,
    },
}


def write(path: Path, schema: Any) -> Path:
    path.write_text(json.dumps(schema))
    return path


@pytest.fixture
def order(tmp_path: Path) -> Path:
    return write(tmp_path / "order.json", ORDER)


VIOLATIONS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "the top": ([], ("type@",)),
    "a required key": ({"id": 1}, ("required@",)),
    "two required keys are one keyword": ({}, ("required@",)),
    "inside a list": (
        {"id": 1, "items": [{"name": "a"}, {"count": 0}]},
        ("minimum@/items/1/count", "required@/items/1"),
    ),
    "a key with a slash": ({"id": 1, "items": [], "a/b": 2}, ("anyOf@/a~1b",)),
    "the schema false": ({"id": 1, "items": [], "never": 1}, ("false@",)),
    "true for an integer": ({"id": True, "items": []}, ("type@/id",)),
}


@pytest.mark.parametrize(("sample", "expected"), VIOLATIONS.values(), ids=VIOLATIONS.keys())
def test_what_a_schema_refuses_is_named_by_keyword_and_place(
    order: Path, sample: Any, expected: tuple[str, ...]
) -> None:
    verdict = schema_validator(order)(sample)
    assert (verdict.accepted, verdict.complete, verdict.violations) == (False, True, expected)


def test_what_a_schema_accepts_is_accepted(order: Path) -> None:
    assert schema_validator(order)({"id": 1, "items": [], "other": None}) == Verdict(True)


def test_the_evidence_is_a_message_for_each_finding_cut_to_size(order: Path) -> None:
    two = schema_validator(order)({})
    assert two.evidence == ("required@: 'id' is a required property", "required@: 'items' is a required property")
    (long,) = schema_validator(order)("x" * 10_000).evidence
    assert (len(long), long[:10]) == (len("type@: ") + EVIDENCE_LIMIT, "type@: 'xx")


def test_several_schemas_are_told_apart_by_the_name_in_the_sample(order: Path, tmp_path: Path) -> None:
    ask = schema_validator({"order": order, "text": write(tmp_path / "text.json", {"type": "string"})})
    assert ask({"schema": "text", "instance": 1}).violations == ("type@",)
    assert ask({"schema": "order", "instance": {"id": 1, "items": []}}).accepted


NO_SAMPLES: dict[str, tuple[Any, str]] = {
    "no object": (1, "sample 1: expected an object with the keys instance, schema"),
    "a key too many": (
        {"schema": "order", "instance": 1, "more": 2},
        "expected an object with the keys instance, schema",
    ),
    "a name nearly right": ({"schema": "ordre", "instance": 1}, "expected one of 'order'; did you mean 'order'?"),
    "a name that is none": ({"schema": [], "instance": 1}, "sample schema=[]: expected one of 'order'"),
}


@pytest.mark.parametrize(("sample", "message"), NO_SAMPLES.values(), ids=NO_SAMPLES.keys())
def test_a_sample_of_no_known_schema_is_a_failure_that_says_so(order: Path, sample: Any, message: str) -> None:
    found = judge(schema_validator({"order": order}), sample)
    assert isinstance(found, Failure)
    assert message in found.message


DRAFTS = {
    "http://json-schema.org/draft-07/schema#": ["type@/0"],
    "http://json-schema.org/draft-07/schema": ["type@/0"],
    "https://json-schema.org/draft/2020-12/schema": [],
}


@pytest.mark.parametrize(("draft", "expected"), DRAFTS.items(), ids=DRAFTS.keys())
def test_a_schema_is_read_as_its_draft_has_it(tmp_path: Path, draft: str, expected: list[str]) -> None:
    keyword = "items" if "07" in draft else "unknown"
    path = write(tmp_path / "s.json", {"$schema": draft, keyword: [{"type": "null"}]})
    assert [*schema_validator(path)([1]).violations] == expected


def test_formats_are_annotations(tmp_path: Path) -> None:
    assert schema_validator(write(tmp_path / "s.json", {"format": "date"}))("no date").accepted


def test_a_reference_to_elsewhere_is_a_failure_and_nothing_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(urllib.request, "urlopen", asked.append)
    found = judge(schema_validator(write(tmp_path / "s.json", {"$ref": "http://localhost:9/x.json"})), 1)
    assert isinstance(found, Failure)
    assert ("http://localhost:9/x.json" in found.message, asked) == (True, [])


def test_a_metaschema_is_known(tmp_path: Path) -> None:
    path = write(tmp_path / "s.json", {"$ref": "https://json-schema.org/draft/2020-12/schema"})
    assert schema_validator(path)({"type": 1}).violations == ("anyOf@/type",)


BAD_SCHEMAS: dict[str, tuple[Any, str]] = {
    "a list": ([], r"s\.json: expected a JSON Schema, found \[\]"),
    "a bad keyword": (
        {"properties": {"a": {"type": "text"}}},
        r"s\.json: expected a JSON Schema: /properties/a/type: ",
    ),
    "an unknown draft": (
        {"$schema": "https://json-schema.org/draft/2020-21/schema"},
        r"\$schema='https://json-schema\.org/draft/2020-21/schema': expected .*; did you mean '.*2020-12/schema'\?",
    ),
    "a draft that is no text": ({"$schema": 7}, r"\$schema=7: expected one of"),
}


@pytest.mark.parametrize(("schema", "message"), BAD_SCHEMAS.values(), ids=BAD_SCHEMAS.keys())
def test_a_file_that_is_no_schema_is_refused_by_name(tmp_path: Path, schema: Any, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        schema_validator(write(tmp_path / "s.json", schema))


def test_a_file_that_is_no_json_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("{")
    with pytest.raises(InvalidValue, match=r"s\.json"):
        schema_validator(tmp_path / "s.json")


def test_a_study_names_a_schema_or_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("studies").mkdir()
    write(Path("studies/s.json"), {"type": "string"})
    for named, sample in (("studies/s.json", 1), ({"s": "studies/s.json"}, {"schema": "s", "instance": 1})):
        with observer_of({"id": "v", "schema": named}, Path("studies")) as (header, observe):
            assert header == {"itemised": False}
            given = [("0" * 64, canonical_bytes(sample))]
            assert [json.loads(line)["violations"] for line in observe(given)] == [["type@"]]
