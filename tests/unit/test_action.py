"""The action: valid by GitHub's schema, its steps run as GitHub runs them, and no input ever part of a script."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SHELL = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]  # which is what GitHub makes of `shell: bash`

STAND_IN = """\
#!/bin/sh
if [ "$1 $2" = "-m pip" ]; then printf '%s\\n' "$@" > "$RUNNER_TEMP/pip"; else exec "{python}" "$@"; fi
"""
COMMAND = '#!/bin/sh\nexec "{python}" -m mateprobe "$@"\n'

VALIDATOR = """\
from mateprobe import Verdict

def verdict(reply):
    return Verdict(True) if reply["receipt"] else Verdict(False, ("receipt",))
"""


def audit(**changed: Any) -> dict[str, Any]:
    good = {"receipt": "R", "amount": 40}
    label = {"obligation": "o", "validity": "valid", "provenance": "by hand", "baseline": good}
    cases = [
        {"id": "fault", "relation": "violation", "expected": ["receipt"], "variant": {**good, "receipt": ""}, **label},
        {"id": "control", "relation": "preserve", "variant": {**good, "receipt": "S"}, **label},
    ]
    return {"validator": {"callable": "desk:verdict"}, "cases": cases, **changed}


@dataclass
class Job:
    """What GitHub keeps of a job while its steps run: files, inputs, the outputs of steps that have ended."""

    folder: Path
    inputs: dict[str, str]
    outputs: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("bin", "temp", "work"):
            (self.folder / name).mkdir()
        (self.folder / "work" / "desk.py").write_text(VALIDATOR, "utf-8")
        for name, text in (("python", STAND_IN), ("mateprobe", COMMAND)):
            script = self.folder / "bin" / name
            script.write_text(text.format(python=sys.executable), "utf-8")
            script.chmod(0o755)

    def value(self, expression: str) -> str:
        """Return what an expression of the action stands for."""
        found = re.fullmatch(r"\$\{\{ (inputs|steps)\.([\w.]+) \}\}", expression)
        assert found, expression
        return self.inputs[found[2]] if found[1] == "inputs" else self.outputs.get(found[2], "")

    def run(self) -> int:
        """Run the steps until one fails, and return the last one's status."""
        for step in STEPS:
            if step.get("if") == "inputs.sarif == 'true'" and self.inputs["sarif"] != "true":
                continue
            status = self.step(step) if "run" in step else 0
            if status:
                return status
        return 0

    def step(self, step: dict[str, Any]) -> int:
        output, script = self.folder / "temp" / "output", self.folder / "temp" / "script.sh"
        output.write_text("", "utf-8")
        script.write_text(step["run"], "utf-8")
        env = {name: self.value(text) for name, text in step.get("env", {}).items()}
        done = subprocess.run(
            [*SHELL, str(script)], cwd=self.folder / "work", check=False, capture_output=True, text=True,
            env={
                "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), **env,
                "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
                "GITHUB_ACTION_PATH": str(ROOT), "RUNNER_TEMP": str(self.folder / "temp"),
            },
        )  # fmt: skip
        for line in output.read_text("utf-8").splitlines():
            name, _, value = line.partition("=")
            self.outputs[f"{step['id']}.outputs.{name}"] = value
        return done.returncode


def job(folder: Path, data: Any, file: str = "audit.json", **inputs: str) -> Job:
    given = {name: str(entry.get("default", "")) for name, entry in ACTION["inputs"].items()}
    made = Job(folder, {**given, "file": file, **inputs})
    (folder / "work" / file).write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return made


def test_the_action_is_one_by_the_schema_of_github() -> None:
    schema = json.loads((ROOT / "tests" / "schemas" / "github-actions.json").read_text("utf-8"))
    assert [error.message for error in Draft7Validator(schema).iter_errors(ACTION)] == []


def test_no_script_holds_an_expression() -> None:
    assert [step["name"] for step in STEPS if "${{" in step.get("run", "")] == []


