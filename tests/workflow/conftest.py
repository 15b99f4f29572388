"""Folders in which the workflow has run, made once for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflow.project import Tree, small_project


@pytest.fixture(scope="session")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A folder in which nothing has run; every other one begins as its copy."""
    return small_project(tmp_path_factory.mktemp("workflow") / "untouched")


@pytest.fixture(scope="session")
def trees(untouched: Tree) -> tuple[Tree, Tree]:
    """Two folders in which everything has run; read them, copy them, change nothing in them."""
    folder = untouched.path.parent
    first, second = untouched.copy(folder / "first"), untouched.copy(folder / "deeper" / "second")
    runs = [tree.start() for tree in (first, second)]
    said = [process.communicate()[0] for process in runs]
    assert [process.returncode for process in runs] == [0, 0], "\n".join(said)
    return first, second


@pytest.fixture
def tree(trees: tuple[Tree, Tree], tmp_path: Path) -> Tree:
    """A copy of a folder in which everything is up to date."""
    return trees[0].copy(tmp_path / "tree")
