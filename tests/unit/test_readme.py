"""What the pages of the repository say is so: blocks run, tables are as made, names are of things that exist."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mateprobe.cli import COMMANDS
from mateprobe.pipeline.__main__ import STAGES, main
from mateprobe.pipeline.studies import load_study

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "workflow/README.md",
    "studies/README.md",
    "results/README.md",
    "examples/README.md",
)


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str) -> list[tuple[str, str]]:
    """Return (language, content) of every fenced block of a page."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page(name), flags=re.MULTILINE | re.DOTALL)


def first_column(text: str, under: str) -> list[str]:
    """Return the names in backticks that begin the rows of the table headed ``under``."""
    table = text.partition(f"\n| {under} |")[2].partition("\n\n")[0]
    return [
        name for cell in re.findall(r"^\| (`.*?`) \|", table, flags=re.MULTILINE) for name in cell[1:-1].split("`, `")
    ]


SHELL, PYTHON, PRINTED, MAP = blocks("README.md")


def test_every_block_of_the_page_is_one_of_those_tested_here() -> None:
    assert [language for language, _ in blocks("README.md")] == ["sh", "python", "text", "text"]


def test_each_shell_command_is_a_target_of_the_makefile() -> None:
    makefile = page("Makefile")
    commands = [line.split()[:2] for line in SHELL[1].splitlines()]
    assert [target for make, target in commands if make != "make" or f"\n{target}:" not in makefile] == []


def test_the_example_prints_what_the_page_says(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PYTHON[1]],
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (PRINTED[1], "")


def test_the_example_is_the_file_it_says_it_is() -> None:
    assert PYTHON[1] == page("examples/audit.py")


def test_the_map_names_what_exists_and_every_folder() -> None:
    named = [line.split()[0] for line in MAP[1].splitlines()]
    assert [name for name in named if not (ROOT / name).exists()] == []
    ignored = {line.strip("/") for line in page(".gitignore").splitlines()}
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "."} - ignored
    assert {f"{folder}/" for folder in folders} - set(named) == set()


def test_the_commands_are_those_there_are() -> None:
    assert [command.split()[1] for command in first_column(page("README.md"), "command")] == list(COMMANDS)


def test_the_first_table_is_as_the_pipeline_makes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "studies" / "_profiles", tmp_path / "studies" / "_profiles")
    shutil.copy(ROOT / "studies" / "feasibility.yaml", tmp_path / "studies")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MATEPROBE_CACHE", raising=False)
    study = ("--study", "feasibility")
    stages: list[tuple[str, ...]] = [("cases", *study)]
    for validator in load_study(Path("studies/feasibility.yaml")).validators:
        stages += [(stage, *study, "--validator", validator) for stage in ("observe", "outcomes")]
    stages += [
        ("summary", *study),
        ("tables", "--table", "feasibility", "results/feasibility/summary.json"),
    ]
    assert [stage for stage in stages if main(stage) != 0] == []
    assert Path("results/tables/feasibility.md").read_text(encoding="utf-8") in page("README.md")


def test_the_table_of_rules_has_every_rule_and_its_module() -> None:
    rules = first_column(page("workflow/README.md"), "rule")
    files = {path.stem for path in (ROOT / "workflow" / "rules").glob("*.smk")} - {"common"}
    assert (sorted(rules), set(rules) - set(STAGES)) == (sorted(files), set())


def test_the_table_of_profiles_has_every_profile() -> None:
    profiles = first_column(page("workflow/README.md"), "profile")
    assert sorted(profiles) == sorted(f"profiles/{path.name}" for path in (ROOT / "workflow" / "profiles").iterdir())


def test_the_study_shown_is_one_the_loader_takes(tmp_path: Path) -> None:
    ((language, text),) = blocks("studies/README.md")
    path = tmp_path / "refund_desk.yaml"
    path.write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "studies" / "_code", tmp_path / "_code")
    assert (language, load_study(path).id) == ("yaml", "refund_desk")


def test_the_keys_of_a_study_are_those_of_the_schema() -> None:
    schema = json.loads(page("mateprobe/schemas/study.schema.json"))
    assert sorted(first_column(page("studies/README.md"), "key")) == sorted(schema["properties"].keys() - {"$schema"})


def test_every_folder_beside_the_studies_is_explained() -> None:
    folders = {path.name for path in (ROOT / "studies").glob("_*") if path.is_dir() and any(path.iterdir())}
    assert {folder for folder in folders if f"`{folder}` " not in page("studies/README.md")} == set()


PLACEHOLDER = re.compile(r"\b(?:ID|RULE|STUDY|TABLE|VALIDATOR)\b")
MADE = ("results/", ".cache/")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_names_only_files_that_exist(name: str) -> None:
    words = re.findall(r"`([\w./-]+\.(?:cff|json|md|py|smk|yaml)|[\w./-]+/)`", page(name))
    named = [word for word in words if not PLACEHOLDER.search(word) and not word.startswith(MADE)]
    folders = (ROOT, (ROOT / name).parent)
    assert [word for word in named if not any((folder / word).exists() for folder in folders)] == []
