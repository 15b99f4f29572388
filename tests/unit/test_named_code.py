"""A study names functions of the corpora and of its own code folder, and of nothing else."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mateprobe.errors import StudyError
from mateprobe.pipeline.corpora.feasibility import cases
from mateprobe.pipeline.named_code import CODE, allowed, load_function


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = {*sys.modules}
    (CODE / "desk").mkdir(parents=True)
    (CODE / "desk" / "__init__.py").write_text("def at_the_top(): return 'top'\n")
    (CODE / "desk" / "rules.py").write_text("from desk import at_the_top\ndef below(): return 'below'\nSIX = 6\n")
    yield CODE
    for name in {*sys.modules} - before:
        del sys.modules[name]
    importlib.invalidate_caches()


def test_a_function_of_the_corpora_is_found(root: Path) -> None:
    assert load_function("mateprobe.pipeline.corpora.feasibility:cases") is cases


REFUSED = {
    "the standard library": "os",
    "a subprocess": "subprocess",
    "another part of the pipeline": "mateprobe.pipeline.store",
    "the package of the corpora itself": "mateprobe.pipeline.corpora",
    "a namesake of the corpora": "mateprobe.pipeline.corpora_of_mine",
    "an installed package": "yaml",
    "a module that is not there": "desk.nowhere",
    "a module of another case": "Desk",
    "a folder without code": "desk.rules.more",
    "a path": "/etc/passwd",
    "the folder above": "..other",
    "nothing": "",
}


@pytest.mark.parametrize("module", REFUSED.values(), ids=REFUSED.keys())
def test_no_other_module_may_be_named(root: Path, module: str) -> None:
    (root.parent / "other.py").write_text("raise SystemExit\n")
    message = f"module '{module}': expected one below mateprobe.pipeline.corpora, or a file below studies/_code"
    with pytest.raises(StudyError) as refusal:
        allowed(module)
    assert str(refusal.value) == message


def test_a_path_to_a_file_elsewhere_is_no_name_of_a_module(root: Path, tmp_path: Path) -> None:
    (root.parent / "other.py").write_text("def ask(): ...\n")
    for module in (str(tmp_path / root.parent / "other"), "../other"):
        with pytest.raises(StudyError, match="expected one below"):
            allowed(module)


@pytest.mark.parametrize("name", ["desk:at_the_top", "antigravity:fly", "mateprobe.pipeline.store:Store"])
def test_no_other_function_is_loaded_into_this_process(root: Path, name: str) -> None:
    with pytest.raises(StudyError, match=r"expected a function of a module below mateprobe.pipeline.corpora$"):
        load_function(name)
    assert not {"desk", "antigravity"} & sys.modules.keys()
