"""A stage's code digest follows what it imports, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mateprobe.errors import InvalidValue
from mateprobe.pipeline.code import closure, code_digest

MODULES = {
    "entry.py": "import json\nfrom pack import deep\nfrom pack.one import thing\n",
    "pack/__init__.py": "",
    "pack/one.py": "from . import two\nfrom .inner.leaf import x\nthing = 1\n",
    "pack/two.py": "def late():\n try:\n  from ..other import y\n except ImportError:\n  import pack.three\n",
    "pack/three.py": "class A:\n    match 1:\n        case _:\n            import plain\n",
    "pack/deep/__init__.py": "from ..two import late\n",
    "pack/inner/__init__.py": "",
    "pack/inner/leaf.py": "from .. import three\nx = 1\n",
    "plain.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import unused\nelse:\n    import used\n",
    "used.py": "import typing\nif typing.TYPE_CHECKING:\n    import unused\n",
    "unused.py": "",
    "other.py": "",
    "loop.py": "import loop\nfrom pool import *\n",
    "pool.py": "import loop.x\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in MODULES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


CLOSURES = {
    "no imports": ("unused", {"unused"}),
    "parents come along": ("pack.inner.leaf", {"pack", "pack.inner", "pack.inner.leaf", "pack.three", "plain", "used"}),
    "in functions and branches": ("pack.two", {"pack", "pack.two", "pack.three", "plain", "used"}),
    "not for types only": ("plain", {"plain", "used"}),
    "loops end": ("loop", {"loop", "pool"}),
    "all of it": (
        "entry",
        {"entry", "pack", "pack.deep", "pack.one", "pack.two", "pack.three", "pack.inner", "pack.inner.leaf"}
        | {"plain", "used"},
    ),
}


@pytest.mark.parametrize(("entry", "expected"), CLOSURES.values(), ids=CLOSURES.keys())
def test_the_closure_is_what_the_entry_imports_from_us(root: Path, entry: str, expected: set[str]) -> None:
    assert closure(entry, roots=[root]) == tuple(sorted(expected))


def test_several_entries_have_the_closure_of_all(root: Path) -> None:
    assert closure("loop", "unused", roots=[root]) == ("loop", "pool", "unused")


def test_code_in_a_second_folder_may_import_the_package(root: Path) -> None:
    (root / "mine.py").write_text("from mateprobe.errors import InvalidValue\n")
    assert {"mine", "mateprobe", "mateprobe.errors"} <= set(closure("mine", roots=[root]))


def test_a_folder_without_init_is_walked_through(root: Path) -> None:
    (root / "space").mkdir()
    (root / "space/leaf.py").write_text("import other")
    assert closure("space.leaf", roots=[root]) == ("other", "space.leaf")


@pytest.mark.parametrize("changed", ["entry.py", "pack/__init__.py", "pack/inner/leaf.py", "used.py"])
def test_an_edit_in_the_closure_changes_the_digest(root: Path, changed: str) -> None:
    before = code_digest("entry", roots=[root])
    with (root / changed).open("a") as file:
        file.write("# edited\n")
    assert code_digest("entry", roots=[root]) != before


@pytest.mark.parametrize("changed", ["unused.py", "other.py", "new.py"])
def test_an_edit_outside_of_the_closure_does_not(root: Path, changed: str) -> None:
    before = code_digest("entry", roots=[root])
    with (root / changed).open("a") as file:
        file.write("# edited\n")
    assert code_digest("entry", roots=[root]) == before


def test_a_module_moved_to_another_name_changes_the_digest(root: Path) -> None:
    (root / "same.py").write_bytes((root / "unused.py").read_bytes())
    assert code_digest("same", roots=[root]) != code_digest("unused", roots=[root])


def test_place_and_line_ends_do_not_count(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name, text in MODULES.items():
        (elsewhere / name).parent.mkdir(parents=True, exist_ok=True)
        (elsewhere / name).write_bytes(text.replace("\n", "\r\n").encode())
    assert code_digest("entry", roots=[elsewhere]) == code_digest("entry", roots=[root])


@pytest.mark.parametrize("name", ["nowhere", "mateprobe.nowhere", "../entry", "pack/one", "", ".pack", "json"])
def test_an_entry_that_is_no_module_of_ours_is_refused(root: Path, name: str) -> None:
    with pytest.raises(InvalidValue, match=f"^module '{name}' is not found in mateprobe, {root}"):
        closure(name, roots=[root])


@pytest.mark.parametrize("text", ["def", "x = 1\0"], ids=["syntax", "a null byte"])
def test_what_is_not_python_is_refused_with_its_file(root: Path, text: str) -> None:
    (root / "used.py").write_text(text)
    with pytest.raises(InvalidValue, match=f"^{root}/used.py: expected Python source"):
        closure("plain", roots=[root])


@pytest.mark.parametrize("name", ["records", "stage", "evidence", "code"])
def test_a_module_loads_nothing_of_ours_outside_of_its_closure(name: str) -> None:
    entry = f"mateprobe.pipeline.{name}"
    script = f"import sys, {entry}; print(*(m for m in sys.modules if m.split('.')[0] == 'mateprobe'))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(loaded.stdout.split()) <= set(closure(entry))
