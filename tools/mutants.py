"""Mutates modules of the library and runs the tests that are about them; run by `make mutants`.

    python tools/mutants.py [MODULE …] [--jobs 2]

Mutants are those of cosmic-ray, all its operators at every place. They are written to no file: each runs in a fork of
this process, in which the import of the module gives the mutant. What is mutated, what tests it, which score is needed
and which mutants are equivalent is in mutants.toml; docs/mutants.md tells how endings are counted, and what came out.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import os
import re
import resource
import signal
import sys
import tempfile
import tomllib
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import hypothesis.strategies  # noqa: F401 (loaded once, for all forks)
import pytest
from cosmic_ray.mutating import mutate_code  # type: ignore[import-not-found]
from cosmic_ray.plugins import get_operator, operator_names  # type: ignore[import-not-found]

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = ROOT / "tools" / "mutants.toml"
OPTIONS = (
    *("-x", "-q", "--no-header", "--tb=line", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:mateprobe"),
    "--assert=plain",  # pytest's import hook would take the original, for the library is one of its plugins
    *("-W", "ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning"),
)
MEMORY = 4 << 30  # bytes a fork may address
NO_LIBRARY = 71  # the status of a fork in which the library cannot be imported
TIMES = 10  # a fork may use so many times the processor seconds of the original, and as many seconds more


class Ending(StrEnum):
    """How the tests ended on a mutant."""

    KILLED = "killed"  # a test failed, or broke off, or its file failed as it was read, as it uses the mutant there
    SURVIVED = "survived"  # every test passed
    CRASHED = "crashed"  # no test began, for the library could not be imported; or pytest itself failed
    TIMED_OUT = "timed out"  # the processor seconds ran out, or the process was ended by a signal


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a module's source."""

    operator: str
    line: int
    was: str
    now: str
    source: str


class Loader(SourceFileLoader):
    """Loads a source given as text in the place of a module's file."""

    def __init__(self, name: str, path: Path, source: str) -> None:
        super().__init__(name, str(path))
        self.source = source
        self.loaded = False

    def get_code(self, fullname: str) -> CodeType:
        """Returns the code of the text; what the compiler finds odd about a mutant fails no test."""
        self.loaded = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return compile(self.source, self.get_filename(fullname), "exec")


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds one module, and gives a mutant of it."""

    loader: Loader

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Returns where the module comes from, None for any other."""
        del path, target
        return importlib.util.spec_from_loader(name, self.loader) if name == self.loader.name else None


class Bare(ast.NodeTransformer):
    """Takes annotations away: none is evaluated in a module that begins with `from __future__ import annotations`."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Takes the annotation of a parameter away."""
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Takes what is said of a result away."""
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Leaves that there was an annotation."""
        node.annotation = ast.Constant("")
        return self.generic_visit(node)


