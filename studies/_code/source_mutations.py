"""Eight faults written into the library's own source: do its fast tests notice them?

A sample names a mutation, or none, and identifies the core and the tests it is about, so that an edit
of either makes new samples. To judge one is to run the tests on a copy of that core. Only a failing
assertion kills: a test that failed otherwise is reported as an exception, and tests that could not
run at all give no verdict.
"""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import failed_tests
from failed_tests import ASSERTION, REPORT

from mateprobe.canonical import digest
from mateprobe.errors import StageError, StudyError
from mateprobe.runner import Verdict

EXCEPTION = "exception"
TIME_LIMIT = 60.0
"""Seconds the tests of one mutant may take; without a mutation they take a few."""

CORE = ("mateprobe/*.py", "mateprobe/reports/*.py")
MODULES = (
    "bindings", "canonical", "classify", "corpus", "engine", "model", "mutations", "relations", "rules", "runner",
    "tally", "text", "validator_audit",
)  # fmt: skip
"""Modules whose own tests run: what is judged, and how; each file takes a fraction of a second."""

TESTS = ("tests/samples.py", *(f"tests/unit/test_{module}.py" for module in MODULES))


@dataclass(frozen=True, slots=True)
class Mutation:
    """An edit of one function: the expression ``before`` becomes ``after``; if None, the whole body does."""

    obligation: str
    path: str
    function: str
    before: str | None
    after: str

    def __str__(self) -> str:
        what = f"`{self.before}`" if self.before else "the body"
        return f"in {self.path}, {self.function}, {what} becomes `{self.after}`"

    def apply(self, source: bytes) -> bytes:
        """Return the source with the edit; comments and layout are lost.

        Raises:
            StudyError: the source has not exactly one place for it.
        """
        tree = ast.parse(source)
        functions = [*_functions(tree, self.function)]
        places = len(functions)
        if self.before is None:
            for function in functions:
                function.body = ast.parse(self.after, mode="single").body
        else:
            edit = _Replacement(self.before, self.after)
            for function in functions:
                edit.visit(function)
            places = edit.count
        if places != 1:
            raise StudyError(f"{self}: expected one such place, found {places}; the core has changed: describe it anew")
        return ast.unparse(tree).encode()


def _functions(tree: ast.Module, name: str) -> Iterator[ast.FunctionDef]:
    """Yield the functions of that dotted name."""
    *classes, last = name.split(".")
    bodies = [tree.body]
    for each in classes:
        bodies = [node.body for body in bodies for node in body if isinstance(node, ast.ClassDef) and node.name == each]
    yield from (node for body in bodies for node in body if isinstance(node, ast.FunctionDef) and node.name == last)


class _Replacement(ast.NodeTransformer):
    """Puts one expression for another, however they are laid out, and counts."""

    def __init__(self, before: str, after: str) -> None:
        self.count = 0
        self._before, self._after = (ast.parse(text, mode="eval").body for text in (before, after))

    def visit(self, node: ast.AST) -> ast.AST:
        """Return what stands in the place of ``node``."""
        if type(node) is type(self._before) and ast.dump(node) == ast.dump(self._before):
            self.count += 1
            return self._after
        return self.generic_visit(node)


MUTATIONS: Mapping[str, Mutation] = {
    "coerce_fact_types": Mutation(
        "typed_facts", "mateprobe/canonical.py", "same", None, "return plain(left) == plain(right)"
    ),
    "ignore_branch_scope": Mutation(
        "branch_scope", "mateprobe/rules.py", "DeclaredClaimsConsistent._surface",
        "state_of(context, surface.state_ref)",
        "{key: fact for facts in context.states.values() for key, fact in facts.items()}",
    ),
    "invert_state_change": Mutation(
        "state_change", "mateprobe/rules.py", "StateChanged.evaluate", "not changed", "bool(changed)"
    ),
    "remove_diversity_floor": Mutation(
        "diversity_floor", "mateprobe/rules.py", "MinimumTokens._surface",
        "len(found) < self.minimum or unique < self.minimum_unique",
        "len(found) < self.minimum",
    ),
    "restore_length_escape": Mutation(
        "no_length_escape", "mateprobe/rules.py", "LexicalRestatement.evaluate",
        "novel < self.minimum_novel_tokens",
        "novel < self.minimum_novel_tokens and len(document.surface(self.target).text) < 90",
    ),
    "remove_unicode_case_normalization": Mutation(
        "normalised_text", "mateprobe/text.py", "normalize", None, "return text"
    ),
    "ignore_detection_scope": Mutation(
        "attribution_scope", "mateprobe/mutations.py", "_Campaign.run",
        "target in ids",
        "(target.rule_id, target.code) in {(found.rule_id, found.code) for found in ids}",
    ),
    "swallow_rule_error": Mutation(
        "rule_errors", "mateprobe/engine.py", "ask", "Status.ERROR", "Status.SATISFIED"
    ),
}  # fmt: skip


