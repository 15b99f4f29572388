"""Issue forms: valid by GitHub's schema, and each asks for a case file that `mateprobe audit` runs as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from tests.pages import ROOT, printed

FORMS = {path.stem: path for path in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))}
SCHEMA = json.loads((ROOT / "tests" / "schemas" / "github-issue-forms.json").read_text("utf-8"))

# How the cases end that stand in each form: what is complained about is there to be seen.
ENDS = {
    "missed-fault": (1, {"stock phrase": "survived", "other words": "preserved"}),
    "false-rejection": (1, {"stock phrase": "detected", "denied phrase": "regressed"}),
    "integration-report": (0, {"too much": "detected", "half of both": "preserved"}),
    "new-rule": (1, {"no greeting": "detected", "greeting at the end": "survived", "other greeting": "regressed"}),
}
each = pytest.mark.parametrize("name", FORMS)


def form(name: str) -> Any:
    return yaml.safe_load(FORMS[name].read_text("utf-8"))


def files(name: str) -> dict[str, str]:
    """Return the files that a form asks for, as it shows them."""
    attributes = [field["attributes"] for field in form(name)["body"]]
    return {field["label"]: field["value"] for field in attributes if "." in field.get("label", "")}


def test_there_is_a_form_for_each_kind_of_report() -> None:
    assert FORMS.keys() == ENDS.keys()


@each
def test_a_form_is_one_by_the_schema_of_github(name: str) -> None:
    assert [error.message for error in Draft7Validator(SCHEMA).iter_errors(form(name))] == []


@each
def test_what_a_form_asks_for_is_required(name: str) -> None:
    asked = {field["id"]: field["validations"]["required"] for field in form(name)["body"] if "id" in field}
    assert asked == dict.fromkeys(["audit", "validator", "output", "versions"], True)


@each
def test_the_case_file_of_a_form_runs_as_it_is(name: str, tmp_path: Path) -> None:
    assert list(files(name)) == ["audit.json", "validator.py"]
    for file, text in files(name).items():
        (tmp_path / file).write_text(text, "utf-8")
    report, status = printed(["mateprobe audit audit.json --json", "echo $?"], tmp_path)
    assert (int(status), {case["id"]: case["outcome"] for case in json.loads(report)["cases"]}) == ENDS[name]
