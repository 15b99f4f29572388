"""What a study names lies beside it: files and functions of one folder, and nothing elsewhere."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mateprobe.beside import file_below, function_below
from mateprobe.errors import StudyError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = {*sys.modules}
    Path("mine/deep").mkdir(parents=True)
    Path("secret.csv").write_text("id\n")
    Path("mine/cases.csv").write_text("id\n")
    Path("mine/deep/cases.csv").write_text("id\n")
    Path("mine/link.csv").symlink_to(Path("secret.csv").resolve())
    Path("mine/circle.csv").symlink_to("circle.csv")
    Path("mine/elsewhere").symlink_to(Path.cwd())
    yield Path("mine")
    for name in {*sys.modules} - before:
        del sys.modules[name]
    importlib.invalidate_caches()


@pytest.mark.parametrize("name", ["cases.csv", "deep/cases.csv", "deep/../cases.csv", "elsewhere/mine/cases.csv"])
def test_a_file_of_the_folder_is_found(folder: Path, name: str) -> None:
    assert file_below(folder, name, "file") == folder / name


OUTSIDE = {
    "above": "../secret.csv",
    "at the root": "/etc/passwd",
    "behind a link": "link.csv",
    "behind a link to a folder": "elsewhere/secret.csv",
    "in a circle": "circle.csv",
    "with a NUL": "a\0b",
}


@pytest.mark.parametrize("name", OUTSIDE.values(), ids=OUTSIDE.keys())
def test_a_file_elsewhere_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(StudyError) as refusal:
        file_below(folder, name, "cases.file")
    assert str(refusal.value) == f"cases.file={name!r}: expected a path that stays below mine"


@pytest.mark.parametrize("name", ["case.csv", "deep", "", "a" * 5000], ids=["no file", "a folder", "nothing", "long"])
def test_a_file_that_is_none_is_named(folder: Path, name: str) -> None:
    with pytest.raises(StudyError) as refusal:
        file_below(folder, name, "cases.file")
    assert str(refusal.value) == f"cases.file={name!r}: expected a file below mine, found none"


NAMES = {
    "a path": "/etc/passwd:read",
    "the folder above": "..other:ask",
    "no module": ":ask",
    "no function": "desk",
    "an expression": "desk:ask()",
    "a module that is not there": "nowhere:ask",
    "an installed package": "yaml:safe_load",
    "a name that is too long": f"{'a' * 5000}:ask",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_a_function_elsewhere_is_refused_and_not_imported(folder: Path, name: str) -> None:
    Path("other.py").write_text("raise SystemExit\n")
    with pytest.raises(StudyError) as refusal:
        function_below(folder, name)
    assert str(refusal.value) == f"{name!r}: expected module:function, the module a file below mine"


def test_a_function_finds_the_modules_beside_its_own(folder: Path) -> None:
    (folder / "own_desk.py").write_text("from own_helper import WORD\ndef ask(): return WORD\n")
    (folder / "own_helper.py").write_text("WORD = 'found'\n")
    assert function_below(folder, "own_desk:ask")() == "found"


def test_a_module_that_ends_the_process_ends_only_itself(folder: Path) -> None:
    (folder / "own_leaver.py").write_text("raise SystemExit(0)\n")
    with pytest.raises(StudyError, match=r"^'own_leaver:ask': expected a module that imports, found SystemExit: 0$"):
        function_below(folder, "own_leaver:ask")
