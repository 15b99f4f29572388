"""The workflow as a whole: the studies of the project, one study alone, a study that cannot be used."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from mateprobe.pipeline.pins import load_archives
from mateprobe.pipeline.section import parts
from mateprobe.pipeline.studies import load_studies
from mateprobe.pipeline.table_specs import together
from tests.workflow.project import READ_INTO, REPOSITORY, Tree


def planned(said: str) -> dict[str, int]:
    """Return how many jobs of each rule a dry run plans."""
    return {rule: int(jobs) for rule, jobs in re.findall(r"^([\w-]+) +(\d+)$", said, re.MULTILINE)}


def test_every_study_of_the_project_is_planned_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = planned(Tree(REPOSITORY).run("--dry-run", "--forceall", "--quiet", "rules"))
    monkeypatch.chdir(REPOSITORY)
    studies = load_studies().values()
    assert jobs["manifest"] == jobs["cases"] == jobs["summary"] == len(studies)
    assert jobs["outcomes"] == sum(len(study.validators) for study in studies)
    assert jobs["observe"] == sum(len(parts(id, study.shards)) for study in studies for id in study.validators)
    assert jobs["agreement"] == sum("agreement" in study.data for study in studies)
    made_together = together({table for study in studies for table in study.tables})
    assert {rule for rule in jobs if rule.startswith("tables_")} == {f"tables_{name}" for name in made_together}
    archives = load_archives()
    assert {name: jobs.get(f"evidence_{name}") for name in archives} == dict.fromkeys(archives, 1)


def test_a_study_that_cannot_be_used_stops_the_workflow_before_any_job(tree: Tree) -> None:
    tree.edit("studies/numbers.yaml", lambda text: text.replace("seed:", "sead:"))
    before = tree.results()
    process = tree.start()
    said, _ = process.communicate()
    assert process.returncode == 1
    assert re.search(r"studies/numbers\.yaml:\d+: cases\.sead: unknown key; expected one of", said)
    assert "did you mean 'seed'?" in said
    assert tree.results() == before


HEAD = "def cases(*, seed, provenance):\n"
HOSTILE = {
    "a generator that ends its process": (HEAD, f"{HEAD}    import os; os._exit(9)\n"),
    "a generator that interrupts": (HEAD, f"{HEAD}    raise KeyboardInterrupt\n"),
    "a generator that writes to another study": (HEAD, f"{HEAD}    open('results/scenes/cases.jsonl', 'w')\n"),
}


@pytest.mark.parametrize(("before", "after"), HOSTILE.values(), ids=HOSTILE)
def test_a_study_that_fails_stops_none_of_the_others(tree: Tree, before: str, after: str) -> None:
    made = tree.results()
    shutil.rmtree(tree.path / "results/scenes")
    tree.edit("studies/_code/numbers_code.py", lambda text: text.replace(before, after))
    process = tree.start()
    said, _ = process.communicate()
    assert process.returncode == 1
    assert "cases.generate='numbers_code:cases'" in said
    left = tree.results()
    assert "numbers/cases.jsonl" not in left
    scenes = {name: data for name, data in made.items() if name.startswith("scenes/")}
    assert {name: data for name, data in left.items() if name.startswith("scenes/")} == scenes


def test_no_text_of_a_study_is_read_by_a_shell_or_a_template(tree: Tree) -> None:
    _, *cases, _ = tree.results()["numbers/cases.jsonl"].splitlines()
    assert {json.loads(case)["provenance"] for case in cases} == {READ_INTO}
    assert [*tree.path.rglob("owned")] == []


def test_a_job_that_fails_shows_why_and_leaves_nothing_of_its_stage(tree: Tree) -> None:
    tree.edit("studies/_code/numbers_code.py", lambda text: text.replace("range(seed, seed + 9)", "(1, 1)"))
    before = tree.results()
    process = tree.start()
    said, _ = process.communicate()
    assert process.returncode == 1
    assert "cases: case 'n1' occurs twice; give every case an id of its own" in said
    left = tree.results()
    assert left.items() <= before.items()
    assert "numbers/cases.jsonl" not in left