def cases() -> Iterator[dict[str, Any]]:
    """Yield one fault a mutation.

    Raises:
        StudyError: a mutation no longer applies to the core, or a file of core or tests is not there.
    """
    core, tests = sources(Path.cwd(), CORE), sources(Path.cwd(), TESTS)
    identity = {"core": identify(core), "tests": identify(tests)}
    for id, mutation in MUTATIONS.items():
        mutated(core, id)
        yield {
            "id": id,
            "group": mutation.path,
            "family": "source",
            "obligation": mutation.obligation,
            "relation": "violation",
            "validity": "valid",
            "provenance": f"Edited by hand: {mutation}.",
            "expected": [ASSERTION],
            "baseline": {"mutation": None, **identity},
            "variant": {"mutation": id, **identity},
        }


def validate(sample: Mapping[str, Any]) -> Verdict:
    """Run the tests on a copy of the core with the sample's mutation.

    Raises:
        StudyError: the core or the tests are no longer those of the sample.
        StageError: as ``run_tests``.
    """
    core, tests = sources(Path.cwd(), CORE), sources(Path.cwd(), TESTS)
    for what, files in (("core", core), ("tests", tests)):
        if sample[what] != identify(files):
            raise StudyError(f"the {what} has changed since the cases were made; run the stage `cases` again")
    if sample["mutation"] is not None:
        core = mutated(core, sample["mutation"])
    with TemporaryDirectory() as folder:
        for path, content in {**core, **tests}.items():
            copy = Path(folder, path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
        return run_tests(Path(folder))


@cache
def sources(project: Path, patterns: tuple[str, ...]) -> Mapping[str, bytes]:
    """Return the content of files by their path below the project, as it is when a process first asks.

    All samples of a process see the same files, whoever edits them meanwhile.

    Raises:
        StudyError: a pattern matches no file.
    """
    files: dict[str, bytes] = {}
    for pattern in patterns:
        found = sorted(project.glob(pattern))
        if not found:
            raise StudyError(f"{pattern}: expected files of the core or its tests, found none")
        files |= {path.relative_to(project).as_posix(): path.read_bytes() for path in found}
    return files


def identify(files: Mapping[str, bytes]) -> str:
    """Return the SHA-256 that stands for these files."""
    return digest({path: hashlib.sha256(content).hexdigest() for path, content in files.items()})


def mutated(core: Mapping[str, bytes], id: str) -> dict[str, bytes]:
    """Return the core with one mutation.

    Raises:
        StudyError: it does not apply; names the mutation and its file.
    """
    mutation = MUTATIONS[id]
    try:
        return {**core, mutation.path: mutation.apply(core.get(mutation.path, b""))}
    except StudyError as error:
        raise StudyError(f"mutation {id!r}: {error}") from None


# Only the kind of a failure is read, so assertions stay as they are written and tracebacks are the cheap ones.
_PYTEST = (
    sys.executable, "-m", "pytest", "tests", "-p", failed_tests.__name__, "-p", "no:cacheprovider",
    "-c", "pytest.ini", "--basetemp=temporary", "--import-mode=importlib", "--assert=plain", "--tb=native", "-q",
)  # fmt: skip
# Nothing of the machine: other plugins (ours among them would load the core twice), user packages, locale.
_ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONNOUSERSITE": "1",
    "PYTHONUTF8": "1",
    "TZ": "UTC",
}


def run_tests(folder: Path, time_limit: float = TIME_LIMIT) -> Verdict:
    """Run the tests below ``folder/tests`` and return what they say of the code in ``folder``.

    A rejection names the kinds of failure and the tests that killed; its evidence is every failed test
    and why it failed.

    Raises:
        StageError: the tests did not run to their end, or none was found: no statement about the code.
    """
    plugin = Path(failed_tests.__file__)
    folder.joinpath(plugin.name).write_bytes(plugin.read_bytes())
    folder.joinpath("pytest.ini").write_text("[pytest]\npythonpath = .\nfilterwarnings = error\n")
    try:
        ended = subprocess.run(
            _PYTEST, cwd=folder, env=_ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=time_limit, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise StageError(f"the tests took longer than {time_limit:g} s") from None
    report = folder / REPORT
    failed: dict[str, str] | None = json.loads(report.read_bytes()) if report.is_file() else None
    if failed is None or ended.returncode != bool(failed):
        sys.stderr.write(ended.stdout.decode(errors="replace"))  # for the log; the message must be the same anywhere
        found = "no report" if failed is None else f"{len(failed)} failed tests"
        raise StageError(
            f"the tests did not run to their end: expected exit code 0, or 1 with failed tests, "
            f"found {ended.returncode} with {found}; the log has what pytest said"
        )
    kinds = {ASSERTION if kind == ASSERTION else EXCEPTION for kind in failed.values()}
    killers = [test for test, kind in failed.items() if kind == ASSERTION]
    evidence = (f"{test}: {kind}" for test, kind in sorted(failed.items()))
    return Verdict(not failed, violations=(*sorted(kinds), *sorted(killers)), evidence=tuple(evidence))
