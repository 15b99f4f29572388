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


@pytest.mark.parametrize(
    ("name", "returned"), [("desk:at_the_top", "top"), ("desk.rules:below", "below"), ("desk.rules:at_the_top", "top")]
)
def test_a_function_of_the_code_folder_is_found(root: Path, name: str, returned: str) -> None:
    assert load_function(name)() == returned


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
    for refuse in (lambda: allowed(module), lambda: load_function(f"{module}:anything")):
        with pytest.raises(StudyError) as refusal:
            refuse()
        assert str(refusal.value) == message


def test_a_path_to_a_file_elsewhere_is_no_name_of_a_module(root: Path, tmp_path: Path) -> None:
    (root.parent / "other.py").write_text("def ask(): ...\n")
    for module in (str(tmp_path / root.parent / "other"), "../other"):
        with pytest.raises(StudyError, match="expected one below"):
            allowed(module)


def test_a_module_that_is_not_allowed_is_not_imported(root: Path) -> None:
    with pytest.raises(StudyError, match=r"^module 'antigravity': expected one below"):
        load_function("antigravity:fly")
    assert "antigravity" not in sys.modules


BROKEN = {
    "no such function": ("x = 1\n", "expected a function, found no such name"),
    "a name that is no function": ("ask = 6\n", "expected a function, found int"),
    "an import of what is not there": ("import nowhere_at_all\n", "found ModuleNotFoundError: .*'nowhere_at_all'"),
    "no Python": ("def ask(:\n", "found SyntaxError: invalid syntax"),
    "a failure as it is imported": ("1 / 0\n", "found ZeroDivisionError: division by zero"),
}


@pytest.mark.parametrize(("source", "problem"), BROKEN.values(), ids=BROKEN.keys())
def test_a_function_that_cannot_be_had_is_named(root: Path, source: str, problem: str) -> None:
    (root / "broken.py").write_text(source)
    with pytest.raises(StudyError, match=f"^'broken:ask': .*{problem}"):
        load_function("broken:ask")


def test_a_module_with_the_name_of_another_does_not_open_the_way_to_it(root: Path) -> None:
    (root / "subprocess.py").write_text("def run(sample): return 'mine'\n")
    with pytest.raises(StudyError, match=r"^'subprocess:run': expected .*studies/_code.*subprocess.py"):
        load_function("subprocess:run")
