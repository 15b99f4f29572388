"""Studies as tests, in pytest runs of their own, with the pytest of these tests and with an older one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mateprobe.audit_file import load_audit
from mateprobe.pytest_study import name_of
from mateprobe.report_file import ReportFile
from mateprobe.validator_audit import AuditCase, Relation
from tests.differential.peer import environment

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
OLDER = Path(__file__).with_name("pytest-8.lock")

VALIDATOR = """
import os
from mateprobe import Verdict

def check(reply):
    with open("asked", "a") as asked:
        print(reply["amount"], file=asked)
    if reply["amount"] == 13:
        raise ValueError("unlucky")
    if reply["amount"] == 14:
        os._exit(1)
    return Verdict(True) if reply["receipt"] else Verdict(False, ("receipt",))
"""
GOOD = {"receipt": "R-17", "amount": 40}


def case(id: str, obligation: str, change: dict[str, Any], **rest: Any) -> dict[str, Any]:
    fault = rest.get("relation", "violation") == "violation"
    labels = {"relation": "violation", "expected": [obligation] * fault, "validity": "valid", "provenance": "by hand"}
    return {"id": id, "obligation": obligation, "baseline": GOOD, "variant": {**GOOD, **change}, **labels, **rest}


FAULT = case("no receipt", "receipt", {"receipt": ""})
CONTROL = case("other receipt", "receipt", {"receipt": "R-18"}, relation="preserve")
SURVIVOR = case("too much", "amount", {"amount": 400})
CRASH = case("unlucky [a::b]", "amount", {"amount": 13})
EXCLUDED = case("unsure", "amount", {"amount": 41}, validity="unreviewed")
DEADLY = case("deadly", "amount", {"amount": 14})
EVERY = [FAULT, CONTROL, SURVIVOR, CRASH, EXCLUDED]

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the pytest of these tests, in a folder that has the validator."""
    return running(sys.executable, pytester, monkeypatch)


@pytest.fixture(scope="session")
def older() -> str:
    try:
        return str(environment(ROOT, OLDER))
    except RuntimeError as error:
        pytest.skip(f"no older pytest is to be had: {error}")


