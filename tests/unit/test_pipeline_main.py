"""``python -m mateprobe.pipeline STAGE``: one way in, and exit codes that tell what to do next."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import subprocess
import sys
import tarfile
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from mateprobe.errors import EvidenceError, InvalidType, InvalidValue, MateProbeError, StageError, StudyError
from mateprobe.pipeline import summary as a_stage
from mateprobe.pipeline.__main__ import STAGES, main
from tests.unit.conftest import Bench, Ended, left, row, study

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_has_a_module_of_its_name_and_a_help(stage: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = import_module(f"mateprobe.pipeline.{stage}")
    assert {"configure", "run"} <= vars(module).keys()
    with pytest.raises(SystemExit) as ended:
        main([stage, "--help"])
    assert ended.value.code == 0
    assert STAGES[stage].split()[0].lower() in capsys.readouterr().out.lower()


def test_every_file_of_rules_is_named_for_its_stage() -> None:
    files = {path.stem for path in REPOSITORY.glob("workflow/rules/*.smk")} - {"common"}
    assert {"evidence", "cases", "observe", "outcomes", "summary", "agreement", "manifest", "tables"} <= files
    assert files <= STAGES.keys()


@pytest.mark.parametrize("arguments", [[], ["sumary"], ["summary"], ["summary", "--study", "a", "--speed", "9"]])
def test_a_command_line_that_is_wrong_is_unusable_input(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: python -m mateprobe.pipeline")


CODES = {
    StageError("ours and theirs differ"): 1,
    StudyError("studies/a.yaml:1: unknown key"): 2,
    EvidenceError("another hash"): 2,
    InvalidValue("n=nan"): 2,
    InvalidType("a set"): 2,
}


@pytest.mark.parametrize(("error", "code"), CODES.items(), ids=[type(error).__name__ for error in CODES])
def test_an_error_ends_a_stage_with_its_code_and_its_message(
    error: MateProbeError, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> int:
        raise error

    monkeypatch.setattr(a_stage, "run", fail)
    assert main(["summary", "--study", "demo", "--section", "{}"]) == code
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", f"summary: {error}\n")


FAULTS = {
    "full": (errno.ENOSPC, "make room there and run again; what has been made stays"),
    "over quota": (errno.EDQUOT, "make room there and run again; what has been made stays"),
    "read-only": (errno.EROFS, "nothing was lost; work in a folder that you may write"),
    "somebody else's": (errno.EACCES, "nothing was lost; work in a folder that you may write"),
}


@pytest.mark.parametrize(("number", "remedy"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_of_the_machine_is_told_with_what_to_do(
    number: int, remedy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> int:
        raise OSError(number, os.strerror(number), "results/a")

    monkeypatch.setattr(a_stage, "run", fail)
    assert main(["summary", "--study", "demo", "--section", "{}"]) == 2
    assert capsys.readouterr().err.startswith(f"summary: results/a: {os.strerror(number)}: {remedy}")


def test_a_fault_that_names_no_file_is_told_without_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(a_stage, "run", fail)
    assert main(["summary", "--study", "demo", "--section", "{}"]) == 2
    assert capsys.readouterr().err.startswith("summary: No space left on device: make room there")


def test_a_file_that_is_missing_by_our_fault_shows_where_it_was_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> int:
        raise FileNotFoundError(errno.ENOENT, "No such file", "results/a")

    monkeypatch.setattr(a_stage, "run", fail)
    with pytest.raises(FileNotFoundError):
        main(["summary", "--study", "demo", "--section", "{}"])


def test_a_stage_started_by_hand_reads_its_section_from_the_study_file(bench: Bench) -> None:
    bench.write(study(row()))
    assert bench.run("cases") == Ended(0, "cases: made")
    section = '{"cases":{"generate":"numbered:cases","with":{"rows":[]}},"obligations":["sign"],"study":"demo"}'
    ended = bench.run("cases", "--section", section)
    assert ended.said == "cases: study 'demo': its cases are none; a study without cases proves nothing\n"


def test_a_study_that_is_not_there_is_named(bench: Bench) -> None:
    bench.write(study(row()))
    assert bench.run("cases", study="dema") == Ended(
        2, "cases: studies: study 'dema': expected one of 'demo'; did you mean 'demo'?\n"
    )


def test_a_section_that_is_no_section_is_refused(bench: Bench) -> None:
    assert bench.run("cases", "--section", "[]") == Ended(
        2, "cases: --section: expected a JSON object with a study id, found []\n"
    )


def pack(path: Path) -> str:
    """Write an archive of one file and return its hash."""
    info = tarfile.TarInfo("demo-1.0/a.json")
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(info)
    return hashlib.sha256(path.read_bytes()).hexdigest()


ARCHIVES = {
    "another archive": ("0" * 64, "a.json", "expected .*0000, found {sha256}"),
    "an archive without a member": ("{sha256}", "b.json", "expected member demo-1.0/b.json, found none so named"),
}


@pytest.mark.parametrize(("pin", "member", "message"), ARCHIVES.values(), ids=ARCHIVES.keys())
def test_evidence_that_is_not_what_was_pinned_is_unusable_input_and_leaves_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, pin: str, member: str, message: str
) -> None:
    sha256 = pack(Path("demo-1.0.tar.gz"))
    monkeypatch.setenv("MATEPROBE_ARCHIVES", ".")
    pins = {"archive": "demo-1.0.tar.gz", "requirement": "demo==1.0", "sha256": pin.format(sha256=sha256)}
    members = {member: {"bytes": 0, "sha256": hashlib.sha256(b"").hexdigest()}}
    Path("pins.yaml").write_text(yaml.safe_dump({**pins, "root": "demo-1.0", "members": members}))
    assert main(["evidence", "--pins", "pins.yaml", "--folder", "results", "--receipt", "results/receipt.json"]) == 2
    said = bench.capsys.readouterr().err
    assert re.match(rf"evidence: (\./)?demo-1.0.tar.gz: {message.format(sha256=sha256)}", said), said
    assert left() == []


def test_a_stage_runs_as_a_process_of_its_own(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mateprobe.pipeline", "cases", "--study", "demo"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "cases: studies: expected study files *.yaml, found none\n"


HEAVY = {"pandas", "numpy", "matplotlib", "jsonschema", "snakemake", "rich"}


@pytest.mark.parametrize("stage", sorted(STAGES.keys() - {"statistics"}))
def test_no_stage_imports_more_than_it_needs_before_it_runs(stage: str, tmp_path: Path) -> None:
    code = f"import sys, mateprobe.pipeline.__main__, mateprobe.pipeline.{stage}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert HEAVY & {*done.stdout.split()} == set()
