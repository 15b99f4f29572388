"""The pytest plugin, in pytest runs of its own: what a test asked for is recorded, then asserted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mateprobe._version import __version__

pytest_plugins = ["pytester"]

SUITE = '''
import os
import pytest
from mateprobe import *

DOCUMENT = Document((Surface("body", "Refund paid: 5 €."),))
CONTEXT = Context({"current": {"paid": True}})
UNPAID = Context({"current": {"paid": False}})
RULE = RequiredFact("paid", "paid", True)
FAULT = MutationCase(
    "fault", "family", Relation.VIOLATION, Sample(DOCUMENT, CONTEXT), Sample(DOCUMENT, UNPAID),
    (Target("paid", "REQUIRED_FACT", "state:current:paid"),), Validity.VALID, "authored",
)
CONTROL = MutationCase(
    "control", "family", Relation.PRESERVE, Sample(DOCUMENT, CONTEXT),
    Sample(Document((Surface("body", "Paid."),)), CONTEXT), (), Validity.VALID, "authored",
)
PAIR = AuditCase("pair", "paid", 1, 2, Relation.VIOLATION, ("unpaid",), Validity.VALID, "authored")
PAID = Obligation("paid", "A refund is paid.")


def accept(sample):
    return Verdict(True)


@pytest.mark.parametrize("number", range(4))
def test_accepted(mateprobe, number):
    assert mateprobe.check(DOCUMENT, CONTEXT, [RULE]).accepted


def test_rejected(mateprobe):
    mateprobe.check(DOCUMENT, UNPAID, [RULE])


def test_under_a_policy(mateprobe):
    rule = MinimumTokens("long", ("body",))
    assert mateprobe.check(DOCUMENT, CONTEXT, [rule], Policy(block_heuristics=False)).complete


def test_twice(mateprobe):
    assert mateprobe.audit([FAULT, CONTROL], [RULE]).summary()["detection_score"] == 1.0
    mateprobe.audit([FAULT], [RULE])


def test_enough(mateprobe):
    report = mateprobe.audit_validator(
        accept, [PAIR, AuditCase("same", "paid", 1, 3, Relation.PRESERVE, (), Validity.VALID, "authored")],
        obligations=[PAID], validator_id="accept", provenance=None, detection=0.0, preservation=1.0,
    )
    assert report.validator_id == "accept"


def test_not_enough(mateprobe):
    mateprobe.audit_validator(accept, [PAIR], obligations=[PAID], validator_id="accept", preservation=0.5)


def test_nothing_to_ask(mateprobe):
    mateprobe.check(DOCUMENT, CONTEXT, [])


def test_without(request):
    """Uses no fixture of ours, so it leaves no entry."""
'''

EXPECTED = [
    *((f"test_accepted[{number}]", "check", "met", None) for number in range(4)),
    ("test_enough", "audit_validator", "met", {"detection": 0.0, "preservation": 1.0}),
    ("test_not_enough", "audit_validator", "unmet", {"detection": 1.0, "preservation": 0.5}),
    ("test_nothing_to_ask", "check", "error", None),
    ("test_rejected", "check", "unmet", None),
    ("test_twice", "audit", "met", {"detection": 1.0, "preservation": 1.0}),
    ("test_twice", "audit", "unmet", {"detection": 1.0, "preservation": 1.0}),
    ("test_under_a_policy", "check", "met", None),
]


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def entries(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["entries"]
    return found


def test_a_report_holds_every_call_of_the_fixture_in_order_of_the_tests(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=SUITE)
    result = run(pytester, "--mateprobe-report", "report.json")
    result.assert_outcomes(passed=7, failed=4)
    report = json.loads((pytester.path / "report.json").read_text(encoding="utf-8"))
    found = [
        (entry["test"].removeprefix("test_suite.py::"), entry["kind"], entry["result"], entry["thresholds"])
        for entry in report.pop("entries")
    ]
    assert found == EXPECTED
    assert report == {
        "format": "mateprobe.pytest",
        "version": 2,
        "library_version": __version__,
        "exit_status": 1,
        "counts": {"met": 7, "unmet": 3, "error": 1},
        "studies": [],
    }


def test_an_entry_holds_the_report_and_why_it_was_not_enough(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=SUITE)
    run(pytester, "--mateprobe-report", "report.json")
    found = {entry["test"].removeprefix("test_suite.py::"): entry for entry in entries(pytester.path / "report.json")}
    assert (found["test_rejected"]["report"]["accepted"], found["test_rejected"]["message"].splitlines()[0]) == (
        False,
        "MateProbe contract failure:",
    )
    assert (found["test_enough"]["report"]["summary"]["detection_score"], found["test_enough"]["message"]) == (
        0.0,
        None,
    )
    assert "preservation_rate=None" in found["test_not_enough"]["message"]
    assert (found["test_nothing_to_ask"]["report"], found["test_nothing_to_ask"]["message"].split(":")[0]) == (
        None,
        "InvalidValue",
    )


@pytest.mark.parametrize("arguments", [("-n", "2"), ("-p", "no:xdist")], ids=" ".join)
def test_the_same_bytes_come_from_any_number_of_processes(
    pytester: pytest.Pytester, arguments: tuple[str, ...]
) -> None:
    pytester.makepyfile(test_suite=SUITE)
    run(pytester, "--mateprobe-report", "alone.json", "-n", "0")
    run(pytester, "--mateprobe-report", "other.json", *arguments).assert_outcomes(passed=7, failed=4)
    assert (pytester.path / "other.json").read_bytes() == (pytester.path / "alone.json").read_bytes()


def test_a_worker_that_dies_in_a_test_is_an_error_of_that_test_and_takes_no_other_along(
    pytester: pytest.Pytester,
) -> None:
    crash = "\n\ndef test_crash(mateprobe):\n    mateprobe.check(DOCUMENT, CONTEXT, [RULE])\n    os._exit(1)\n"
    pytester.makepyfile(test_suite=SUITE + crash)
    result = run(pytester, "--mateprobe-report", "report.json", "-n", "2")
    result.assert_outcomes(passed=7, failed=5)
    found = entries(pytester.path / "report.json")
    (lost,) = [entry for entry in found if entry["kind"] == "worker"]
    assert len(found) == len(EXPECTED) + 1
    assert (lost["test"], lost["result"], lost["report"]) == ("test_suite.py::test_crash", "error", None)
    assert "was lost" in lost["message"]


def test_a_worker_that_dies_between_tests_is_an_error_of_no_test(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "import os\n\ndef pytest_sessionfinish(session):\n"
        "    if hasattr(session.config, 'workerinput'):\n        os._exit(1)\n"
    )
    pytester.makepyfile(test_suite="def test_nothing(): pass")
    run(pytester, "--mateprobe-report", "report.json", "-n", "1", "--max-worker-restart", "0")
    assert [(entry["test"], entry["kind"], entry["result"]) for entry in entries(pytester.path / "report.json")] == [
        (None, "worker", "error")
    ]


def test_workers_leave_the_report_to_the_process_that_started_them(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_suite="def test_worker(pytestconfig):\n"
        "    assert not pytestconfig.pluginmanager.has_plugin('mateprobe-report')\n"
    )
    run(pytester, "--mateprobe-report", "report.json", "-n", "1").assert_outcomes(passed=1)
    run(pytester, "--mateprobe-report", "report.json", "-n", "0").assert_outcomes(failed=1)


def test_a_run_without_tests_leaves_a_report_that_says_so(pytester: pytest.Pytester) -> None:
    run(pytester, "--mateprobe-report", "report.json")
    report = json.loads((pytester.path / "report.json").read_text(encoding="utf-8"))
    assert (report["exit_status"], report["entries"]) == (pytest.ExitCode.NO_TESTS_COLLECTED, [])


@pytest.mark.parametrize(
    ("path", "message"),
    [("absent/report.json", "expected a folder that can be written to"), (".", "expected the path of a file")],
    ids=["in no folder", "a folder"],
)
def test_a_path_that_cannot_be_written_is_refused_before_any_test_runs(
    pytester: pytest.Pytester, path: str, message: str
) -> None:
    pytester.makepyfile(test_suite="def test_leaves_a_trace():\n    open('trace', 'w').close()\n")
    result = run(pytester, "--mateprobe-report", path)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --mateprobe-report={path}: {message}*"])
    assert not (pytester.path / "trace").exists()


def test_a_report_that_cannot_be_written_at_the_end_fails_the_run(pytester: pytest.Pytester) -> None:
    pytester.mkdir("folder")
    pytester.makepyfile(test_suite="import os\n\ndef test_removes_it():\n    os.rmdir('folder')\n")
    result = run(pytester, "--mateprobe-report", "folder/report.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--mateprobe-report=*report.json: No such file or directory*"])


def test_without_the_option_the_fixture_asserts_and_leaves_nothing_behind(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=SUITE)
    result = run(pytester, "-q", "--tb=no", "--no-summary")
    result.assert_outcomes(passed=7, failed=4)
    assert "mateprobe" not in result.stdout.str().lower()
    assert list(pytester.path.glob("*.json")) == []


def test_the_fixture_asks_as_often_as_it_is_told(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from itertools import cycle
        from mateprobe import AuditCase, Obligation, Relation, Validity, Verdict

        def test_flips(mateprobe):
            said = cycle([Verdict(True), Verdict(False, ("paid",))])
            case = AuditCase("c", "paid", 1, 2, Relation.VIOLATION, ("paid",), Validity.VALID, "by hand")
            given = {"obligations": [Obligation("paid", "It is paid.")], "validator_id": "v", "preservation": 0.0}
            report = mateprobe.audit_validator(lambda _: next(said), [case], repeat=2, **given)
        """
    )
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*not deterministic: accepted at first, then rejected*"])