def test_actions_of_others_are_pinned_by_hash() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert [name for name in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []
    assert len(used) == 1


def test_a_gate_that_is_met_passes_and_leaves_report_summary_and_sarif(tmp_path: Path) -> None:
    done = job(tmp_path, audit())
    assert done.run() == 0
    assert done.outputs["audit.outputs.status"] == "0"
    assert Path(done.outputs["audit.outputs.report"]).read_text("utf-8").count("\n") == 4
    assert "| fault | o | detected |" in (tmp_path / "summary.md").read_text("utf-8")
    assert (tmp_path / "temp" / "pip").read_text("utf-8").splitlines()[-2:] == ["--", str(ROOT)]
    upload = next(step for step in STEPS if "uses" in step)
    sarif = json.loads(Path(done.value(upload["with"]["sarif_file"])).read_text("utf-8"))
    assert [run["results"] for run in sarif["runs"]] == [[]]


def survivor() -> dict[str, Any]:
    data = audit()
    data["cases"][0]["variant"] = {"receipt": "R", "amount": 400}
    return data


ENDS: dict[str, tuple[Any, int]] = {
    "a survivor": (survivor(), 1),
    "a lower gate": ({**survivor(), "gate": {"detection": 0, "preservation": 1}}, 0),
    "no audit file": ("{", 2),
    "no validator": (audit(validator={"callable": "nowhere:verdict"}), 2),
    "a validator that crashes": (audit(validator={"callable": "desk:Verdict"}), 3),
    "nothing that counts": (audit(cases=[{**case, "validity": "unreviewed"} for case in audit()["cases"]]), 4),
    "no cases": (audit(cases=[]), 4),
}


@pytest.mark.parametrize(("data", "status"), ENDS.values(), ids=ENDS.keys())
def test_the_action_ends_as_the_audit_does(tmp_path: Path, data: Any, status: int) -> None:
    done = job(tmp_path, data)
    assert done.run() == status
    reported = done.outputs.get("audit.outputs.status")
    assert (reported, "sarif.outputs.file" in done.outputs) in [(str(status), True), (None, False)]


def test_wrong_answers_are_in_the_sarif_that_is_uploaded(tmp_path: Path) -> None:
    done = job(tmp_path, survivor())
    done.run()
    sarif = json.loads(Path(done.outputs["sarif.outputs.file"]).read_text("utf-8"))
    assert [result["properties"]["case"] for result in sarif["runs"][0]["results"]] == ["fault"]


def test_sarif_is_left_out_where_it_is_not_wanted(tmp_path: Path) -> None:
    done = job(tmp_path, survivor(), sarif="false")
    assert (done.run(), "sarif.outputs.file" in done.outputs) == (1, False)


NAMES = ["a b.json", "$(touch gone).json", "`touch gone`.json", "'; touch gone; '.json", '"; touch gone; ".json', "--x"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_a_name_whatever_is_in_it(tmp_path: Path, name: str) -> None:
    assert job(tmp_path, audit(), file=name).run() == 0
    assert sorted(path.name for path in (tmp_path / "work").iterdir() if path.name != "__pycache__") == sorted(
        ["desk.py", name]
    )


HOSTILE = {"mateprobe": "$(touch gone) --index-url x", "repeat": "1; touch gone"}


@pytest.mark.parametrize(("name", "value"), HOSTILE.items(), ids=HOSTILE.keys())
def test_an_input_is_one_argument_whatever_is_in_it(tmp_path: Path, name: str, value: str) -> None:
    done = job(tmp_path, audit(), **{name: value})
    assert done.run() == (2 if name == "repeat" else 0)
    assert not (tmp_path / "work" / "gone").exists()
    if name == "mateprobe":
        assert (tmp_path / "temp" / "pip").read_text("utf-8").splitlines()[-2:] == ["--", value]


def test_two_audits_of_a_job_keep_their_reports_apart(tmp_path: Path) -> None:
    done = job(tmp_path, audit())
    done.run()
    first = done.outputs["audit.outputs.report"]
    done.run()
    assert (done.outputs["audit.outputs.report"] != first, Path(first).is_file()) == (True, True)
