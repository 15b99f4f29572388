"""A study that is dropped in is picked up: its own jobs run, its own files appear, and nothing else changes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mateprobe.pipeline.made import stale
from mateprobe.pipeline.starter import starter
from mateprobe.pipeline.studies import load_studies
from tests.pages import assert_as_shown, blocks
from tests.unit.test_first_study import IN_A_CHECKOUT
from tests.workflow.project import Tree

STAGES = ("cases", "gate", "manifest", "observe.checked", "outcomes.checked", "statistics", "summary")
JOBS = {*(f"refunds/{stage}" for stage in STAGES), "tables/refunds"}
OWN = re.compile(r"refunds/|tables/(receipts/)?refunds\.|report/studies/refunds/|report/receipts/refunds\.")
FRONT = {"report/front.js", "report/receipts/index.json"}  # the page that lists every study


def drop(folder: Path, name: str = "refunds") -> None:
    for path, text in starter(name, folder).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def planned(said: str) -> set[str]:
    """Return the outputs of the jobs that a dry run plans."""
    listed = re.findall(r"^    output: (.*)$", said, flags=re.MULTILINE)
    return {output.removeprefix("results/") for line in listed for output in line.split(", ")}


def test_only_its_own_jobs_are_planned_and_run_and_no_other_byte_changes(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree.results()
    drop(tree.path / "studies")
    outputs = planned(tree.run("--dry-run"))
    assert {output for output in outputs if not OWN.match(output) and not output.startswith("report/")} == set()
    ran = tree.rerun()
    assert ran.keys() == JOBS | {"page"}
    assert ran["page"].split() == ["restored", "made", "restored", "made"]  # numbers, refunds, scenes, the front
    after = tree.results()
    assert {name for name in before if after[name] != before[name]} == FRONT
    assert after.keys() - before.keys() == outputs - before.keys()
    monkeypatch.chdir(tree.path)
    studies = load_studies().values()
    assert stale(studies) == []
    others = [study for study in studies if study.id != "refunds"]
    assert {path.relative_to("results").as_posix() for path in stale(others)} >= outputs - before.keys()


def test_it_is_made_alone_when_it_is_asked_for_with_the_table_that_is_its_own(tree: Tree) -> None:
    shutil.rmtree(tree.path / "results")
    drop(tree.path / "studies")
    assert {*tree.rerun("refunds")} == JOBS


def test_what_is_left_of_a_study_that_was_taken_out_is_cleared_away_and_nothing_else(tree: Tree) -> None:
    before = tree.results()
    drop(tree.path / "studies")
    tree.run()
    for path in starter("refunds", tree.path / "studies"):
        path.unlink()
    subprocess.run(
        [sys.executable, "-m", "mateprobe", "study", "prune"], cwd=tree.path, env=tree.environment(), check=True
    )
    after = tree.results()
    assert (after.keys(), {name for name in before if after[name] != before[name]}) == (before.keys(), FRONT)
    assert {*tree.rerun()} == {"page"}
    assert tree.results() == before


def test_a_folder_of_studies_may_lie_anywhere(tree: Tree, tmp_path: Path) -> None:
    drop(tree.path / "studies")
    tree.run("refunds")
    here = tree.results()
    shutil.rmtree(tree.path / "results")
    for path in starter("refunds", tree.path / "studies"):
        path.unlink()
    drop(tmp_path / "my studies")
    ran = tree.rerun("--config", f"studies={tmp_path}/my studies")
    there = tree.results()
    assert {*ran} == JOBS | {"page"}
    named = ("refunds/receipts/cases.json", "refunds/manifest.json")  # they name the file of cases
    assert {name for name in here if OWN.match(name) and here[name] != there[name]} == {*named}
    assert [name for name, data in there.items() if str(tmp_path).encode() in data] == []
    assert {how for job, how in ran.items() if job not in ("refunds/manifest", "page")} == {"restored"}


def test_one_that_fails_as_it_runs_stops_no_other(tree: Tree) -> None:
    before = tree.results()
    drop(tree.path / "studies")
    drop(tree.path / "studies", "crashing")
    (tree.path / "studies/_cases/crashing.csv").write_text("id,obligation,relation,baseline,variant\na,b,c,1,2\n")
    process = tree.start()
    said, _ = process.communicate()
    assert process.returncode == 1
    assert "studies/_cases/crashing.csv, line 2: case 'a' relation='c': expected one of" in said
    after = tree.results()
    assert {name: after[name] for name in before} == before
    assert {name for name in after.keys() - before.keys() if not OWN.match(name)} == set()
    assert {"refunds/manifest.json", "tables/refunds.md"} <= after.keys()


def test_one_that_cannot_be_read_stops_the_others_only_until_they_are_asked_for_alone(tree: Tree) -> None:
    drop(tree.path / "studies")
    (tree.path / "studies/broken.yaml").write_text("study: broken\ntitel: x\n")
    process = tree.start()
    said, _ = process.communicate()
    assert process.returncode == 1
    assert "studies/broken.yaml:2: titel: unknown key; expected one of" in said
    assert {*tree.rerun("--config", "only=[refunds]")} == JOBS | {"page"}


def test_the_page_for_newcomers_ends_with_a_study_that_runs(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MATEPROBE_CACHE", raising=False)
    (console,) = blocks(IN_A_CHECKOUT)
    assert_as_shown(console.text, tree.path)
