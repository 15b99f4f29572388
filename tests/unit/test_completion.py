"""Completion: what a shell offers, asked of the shells themselves where they are there."""

from __future__ import annotations

import shutil
import subprocess
from io import BytesIO, StringIO
from pathlib import Path

import pytest

from mateprobe.cli import COMMANDS, parsers, run
from mateprobe.completion import SCRIPTS, levels
from mateprobe.reports import FORMS

OFFERED = {
    "commands": (["mateprobe", ""], [*COMMANDS]),
    "the rest of a command": (["mateprobe", "au"], ["audit"]),
    "options": (["mateprobe", "audit", "--f"], ["--format"]),
    "values of an option": (["mateprobe", "audit", "audit.toml", "--format", ""], [*FORMS]),
    "files, of which the shell knows": (["mateprobe", "audit", ""], []),
    "a file as the value of an option": (["mateprobe", "audit", "--output", ""], []),
    "commands below a command": (["mateprobe", "study", ""], ["new", "list", "check", "prune"]),
    "their options": (["mateprobe", "study", "prune", "--d"], ["--dry-run"]),
    "values in the place of a word": (["mateprobe", "completion", ""], [*SCRIPTS]),
    "a file that is called like a command": (["mateprobe", "audit", "report", "--sh"], ["--shard"]),
}


def written(shell: str) -> str:
    out = StringIO()
    assert run(["completion", shell], BytesIO(), out, StringIO()) == 0
    return out.getvalue()


@pytest.mark.parametrize(("words", "offered"), OFFERED.values(), ids=OFFERED.keys())
def test_bash_offers_what_can_follow(words: list[str], offered: list[str]) -> None:
    script = f'{written("bash")}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mateprobe; echo "${{COMPREPLY[*]}}"'
    done = subprocess.run(
        [shutil.which("bash") or pytest.skip("there is no bash"), "--norc", "-uc", script, "bash", *words],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout.split(), done.stderr) == (offered, "")


@pytest.mark.parametrize(("words", "offered"), OFFERED.values(), ids=OFFERED.keys())
def test_fish_offers_what_can_follow(words: list[str], offered: list[str], tmp_path: Path) -> None:
    fish = shutil.which("fish") or pytest.skip("there is no fish")
    (tmp_path / "mateprobe.fish").write_text(written("fish"), encoding="utf-8")
    asked = f"source mateprobe.fish; complete -C '{' '.join(words)}'"
    done = subprocess.run(
        [fish, "--no-config", "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=True
    )  # fmt: skip
    found = [line.partition("\t")[0] for line in done.stdout.splitlines()]
    assert sorted(set(found) - {"mateprobe.fish"}) == sorted(offered)


def test_zsh_can_read_its_script(tmp_path: Path) -> None:
    zsh = shutil.which("zsh") or pytest.skip("there is no zsh")
    (tmp_path / "_mateprobe").write_text(written("zsh"), encoding="utf-8")
    subprocess.run([zsh, "-f", "-n", tmp_path / "_mateprobe"], check=True)


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_script_has_every_option_of_every_command(shell: str) -> None:
    script = written(shell)
    for level in levels(parsers()):
        for flag, _ in level.flags:
            assert (f" -l {flag[2:]}" if shell == "fish" and flag.startswith("--") else flag.lstrip("-")) in script


def test_without_the_pipeline_its_commands_are_offered_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("importlib.import_module", absent)
    assert {level.command for level in levels(parsers()) if level.command} == {*COMMANDS}
