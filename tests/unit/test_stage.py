"""A stage is made once and then restored, as long as nothing that determines it has changed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mateprobe.errors import EvidenceError, InvalidValue, StageError
from mateprobe.pipeline import stage as stage_module
from mateprobe.pipeline.sealed import sealed
from mateprobe.pipeline.stage import Receipt, read_receipt, run_stage
from mateprobe.pipeline.store import Artifact, Store

RECEIPT = Path("results/demo/cases.receipt.json")
OUTPUTS = {"cases": Path("results/demo/cases.jsonl"), "table": Path("results/tables/demo.csv")}


class Demo:
    """A stage of two outputs in two folders, made of one input; counts how often it is made."""

    def __init__(self) -> None:
        self.made = 0
        self.arguments: dict[str, Any] = {
            "inputs": {"study": Path("study.yaml")},
            "params": {"seed": 1},
            "modules": ["entry"],
            "outputs": OUTPUTS,
            "make": self.make,
            "receipt": RECEIPT,
            "roots": [Path("code")],
        }

    def make(self, partial: Mapping[str, Path]) -> None:
        self.made += 1
        partial["cases"].write_bytes(b"cases of " + Path("study.yaml").read_bytes())
        partial["table"].write_bytes(b"a,b\n")

    def run(self, name: str = "cases", **changes: Any) -> Receipt:
        return run_stage(name, **{**self.arguments, **changes})


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Demo:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MATEPROBE_CACHE", raising=False)
    Path("study.yaml").write_bytes(b"demo")
    Path("code").mkdir()
    Path("code/entry.py").write_text("import helper\n")
    Path("code/helper.py").write_text("")
    return Demo()


def files(folder: str = "results") -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}


def blobs() -> list[Path]:
    return [path for path in Path(".cache/blobs").rglob("*") if path.is_file()]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_outputs_and_receipt_are_in_place_and_nothing_else(demo: Demo) -> None:
    demo.run()
    assert {path: data for path, data in files().items() if path != str(RECEIPT)} == {
        "results/demo/cases.jsonl": b"cases of demo",
        "results/tables/demo.csv": b"a,b\n",
    }


def test_make_writes_to_files_of_the_same_name_elsewhere(demo: Demo) -> None:
    def make(partial: Mapping[str, Path]) -> None:
        assert {name: path.name for name, path in partial.items()} == {"cases": "cases.jsonl", "table": "demo.csv"}
        assert not set(partial.values()) & set(OUTPUTS.values())
        demo.make(partial)

    demo.run(make=make)


def test_the_receipt_says_what_came_from_what(demo: Demo) -> None:
    receipt = demo.run()
    assert receipt == read_receipt(RECEIPT)
    assert (receipt.stage, receipt.inputs) == ("cases", {"study.yaml": sha256(b"demo")})
    assert receipt.outputs == {
        "results/demo/cases.jsonl": Artifact(sha256(b"cases of demo"), 13),
        "results/tables/demo.csv": Artifact(sha256(b"a,b\n"), 4),
    }


def test_a_receipt_is_the_same_wherever_the_stage_runs(
    demo: Demo, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo.run(inputs={"study": Path("study.yaml").absolute(), "more": Path("code/helper.py")})
    here = RECEIPT.read_bytes()
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "deeper"
    Path.cwd().rename(elsewhere)
    monkeypatch.chdir(elsewhere)
    demo.run(inputs={"more": Path("code/helper.py"), "study": Path("study.yaml")})
    assert RECEIPT.read_bytes() == here


def test_a_path_outside_of_the_working_folder_is_not_in_the_receipt(demo: Demo, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}.outside"
    outside.write_bytes(b"")
    assert demo.run(inputs={"cases": outside}).inputs == {f"outside:cases/{outside.name}": sha256(b"")}


def test_a_stage_says_how_it_came_by_its_outputs(demo: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    demo.run()
    demo.run()
    made, restored = capsys.readouterr().err.splitlines()
    assert made.startswith("cases: made in 0.")
    assert restored == "cases: restored"


def test_deleted_results_are_restored_to_the_byte(demo: Demo) -> None:
    demo.run()
    before = files()
    for path in before:
        Path(path).unlink()
    demo.run()
    assert (demo.made, files()) == (1, before)


def test_restored_files_are_no_links_into_the_store(demo: Demo) -> None:
    demo.run()
    demo.run()
    OUTPUTS["cases"].write_bytes(b"edited")
    demo.run()
    assert (demo.made, OUTPUTS["cases"].read_bytes()) == (1, b"cases of demo")


CHANGES: dict[str, Callable[[Demo], Any]] = {
    "input": lambda demo: Path("study.yaml").write_bytes(b"more"),
    "params": lambda demo: demo.arguments.update(params={"seed": 2}),
    "the type of a param": lambda demo: demo.arguments.update(params={"seed": 1.0}),
    "code": lambda demo: Path("code/entry.py").write_text("import helper, json\n"),
    "imported code": lambda demo: Path("code/helper.py").write_text("import json\n"),
    "lock": lambda demo: Path("requirements.lock").write_text("a==2\n"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_what_determines_the_outputs_makes_them_anew(
    demo: Demo, monkeypatch: pytest.MonkeyPatch, change: Callable[[Demo], Any]
) -> None:
    monkeypatch.setattr(stage_module, "LOCK", Path("requirements.lock"))
    demo.run()
    change(demo)
    demo.run()
    assert demo.made == 2


def test_the_same_outputs_in_another_place_are_restored_there(demo: Demo) -> None:
    demo.run()
    demo.run(outputs={**OUTPUTS, "table": Path("results/elsewhere.csv")})
    assert (demo.made, Path("results/elsewhere.csv").read_bytes()) == (1, b"a,b\n")


def test_another_stage_with_the_same_arguments_is_another(demo: Demo) -> None:
    demo.run("cases")
    demo.run("tables")
    assert demo.made == 2


def test_an_unrelated_edit_makes_nothing_anew(demo: Demo) -> None:
    demo.run()
    Path("code/other.py").write_text("")
    os.utime("study.yaml", (0, 0))
    demo.run()
    assert demo.made == 1


@pytest.mark.parametrize(
    "spoil", [lambda blob: blob.write_bytes(b"poison"), lambda blob: blob.unlink()], ids=["poisoned", "missing"]
)
def test_a_bad_blob_makes_the_stage_anew_and_heals_the_store(demo: Demo, spoil: Callable[[Path], Any]) -> None:
    demo.run()
    before = files()
    spoil(blobs()[0])
    demo.run()
    assert (demo.made, files()) == (2, before)
    demo.run()
    assert (demo.made, len(blobs())) == (2, 2)


def test_an_action_that_names_other_bytes_than_pinned_is_not_followed(demo: Demo) -> None:
    pinned = {"cases": Artifact(sha256(b"cases of demo"), 13)}
    demo.run(pinned=pinned)
    (action,) = Path(".cache/actions").rglob("*.json")
    content = json.loads(action.read_text())
    content["outputs"]["cases"] = content["outputs"]["table"]
    action.write_text(json.dumps(content))
    demo.run(pinned=pinned)
    assert (demo.made, OUTPUTS["cases"].read_bytes()) == (2, b"cases of demo")


def test_a_make_that_raises_leaves_everything_as_it_was(demo: Demo) -> None:
    def make(partial: Mapping[str, Path]) -> None:
        demo.make(partial)
        raise RuntimeError("stop")

    demo.run()
    before, kept = files(), files(".cache")
    with pytest.raises(RuntimeError, match="stop"):
        demo.run(make=make, params={})
    assert (files(), files(".cache")) == (before, kept)


def test_a_first_make_that_raises_leaves_no_file(demo: Demo) -> None:
    def make(partial: Mapping[str, Path]) -> None:
        partial["cases"].write_bytes(b"half")
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        demo.run(make=make)
    assert (files(), files(".cache")) == ({}, {})


def test_a_run_that_ends_between_two_outputs_leaves_no_receipt(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    def publish(partial: Path, path: Path) -> None:
        if path == OUTPUTS["table"]:
            raise OSError("disk full")
        partial.replace(path)

    demo.run()
    monkeypatch.setattr(stage_module, "publish", publish)
    with pytest.raises(OSError, match="disk full"):
        demo.run(params={})
    assert list(files()) == sorted(map(str, OUTPUTS.values()))


def link(partial: Mapping[str, Path]) -> None:
    partial["table"].symlink_to("/etc/passwd")


@pytest.mark.parametrize("left", [lambda partial: None, link], ids=["nothing", "a link"])
def test_a_make_that_leaves_no_file_is_refused(demo: Demo, left: Callable[[Mapping[str, Path]], None]) -> None:
    def make(partial: Mapping[str, Path]) -> None:
        partial["cases"].write_bytes(b"")
        left(partial)

    with pytest.raises(StageError, match=r"^cases: output 'table': expected the file demo.csv, found none"):
        demo.run(make=make)
    assert files() == {}


def test_a_missing_input_is_named(demo: Demo) -> None:
    with pytest.raises(
        EvidenceError, match=r"^cases: input 'study': no file nowhere.yaml; run the stage that makes it"
    ):
        demo.run(inputs={"study": Path("nowhere.yaml")})


def test_an_input_that_changes_meanwhile_is_noticed_and_nothing_kept(demo: Demo) -> None:
    def make(partial: Mapping[str, Path]) -> None:
        demo.make(partial)
        Path("study.yaml").write_bytes(b"edited")

    with pytest.raises(EvidenceError, match=r"^cases: an input changed while the stage ran \(study.yaml\)"):
        demo.run(make=make)
    assert (files(), files(".cache")) == ({}, {})


def test_an_input_that_goes_meanwhile_is_noticed_and_nothing_kept(demo: Demo) -> None:
    def make(partial: Mapping[str, Path]) -> None:
        demo.make(partial)
        Path("study.yaml").unlink()

    with pytest.raises(EvidenceError, match=r"^cases: an input changed while the stage ran \(study.yaml\)"):
        demo.run(make=make)
    assert (files(), files(".cache")) == ({}, {})


def test_a_make_that_fails_for_an_input_that_went_is_told_by_that(demo: Demo) -> None:
    def make(partial: Mapping[str, Path]) -> None:
        Path("study.yaml").unlink()
        demo.make(partial)

    with pytest.raises(EvidenceError, match=r"^cases: an input changed while the stage ran \(study.yaml\)"):
        demo.run(make=make)


def test_two_outputs_in_one_place_are_refused(demo: Demo) -> None:
    with pytest.raises(InvalidValue, match=r"^cases: two outputs are one file"):
        demo.run(outputs={"a": Path("results/a"), "b": Path("results/x/../a")})


def test_without_a_usable_cache_the_stage_is_made_all_the_same(demo: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    Path("blocked").touch()
    for _ in range(2):
        demo.run(store=Store(Path("blocked")))
    assert (demo.made, OUTPUTS["cases"].read_bytes()) == (2, b"cases of demo")
    assert "store: cannot keep" in capsys.readouterr().err


BAD_RECEIPTS = {
    "no JSON": "{",
    "a list": "[]",
    "nothing": "{}",
    "a newer version": '{"format":"mateprobe.receipt","version":3}',
    "an unknown field": '{"format":"mateprobe.receipt","version":2,"outputs":{},"stage":"a","x":1}',
}


@pytest.mark.parametrize("text", BAD_RECEIPTS.values(), ids=BAD_RECEIPTS.keys())
def test_what_is_no_receipt_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(EvidenceError, match=r"r.json: expected a receipt, found .*; run the stage again$"):
        read_receipt(tmp_path / "r.json")


HASH = "0" * 64
FIELDS: dict[str, tuple[dict[str, Any], str]] = {
    "a stage that is no name": ({"stage": 7}, "stage=7, not a name"),
    "code that is no hash": ({"code": "abc"}, "code='abc', not a sha256"),
    "parameters that are no hash": ({"params": None}, "params=None, not a sha256"),
    "inputs that are no mapping": ({"inputs": ["a"]}, ""),
    "an input that is no hash": ({"inputs": {"a": 1}}, "a=1, not a sha256"),
    "outputs that are no mapping": ({"outputs": 7}, ""),
    "an output that is none": ({"outputs": {"a": HASH}}, "expected sha256 and bytes, found '000"),
    "an output without its size": ({"outputs": {"a": {"sha256": HASH}}}, "expected sha256 and bytes, found"),
    "a size that is none": ({"outputs": {"a": {"sha256": HASH, "bytes": True}}}, "expected sha256 and bytes, found"),
    "a hash that is none": ({"outputs": {"a": {"sha256": HASH.upper() + "A", "bytes": 1}}}, "expected sha256 and"),
    "more than an output": ({"outputs": {"a": {"sha256": HASH, "bytes": 1, "mode": 1}}}, "expected sha256 and bytes"),
}


@pytest.mark.parametrize(("changed", "message"), FIELDS.values(), ids=FIELDS.keys())
def test_a_sealed_receipt_with_a_field_of_another_kind_is_refused(
    tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    whole = {"stage": "cases", "code": HASH, "params": HASH, "inputs": {}, "outputs": {}}
    path = tmp_path / "r.json"
    for content in (whole, {**whole, **changed}):
        path.write_bytes(sealed({"format": "mateprobe.receipt", "version": 2, **content}))
        if content is whole:
            assert read_receipt(path).stage == "cases"
    with pytest.raises(EvidenceError, match=rf"r.json: expected a receipt, found .*{message}.*; run the stage again$"):
        read_receipt(path)


def test_no_receipt_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="expected the receipt of a stage, found none; run the stage"):
        read_receipt(tmp_path / "r.json")


TWIN = """
import sys
from pathlib import Path
from mateprobe.pipeline.stage import run_stage
def make(partial):
    print("making", flush=True)
    sys.stdin.readline()
    for path in partial.values():
        path.write_bytes(b"x" * 3_000_000)
outputs = {"a": Path("results/a"), "b": Path("results/b")}
run_stage("twin", inputs={}, params={}, modules=[], outputs=outputs, make=make, receipt=Path("results/r.json"))
"""


def test_two_processes_at_one_stage_both_end_well(demo: Demo) -> None:
    command = [sys.executable, "-c", TWIN]
    pipe = subprocess.PIPE
    twins = [subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(2)]
    for twin in twins:  # both are inside make before either may go on
        assert twin.stdout
        assert twin.stdout.readline() == "making\n"
    ends = []
    for twin in twins:
        assert twin.stdin
        twin.stdin.write("\n")
        twin.stdin.flush()
    for twin in twins:
        _, err = twin.communicate()
        ends.append((twin.returncode, err.startswith("twin: made in")))
    assert ends == [(0, True), (0, True)]
    assert {path: sha256(data) for path, data in files().items() if "r.json" not in path} == {
        "results/a": sha256(b"x" * 3_000_000),
        "results/b": sha256(b"x" * 3_000_000),
    }
    assert len(blobs()) == 1
    third = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    assert third.stderr == "twin: restored\n"
