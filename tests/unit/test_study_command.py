"""`mateprobe study`: begin a study, list those there are, check their files, clear away what is left of old ones."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from mateprobe.cli import run
from mateprobe.pipeline.made import made, stale
from mateprobe.pipeline.studies import load_studies, load_study
from mateprobe.pipeline.study import SHOWN
from tests.unit.conftest import CODE, Bench, left, row, study
from tests.unit.test_cli import Ended

REPOSITORY = Path(__file__).parents[2]


def command(*arguments: object) -> Ended:
    out, err = io.StringIO(), io.StringIO()
    status = run(["study", *map(str, arguments)], io.BytesIO(), out, err)
    return Ended(status, out.getvalue(), err.getvalue())


def write(content: dict[str, Any], folder: str = "studies") -> None:
    path = Path(folder, f"{content['study']}.yaml")
    Path(folder, "_code").mkdir(parents=True, exist_ok=True)
    Path(folder, "_code", "numbered.py").write_text(CODE)
    path.write_text(yaml.safe_dump(json.loads(json.dumps(content)), sort_keys=False))


# --- new --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["studies", "deep/er/mine"])
def test_a_new_study_has_nothing_wrong_with_it_and_passes_its_gate(bench: Bench, folder: str) -> None:
    files = [f"{folder}/refunds.yaml", f"{folder}/_cases/refunds.csv", f"{folder}/_code/refunds.py"]
    assert command("new", "refunds", "-C", folder) == Ended(0, "".join(f"{file}: written\n" for file in files), "")
    assert command("check", "-C", folder) == Ended(0, "1 study file, no problems\n", "")
    each = ("--studies", folder)
    for stage in ("cases", "observe", "outcomes", "summary", "gate"):
        asked = ("--validator", "checked") if stage in ("observe", "outcomes") else ()
        assert bench.run(stage, *each, *asked, study="refunds").code == 0
    assert json.loads(Path("results/refunds/gate.json").read_text())["met"]


def test_the_cases_of_a_new_study_are_told_apart_by_its_validator(bench: Bench) -> None:
    command("new", "refunds")
    study = load_study(Path("studies/refunds.yaml"))
    cases = Path("studies/_cases/refunds.csv").read_text().splitlines()[1:]
    named = {line.split(",")[1] for line in cases}
    assert named == {obligation["id"] for obligation in study.data["obligations"]}
    assert {line.split(",")[2] for line in cases} == {"violation", "preserve"}


def test_a_new_study_of_the_project_points_editors_at_the_schema(bench: Bench) -> None:
    line = "# yaml-language-server: $schema=../mateprobe/schemas/study.schema.json\n"
    command("new", "outside")
    Path("mateprobe/schemas").mkdir(parents=True)
    Path("mateprobe/schemas/study.schema.json").touch()
    command("new", "refunds")
    assert [line in Path(f"studies/{name}.yaml").read_text() for name in ("outside", "refunds")] == [False, True]
    assert command("check").status == 0


def test_nothing_is_written_over(bench: Bench) -> None:
    Path("studies/_code").mkdir(parents=True)
    Path("studies/_code/refunds.py").write_text("mine")
    message = "mateprobe study: studies/_code/refunds.py: is there already; choose another name, or remove it\n"
    assert command("new", "refunds") == Ended(2, "", message)
    assert left("studies") == ["studies/_code/refunds.py"]


@pytest.mark.parametrize(
    "name", ["Refunds", "../up", "re-funds", "1st", "", "a" * 65, "gate", "agreement", "confusion"]
)
def test_a_name_no_study_can_have_is_refused(bench: Bench, name: str) -> None:
    ended = command("new", name)
    assert (ended.status, left("studies")) == (2, [])
    assert ended.err.startswith(f"mateprobe study: NAME={name!r}: expected lower-case letters, digits and _, ")


# --- list, check ------------------------------------------------------------------------------------------------


def test_studies_are_listed_with_their_titles_and_broken_ones_are_counted(bench: Bench) -> None:
    write(study(row("a")))
    write(study(row("a"), study="longer_name", title="Ü"))
    assert command("list") == Ended(0, "demo         Demo\nlonger_name  Ü\n", "")
    Path("studies/broken.yaml").write_text("- 1\n")
    assert command("list") == Ended(
        1, "demo         Demo\nlonger_name  Ü\n", "1 files cannot be used; see mateprobe study check\n"
    )


def test_the_list_as_json_says_what_each_study_has(bench: Bench) -> None:
    write(study(row("a"), gate={"validator": "by_sign", "detection": 0.5}))
    assert json.loads(command("list", "--json").out) == [
        {
            "study": "demo",
            "title": "Demo",
            "file": "studies/demo.yaml",
            "validators": ["by_sign"],
            "obligations": ["sign"],
            "tables": ["feasibility"],
            "gates": [{"validator": "by_sign", "detection": 0.5, "preservation": 1.0}],
        }
    ]


def test_all_problems_of_all_files_are_told(bench: Bench) -> None:
    write(study(row("a"), study="good"))
    write(study(row("a"), titel="x"))
    write(study(row("a"), study="other", gate={"validator": "by_sing", "detection": 2}))
    found = command("check")
    assert (found.status, found.err) == (1, "")
    *problems, total = found.out.splitlines()
    assert [re.sub(r":\d+:", ":", line).split(": ")[:2] for line in problems] == [
        ["studies/demo.yaml", "titel"],
        ["studies/other.yaml", "gate.detection"],
    ]
    assert total == "3 study files, 2 problems"


def test_files_are_checked_wherever_they_are(bench: Bench) -> None:
    write(study(row("a")), folder="mine")
    write(study(row("a"), study="other", titel="x"), folder="mine")
    assert command("check", "mine/demo.yaml") == Ended(0, "1 study file, no problems\n", "")
    assert command("check", "mine/demo.yaml", "mine/other.yaml").status == 1
    (problem,) = json.loads(command("check", "--json", "mine/other.yaml").out)
    assert problem.startswith("mine/other.yaml:")


def test_the_cases_in_a_file_are_checked_too_each_with_its_line(bench: Bench) -> None:
    write(study(cases={"file": "cases.jsonl"}))
    bad = [row("a"), row("b", obligation="sing"), row("a"), row("c", validity="valid", provenance="")]
    Path("studies/cases.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in bad))
    assert command("check") == Ended(
        1,
        "studies/cases.jsonl, line 2: case 'b' obligation='sing': expected one of 'sign'; did you mean 'sign'?\n"
        "studies/cases.jsonl, line 3: case 'a' stands in studies/cases.jsonl, line 1 too; give every case its own id\n"
        "studies/cases.jsonl, line 4: case 'c' is labelled valid without provenance; say who or what established it\n"
        "1 study file, 3 problems\n",
        "",
    )


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([], "studies/cases.json: expected cases, found none"),
        ([row(str(n), obligation="?") for n in range(50)], "30 more problems"),
    ],
    ids=["none", "many"],
)
def test_a_file_of_cases_that_is_all_wrong_is_told_shortly(bench: Bench, rows: list[Any], told: str) -> None:
    write(study(cases={"file": "cases.json"}))
    Path("studies/cases.json").write_text(json.dumps(rows))
    found = command("check").out.splitlines()
    assert len(found) <= SHOWN + 2
    assert told in found[-2]


def test_a_folder_without_studies_is_named(bench: Bench) -> None:
    message = "mateprobe study: nowhere: expected study files *.yaml, found none\n"
    assert command("check", "-C", "nowhere") == Ended(2, "", message)


# --- prune ------------------------------------------------------------------------------------------------------


def test_what_a_study_makes_is_kept_and_what_it_left_behind_is_removed(bench: Bench) -> None:
    bench.write(study(row("a"), gate={"validator": "by_sign"}))
    bench.judge()
    assert bench.run("gate").code == 0
    kept = left()
    gone = [
        "results/demo/observations/old.jsonl",
        "results/demo/receipts/observe.old.json",
        "results/former/cases.jsonl",
        "results/logs/demo/observe.old.log",
        "results/logs/former/cases.log",
        "results/figures/intervals.former.svg",
        "results/tables/former.md",
        "results/tables/receipts/former.json",
    ]
    others = [
        "results/README.md",
        "results/.running",
        "results/evidence/a/b.json",
        "results/logs/reproduce.log",
        "results/logs/evidence/published.log",
        "results/paper/claims.json",
    ]
    for name in (*gone, *others):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("x")
    told = "".join(f"{name}\n" for name in sorted(gone))
    assert sorted(command("prune", "--dry-run").out.splitlines()) == sorted([*gone, "8 files would be removed"])
    assert sorted(json.loads(command("prune", "--dry-run", "--json").out)) == sorted(gone)
    assert left() == sorted([*kept, *gone, *others])
    assert sorted(command("prune").out.splitlines()) == sorted([*told.splitlines(), "8 files removed"])
    assert left() == sorted([*kept, *others])
    assert not Path("results/former").exists()
    assert command("prune") == Ended(0, "0 files removed\n", "")


def test_a_link_to_a_folder_elsewhere_is_not_followed(bench: Bench) -> None:
    write(study(row("a")))
    Path("precious/old").mkdir(parents=True)
    Path("precious/old/file.txt").write_text("x")
    Path("results").mkdir()
    Path("results/former").symlink_to(Path("precious").resolve())
    assert stale(load_studies().values()) == []


def test_nothing_is_removed_while_a_study_cannot_be_read(bench: Bench) -> None:
    write(study(row("a"), titel="x"))
    Path("results/demo").mkdir(parents=True)
    Path("results/demo/cases.jsonl").write_text("x")
    assert (command("prune").status, left()) == (2, ["results/demo/cases.jsonl"])


def test_every_stage_of_a_study_has_an_artifact_a_receipt_and_notes(bench: Bench) -> None:
    write(study(row("a"), shards=2, gate={"validator": "by_sign"}, tables=["feasibility", "attribution"]))
    found = {path.as_posix() for path in made(load_studies().values())}
    assert {
        "results/demo/cases.jsonl",
        "results/demo/observations/by_sign.0001.jsonl",
        "results/demo/outcomes/by_sign.jsonl",
        "results/demo/gate.json",
        "results/demo/manifest.json",
        "results/demo/receipts/observe.by_sign.0000.json",
        "results/logs/demo/observe.by_sign.0001.log",
        "results/benchmarks/demo/statistics.tsv",
        "results/tables/attribution.csv",
        "results/tables/receipts/feasibility.json",
    } < found


# --- the command itself -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [("--help",), ("new", "--help")])
def test_help_is_given(arguments: tuple[str, ...]) -> None:
    ended = command(*arguments)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.startswith("usage: mateprobe study")


@pytest.mark.parametrize("arguments", [(), ("neu",), ("new",), ("prune", "--dry")])
def test_arguments_that_are_none_are_refused(bench: Bench, arguments: tuple[str, ...]) -> None:
    ended = command(*arguments)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("usage: mateprobe study")


BARE = """
import sys
sys.path.insert(0, sys.argv[1])
from mateprobe.cli import run
status = run(sys.argv[2:], sys.stdin, sys.stdout, sys.stderr)
assert not any(name.startswith("mateprobe.pipeline") for name in sys.modules) or sys.argv[2] == "study", "loaded"
sys.exit(status)
"""


def test_without_the_packages_of_the_pipeline_it_says_what_to_install(tmp_path: Path) -> None:
    def bare(*arguments: str) -> Ended:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", BARE, str(REPOSITORY), *arguments],
            cwd=tmp_path, env=dict(os.environ), capture_output=True, text=True, check=False,
        )  # fmt: skip
        return Ended(done.returncode, done.stdout, done.stderr)

    write_in = tmp_path / "studies"
    write_in.mkdir()
    (write_in / "demo.yaml").write_text("study: demo\n")
    message = r"mateprobe: study needs \w+; pip install 'mateprobe\[pipeline\]'\n"
    ended = bare("study", "check")
    assert (ended.status, ended.out) == (2, "")
    assert re.fullmatch(message, ended.err), ended.err
    assert bare("audit", "none.json").err == "mateprobe: none.json: No such file or directory\n"
