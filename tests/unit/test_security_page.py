"""The page on security says what the code does: its limits are read from there."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from tools.fuzz_targets import TARGETS

PAGE = (Path(__file__).parents[2] / "docs" / "security.md").read_text("utf-8")
ROWS = re.findall(r"^\| .+ \| ([\d,]+)(?: \w+)? \| `([\w.]+)\.(\w+)` \|$", PAGE, flags=re.MULTILINE)


def test_every_limit_is_in_the_table() -> None:
    table = PAGE.partition("| held by |\n|---|---:|---|\n")[2].partition("\n\n")[0]
    assert (len(table.splitlines()), len({*ROWS})) == (len(ROWS), len(ROWS))
    assert len(ROWS) > 10


@pytest.mark.parametrize(("number", "module", "name"), ROWS, ids=[f"{module}.{name}" for _, module, name in ROWS])
def test_a_limit_is_the_one_of_the_code(number: str, module: str, name: str) -> None:
    value = getattr(import_module(module), name)
    assert number == f"{value() if callable(value) else value:,}"


def test_every_target_of_fuzzing_has_its_figures() -> None:
    table = PAGE.partition("\n# Fuzzing\n")[2]
    assert re.findall(r"^\| `(\w+)` \|", table, flags=re.MULTILINE) == [*TARGETS]