def behaviour(source: str) -> str | None:
    """Returns what is left of a source without annotations, docstrings included; None if it is no Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.dump(Bare().visit(ast.parse(source)))
        except SyntaxError:
            return None


def mutants(source: str) -> Iterator[Mutant]:
    """Yields every mutant of a source that is Python and differs in more than annotations, each once."""
    seen = {behaviour(source), None}  # the star of keyword-only parameters is taken for a product
    lines = source.splitlines()
    for name in sorted(operator_names()):
        kind = get_operator(name)
        if kind.arguments():  # it must be told which variable to replace by what
            continue
        occurrence = 0
        while (mutated := mutate_code(source, kind(), occurrence)) is not None:
            occurrence += 1
            if (left := behaviour(mutated)) not in seen:
                seen.add(left)
                after = mutated.splitlines()
                at = next(i for i, (old, new) in enumerate(zip(lines, after, strict=False)) if old != new)
                yield Mutant(name.removeprefix("core/"), at + 1, lines[at].strip(), after[at].strip(), mutated)


def importable(module: str) -> bool:
    """Tells whether the library can be imported."""
    try:
        import_module(f"mateprobe.{module}")
    except Exception:  # noqa: BLE001 (a mutant may raise anything)
        return False
    return True


def begin(module: str, source: str, tests: Sequence[str], seconds: int) -> int:
    """Starts the tests on a source in a fork, and returns its process id."""
    sys.stdout.flush()
    if child := os.fork():
        return child
    code = 70
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        with tempfile.TemporaryFile() as sink:
            os.dup2(sink.fileno(), 1)
            os.dup2(sink.fileno(), 2)
        path = ROOT / "mateprobe" / f"{module}.py"
        loader = Loader(f"mateprobe.{module}", path, source)
        sys.meta_path.insert(0, Finder(loader))
        code = int(pytest.main([*OPTIONS, *tests])) if importable(module) else NO_LIBRARY
        code = code if loader.loaded else 70  # tests of the original say nothing of a mutant
    except BaseException:  # noqa: BLE001 (a fork must not go on as its parent; `ending` refuses the status)
        traceback.print_exc(file=sys.__stderr__)
    finally:
        os._exit(code)


def ending(status: int) -> Ending:
    """Returns how the tests ended, by the status of their process; one that says nothing of tests is no ending."""
    if os.WIFSIGNALED(status):
        return Ending.TIMED_OUT
    known = {0: Ending.SURVIVED, 1: Ending.KILLED, 2: Ending.KILLED, 3: Ending.CRASHED, NO_LIBRARY: Ending.CRASHED}
    return known[os.WEXITSTATUS(status)]


def measured(module: str, wanted: dict[str, Any], jobs: int) -> list[tuple[Mutant, Ending]]:
    """Returns how each mutant of a module ended.

    Raises:
        SystemExit: the tests fail on the original, and so say nothing of a mutant.
    """
    source = (ROOT / "mateprobe" / f"{module}.py").read_text(encoding="utf-8")
    _, status, used = os.wait4(begin(module, source, wanted["tests"], 600), 0)
    if status:
        sys.exit(f"{module}: the tests fail on the original, wait status={status}; run {' '.join(wanted['tests'])}")
    seconds = TIMES + int(TIMES * (used.ru_utime + used.ru_stime))
    running: dict[int, Mutant] = {}
    ended = []
    for mutant in [*mutants(source), *[None] * jobs]:
        if running and (mutant is None or len(running) == jobs):
            child, status = os.wait()
            ended.append((running.pop(child), ending(status)))
        if mutant:
            running[begin(module, mutant.source, wanted["tests"], seconds)] = mutant
    return sorted(ended, key=lambda each: (each[0].line, each[0].operator, each[0].now))


def equivalent(mutant: Mutant, row: Mapping[str, str]) -> bool:
    """Tells whether a row speaks of a mutant: by its line before and after, or by patterns of operator and lines."""
    if "operator" in row:
        return all(re.search(row[key], getattr(mutant, key)) for key in row.keys() - {"reason"})
    return (mutant.was, mutant.now) == (row["was"], row["now"])


def main() -> int:
    """Prints the mutants that no test noticed and a row of the table for each module.

    Returns 1 if a score is too low, or a mutant that is listed as equivalent did not survive.
    """
    configuration = tomllib.loads(CONFIGURATION.read_text(encoding="utf-8"))
    modules: dict[str, dict[str, Any]] = configuration["modules"]
    everywhere: list[dict[str, str]] = configuration["equivalent"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", nargs="*", default=list(modules), help=f"of {', '.join(modules)} (default: all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="mutants tried at once (default: %(default)s)")
    args = parser.parse_args()
    if unknown := set(args.module) - set(modules):
        parser.error(f"module={sorted(unknown)}; expected some of {', '.join(modules)}")
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT)]
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    rows, low = [], False
    for module in args.module:
        wanted = modules[module]
        ended = measured(module, wanted, args.jobs)
        known = [*wanted.get("equivalent", ()), *everywhere]
        alike = [each for each, how in ended if how is Ending.SURVIVED and any(equivalent(each, row) for row in known)]
        count = Counter(how for mutant, how in ended if mutant not in alike)
        for mutant, how in ended:
            if how in {Ending.SURVIVED, Ending.TIMED_OUT} and mutant not in alike:
                print(f"{module}.py:{mutant.line}: {how}: {mutant.operator}\n  - {mutant.was}\n  + {mutant.now}")
        tried = count[Ending.KILLED] + count[Ending.SURVIVED] + count[Ending.TIMED_OUT]
        score = 100 * count[Ending.KILLED] / tried if tried else None
        idle = [row for row in wanted.get("equivalent", ()) if not any(equivalent(each, row) for each in alike)]
        for row in idle:
            print(f"{module}: no survivor is now={row['now']!r}; take this row out of {CONFIGURATION.name}")
        low |= score is None or score < wanted["score"] or bool(idle)
        numbers = " | ".join(str(count[how]) for how in Ending)
        shown = "undefined" if score is None else f"{score:.1f} %"
        rows.append(f"| `{module}` | {len(ended)} | {numbers} | {len(alike)} | {shown} |")
        print(rows[-1], flush=True)
    return int(low)


if __name__ == "__main__":
    sys.exit(main())
