"""Every public name says what it is and shows it in an example, and every example runs."""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest

import mateprobe
from mateprobe import reports
from tests.pages import promised_names

# Values, which have no docstring of their own.
CONSTANTS = {"LIBRARY_VERSION", "OPERATORS", "RULE_ERROR", "Scalar", "__version__"}


def public() -> dict[str, Any]:
    """Return what users import.

    That is the names that the package and its modules list, those that the page on compatibility promises, and
    what the modules of reports define.
    """
    inner, forms = (
        [import_module(f"{package.__name__}.{info.name}") for info in iter_modules(package.__path__)]
        for package in (mateprobe, reports)
    )
    found = {}
    for module in [mateprobe, *inner]:
        for name in set(getattr(module, "__all__", ())) - CONSTANTS:
            found[f"{module.__name__}.{name}"] = getattr(module, name)
    for home, names in promised_names().items():
        for name in set(names) - CONSTANTS:
            found[f"{home}.{name}"] = getattr(import_module(home), name)
    for module in [reports, *forms]:
        for name, thing in vars(module).items():
            if getattr(thing, "__module__", None) == module.__name__ and not name.startswith("_"):
                found[f"{module.__name__}.{name}"] = thing
    return dict(sorted(found.items()))


PUBLIC = public()


def examples(thing: Any) -> list[doctest.DocTest]:
    module = inspect.getmodule(thing)
    return [test for test in doctest.DocTestFinder().find(thing, thing.__name__, module) if test.examples]


def test_the_names_looked_at_are_all_there_are() -> None:
    homes = {name.split(".")[1] for name in PUBLIC if name.count(".") > 1}
    assert homes == {
        *("adapters", "bindings", "engine", "model", "mutations", "operators", "provenance", "reports"),
        *("serialization", "text", "validator_audit"),
    }
    assert len(PUBLIC) >= 120


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
