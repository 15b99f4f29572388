"""The workflow makes what depends on a change, restores what it has made before, and leaves the rest."""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workflow.project import Tree

MADE, KEPT, RAN = "made", "restored", ""  # a manifest is always made, and says nothing of it


def test_two_runs_in_two_folders_give_the_same_bytes(trees: tuple[Tree, Tree]) -> None:
    first, second = (tree.results() for tree in trees)
    assert {"scenes/summary.json", "numbers/manifest.json", "tables/feasibility.md"} <= first.keys()
    assert first == second


def test_no_result_names_the_folder_it_was_made_in(trees: tuple[Tree, Tree]) -> None:
    place = str(trees[0].path).encode()
    assert [name for name, data in trees[0].results().items() if place in data] == []


def test_deleted_results_are_restored_without_making_anything(tree: Tree) -> None:
    before = tree.results()
    shutil.rmtree(tree.path / "results")
    stages = ("cases", "observe.by_sign", "outcomes.by_sign", "statistics", "summary")
    alone = tree.rerun("numbers")
    assert alone == {**{f"numbers/{stage}": KEPT for stage in stages}, "numbers/manifest": RAN}
    rest = tree.rerun()
    assert {word for job, how in rest.items() if job != "scenes/manifest" for word in how.split()} == {KEPT}
    assert tree.results() == before


def comment(text: str) -> str:
    return f"{text}\n# Another remark.\n"


def evidence(text: str) -> str:
    return text.replace("return Verdict(accepted=True)", 'return Verdict(accepted=True, evidence=("seen",))')


PIPELINE = "mateprobe/pipeline"
EDITS: dict[str, tuple[str, Callable[[str], str], dict[str, str]]] = {
    "a seed": (
        "studies/numbers.yaml",
        lambda text: text.replace("seed: 1", "seed: 2"),
        {
            "numbers/cases": MADE,
            "numbers/observe.by_sign": MADE,
            "numbers/outcomes.by_sign": MADE,
            "numbers/summary": MADE,
            "numbers/statistics": MADE,
            "numbers/manifest": RAN,
            "tables/constructed-cases": KEPT,  # other numbers, the same counts
        },
    ),
    "the module of the summaries": (
        f"{PIPELINE}/summary.py",
        comment,
        {
            "numbers/summary": MADE,
            "numbers/manifest": RAN,
            "scenes/summary": MADE,
            "scenes/manifest": RAN,
            "tables/constructed-cases": KEPT,  # another code, the same summaries
        },
    ),
    "the module of one validator": (
        f"{PIPELINE}/corpora/comparators.py",
        evidence,
        {
            "scenes/observe.always_accept": MADE,
            "scenes/outcomes.always_accept": MADE,
            "scenes/summary": KEPT,
            "scenes/statistics": KEPT,
            "scenes/manifest": RAN,
            "tables/constructed-cases": KEPT,
        },
    ),
    "the module of the tables": (f"{PIPELINE}/tables.py", comment, {"tables/constructed-cases": MADE}),
    "the code of a study": (
        "studies/_code/numbers_code.py",
        comment,
        {
            "numbers/cases": MADE,
            "numbers/observe.by_sign": MADE,
            "numbers/outcomes.by_sign": KEPT,
            "numbers/summary": KEPT,
            "numbers/statistics": KEPT,
            "numbers/manifest": RAN,
            "tables/constructed-cases": KEPT,
        },
    ),
}


@pytest.mark.parametrize(("file", "change", "expected"), EDITS.values(), ids=EDITS.keys())
def test_an_edit_makes_what_depends_on_it_and_nothing_else(
    tree: Tree, file: str, change: Callable[[str], str], expected: dict[str, str]
) -> None:
    tree.edit(file, change)
    tree.edit("studies/scenes.yaml", lambda text: re.sub("title: .*", "title: Another", text))
    ran = tree.rerun()
    assert MADE in ran.pop("page")  # it shows the title, which is otherwise of no consequence
    assert ran == expected


def test_the_page_is_made_again_for_what_changed_alone(tree: Tree) -> None:
    tree.edit("studies/numbers.yaml", lambda text: text.replace("seed: 1", "seed: 2"))
    assert tree.rerun()["page"].split() == [MADE, KEPT, KEPT]  # numbers, scenes, the front page: other cases, as many


def test_an_edit_of_how_the_page_looks_leaves_its_data(tree: Tree) -> None:
    tree.edit("mateprobe/pipeline/page_files/page.css", lambda text: f"{text}/* Another remark. */\n")
    assert tree.rerun() == {"page": f"{KEPT} {KEPT} {MADE}"}


def test_a_run_killed_midway_and_resumed_gives_the_same_bytes(
    untouched: Tree, trees: tuple[Tree, Tree], tmp_path: Path
) -> None:
    tree = untouched.copy(tmp_path / "killed")
    held = tree.path / "studies/_code/held"
    os.mkfifo(held)
    process = tree.start()
    with held.open("w"):  # as soon as the validator reads it
        os.killpg(process.pid, signal.SIGKILL)
    said, _ = process.communicate()
    assert process.returncode == -signal.SIGKILL, said
    assert "numbers/cases.jsonl" in tree.results()
    assert "numbers/observations/by_sign.jsonl" not in tree.results()
    held.unlink()
    ran = tree.rerun()
    assert tree.results() == trees[0].results()
    assert ran["numbers/observe.by_sign"] == MADE
    assert ran.get("numbers/cases") != MADE
