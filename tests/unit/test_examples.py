"""The examples run, print what they should, and show what their page says of them."""

from __future__ import annotations

import io
import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mateprobe import serialization
from mateprobe.case_file import load_cases
from mateprobe.cli import run
from mateprobe.engine import evaluate

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

PRINTED = {
    "audit.py": """\
no receipt: detected (all_expected_violations)
other words: preserved (accepted_valid_control)
other amount: survived (invalid_variant_accepted)
""",
    "lifecard.py": """\
$.options[1].outcomes[0].body_template: CLAIM_STATE_MISMATCH: claims coins=30; state 'refuse/sent' holds 20
accepted: False
""",
}


def test_every_example_is_listed_and_every_script_has_its_output_here() -> None:
    files = {path.name for path in EXAMPLES.iterdir() if path.is_file()} - {"README.md"}
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert {name for name in files if f"| `{name}` |" not in text} == set()
    assert {name for name in files if name.endswith(".py")} == set(PRINTED)


@pytest.mark.parametrize("name", PRINTED)
def test_a_script_prints_its_findings(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (PRINTED[name], "")


def test_the_case_file_holds_the_cases_of_the_script() -> None:
    script = runpy.run_path(str(EXAMPLES / "audit.py"))
    file = load_cases(EXAMPLES / "cases.json")
    assert (file.cases, file.obligations) == (tuple(script["cases"]), tuple(script["obligations"]))


def test_the_doctor_finds_the_missing_control_of_the_case_file() -> None:
    out, err = io.StringIO(), io.StringIO()
    status = run(["doctor", str(EXAMPLES / "cases.json"), "--json"], io.BytesIO(), out, err)
    obligations = json.loads(out.getvalue())["obligations"]
    assert (status, err.getvalue(), {item["id"]: item["passing"] for item in obligations}) == (
        1,
        "",
        {"receipt": [], "amount": ["every-id"]},
    )


@pytest.fixture
def refund() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "studies" / "_code" / "refund.py"))


@pytest.fixture
def bundle() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((EXAMPLES / "refund_bundle.json").read_text(encoding="utf-8"))
    return data


def test_built_in_rules_accept_the_reply_of_the_wrong_branch(bundle: dict[str, Any]) -> None:
    report = evaluate(*serialization.load_bundle(bundle))
    assert (report.accepted, report.complete) == (True, True)


def test_the_study_refuses_the_same_reply_with_its_own_rule_alone(
    bundle: dict[str, Any], refund: dict[str, Any]
) -> None:
    (surface,) = bundle["document"]["surfaces"]
    claims = {claim["key"]: claim["value"] for claim in surface["claims"]}
    reply = {"text": surface["text"], "branch": surface["state_ref"], "claims": claims}
    sample = {"order": bundle["context"]["states"]["current"], "reply": reply}
    (case,) = (case for case in refund["cases"]() if case["family"] == "cross_branch_state")
    assert sample == case["variant"]
    verdicts = [refund["validate"](sample, own_rule=own_rule) for own_rule in (True, False)]
    assert [(verdict.accepted, verdict.violations) for verdict in verdicts] == [
        (False, (refund["WRONG_BRANCH"],)),
        (True, ()),
    ]


def test_the_bundle_has_the_states_and_rules_of_the_study(bundle: dict[str, Any], refund: dict[str, Any]) -> None:
    states = bundle["context"]["states"]
    assert states == {"current": refund["ORDER"], "refund": refund["PAID_BACK"], "refuse": refund["KEPT"]}
    report = evaluate(*serialization.load_bundle(bundle))
    rules = dict.fromkeys(check.rule_id for check in report.checks)
    assert list(rules) == ["claims", "content"]
