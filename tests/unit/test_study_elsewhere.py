"""A study in a folder of its own: what it names lies there, and no result tells where that is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.conftest import Bench, Ended, left, row, study

SCRIPT = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    found = ["sign/NEGATIVE@n"] if asked["sample"]["n"] < 0 else []
    answer = {"id": asked["id"], "accepted": not found, "complete": True, "violations": found, "evidence": []}
    print(json.dumps(answer), flush=True)
"""
ADAPTER = "def sign(sample):\n    return ['sign/NEGATIVE@n'] if sample['n'] < 0 else []\n"
VALIDATORS: dict[str, dict[str, Any]] = {
    "a script": {"command": ["python", "check.py"]},
    "a script below": {"command": ["python", "_code/check.py"]},
    "a script as in the project": {"command": ["python", "studies/check.py"]},
    "an adapter": {"worker": "ask:sign"},
    "a schema": {"schema": "studies/sign.schema.json"},
}
SCHEMA = {"properties": {"n": {"minimum": 0}}}


def write(folder: Path, validator: dict[str, Any]) -> None:
    """Write a study that is its data and a program or a schema, with no Python of MateProbe's in it."""
    for name, text in {
        "check.py": SCRIPT,
        "_code/check.py": SCRIPT,
        "_adapters/ask.py": ADAPTER,
        "sign.schema.json": json.dumps(SCHEMA),
        "_cases/demo.jsonl": "".join(f"{json.dumps(case)}\n" for case in (row("a"), row("b", variant=-2))),
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    content = study(cases={"file": "_cases/demo.jsonl"}, validators=[{"id": "by_sign", **validator}])
    (folder / "demo.yaml").write_text(yaml.safe_dump(content))


def judged(bench: Bench, folder: Path) -> dict[str, str]:
    """Run the study as far as its outcomes and return the artifacts."""
    shutil.rmtree("results", ignore_errors=True)
    for stage in ("cases", "observe", "outcomes"):
        arguments = () if stage == "cases" else ("--validator", "by_sign")
        assert bench.run(stage, "--studies", str(folder), *arguments).code == 0
    return {name: Path(name).read_text() for name in left() if "receipts" not in name}


@pytest.mark.parametrize("validator", VALIDATORS.values(), ids=VALIDATORS.keys())
def test_a_study_is_complete_with_data_and_a_validator_wherever_it_lies(
    bench: Bench, tmp_path: Path, validator: dict[str, Any]
) -> None:
    elsewhere = tmp_path.parent / f"{tmp_path.name} elsewhere"
    found = []
    for folder in (Path("studies"), Path("mine/deep"), elsewhere):
        write(folder, validator)
        found.append(judged(bench, folder))
        shutil.rmtree(folder)
    assert found[0] == found[1] == found[2]
    assert '"error":null' in found[0]["results/demo/observations/by_sign.jsonl"]
    receipts = [Path(name).read_text() for name in left()]
    assert [text for text in receipts if str(tmp_path) in text] == []


def test_an_edited_script_is_asked_again(bench: Bench) -> None:
    folder = Path("mine")
    write(folder, VALIDATORS["a script"])
    before = judged(bench, folder)
    (folder / "check.py").write_text(SCRIPT.replace("NEGATIVE", "BELOW"))
    assert bench.run("observe", "--studies", "mine", "--validator", "by_sign") == Ended(0, "observe: made")
    after = Path("results/demo/observations/by_sign.jsonl").read_text()
    assert after != before["results/demo/observations/by_sign.jsonl"]


OUTSIDE = {
    "a recorded profile": ({"configuration": "studies/link.json"}, "observe"),
    "a schema": ({"schema": "studies/link.json"}, "observe"),
}


@pytest.mark.parametrize(("validator", "stage"), OUTSIDE.values(), ids=OUTSIDE.keys())
def test_a_link_that_leaves_the_folder_is_not_followed(bench: Bench, validator: dict[str, Any], stage: str) -> None:
    Path("secret.json").write_text(json.dumps(SCHEMA))
    write(Path("mine"), validator)
    Path("mine/link.json").symlink_to(Path("secret.json").resolve())
    section = {"study": "demo", "validator": {"id": "by_sign", **validator}, "shards": 1, "folder": "mine"}
    ended = bench.run(stage, "--validator", "by_sign", "--section", json.dumps(section))
    assert (ended.code, left()) == (2, [])
    assert "'studies/link.json': expected a path below results/ or studies/" in ended.said
