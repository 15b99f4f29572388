"""Copies of the project with studies of their own, and the workflow run in them as users run it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

REPOSITORY = Path(__file__).parents[2]
LEFT_OUT = (".*", "results", "*.pyc.*")  # the last: what another process is about to rename
UNSTABLE = ("benchmarks", "logs", ".running")  # times and hosts live here only

CODE = '''
"""Numbers below zero are refused. Killed midway, a run must leave nothing that misleads the next."""

from pathlib import Path

from mateprobe import Verdict


def cases(*, seed, provenance):
    for number in range(seed, seed + 9):
        yield {
            "id": f"n{number}", "group": "numbers", "family": "flip", "obligation": "sign", "relation": "violation",
            "validity": "valid", "provenance": provenance, "expected": ["sign"], "baseline": number, "variant": -number,
        }


def sign(number):
    if number == -7 and Path("studies/_code/held").exists():
        Path("studies/_code/held").read_text()
    return Verdict(number > 0, () if number > 0 else ("sign",))
'''
READ_INTO = "it's $(touch owned) `touch owned`; touch owned\n{input} {{params}} {wildcards.study} %s \\n \" ${HOME} #"
"""A text that a shell, a format or a template would read something into."""

NUMBERS: dict[str, Any] = {
    "study": "numbers",
    "title": f"Numbers, flipped: {READ_INTO}",
    "cases": {"generate": "numbers_code:cases", "seed": 1, "with": {"provenance": READ_INTO}},
    "obligations": [{"id": "sign", "description": READ_INTO}],
    "validators": [{"id": "by_sign", "callable": "numbers_code:sign"}],
    "tables": ["feasibility"],
}


def scenes() -> dict[str, Any]:
    """Return the feasibility study with an eighth of its cases and half of its validators."""
    content = yaml.safe_load((REPOSITORY / "studies/feasibility.yaml").read_text("utf-8"))
    content["study"] = "scenes"
    content["cases"]["with"] = {"variations": 1}
    kept = ("contracts_strict", "always_accept")
    content["validators"] = [validator for validator in content["validators"] if validator["id"] in kept]
    content["tables"] = ["feasibility"]
    return content  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder with the project in it, and the store its runs use; by default one of its own."""

    path: Path
    store: Path | None = None

    def environment(self) -> dict[str, str]:
        """Return the environment of a run: nothing of the tests' own reaches it."""
        apart = ("MATEPROBE_CACHE", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
        inherited = {key: value for key, value in os.environ.items() if key not in apart}
        return inherited | ({"MATEPROBE_CACHE": str(self.store)} if self.store else {})

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start Snakemake in a process group of its own."""
        profile = ("--workflow-profile", "workflow/profiles/default", "--cores", "2")
        return subprocess.Popen(
            [sys.executable, "-m", "snakemake", *profile, *arguments],
            cwd=self.path,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str) -> str:
        """Run Snakemake to its good end and return what it said."""
        process = self.start(*arguments)
        said, _ = process.communicate()
        assert process.returncode == 0, said
        return said

    def rerun(self, *arguments: str) -> dict[str, str]:
        """Run Snakemake; return each job that ran, as STUDY/STAGE, and how it came by its outputs, stage by stage."""
        logs = self.path / "results" / "logs"
        shutil.rmtree(logs, ignore_errors=True)
        self.run(*arguments)
        return {
            path.relative_to(logs).with_suffix("").as_posix(): re.sub(
                r".*: (made|restored).*\n", r"\1 ", path.read_text()
            ).strip()
            for path in sorted(logs.rglob("*.log"))
        }

    def results(self) -> dict[str, bytes]:
        """Return the bytes of every result."""
        root = self.path / "results"
        paths = (path for path in sorted(root.rglob("*")) if path.is_file())
        names = {path.relative_to(root).as_posix(): path for path in paths}
        return {name: path.read_bytes() for name, path in names.items() if not name.startswith(UNSTABLE)}

    def edit(self, name: str, change: Callable[[str], str]) -> None:
        """Change the text of a file."""
        path = self.path / name
        before = path.read_text("utf-8")
        path.write_text(change(before), "utf-8")
        assert path.read_text("utf-8") != before

    def copy(self, path: Path) -> Tree:
        """Return a copy that has its results, its store and its memory of runs."""
        shutil.copytree(self.path, path, symlinks=True)
        return Tree(path, self.store)


def project(path: Path, store: Path | None = None) -> Tree:
    """Put the project into a new folder, without what runs have left in this one."""
    shutil.copytree(REPOSITORY, path, ignore=shutil.ignore_patterns(*LEFT_OUT))
    return Tree(path, store)


def small_project(path: Path) -> Tree:
    """Put the project into a new folder, with two small studies in place of its own."""
    tree = project(path)
    for study in (path / "studies").glob("*.yaml"):
        study.unlink()
    (path / "studies/_code/numbers_code.py").write_text(CODE)
    for content in (scenes(), NUMBERS):
        (path / "studies" / f"{content['study']}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    return tree
