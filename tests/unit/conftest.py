"""A folder in which single stages run, as by hand: a study file, a little code of its own, no workflow."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.files import PARTIAL

CODE = '''
"""Numbers whose sign matters: 13 is unlucky, and of half a number nobody can tell."""

from mateprobe import Verdict


def cases(*, rows):
    return rows


def sign(sample, *, zero=True):
    number = sample["n"]
    if number == 13:
        raise ValueError("thirteen")
    if number == 0.5:
        return Verdict(False, complete=False)
    if number > 0 or (zero and number == 0):
        return Verdict(True)
    return Verdict(False, ("sign/NEGATIVE@n",), evidence=(f"n={number}",))
'''


def row(id: str = "a", baseline: Any = 1, variant: Any = -1, **changes: Any) -> dict[str, Any]:
    """Return a case: a fault, unless its relation is ``preserve``; both samples are ``{"n": number}``."""
    fault = changes.get("relation", "violation") == "violation"
    return {
        "id": id,
        "group": "g",
        "family": "flip",
        "obligation": "sign",
        "relation": "violation",
        "validity": "valid",
        "provenance": "the sign was flipped by hand",
        "expected": ["sign/NEGATIVE@n"] if fault else [],
        "baseline": {"n": baseline},
        "variant": {"n": variant},
        **changes,
    }


def study(*rows: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a study of those cases with one validator."""
    return {
        "study": "demo",
        "title": "Demo",
        "cases": {"generate": "numbered:cases", "with": {"rows": list(rows)}},
        "obligations": [{"id": "sign", "description": "The number is not below zero."}],
        "validators": [{"id": "by_sign", "callable": "numbered:sign"}],
        "tables": ["feasibility"],
        **changes,
    }


@dataclass(frozen=True, slots=True)
class Ended:
    """How a stage ended: its exit code and what it said on standard error."""

    code: int
    said: str


@dataclass(frozen=True, slots=True)
class Bench:
    """The working folder of a test, with the study ``demo`` in it."""

    capsys: pytest.CaptureFixture[str]

    def write(self, content: dict[str, Any], code: str = CODE) -> None:
        """Write the study file and its code."""
        path = Path("studies") / f"{content['study']}.yaml"
        path.parent.joinpath("_code").mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(json.loads(json.dumps(content)), sort_keys=False, allow_unicode=True))
        path.parent.joinpath("_code", "numbered.py").write_text(code)

    def run(self, stage: str, *arguments: str, study: str = "demo") -> Ended:
        """Run a stage of the study in this process."""
        code = main([stage, "--study", study, *arguments])
        return Ended(code, re.sub(r" in \d+\.\d\d s\n$", "", self.capsys.readouterr().err))

    def judge(self) -> None:
        """Run the stages up to the summary."""
        content = yaml.safe_load(Path("studies/demo.yaml").read_text())
        each = [("--validator", validator["id"]) for validator in content["validators"]]
        for stage, runs in (("cases", [()]), ("observe", each), ("outcomes", each), ("summary", [()])):
            for arguments in runs:
                assert self.run(stage, *arguments) == Ended(0, f"{stage}: made")


def left(folder: str = "results") -> list[str]:
    """Return every file below the folder; what a stage left half-written would be among them."""
    return sorted(path.as_posix() for path in Path(folder).rglob("*") if path.is_file() or PARTIAL in path.name)


def lines(path: str) -> list[dict[str, Any]]:
    """Return the records of a record file."""
    return [json.loads(line) for line in Path(path).read_text().splitlines()[1:-1]]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Bench]:
    """Change into an empty folder that stages can run in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MATEPROBE_CACHE", raising=False)
    monkeypatch.setattr(os, "fsync", lambda _: None)  # a test need not outlive a power cut
    monkeypatch.setattr(sys, "path", [*sys.path])  # where a study's code lies is added to it
    yield Bench(capsys)
    sys.modules.pop("numbered", None)
