"""The commands around a report: what they write, and the status they end with."""

from __future__ import annotations

import json
import re
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest

from mateprobe.cli import COMMANDS, parsers, run
from mateprobe.completion import levels
from mateprobe.report_file import read_report
from tests.unit import test_audit_file
from tests.unit.test_audit_file import AUDIT, CONTROL, FAULT, UNREVIEWED, case, write
from tests.unit.test_cli import Ended

TINY = case("tiny", 1, baseline=2)
folder = test_audit_file.folder


def command(*arguments: object) -> Ended:
    out, err = StringIO(), StringIO()
    status = run([*map(str, arguments)], BytesIO(), out, err)
    return Ended(status, out.getvalue(), err.getvalue())


@pytest.fixture
def kept(folder: Path) -> Path:
    """The report of an audit in which a fault survives, as JSON lines."""
    command("audit", write(folder, cases=[FAULT, CONTROL, TINY]), "--quiet", "--output", "kept.jsonl")
    return Path("kept.jsonl")


@pytest.mark.parametrize("name", [each.command for each in levels(parsers())])
def test_each_command_has_help_with_an_example_and_exit_statuses(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    ended = command(*name.split(), "--help")
    assert ended.status == 0
    assert re.search(rf"\nexamples?:\n  \$ .*mateprobe {name}", ended.out)
    assert re.search(r"\nexit status:\n  0  [^\n]+\n(  1  [^\n]+\n)?  2  ", ended.out)


@pytest.mark.parametrize("name", [each.command for each in levels(parsers())])
def test_help_fits_into_a_narrow_terminal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    lines = command(*name.split(), "--help").out.splitlines()
    assert [line for line in lines if len(line) > 50 and not line.startswith("  $ ")] == []
    assert {line[:5] for line in lines[lines.index("exit status:") + 1 :]} <= {*(f"  {n}  " for n in range(5)), " " * 5}


def test_the_tree_of_commands_has_those_of_the_pipeline_and_what_is_below_them() -> None:
    found = [each.command for each in levels(parsers())]
    assert [name for name in found if name and " " not in name] == [*COMMANDS]
    assert [name for name in found if " " in name] == ["study new", "study list", "study check", "study prune"]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_that_reports_can_write_json(name: str) -> None:
    below = [each for each in levels(parsers()) if each.command.startswith(name) and not each.words]
    silent = {"completion", "study new"}  # what they write is no report
    assert {each.command for each in below if "--json" not in dict(each.flags)} <= silent


# --- audit ----------------------------------------------------------------------------------------------------------

FIRST: dict[str, str] = {
    "json": "{\n", "jsonl": '{"corpus_digest":', "markdown": "# Audit of own_signs:check\n",
    "junit": '<?xml version="1.0" encoding="UTF-8"?>\n', "sarif": "{\n", "ctrf": "{\n",
}  # fmt: skip


@pytest.mark.parametrize("form", FIRST)
def test_an_audit_writes_a_form_to_standard_output_and_nothing_else(folder: Path, form: str) -> None:
    ended = command("audit", write(folder), "--format", form)
    assert (ended.status, ended.out.startswith(FIRST[form])) == (0, True)
    assert "\nmet: " not in ended.out or form == "markdown"


@pytest.mark.parametrize("form", FIRST)
def test_what_an_audit_writes_to_a_file_is_what_report_makes_of_its_json_lines(folder: Path, form: str) -> None:
    path = write(folder, cases=[FAULT, CONTROL, TINY])
    assert command("audit", path, "--output", "a.jsonl", "--quiet").status == 1
    asked = command("report", "a.jsonl", "--format", form, "--output", "b", "--quiet")
    assert (asked.status, asked.out) == (1, command("audit", path, "--format", form, "--output", "c", "--quiet").out)
    assert Path("b").read_bytes() == Path("c").read_bytes() == command("audit", path, "--format", form).out.encode()


ENDINGS = {"a.jsonl": "jsonl", "a.md": "markdown", "a.xml": "junit", "a.sarif": "sarif", "a.json": "json"}


@pytest.mark.parametrize(("name", "form"), ENDINGS.items())
def test_the_name_of_the_file_chooses_the_form(folder: Path, name: str, form: str) -> None:
    path = write(folder)
    assert command("audit", path, "--output", name, "--quiet").status == 0
    assert Path(name).read_text("utf-8") == command("audit", path, "--format", form).out


@pytest.mark.parametrize("option", ["--json", "--quiet"])
def test_two_things_for_standard_output_are_refused(folder: Path, option: str) -> None:
    ended = command("audit", write(folder), "--format", "junit", option)
    assert (ended.status, ended.out) == (2, "")
    assert f"--format=junit with {option}: both say what goes to standard output" in ended.err


def test_a_case_knows_its_file_and_line_and_sarif_names_them(folder: Path) -> None:
    (folder / "cases.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in (FAULT, CONTROL, TINY)))
    command("audit", write(folder, cases={"file": "cases.jsonl"}), "--output", "a.sarif", "--quiet")
    (result,) = json.loads(Path("a.sarif").read_text())["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == ("mine/cases.jsonl", {"startLine": 3})


UNSTEADY = """
from mateprobe import Verdict
ASKED = []
def check(number):
    ASKED.append(number)
    return Verdict(number > 0 or ASKED.count(number) == 2, () if number > 0 or ASKED.count(number) == 2 else ("sign",))
"""


def test_a_validator_that_changes_its_mind_fails_the_audit_and_is_told(folder: Path) -> None:
    (folder / "own_signs.py").write_text(UNSTEADY)
    path = write(folder)
    assert command("audit", path, "--quiet").status == 0
    ended = command("audit", path, "--repeat", 3)
    assert ended.status == 3
    assert "answers that differed: 1 sample\n  flipped: accepted 1 ×, rejected ['sign'] 2 ×\n" in ended.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--repeat", "0"), "argument --repeat: '0': expected a number, 1 or more"),
        (("--repeat", "x"), "argument --repeat: 'x': expected a number, 1 or more"),
        (("--shard", "3/2"), "argument --shard: '3/2': expected NUMBER/OF with a number from 1 to OF"),
        (("--shard", "2"), "argument --shard: '2': expected NUMBER/OF"),
        (("--shard", "1/2"), "--shard: a part of a report is kept as JSON lines; add --output FILE.jsonl"),
        (("--shard", "1/2", "--output", "a.json"), "--shard: a part of a report is kept as JSON lines"),
        (("--format", "html"), "argument --format: invalid choice: 'html'"),
    ],
)
def test_arguments_that_mean_nothing_are_refused(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    ended = command("audit", write(folder), *arguments)
    assert (ended.status, ended.out, message in ended.err) == (2, "", True)
    assert not Path("a.json").exists()


# --- report ---------------------------------------------------------------------------------------------------------


def test_a_report_is_shown_as_the_audit_showed_it(kept: Path, folder: Path) -> None:
    assert command("report", kept)[:2] == command("audit", folder / "audit.json")[:2]


THRESHOLDS: dict[str, tuple[tuple[str, ...], int, str]] = {
    "those of the report": ((), 1, "not met: detection 50.0% (required 100.0%), "),
    "a lower one": (("--detection", "0.5"), 0, "met: detection 50.0% (required 50.0%), "),
    "none at all": (("--detection", "0", "--preservation", "0"), 0, "met: detection 50.0% (required 0.0%), "),
    "between": (("--detection", "0.75"), 1, "not met: detection 50.0% (required 75.0%), "),
}


@pytest.mark.parametrize(("arguments", "status", "line"), THRESHOLDS.values(), ids=THRESHOLDS.keys())
def test_a_report_is_held_against_new_thresholds(
    kept: Path, folder: Path, arguments: tuple[str, ...], status: int, line: str
) -> None:
    (folder / "own_signs.py").write_text("raise SystemError('nothing may run')")
    ended = command("report", kept, "--quiet", *arguments)
    assert (ended.status, ended.out.startswith(line)) == (status, True)


def test_new_thresholds_are_kept_in_what_is_written(kept: Path) -> None:
    command("report", kept, "--detection", "0.25", "--output", "b.jsonl", "--quiet")
    assert read_report(Path("b.jsonl")).gate.detection == 0.25


@pytest.mark.parametrize(("name", "status"), [("failed", 3), ("uncounted", 4)])
def test_a_report_of_an_audit_that_did_not_work_stays_one(folder: Path, name: str, status: int) -> None:
    cases = {"failed": [FAULT, CONTROL, case("unlucky", 13)], "uncounted": [{**FAULT, **UNREVIEWED}]}
    command("audit", write(folder, cases=cases[name]), "--output", "a.jsonl", "--quiet")
    assert command("report", "a.jsonl", "--detection", "0", "--preservation", "0", "--quiet").status == status


def test_a_baseline_goes_with_sarif_alone(kept: Path) -> None:
    ended = command("report", kept, "--baseline", kept, "--format", "sarif")
    states = [one["baselineState"] for one in json.loads(ended.out)["runs"][0]["results"]]
    assert (ended.status, states) == (1, ["unchanged"])
    refused = command("report", kept, "--baseline", kept, "--format", "junit")
    assert (refused.status, refused.out) == (2, "")
    assert "--baseline: only SARIF tells what is new" in refused.err


def test_a_threshold_that_no_rate_can_have_is_refused(kept: Path) -> None:
    ended = command("report", kept, "--detection", "2")
    assert (ended.status, ended.err) == (2, "mateprobe: threshold detection=2.0; expected a number from 0 to 1\n")


# --- diff -----------------------------------------------------------------------------------------------------------


def audited(folder: Path, name: str, *cases: dict[str, Any], validator: str = "own_signs:check") -> str:
    command("audit", write(folder, cases=cases, validator={"callable": validator}), "--output", name, "--quiet")
    return name


def test_a_report_and_itself_do_not_differ(kept: Path) -> None:
    ended = command("diff", kept, kept)
    assert (ended.status, ended.out.splitlines()[0]) == (0, "# Nothing changed")


def test_a_regression_ends_with_1_and_a_loss_does_not_look_like_progress(folder: Path) -> None:
    old = audited(folder, "old.jsonl", FAULT, CONTROL, TINY)
    worse = audited(folder, "worse.jsonl", FAULT, CONTROL, TINY, validator="own_signs:refuse")
    less = audited(folder, "less.json", FAULT, CONTROL)
    assert command("diff", old, worse).status == 1
    assert command("diff", worse, old).status == 0
    ended = command("diff", old, less)
    assert (ended.status, ended.out.splitlines()[0]) == (0, "# 1 no longer asked")


def test_a_comparison_goes_to_a_file_or_is_data(kept: Path) -> None:
    assert command("diff", kept, kept, "--output", "a.md") == Ended(0, "", "")
    assert Path("a.md").read_text("utf-8") == command("diff", kept, kept).out
    assert json.loads(command("diff", kept, kept, "--json").out)["counts"]["unchanged"] == 3


# --- merge ----------------------------------------------------------------------------------------------------------


def test_shards_are_merged_into_what_one_run_writes(folder: Path) -> None:
    path = write(folder, cases=[FAULT, CONTROL, TINY])
    names = [f"{number}.jsonl" for number in (1, 2, 3)]
    for number, name in enumerate(names, 1):
        ended = command("audit", path, "--shard", f"{number}/3", "--output", name)
        assert (ended.status, ended.out) == (0, "")
        assert f"mateprobe: shard {number} of 3: " in ended.err
    whole = command("audit", path, "--output", "whole.jsonl")
    assert command("merge", *names, "--output", "merged.jsonl")[:2] == whole[:2]
    assert Path("merged.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    missing = command("merge", *names[1:])
    assert missing == Ended(2, "", "mateprobe: merge: of 3 shards number 1 is missing; give them all\n")


@pytest.mark.parametrize("arguments", [("report", "1.jsonl"), ("diff", "1.jsonl", "kept.jsonl")])
def test_a_shard_never_passes_for_a_whole_report(folder: Path, kept: Path, arguments: tuple[str, ...]) -> None:
    command("audit", folder / "audit.json", "--shard", "1/2", "--output", "1.jsonl")
    ended = command(*arguments)
    assert (ended.status, ended.out) == (2, "")
    assert "1.jsonl: is shard 1 of 2; put all of them together first" in ended.err


@pytest.mark.parametrize("arguments", [("report", "a"), ("diff", "a", "b"), ("merge", "a")])
def test_a_file_that_is_not_there_is_named(tmp_path: Path, arguments: tuple[str, ...], monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert command(*arguments) == Ended(2, "", "mateprobe: a: No such file or directory\n")


def test_a_report_reaches_standard_output_in_few_writes(kept: Path) -> None:
    writes: list[str] = []

    class Counting(StringIO):
        def write(self, text: str) -> int:
            writes.append(text)
            return len(text)

    for arguments in (["diff", "kept.jsonl", "kept.jsonl"], ["report", "kept.jsonl", "--format", "jsonl"]):
        run(arguments, BytesIO(), Counting(), StringIO())
    assert [text.count("\n") > 3 for text in writes] == [True, True]


def test_the_audit_that_these_tests_run_is_met() -> None:
    assert AUDIT["cases"] == [FAULT, CONTROL]
