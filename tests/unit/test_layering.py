"""How the core stands: nothing but the standard library, imports one way, public names that say what they are."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import mateprobe

PACKAGE = Path(mateprobe.__file__).parent

# Each module may import at its top those that stand before it. The modules of one line could change places.
ORDER = """
    _version _help errors visible worker confine reach
    strict_json canonical decoding provenance beside line_numbers
    records
    operators.places operators.keywords
    operators.constraints
    operators.operator
    operators.shapes operators.values operators.texts operators.bounds
    operators
    model
    text adapters
    engine outcome
    rules relations bindings classify
    rule_examples
    corpus runner tally
    answers
    mutations command
    validator_audit serialization case_csv
    case_file
    reports reports.output reports.sample_diff
    reports.markdown
    reports.doctor_markdown gate
    report_file
    reports.jsonl reports.junit reports.sarif reports.ctrf shards diff
    reports.forms reports.diff_markdown reports.plain_text terminal
    doctor audit_file commands completion
    audit_commands
    pytest_report
    cli pytest_plugin pytest_study
    __main__ operators.__main__
"""
PLACES = {name: place for place, line in enumerate(ORDER.split("\n")) for name in line.split()}
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if path.relative_to(PACKAGE).parts[0] not in ("pipeline", "__init__.py")
)
THIRD_PARTY = {  # pytest loads them, so pytest is there
    name: {"pytest"} for name in ("pytest_plugin", "pytest_report", "pytest_study")
}
WHERE_THERE = {"terminal": {"rich"}}  # does without


def tree(module: str) -> ast.Module:
    path = PACKAGE.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(path.read_bytes())


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imports(node: ast.AST, package: str, *, everywhere: bool) -> Iterator[str]:
    """Yield the full names of the modules imported when ``node`` is, or ``everywhere`` in it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - child.level + 1] if child.level else []
            module = ".".join([*parents, *filter(None, [child.module])])
            yield from [f"{module}.{alias.name}" for alias in child.names] if module == "mateprobe" else [module]
        elif everywhere or not (isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) or is_for_types(child)):
            yield from imports(child, package, everywhere=everywhere)


def imported(module: str, *, everywhere: bool) -> set[str]:
    package = ".".join(["mateprobe", *module.split(".")[:-1]])
    return set(imports(tree(module), package, everywhere=everywhere))


def test_every_core_module_has_its_place() -> None:
    assert sorted(PLACES) == MODULES


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_stands_before_it(module: str) -> None:
    inner = {name.removeprefix("mateprobe.") for name in imported(module, everywhere=False) if "mateprobe" in name}
    assert {name for name in inner if PLACES.get(name, len(PLACES)) >= PLACES.get(module, 0)} == set()


@pytest.mark.parametrize("module", MODULES)
def test_a_module_names_the_standard_library_and_the_core_alone_even_in_functions(module: str) -> None:
    names = imported(module, everywhere=True)
    assert {name for name in names if name.startswith("mateprobe.pipeline")} == set()
    foreign = {name.split(".")[0] for name in names} - sys.stdlib_module_names - {"mateprobe"}
    assert foreign == {**THIRD_PARTY, **WHERE_THERE}.get(module, set())


BARE = """
import json, sys
root, *modules = sys.argv[1:]
sys.path.insert(0, root)
before = set(sys.modules)
import mateprobe
own = sorted(name for name in sys.modules if name.startswith("mateprobe"))
for module in modules:
    __import__("mateprobe." + module)
loaded = {name.split(".")[0] for name in set(sys.modules) - before} - sys.stdlib_module_names
sites = [path for path in sys.path if "site-packages" in path]
json.dump({"with the package": own, "loaded": sorted(loaded), "sites": sites}, sys.stdout)
"""


def test_the_core_runs_in_an_interpreter_that_has_nothing_else() -> None:
    modules = [module for module in MODULES if module not in {*THIRD_PARTY, "__main__"}]
    command = [sys.executable, "-I", "-S", "-c", BARE, str(PACKAGE.parent), *modules]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert found["sites"] == []
    assert found["loaded"] == ["mateprobe"]
    assert found["with the package"] == ["mateprobe", "mateprobe._version"]


def test_the_lazy_names_are_those_type_checkers_see() -> None:
    block = next(node for node in ast.parse((PACKAGE / "__init__.py").read_bytes()).body if is_for_types(node))
    seen: dict[str | None, set[str]] = defaultdict(set)
    for node in ast.walk(block):
        if isinstance(node, ast.ImportFrom):
            seen[node.module].update(alias.name for alias in node.names if alias.asname == alias.name)
    assert {module: set(names.split()) for module, names in mateprobe._HOMES.items()} == seen


@pytest.mark.parametrize("name", mateprobe.__all__)
def test_every_exported_name_is_there_and_listed(name: str) -> None:
    assert getattr(mateprobe, name) is not None
    assert name in dir(mateprobe)
    if name in mateprobe._HOME:
        assert getattr(mateprobe, name) is getattr(import_module(f"mateprobe.{mateprobe._HOME[name]}"), name)


def test_a_name_that_is_not_exported_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'mateprobe' has no attribute 'audits'"):
        getattr(mateprobe, "audits")  # noqa: B009 - a type checker would see the misspelt attribute


def is_public(name: str, item: object, of: ModuleType) -> bool:
    """Tell whether the module ``of`` defines ``item``, a class, function, property or class method, for others."""
    if name.startswith("_"):
        return False
    if inspect.isclass(item) or inspect.isfunction(item):
        return item.__module__ == of.__name__ and not item.__name__.startswith("_")
    return isinstance(item, property | classmethod)


@pytest.mark.parametrize("module", [module for module in MODULES if module != "__main__"])
def test_every_public_name_says_what_it_is(module: str) -> None:
    loaded = import_module(f"mateprobe.{module}")
    public = [(name, item) for name, item in vars(loaded).items() if is_public(name, item, of=loaded)]
    members = [
        (f"{owner}.{name}", item)
        for owner, cls in public
        if inspect.isclass(cls) and not getattr(cls, "_is_protocol", False)
        for name, item in vars(cls).items()
        if is_public(name, item, of=loaded)
    ]
    # A dataclass without a docstring is given its signature for one.
    silent = [name for name, item in [*public, *members] if not item.__doc__ or item.__doc__.startswith(f"{name}(")]
    assert silent == []
    assert module == "_version" or loaded.__doc__
