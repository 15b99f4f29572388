"""Every public name says what it is and shows it in an example, and every example runs."""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest

import mateprobe
from mateprobe import operators, reports

CONSTANTS = {"LIBRARY_VERSION", "OPERATORS", "Scalar", "__version__"}  # values, which have no docstring of their own


def public() -> dict[str, Any]:
    """Return what users import: the names of the package, those of operators, the functions of reports."""
    found = {f"mateprobe.{name}": getattr(mateprobe, name) for name in mateprobe.__all__ if name not in CONSTANTS}
    found |= {f"operators.{name}": getattr(operators, name) for name in operators.__all__ if name not in CONSTANTS}
    modules = [reports, *(import_module(f"mateprobe.reports.{info.name}") for info in iter_modules(reports.__path__))]
    for module in modules:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not name.startswith("_"):
                found[f"{module.__name__.removeprefix('mateprobe.')}.{name}"] = function
    return found


PUBLIC = public()


def examples(thing: Any) -> list[doctest.DocTest]:
    module = inspect.getmodule(thing)
    return [test for test in doctest.DocTestFinder().find(thing, thing.__name__, module) if test.examples]


def test_the_names_looked_at_are_all_there_are() -> None:
    assert {name.partition(".")[0] for name in PUBLIC} == {"mateprobe", "operators", "reports"}
    assert len(PUBLIC) >= 80


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_has_a_docstring_with_an_example_of_its_own(name: str) -> None:
    own = [test.name for test in examples(PUBLIC[name])]
    assert PUBLIC[name].__name__ in own


@pytest.mark.parametrize("name", PUBLIC)
def test_the_examples_of_a_public_name_run_and_print_what_they_show(name: str) -> None:
    told: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for test in examples(PUBLIC[name]):
        runner.run(test, out=told.append)
    assert told == []
