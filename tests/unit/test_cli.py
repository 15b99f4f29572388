"""The command: a report and an exit status, or one line that says what cannot be used."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mateprobe._help import HELP
from mateprobe._version import __version__
from mateprobe.cli import main, run
from mateprobe.engine import evaluate
from mateprobe.serialization import load_bundle

BUNDLE: dict[str, Any] = {
    "document": {"surfaces": [{"id": "body", "text": "Refund paid: 5 €."}]},
    "context": {"states": {"current": {"paid": "5 €"}}},
    "contracts": [{"type": "RequiredFact", "rule_id": "paid", "key": "paid", "expected": "5 €"}],
}


class Ended(NamedTuple):
    """What a run of the command left: its exit status and what it wrote to its two streams."""

    status: int
    out: str
    err: str


def command(*arguments: object, stdin: str | bytes = b"") -> Ended:
    given = io.BytesIO(stdin) if isinstance(stdin, bytes) else io.StringIO(stdin)
    out, err = io.StringIO(), io.StringIO()
    status = run(list(map(str, arguments)), given, out, err)
    return Ended(status, out.getvalue(), err.getvalue())


def changed(**parts: Any) -> str:
    return json.dumps({**BUNDLE, **parts})


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(BUNDLE), encoding="utf-8")
    return path


@pytest.mark.parametrize(("expected", "status"), [("5 €", 0), (5, 1)], ids=["accepted", "rejected"])
def test_the_exit_status_is_the_verdict_and_the_output_the_report(bundle: Path, expected: Any, status: int) -> None:
    data = {**BUNDLE, "contracts": [{**BUNDLE["contracts"][0], "expected": expected}]}
    bundle.write_text(json.dumps(data), encoding="utf-8")
    ended = command("check", bundle)
    assert (ended.status, json.loads(ended.out), ended.err) == (status, evaluate(*load_bundle(data)).to_dict(), "")


def test_the_report_has_sorted_keys_an_indent_of_two_real_characters_and_a_last_line_end(bundle: Path) -> None:
    report = evaluate(*load_bundle(BUNDLE)).to_dict()
    expected = json.dumps(report, ensure_ascii=False, sort_keys=True, indent=2) + "\n"
    assert command("check", bundle).out == expected
    assert "5 €" in expected


def test_a_bundle_alone_is_checked(bundle: Path) -> None:
    assert command(bundle) == command("check", bundle)


@pytest.mark.parametrize("stdin", [json.dumps(BUNDLE), json.dumps(BUNDLE).encode()], ids=["text", "bytes"])
@pytest.mark.parametrize("arguments", [("check", "-"), ("-",)], ids=["check", "alone"])
def test_a_bundle_may_come_from_standard_input(bundle: Path, arguments: tuple[str, ...], stdin: str | bytes) -> None:
    assert command(*arguments, stdin=stdin) == command("check", bundle)


@pytest.mark.parametrize(
    "order", [("check", "{bundle}", "--output", "{out}"), ("--output", "{out}", "{bundle}")], ids=["check", "alone"]
)
def test_the_report_goes_to_the_output_file_instead(bundle: Path, tmp_path: Path, order: tuple[str, ...]) -> None:
    out = tmp_path / "report.json"
    ended = command(*(word.format(bundle=bundle, out=out) for word in order))
    assert (ended, out.read_bytes().decode()) == (Ended(0, "", ""), command(bundle).out)


def test_an_output_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it(bundle: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    out.write_text("x" * 100_000)
    command("check", bundle, "--output", out)
    assert out.read_text(encoding="utf-8") == command(bundle).out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle.json", "report.json"]


def test_a_link_to_the_output_file_is_followed(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to("report.json")
    command("check", bundle, "--output", tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "report.json").read_text(encoding="utf-8") == command(bundle).out


def test_an_output_that_is_no_regular_file_is_written_to_and_stays_what_it_is(bundle: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert command("check", bundle, "--output", pipe).status == 0
    assert os.read(reader, 1 << 16).decode() == command(bundle).out
    os.close(reader)
    assert pipe.is_fifo()


def test_an_output_file_stays_as_it_was_when_the_bundle_cannot_be_used(bundle: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    out.write_text("old")
    bundle.write_text("{}")
    assert (command("check", bundle, "--output", out).status, out.read_text()) == (2, "old")


def test_an_output_file_stays_as_it_was_when_it_cannot_be_replaced(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    out = tmp_path / "report.json"
    out.write_text("old")
    monkeypatch.setattr(os, "fsync", refuse)
    assert command("check", bundle, "--output", out) == Ended(2, "", f"mateprobe: {out}: No space left on device\n")
    assert (out.read_text(), sorted(path.name for path in tmp_path.iterdir())) == (
        "old",
        ["bundle.json", "report.json"],
    )


@pytest.mark.parametrize("name", ["absent/report.json", "."], ids=["in no folder", "a folder"])
def test_an_output_that_cannot_be_written_is_named(bundle: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / name
    ended = command("check", bundle, "--output", out)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"mateprobe: {out}: ")


UNUSABLE: dict[str, tuple[str | bytes, str]] = {
    "not UTF-8": (b'{"document": "\xe9"}', "expected UTF-8, found byte 0xe9 at 14"),
    "not JSON": ("{'document': 1}", "column 2: not JSON: "),
    "cut short": (changed()[:40], "column 41: not JSON: "),
    "empty": ("", "column 1: not JSON: "),
    "a key twice": ('{"document": 1, "document": 2}', "key 'document' occurs twice in one object; keep one"),
    "not a number": (changed(context={"states": {"current": {"paid": float("nan")}}}), "NaN is not JSON"),
    "too deep": ("[" * 100_000, "nested deeper than 200 levels"),
    "another shape": ("[]", "$: expected an object, found an array of 0"),
    "a part that is missing": (
        json.dumps({"document": BUNDLE["document"]}),
        "$: 'context' is missing; found 'document'",
    ),
    "an unknown rule": (
        changed(contracts=[{"type": "RequiredFacts", "rule_id": "r"}]),
        "$.contracts[0].type: no rule has the name 'RequiredFacts'",
    ),
    "a bad pattern": (
        changed(contracts=[{"type": "ForbiddenPattern", "rule_id": "r", "patterns": ["("], "surface_ids": ["body"]}]),
        "$.contracts[0]: rule 'r' pattern='('",
    ),
    "no contracts": (changed(contracts=[]), "contracts=() is empty"),
    "one rule id twice": (changed(contracts=BUNDLE["contracts"] * 2), "two contracts have rule_id='paid'"),
    "text that UTF-8 cannot hold": (
        changed(document={"surfaces": [{"id": "body", "text": "\ud800"}]}),
        "$.document.surfaces[0].text has a lone surrogate",
    ),
}


@pytest.mark.parametrize(("text", "message"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_a_bundle_that_cannot_be_used_is_one_line_with_its_place(bundle: Path, text: str | bytes, message: str) -> None:
    bundle.write_bytes(text if isinstance(text, bytes) else text.encode())
    ended = command("check", bundle)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert ended.err.startswith(f"mateprobe: {bundle}")
    assert message in ended.err


def test_standard_input_that_cannot_be_used_is_named_too() -> None:
    assert command("-", stdin="[]") == Ended(
        2, "", "mateprobe: standard input: $: expected an object, found an array of 0\n"
    )


def test_a_bundle_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "absent.json"
    assert command("check", path) == Ended(2, "", f"mateprobe: {path}: No such file or directory\n")


def test_an_output_that_nobody_reads_is_no_verdict(bundle: Path) -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError(32, "Broken pipe")

    err = io.StringIO()
    assert run(["check", str(bundle)], io.BytesIO(), Closed(), err) == 2
    assert err.getvalue() == "mateprobe: standard output: Broken pipe\n"


@pytest.mark.parametrize(
    "arguments",
    [(), ("check",), ("check", "a", "b"), ("check", "a", "--out", "b"), ("a", "b"), ("--colour", "a")],
    ids=["nothing", "no bundle", "two bundles", "half an option", "two bundles alone", "an unknown option"],
)
def test_arguments_that_cannot_be_used_are_answered_with_the_usage(arguments: tuple[str, ...]) -> None:
    ended = command(*arguments)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("usage: mateprobe")


def test_the_version_is_told() -> None:
    assert command("--version") == Ended(0, f"mateprobe {__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("check", "--help"), ("audit", "--help"), ("doctor", "--help")],
    ids=["mateprobe", "check", "audit", "doctor"],
)
def test_the_help_lists_every_exit_status(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    ended = command(*arguments)
    lines = [line.strip() for line in ended.out.splitlines()]
    assert (ended.status, ended.err) == (0, "")
    assert [line[:2] for line in lines[lines.index("exit status:") + 1 :]] == ["0 ", "1 ", "2 ", "3 ", "4 "]


def test_the_process_writes_utf_8_with_plain_line_ends_whatever_its_locale(bundle: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mateprobe", "check", str(bundle)],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, command(bundle).out.encode(), b"")


def test_the_process_reads_standard_input_as_it_is(bundle: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mateprobe", "-"], input=b'{"a": "\xe9"}', capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        b"",
        b"mateprobe: standard input: expected UTF-8, found byte 0xe9 at 7\n",
    )


def test_closed_standard_input_is_empty(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(sys, "argv", ["mateprobe", "-"])
    assert main() == 2
    assert capsys.readouterr().err.startswith("mateprobe: standard input, column 1: not JSON: ")


LOADED = ["pandas", "numpy", "yaml", "jsonschema", "matplotlib"]
NEVER: dict[str, tuple[list[str], list[str]]] = {
    "help": (["--help"], [*LOADED, "typing", "argparse", "json", "mateprobe.cli", "mateprobe.engine"]),
    "help of a command": (["audit", "--help"], [*LOADED, "mateprobe.engine", "mateprobe.doctor", "mateprobe.pipeline"]),
    "a check": (["check", "-"], [*LOADED, "mateprobe.doctor", "mateprobe.pipeline"]),
}


@pytest.mark.parametrize(("arguments", "never"), NEVER.values(), ids=NEVER.keys())
def test_the_command_loads_only_what_it_uses(arguments: list[str], never: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "from mateprobe.__main__ import main; main()", *arguments],
        input="", capture_output=True, text=True, check=False,
    )  # fmt: skip
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "mateprobe" in loaded
    assert loaded & {*never} == set()


def test_the_help_that_is_written_down_is_that_of_the_parser() -> None:
    shown, stderr = io.StringIO(), io.StringIO()
    assert run(["--help"], io.BytesIO(), shown, stderr) == 0
    assert HELP.split() == shown.getvalue().split()
