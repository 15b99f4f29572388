"""``verify`` names what is not as its hashes say, ``freeze`` declares what is: exit codes, lists, seals."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mateprobe.cli import run
from mateprobe.errors import EvidenceError, InvalidValue
from mateprobe.pipeline import chain
from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.chain import Disk
from mateprobe.pipeline.environments import Environment
from mateprobe.pipeline.golden import golden_path, read_golden, write_golden
from mateprobe.pipeline.made import Made
from mateprobe.pipeline.sealed import read_sealed, sealed
from mateprobe.pipeline.stage import run_stage
from mateprobe.pipeline.store import Store
from tests.unit.conftest import Bench, left, row, study

STAGES = ("cases", "observe.by_sign", "outcomes.by_sign", "summary")
SUMMARY = Path("results/demo/summary.json")
A, B = "0" * 64, "1" * 64


def command(*arguments: str) -> tuple[int, str, str]:
    """Run ``mateprobe ARGUMENTS``; return its exit status and what it wrote to its two streams."""
    out, err = io.StringIO(), io.StringIO()
    return run(arguments, io.BytesIO(), out, err), out.getvalue(), err.getvalue()


@pytest.fixture
def finished(bench: Bench) -> Bench:
    """A study with its manifest; as its obligations are lanes it has no statistics."""
    bench.write(study(row("a"), row("b", relation="preserve", variant=2), lanes=True))
    finish(bench)
    return bench


def finish(bench: Bench) -> None:
    bench.judge()
    assert bench.run("manifest", "--receipts", *(f"results/demo/receipts/{stage}.json" for stage in STAGES)).code == 0


def test_a_finished_study_has_no_difference(finished: Bench) -> None:
    assert command("verify", "demo") == (0, "4 files as they should be: 1 studies, 0 frozen\n", "")


def test_what_is_found_is_data_too(finished: Bench) -> None:
    assert json.loads(command("verify", "demo", "--json")[1]) == {"files": 4, "differences": []}
    changes = json.loads(command("freeze", "demo", "--dry-run", "--json")[1])
    assert [line.partition(": ")[0] for line in changes["demo"]].count("results/demo/summary.json") == 1
    finished.write(study(row("a"), study="other", lanes=True))
    status, out, _ = command("verify", "demo", "other", "--json")
    assert (status, json.loads(out)["differences"]) == (1, ["results/other: missing; run make reproduce"])


def test_nothing_to_verify_is_no_success(bench: Bench) -> None:
    bench.write(study(row("a")))
    message = "verify: results: expected results of demo, found none; run make reproduce\n"
    assert command("verify") == (2, "", message)


def test_an_input_that_is_gone_with_its_folder_is_missing_and_one_from_outside_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, outside = Path("tables/cases.csv"), tmp_path / "elsewhere/cases.csv"
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    for path in (inside, outside):
        path.parent.mkdir()
        path.touch()
    receipt, output = Path("results/receipt.json"), Path("results/cases.jsonl")
    run_stage(
        "cases", inputs={"inside": inside, "outside": outside}, params={}, modules=[], outputs={"cases": output},
        make=lambda partial: partial["cases"].touch(), receipt=receipt, store=Store(tmp_path / "store"),
    )  # fmt: skip
    made = Made({receipt: [output]})
    assert list(chain.differences(made, (), Disk())) == []
    for path in (inside, outside):
        shutil.rmtree(path.parent)
    (found,) = chain.differences(made, (), Disk())
    assert found.untrue == receipt
    assert found.told.startswith("tables/cases.csv: missing; results/cases.jsonl was made of sha256 e3b0c442")


@pytest.mark.parametrize("name", ["verify", "freeze"])
def test_a_study_there_is_not_is_unusable_input(finished: Bench, name: str) -> None:
    status, out, err = command(name, "dmeo")
    assert (status, out, "did you mean 'demo'?" in err) == (2, "", True)


def test_a_study_that_was_never_run_is_one_difference(finished: Bench) -> None:
    finished.write(study(row("a"), study="other", lanes=True))
    assert command("verify", "demo", "other")[:2] == (1, "results/other: missing; run make reproduce\n")


@pytest.mark.parametrize("name", ["verify", "freeze"])
def test_what_is_not_installed_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(module: str, *arguments: Any) -> Any:
        if module.startswith("mateprobe.pipeline"):
            raise ModuleNotFoundError(name="yaml")
        return original(module, *arguments)

    import importlib

    original = importlib.import_module
    monkeypatch.setattr(importlib, "import_module", absent)
    assert command(name) == (2, "", f"mateprobe: {name} needs yaml; pip install 'mateprobe[pipeline]'\n")


def test_frozen_hashes_are_read_by_others_too(finished: Bench) -> None:
    status, out, err = command("freeze", "demo")
    assert (status, err) == (0, "studies/_frozen/demo.sha256: 4 hashes written\n")
    assert [line.partition(":")[0] for line in out.splitlines()] == [
        f"results/demo/{name}"
        for name in ("cases.jsonl", "summary.json", "outcomes/by_sign.jsonl", "observations/by_sign.jsonl")
    ]
    assert command("verify", "demo")[1] == "5 files as they should be: 1 studies, 1 frozen\n"
    if program := shutil.which("sha256sum"):
        for name in ("demo", "index"):
            subprocess.run([program, "--check", "--strict", golden_path(name)], check=True, capture_output=True)


def test_a_dry_run_shows_what_would_change_and_writes_nothing(finished: Bench) -> None:
    command("freeze", "demo")
    finished.write(study(row("a"), row("b"), lanes=True))
    finish(finished)
    before = golden_path("demo").read_bytes()
    status, out, _ = command("freeze", "demo", "--dry-run")
    assert (status, golden_path("demo").read_bytes()) == (0, before)
    assert "results/demo/summary.json: changed; expected sha256 " in out
    assert "\n    made from results/demo/outcomes/by_sign.jsonl\n" in out


def test_a_study_that_is_as_it_is_frozen_changes_nothing(finished: Bench) -> None:
    command("freeze", "demo")
    assert command("freeze", "demo", "--dry-run") == (0, "studies/_frozen/demo.sha256: nothing changes\n", "")


def test_what_receipts_do_not_vouch_for_is_not_frozen(finished: Bench) -> None:
    SUMMARY.write_text("{}")
    status, out, err = command("freeze", "demo")
    assert (status, out, golden_path("demo").exists()) == (1, "", False)
    said = "freeze: 'demo' is not as its receipts say; run make reproduce first:\nresults/demo/summary.json: changed; "
    assert err.startswith(said)


def test_a_study_of_our_own_code_is_not_frozen(finished: Bench) -> None:
    Path("mateprobe").mkdir()
    Path("mateprobe/core.py").touch()
    content = study(row("a"), lanes=True)
    finished.write({**content, "cases": {**content["cases"], "reads": ["mateprobe/*.py"]}})
    message = "freeze: study 'demo': its cases are made of our own code, so every edit changes its artifacts\n"
    assert command("freeze", "demo") == (2, "", message)


def test_the_line_where_a_text_begins_to_differ_is_shown(finished: Bench) -> None:
    path = Path("results/demo/cases.jsonl")
    path.write_bytes(path.read_bytes().replace(b'"family":"flip"', b'"family":"flap"', 1))
    told = command("verify", "demo")[1]
    assert "\n    line 2: expected …" in told
    assert "flip" in told.splitlines()[1].partition("found")[0]
    assert "flap" in told.splitlines()[1].partition("found")[2]


def write_file(data: bytes) -> Path:
    path = golden_path("demo")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


LISTS = {
    "no hash": b"x  a\n",
    "upper case": f"{'A' * 64}  a\n".encode(),
    "one space": f"{A} a\n".encode(),
    "no path": f"{A}  \n".encode(),
    "a path twice": f"{A}  a\n{A}  a\n".encode(),
    "not sorted": f"{A}  b\n{A}  a\n".encode(),
    "no end of line": f"{A}  a".encode(),
    "another end of line": f"{A}  a\r\n".encode(),
    "a vertical tab": f"{A}  a\x0b{A}  b\n".encode(),
    "no UTF-8": f"{A}  a".encode() + b"\xff\n",
}


@pytest.mark.parametrize("data", LISTS.values(), ids=LISTS.keys())
def test_a_list_of_hashes_is_as_it_was_written_or_refused(bench: Bench, data: bytes) -> None:
    path = write_file(data)
    with pytest.raises(EvidenceError, match=rf"^{path}, line [12]: changed; expected a hash, two spaces and a path"):
        read_golden("demo")


@pytest.mark.parametrize("name", ["verify", "freeze", "pack", "reproduce"])
def test_a_copy_whose_line_ends_were_changed_is_told_from_one_that_was_edited(
    finished: Bench, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = write_file(f"{A}  a\r\n".encode())
    profile = Path("workflow/profiles/default/profile.yaml")
    profile.parent.mkdir(parents=True)
    profile.touch()
    assert main([name]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(
        f"{name}: {path}: expected lines that end in LF, found CR LF: line ends were changed on the way"
    )
    assert said.endswith("clone with git, or unpack without changing line ends")


def test_hashes_written_are_hashes_read(bench: Bench) -> None:
    write_golden("demo", {"b c": B, "a": A})
    assert list((read_golden("demo") or {}).items()) == [("a", A), ("b c", B)]
    assert read_golden("another") is None


def test_a_sealed_file_gives_back_what_was_sealed(tmp_path: Path) -> None:
    path = tmp_path / "sealed.json"
    path.write_bytes(sealed({"b": [1, None], "a": "ü"}))
    assert read_sealed(path) == {"a": "ü", "b": [1, None]}


WHOLE = sealed({"a": 1, "b": {"c": 2}})
BROKEN = {
    "another value": WHOLE.replace(b'"a":1', b'"a":3'),
    "another key": WHOLE.replace(b'"a":1', b'"d":1'),
    "a blank": WHOLE.replace(b'"a":1', b'"a": 1'),
    "no seal": b'{"a":1}\n',
    "another seal": WHOLE.replace(json.loads(WHOLE)["seal"].encode(), A.encode()),
    "more at its end": WHOLE + b"\n",
    "less at its end": WHOLE[:-1],
    "a list": b"[]\n",
    "no JSON": b"{",
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_a_sealed_file_that_was_changed_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "sealed.json"
    path.write_bytes(data)
    with pytest.raises(InvalidValue):
        read_sealed(path)


@pytest.fixture
def environment(bench: Bench) -> Path:
    path, lock = Path("results/environments/tiny.json"), Path("studies/_locks/tiny.txt")
    for folder in (path.parent, lock.parent):
        folder.mkdir(parents=True)
    lock.write_text("tiny==1.0\n")
    digest = Disk().sha256(lock.as_posix())
    path.write_bytes(Environment("tiny", str(digest)).content())
    return path


def told(environments: Sequence[Path]) -> list[str]:
    return [difference.told for difference in chain.differences(Made({}, (), environments), (), Disk())]


def test_an_environment_is_that_of_its_lock(environment: Path) -> None:
    assert told([environment]) == []
    Path("studies/_locks/tiny.txt").write_text("tiny==1.1\n")
    (line,) = told([environment])
    assert line.startswith(f"{environment}: changed; expected that of tiny and of studies/_locks/tiny.txt as it is")


def test_the_receipt_of_an_environment_is_whole_and_in_its_place(environment: Path) -> None:
    other = environment.with_name("other.json")
    other.write_bytes(environment.read_bytes())
    environment.write_bytes(environment.read_bytes().replace(b'"away":false', b'"away":true'))
    first, second = told([environment, other])
    assert (
        first == f"{environment}: changed; expected the receipt of an environment, found other bytes than were sealed"
    )
    assert second.startswith(f"{other}: changed; expected that of other")


def test_verifying_changes_nothing(finished: Bench) -> None:
    SUMMARY.write_text("{}")
    before = {path: Path(path).read_bytes() for path in left(".")}
    assert command("verify", "demo")[0] == 1
    assert {path: Path(path).read_bytes() for path in left(".")} == before


def test_a_file_that_cannot_be_read_ends_with_its_name(finished: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(chain, "sha256_file", refused)
    status, out, err = command("verify", "demo")
    assert (status, out) == (2, "")
    assert err.startswith("verify: results/demo/")
    assert err.endswith(": cannot be read: Permission denied\n")
