"""Source mutations: every edit applies exactly once, and only a failing assertion of a test kills."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mateprobe import StageError, StudyError, Verdict
from mateprobe.pipeline.cases import case_line
from mateprobe.pipeline.studies import load_study
from mateprobe.pipeline.table_specs import TABLES

ROOT = Path(__file__).parents[2]
STUDY = ROOT / "studies/source_mutations.yaml"
MUTATIONS = (
    "coerce_fact_types", "ignore_branch_scope", "ignore_detection_scope", "invert_state_change",
    "remove_diversity_floor", "remove_unicode_case_normalization", "restore_length_escape", "swallow_rule_error",
)  # fmt: skip


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the study's code."""
    monkeypatch.syspath_prepend(STUDY.with_name("_code"))
    return import_module("source_mutations")


@pytest.fixture
def project(study: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change into a copy of the core whose only tests are those of the text module."""
    monkeypatch.setattr(study, "TESTS", ("tests/unit/test_text.py",))
    for path, content in {**study.sources(ROOT, study.CORE), **study.sources(ROOT, study.TESTS)}.items():
        copy = tmp_path / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_mutations_have_their_published_names(study: ModuleType) -> None:
    assert tuple(sorted(study.MUTATIONS)) == MUTATIONS


@pytest.mark.parametrize("id", MUTATIONS)
def test_a_mutation_edits_one_function_of_one_file(study: ModuleType, project: Path, id: str) -> None:
    core, mutation = study.sources(project, study.CORE), study.MUTATIONS[id]
    mutant = study.mutated(core, id)
    assert [path for path in core if mutant[path] != core[path]] == [mutation.path]
    before, after = (dict(functions(files[mutation.path])) for files in (core, mutant))
    assert [name for name in before if after.pop(name) != before[name]] == [mutation.function]
    assert after == {}


def functions(source: bytes) -> Iterator[tuple[str, str]]:
    """Yield each function of a module, by dotted name, without its layout."""
    bodies: list[tuple[str, list[ast.stmt]]] = [("", ast.parse(source).body)]
    for prefix, body in bodies:
        for node in body:
            if isinstance(node, ast.ClassDef):
                bodies.append((f"{prefix}{node.name}.", node.body))
            elif isinstance(node, ast.FunctionDef):
                yield f"{prefix}{node.name}", ast.dump(node)


TWICE = b"""
class A:
    def f(self, x):
        return not x

    def g(self, x, y):
        return (
            not  # a comment is no part of an expression
            x
        ) or y or not x


def f(x):
    'It says why.'
    return x
"""


@pytest.mark.parametrize(
    ("function", "edit", "old", "new"),
    [
        pytest.param("A.f", ("not x", "y"), "return not x\n\n", "return y\n\n", id="an expression"),
        pytest.param("A.f", ("x", "x and y"), "return not x\n\n", "return not (x and y)\n\n", id="a part of one"),
        pytest.param(
            "A.g", ("(not x) or y or (not x)", "y"), "not x or y or (not x)", "y", id="one over several lines"
        ),
        pytest.param("f", (None, "return y"), '    """It says why."""\n    return x', "    return y", id="a body"),
    ],
)
def test_an_edit_is_found_by_syntax(
    study: ModuleType, function: str, edit: tuple[str | None, str], old: str, new: str
) -> None:
    original = ast.unparse(ast.parse(TWICE))
    assert original.count(old) == 1
    edited = study.Mutation("it", "a.py", function, *edit).apply(TWICE)
    assert edited.decode() == original.replace(old, new)


@pytest.mark.parametrize(
    ("function", "before", "places"),
    [
        pytest.param("A.f", "not y", 0, id="no such expression"),
        pytest.param("f", "not x", 0, id="only in another function"),
        pytest.param("A.g", "not x", 2, id="twice in the function"),
        pytest.param("A.h", None, 0, id="no such function"),
        pytest.param("B.f", None, 0, id="no such class"),
        pytest.param("A", None, 0, id="a class"),
    ],
)
def test_an_edit_that_does_not_apply_exactly_once_is_refused(
    study: ModuleType, function: str, before: str | None, places: int
) -> None:
    with pytest.raises(StudyError) as refused:
        study.Mutation("it", "a.py", function, before, "x").apply(TWICE)
    assert str(refused.value) == (
        f"in a.py, {function}, {f'`{before}`' if before else 'the body'} becomes `x`: "
        f"expected one such place, found {places}; the core has changed: describe it anew"
    )


def test_no_cases_are_made_of_a_core_to_which_a_mutation_does_not_apply(study: ModuleType, project: Path) -> None:
    rules = project / "mateprobe/rules.py"
    rules.write_text(rules.read_text().replace("_verdict(not changed)", "_verdict(changed == [])"))
    with pytest.raises(StudyError, match=r"mutation 'invert_state_change': in mateprobe/rules\.py, StateChanged\."):
        list(study.cases())


def test_no_cases_are_made_of_a_core_without_the_file_of_a_mutation(study: ModuleType, project: Path) -> None:
    project.joinpath("mateprobe/text.py").unlink()
    with pytest.raises(StudyError, match=r"mutation 'remove_unicode_case_normalization': in mateprobe/text\.py, norm"):
        list(study.cases())


def test_every_mutation_is_a_fault_whose_baseline_is_the_core_as_it_is(study: ModuleType, project: Path) -> None:
    obligations = [obligation["id"] for obligation in load_study(STUDY).data["obligations"]]
    rows = [json.loads(case_line(row, obligations)[1]) for row in study.cases()]
    identity = {
        key: study.identify(study.sources(project, files))
        for key, files in (("core", study.CORE), ("tests", study.TESTS))
    }
    assert sorted(row["obligation"] for row in rows) == obligations
    assert {row["id"]: (row["baseline"], row["variant"]) for row in rows} == {
        id: ({"mutation": None, **identity}, {"mutation": id, **identity}) for id in MUTATIONS
    }


@pytest.mark.parametrize(
    ("path", "changed"),
    [("mateprobe/errors.py", "core"), ("mateprobe/reports/markdown.py", "core"), ("tests/unit/test_text.py", "tests")],
)
def test_an_edited_file_makes_new_samples_and_refuses_the_old(
    study: ModuleType, project: Path, path: str, changed: str
) -> None:
    old = next(study.cases())["baseline"]
    project.joinpath(path).write_text("x = 1\n")
    study.sources.cache_clear()  # as in another process
    new = next(study.cases())["baseline"]
    assert [key for key in old if old[key] != new[key]] == [changed]
    with pytest.raises(StudyError, match=f"the {changed} has changed since the cases were made; run the stage `cases`"):
        study.validate(old)


def test_what_is_edited_while_samples_are_judged_does_not_reach_them(study: ModuleType, project: Path) -> None:
    sample = next(study.cases())["baseline"]
    project.joinpath("mateprobe/text.py").write_text("nothing is left")
    assert study.validate(sample) == Verdict(True)


def test_the_study_declares_every_file_its_samples_stand_for(study: ModuleType) -> None:
    assert load_study(STUDY).data["cases"]["reads"] == [*study.CORE, *study.TESTS]


def test_the_tests_accept_the_core_and_kill_a_mutant(study: ModuleType, project: Path) -> None:
    faults = {row["id"]: row for row in study.cases()}
    fault = faults["remove_unicode_case_normalization"]
    assert study.validate(fault["baseline"]) == Verdict(True)
    verdict = study.validate(fault["variant"])
    assert verdict.violations[0] == "assertion"
    assert "tests/unit/test_text.py::test_normal_text_is_compatible_caseless_and_composed[case]" in verdict.violations
    assert [f"{test}: assertion" for test in verdict.violations[1:]] == list(verdict.evidence)
    assert study.validate(faults["swallow_rule_error"]["variant"]) == Verdict(True)


def run(study: ModuleType, folder: Path, tests: str, **limit: float) -> Verdict:
    """Return what these tests say of a core that is one line."""
    for path, text in (("mateprobe.py", "HERE = 1\n"), ("tests/test_it.py", tests)):
        folder.joinpath(path).parent.mkdir(exist_ok=True)
        folder.joinpath(path).write_text(text)
    verdict = study.run_tests(folder, **limit)
    assert isinstance(verdict, Verdict)
    return verdict


def test_tests_see_the_copy_and_nothing_of_the_surroundings(
    study: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    tests = """
import mateprobe, os, sys
def test_it(request): assert (mateprobe.HERE, sys.flags.hash_randomization, "HOME" in os.environ) == (1, 0, False)
"""
    assert run(study, tmp_path, tests) == Verdict(True)


FAILING = """
import pytest

@pytest.fixture
def broken(): assert False

@pytest.mark.parametrize("n", [2, 1, 0])
def test_b(n): assert n == 0

def test_a():
    with pytest.raises(ValueError): pass

def test_c(): raise KeyError("c")
def test_d(broken): pass
def test_e(): assert True
def test_f(): pytest.skip("not here")
@pytest.mark.xfail
def test_g(): assert False
"""


def test_only_a_failing_assertion_in_a_test_kills(study: ModuleType, tmp_path: Path) -> None:
    killers = [f"tests/test_it.py::test_{name}" for name in ("a", "b[1]", "b[2]")]
    assert run(study, tmp_path, FAILING) == Verdict(
        accepted=False,
        violations=("assertion", "exception", *killers),
        evidence=(
            *(f"{test}: assertion" for test in killers),
            "tests/test_it.py::test_c: KeyError",
            "tests/test_it.py::test_d: AssertionError",
        ),
    )


def test_exceptions_alone_kill_nothing(study: ModuleType, tmp_path: Path) -> None:
    verdict = run(study, tmp_path, "def test_it(): 1 / 0")
    assert verdict == Verdict(False, ("exception",), evidence=("tests/test_it.py::test_it: ZeroDivisionError",))


@pytest.mark.parametrize(
    ("tests", "message"),
    [
        pytest.param(
            "import mateprobe.gone\ndef test_it(): assert False", "found 2 with 0 failed tests", id="not loaded"
        ),
        pytest.param("", "0, or 1 with failed tests, found 5 with 0 failed tests; the log", id="no tests"),
        pytest.param("import os\ndef test_it(): os._exit(1)", "found 1 with no report", id="ended by a test"),
        pytest.param("import os\ndef test_it(): os._exit(0)", "found 0 with no report", id="ended as if well"),
        pytest.param("def test_it():\n    while True: pass", "the tests took longer than 0.5 s", id="endless"),
    ],
)
def test_tests_that_do_not_run_to_their_end_give_no_verdict(
    study: ModuleType, tmp_path: Path, tests: str, message: str
) -> None:
    with pytest.raises(StageError, match=message):
        run(study, tmp_path, tests, time_limit=0.5 if "while" in tests else 60)


def outcome(id: str, outcome: str, *reported: str) -> dict[str, Any]:
    return {"id": id, "group": "mateprobe/rules.py", "obligation": "o", "outcome": outcome, "reported": [*reported]}


def test_the_table_says_which_tests_killed_which_mutant() -> None:
    tests = [f"tests/unit/test_x.py::test_{number}" for number in range(5)]
    rows = [
        outcome("few", "detected", "assertion", *tests[:2]),
        outcome("many", "detected", "assertion", "exception", *tests),
        outcome("raised", "unattributed_rejection", "exception"),
        outcome("passed", "survived"),
        outcome("late", "error"),
        outcome("red", "baseline_failed", "assertion", *tests[:1]),
    ]
    assert [row[3:] for row in map(list, TABLES["source_mutations"].rows(rows))] == [
        ["killed", 2, "tests/unit/test_x.py::test_0; tests/unit/test_x.py::test_1"],
        ["killed", 5, "; ".join([*tests[:3], "and 2 more"])],
        ["exception", 0, None],
        ["survived", 0, None],
        ["error", 0, None],
        ["baseline_failed", 1, "tests/unit/test_x.py::test_0"],
    ]