@pytest.fixture(params=["installed", "older"])
def each(request: pytest.FixtureRequest, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run either pytest: for what they do in ways of their own."""
    python = sys.executable if request.param == "installed" else request.getfixturevalue("older")
    return running(python, pytester, monkeypatch)


def running(python: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    for name, value in {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}.items():
        monkeypatch.setenv(name, value)
    pytester.makepyfile(own_replies=VALIDATOR)

    def run(*arguments: str, xdist: bool = False) -> pytest.RunResult:
        plugins = ["-p", "mateprobe.pytest_plugin", *(["-p", "xdist"] if xdist else [])]
        return pytester.run(python, "-m", "pytest", "--strict-markers", *plugins, *arguments)

    return run


def study(*cases: dict[str, Any], name: str = "audit.json", **rest: Any) -> str:
    data = {"validator": {"callable": "own_replies:check"}, "cases": list(cases), **rest}
    Path(name).write_text(json.dumps(data, indent=1), encoding="utf-8")
    return f"--mateprobe-study={name}"


def studies(path: str = "report.json") -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))["studies"]


def ended(record: dict[str, Any]) -> dict[str, str]:
    return {each["id"]: each["outcome"] for each in record["report"]["cases"]}


def test_each_case_is_a_test_that_ends_as_the_case_does(each: Run) -> None:
    result = each(study(*EVERY), "-rA")
    result.assert_outcomes(passed=2, failed=1, errors=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "PASSED audit.json::receipt[[]no receipt[]]",
            "PASSED audit.json::receipt[[]other receipt[]]",
            "SKIPPED * label_unreviewed",
            "ERROR audit.json::amount[[]unlucky [[]a::b[]][]] - Failed: unlucky [[]a::b[]]: error; *",
            "FAILED audit.json::amount[[]too much[]] - Failed: too much: survived; ex*",
        ]
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_failure_leads_with_the_case_what_was_expected_and_reported_and_the_difference(run: Run) -> None:
    run(study(SURVIVOR)).stdout.fnmatch_lines(
        [
            "*_ amount[[]too much] _*",
            "too much: survived; expected amount, got acceptance",
            "obligation: amount",
            "expected: amount",
            "reported: acceptance",
            "at: audit.json:6",
            "baseline → variant:",
            "  $.amount: 40 → 400",
        ],
        consecutive=True,
    )


def test_any_number_of_processes_writes_the_report_that_the_command_writes(each: Run) -> None:
    asked = study(*EVERY)
    for name, arguments in {"none": (), "0": ("-n", "0"), "2": ("-n", "2"), "4": ("-n", "4")}.items():
        each(asked, f"--mateprobe-report={name}", *arguments, xdist=bool(arguments))
    assert {Path(name).read_bytes() for name in ("0", "2", "4")} == {Path("none").read_bytes()}
    (record,) = studies("none")
    held = load_audit(Path("audit.json")).run()
    assert record == {
        "study": "audit.json",
        "standing": "failed",
        "message": str(held.held),
        "not_evaluated": {},
        "report": json.loads(json.dumps(held.to_dict())),
    }


def test_a_worker_that_dies_is_an_error_of_the_case_it_was_asked_about(each: Run) -> None:
    result = each(study(*EVERY, DEADLY), "--mateprobe-report=report.json", "-n", "2", xdist=True)
    result.assert_outcomes(passed=2, failed=2, errors=1, skipped=1)
    (record,) = studies()
    found = {row["id"]: (row["outcome"], row["reason"][:22]) for row in record["report"]["cases"]}
    assert found["deadly"] == ("baseline_failed", "baseline_error: worker")
    assert (len(found), record["standing"], record["not_evaluated"]) == (6, "failed", {})


def test_cases_that_a_lost_worker_leaves_are_not_missing(run: Run) -> None:
    asked = study(DEADLY, *({**FAULT, "id": f"after {number}"} for number in range(4)))
    limits = ["-n", "1", "--max-worker-restart", "0"]
    assert run(asked, "--mateprobe-report=report.json", *limits, xdist=True).ret != 0
    (record,) = studies()
    assert {*ended(record), *record["not_evaluated"]} == {"deadly", *(f"after {number}" for number in range(4))}
    assert {*record["not_evaluated"].values()} == {"not run"}


SELECTIONS = {
    "a name": (["-k", "receipt and not other"], ["no receipt"]),
    "an obligation": (["audit.json::receipt"], ["no receipt", "other receipt"]),
    "a case": (["audit.json::amount[unlucky [a::b]]"], ["unlucky [a::b]"]),
    "a mark": (["-m", "mateprobe(relation='preserve')"], ["other receipt"]),
    "the first failure": (["-x"], ["no receipt", "other receipt", "too much"]),
}


@pytest.mark.parametrize(("arguments", "cases"), SELECTIONS.values(), ids=SELECTIONS.keys())
def test_cases_are_chosen_as_tests_are(each: Run, arguments: list[str], cases: list[str]) -> None:
    result = each(study(*EVERY), "--mateprobe-report=report.json", *arguments)
    (record,) = studies()
    assert [*ended(record)] == cases
    assert {*record["not_evaluated"]} == {row["id"] for row in EVERY} - {*cases}
    result.stdout.fnmatch_lines([f"audit.json: not judged: {len(cases)} of 5 cases were evaluated"])
    assert result.ret == int(any(id in ("too much", "unlucky [a::b]") for id in cases))


def test_the_last_failures_are_run_again(each: Run) -> None:
    asked = study(*EVERY)
    each(asked)
    result = each(asked, "--lf", "--mateprobe-report=report.json")
    result.assert_outcomes(failed=1, errors=1)
    assert [*ended(studies()[0])] == ["too much", "unlucky [a::b]"]


def test_a_study_stands_beside_the_tests_of_the_folder(each: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_own="def test_own(): pass")
    each(study(FAULT, CONTROL)).assert_outcomes(passed=3)
    each(study(FAULT, CONTROL), "test_own.py").assert_outcomes(passed=3)


def test_a_study_is_found_in_a_folder_that_pytest_passes_by_and_nothing_beside_it(
    each: Run, pytester: pytest.Pytester
) -> None:
    (pytester.path / "build" / "deep").mkdir(parents=True)
    for place in ("build/test_beside.py", "build/deep/test_beside.py"):
        (pytester.path / place).write_text("def test_beside(): assert False\n")
    for option in (study(FAULT, CONTROL, name="build/audit.json"), study(FAULT, CONTROL, name="build/deep/audit.json")):
        (pytester.path / option.partition("=")[2]).with_name("own_replies.py").write_text(VALIDATOR)
        each(option).assert_outcomes(passed=2)


GATES = {
    "met though one survived": ((0.5, [FAULT, SURVIVOR, CONTROL]), [], {"passed": 2, "xfailed": 1}, 0),
    "not met": ((0.9, [FAULT, SURVIVOR, CONTROL]), [], {"passed": 2, "xfailed": 1}, 1),
    "nothing may be forgiven": ((0.5, [FAULT, SURVIVOR, CONTROL]), ["--runxfail"], {"passed": 2, "failed": 1}, 1),
    "undefined, with every test passed": ((0.5, [FAULT]), [], {"passed": 1}, 1),
    "nothing evaluated": ((0.5, [EXCLUDED]), [], {"skipped": 1}, 1),
}


@pytest.mark.parametrize(("gate", "arguments", "outcomes", "status"), GATES.values(), ids=GATES.keys())
def test_the_gate_decides_where_it_asks_for_less_than_everything(
    run: Run, gate: tuple[float, list[Any]], arguments: list[str], outcomes: dict[str, int], status: int
) -> None:
    detection, cases = gate
    result = run(study(*cases, gate={"detection": detection}), *arguments)
    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines([f"audit.json: {load_audit(Path('audit.json')).run().held}"])
    assert result.ret == status


def test_what_a_gate_that_is_not_met_would_have_forgiven_is_told(run: Run) -> None:
    run(study(FAULT, SURVIVOR, CONTROL, gate={"detection": 0.9})).stdout.fnmatch_lines(
        ["audit.json: not met: *", "  too much (amount): survived; expected amount, got acceptance"], consecutive=True
    )


def test_a_baseline_that_cases_share_is_asked_about_once(run: Run) -> None:
    run(study(FAULT, CONTROL, SURVIVOR))
    assert Path("asked").read_text(encoding="utf-8").split() == ["40", "40", "40", "400"]


def test_a_file_of_cases_goes_with_a_function_from_anywhere(run: Run) -> None:
    folder = Path("corpora")
    folder.mkdir()
    (folder / "cases.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in EVERY), encoding="utf-8")
    Path("pytest.ini").write_text("[pytest]\nmateprobe_studies = corpora/*.jsonl\npythonpath = .\n", encoding="utf-8")
    result = run("--mateprobe-validator=own_replies:check")
    result.assert_outcomes(passed=2, failed=1, errors=1, skipped=1)
    result.stdout.fnmatch_lines(["at: corpora/cases.jsonl:3"])


UNUSABLE = {
    "a key": ({"gates": {}}, "audit.json: $.gates: no such key; expected one of *"),
    "a validator": ({"validator": {"callable": "own_replies:chek"}}, "'own_replies:chek': expected a function, *"),
    "a program": ({"validator": {"command": ["no-such-program"]}}, "command=['no-such-program']: expected a program*"),
    "an obligation": ({"obligations": [{"id": "paid", "description": "Paid."}]}, "case 'no receipt' obligation=*"),
}


@pytest.mark.parametrize(("change", "message"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_a_study_that_cannot_be_used_is_an_error_before_any_test(run: Run, change: Any, message: str) -> None:
    result = run(study(FAULT, CONTROL, **change), "--mateprobe-report=report.json")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message.replace("[", "[[]")])
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert [(record["study"], record["report"]) for record in studies()] == [("audit.json", None)]


def test_a_study_that_is_not_there_is_refused_before_any_test(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_own="def test_leaves_a_trace(): open('trace', 'w').close()")
    result = run("--mateprobe-study=absent.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --mateprobe-study=absent.json: expected a file with a study, found none"])
    assert not Path("trace").exists()


def test_collecting_alone_asks_nothing_and_judges_nothing(run: Run) -> None:
    result = run(study(*EVERY), "--collect-only", "-q")
    assert result.outlines[:5] == [f"audit.json::{name}" for name in NAMES]
    assert (result.ret, "mateprobe" in result.stdout.str(), Path("asked").exists()) == (0, False, False)


NAMES = [
    "receipt[no receipt]", "receipt[other receipt]", "amount[too much]", "amount[unlucky [a::b]]", "amount[unsure]",
]  # fmt: skip


@pytest.mark.parametrize(
    ("obligation", "id", "name"),
    [
        ("plain", "é [1]::x", "plain[é [1]::x]"),
        ("a::b[c]", "x", "a\\x3a:b\\x5bc][x]"),
        ("one\ntwo", "\x1b[31m\\", "one\\ntwo[\\x1b[31m\\\\]"),
        ("end", "x::()", "end[x\\x3a:()]"),
    ],
    ids=["plain", "bounds", "unprintable", "what pytest refuses"],
)
def test_a_name_is_one_line_that_pytest_can_take_apart(obligation: str, id: str, name: str) -> None:
    assert name_of(AuditCase(id, obligation, 1, 2, Relation.PRESERVE)) == name


def test_a_report_of_cases_that_ended_one_by_one_is_that_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "own_signs_again.py").write_text(
        "from mateprobe import Verdict\n\ndef check(number):\n    return Verdict(number > 0)\n", encoding="utf-8"
    )
    cases = [{**FAULT, "id": f"{number}", "baseline": 1, "variant": number} for number in (-1, 2, 3)]
    data = {"validator": {"callable": "own_signs_again:check"}, "cases": cases}
    (tmp_path / "audit.json").write_text(json.dumps(data), encoding="utf-8")
    audit = load_audit(tmp_path / "audit.json")
    with audit.validator.opened(tmp_path) as ask:
        report: ReportFile = audit.of({position: audit.ended(position, ask) for position in (2, 0, 1)})
    assert report.to_dict() == audit.run().to_dict()
