"""A module runs as it stands: compiled code is held against its content, not against its time and size."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mateprobe.pipeline.bytecode import check_by_content

OLD, NEW = "print('old')\n", "print('new')\n"


def said(folder: Path) -> str:
    """Return what the module says when it is imported, compiled code written and read."""
    variables = {"PYTHONPATH": str(folder), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-c", "import package.module"]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "package" / "module.py"
    path.parent.mkdir()
    path.write_text(OLD)
    return path


def edit_under_the_old_time(path: Path, text: str) -> None:
    stat = path.stat()
    path.write_text(text)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def test_python_alone_runs_what_was_replaced_under_its_old_time_and_size(module: Path, tmp_path: Path) -> None:
    said(tmp_path)
    edit_under_the_old_time(module, NEW)
    assert said(tmp_path) == "old\n"


@pytest.mark.parametrize("imported", [False, True], ids=["never compiled", "compiled by an import"])
def test_an_edit_under_the_old_time_and_size_runs(module: Path, tmp_path: Path, imported: bool) -> None:
    if imported:
        said(tmp_path)
    check_by_content(module.parent)
    for text, expected in ((NEW, "new\n"), (OLD, "old\n"), (NEW, "new\n")):
        edit_under_the_old_time(module, text)
        assert said(tmp_path) == expected


def test_compiled_code_that_is_stale_already_is_replaced(module: Path, tmp_path: Path) -> None:
    said(tmp_path)
    edit_under_the_old_time(module, NEW)
    check_by_content(module.parent)
    assert said(tmp_path) == "new\n"


def test_what_is_checked_by_content_is_left(module: Path) -> None:
    check_by_content(module.parent)
    (compiled,) = module.parent.rglob("*.pyc")
    before = compiled.stat().st_ino
    check_by_content(module.parent)
    assert compiled.stat().st_ino == before


def test_what_is_no_python_is_left_to_python(module: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module.write_text("not (python")
    check_by_content(module.parent)
    assert list(module.parent.rglob("*.pyc")) == []
    assert capsys.readouterr() == ("", "")
