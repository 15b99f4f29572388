"""A manifest lists every artifact with what it was made from, or says which of them does not fit."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from mateprobe.errors import EvidenceError
from mateprobe.pipeline.manifest import artifacts, expect_chain, manifest_bytes
from mateprobe.pipeline.stage import Receipt, read_receipt
from mateprobe.pipeline.store import Artifact
from tests.unit.conftest import Bench, Ended, left, row, study

MANIFEST = Path("results/demo/manifest.json")
STAGES = ("cases", "observe.by_sign", "outcomes.by_sign", "summary")
RECEIPTS = [f"results/demo/receipts/{stage}.json" for stage in STAGES]


def manifest(bench: Bench) -> Ended:
    return bench.run("manifest", "--receipts", *RECEIPTS)


def sha256(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@pytest.fixture
def judged(bench: Bench) -> Bench:
    bench.write(study(row("a"), row("b", relation="preserve", variant=2)))
    bench.judge()
    return bench


def test_a_study_without_protocol_has_none_in_its_manifest(judged: Bench) -> None:
    assert manifest(judged) == Ended(0, "")
    assert json.loads(MANIFEST.read_text())["protocol"] is None


def test_every_artifact_stands_in_the_manifest_with_what_it_was_made_from(judged: Bench) -> None:
    assert manifest(judged) == Ended(0, "")
    found = json.loads(MANIFEST.read_text())
    assert (found["format"], found["version"], found["study"]) == ("mateprobe.manifest", 1, "demo")
    cases, observed, decided, counted = (
        f"results/demo/{name}"
        for name in ("cases.jsonl", "observations/by_sign.jsonl", "outcomes/by_sign.jsonl", "summary.json")
    )
    listed = {entry["path"]: entry for entry in found["artifacts"]}
    assert list(listed) == [cases, observed, decided, counted]
    for path, rule, inputs in (
        (cases, "cases", []),
        (observed, "observe", [cases]),
        (decided, "outcomes", [cases, observed]),
        (counted, "summary", [decided]),
    ):
        receipt = read_receipt(next(Path(name) for name in RECEIPTS if Path(name).name.startswith(rule)))
        assert listed[path] == {
            "path": path,
            "sha256": sha256(path),
            "bytes": Path(path).stat().st_size,
            "rule": rule,
            "code": receipt.code,
            "params": receipt.params,
            "inputs": {read: sha256(read) for read in inputs},
        }


def test_a_manifest_is_the_same_in_whatever_order_receipts_are_given(judged: Bench) -> None:
    manifest(judged)
    before = MANIFEST.read_bytes()
    judged.run("manifest", "--receipts", *reversed(RECEIPTS))
    assert MANIFEST.read_bytes() == before


def test_a_manifest_names_no_time_and_no_place(judged: Bench) -> None:
    manifest(judged)
    text = MANIFEST.read_text()
    assert (str(Path.cwd()) in text, "time" in text) == (False, False)


def expect_refusal(bench: Bench, message: str) -> None:
    before = left()
    assert manifest(bench) == Ended(2, f"manifest: {message}\n")
    assert left() == before
    assert not MANIFEST.exists()


def test_an_artifact_that_was_edited_is_named(judged: Bench) -> None:
    path = Path("results/demo/outcomes/by_sign.jsonl")
    expected = sha256(path)
    path.write_bytes(path.read_bytes().replace(b"detected", b"survived"))
    expect_refusal(judged, f"{path}: expected sha256 {expected}, found {sha256(path)} on disk; remove it and run again")


def test_an_artifact_that_is_gone_is_named(judged: Bench) -> None:
    path = Path("results/demo/summary.json")
    expected = sha256(path)
    path.unlink()
    expect_refusal(judged, f"{path}: expected sha256 {expected}, found no file on disk; remove it and run again")


def test_an_artifact_made_from_what_is_no_longer_there_is_named(judged: Bench) -> None:
    path = Path("results/demo/cases.jsonl")
    before = sha256(path)
    judged.write(study(row("a")))
    assert judged.run("cases").code == 0
    found = f"{sha256(path)} made, but observe read another"
    expect_refusal(judged, f"{path}: expected sha256 {before}, found {found}; remove it and run again")


def test_a_receipt_that_is_not_there_is_named(judged: Bench) -> None:
    Path(RECEIPTS[1]).unlink()
    expect_refusal(judged, f"{RECEIPTS[1]}: expected the receipt of a stage, found none; run the stage")


def test_a_receipt_that_is_none_is_named(judged: Bench) -> None:
    Path(RECEIPTS[0]).write_text("[]")
    before = left()
    ended = manifest(judged)
    assert (ended.code, left()) == (2, before)
    assert ended.said.startswith(f"manifest: {RECEIPTS[0]}: expected a receipt, found ")


def receipt(stage: str, inputs: dict[str, str], outputs: dict[str, str]) -> Receipt:
    made = {path: Artifact(digest, 1) for path, digest in outputs.items()}
    return Receipt(stage=stage, inputs=inputs, outputs=made, code="c", params="p")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.chdir(tmp_path)
    digests = {}
    for path in ("results/evidence/a", "results/demo/b"):
        Path(path).parent.mkdir(parents=True)
        Path(path).write_text(path[-1])
        digests[path] = sha256(path)
    return digests


def listed(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["path"] for entry in entries]


def test_artifacts_of_other_stages_are_checked_and_not_listed(made: dict[str, str]) -> None:
    (a, of_a), (b, of_b) = made.items()
    chain = [receipt("two", {a: of_a}, {b: of_b}), receipt("one", {"pins.yaml": "0"}, {a: of_a})]
    assert listed(json.loads(manifest_bytes("demo", chain))["artifacts"]) == [b]
    assert listed(artifacts(chain)) == [b, a]
    expect_chain(chain)
    Path(a).write_text("edited")
    with pytest.raises(EvidenceError, match=rf"^{a}: expected sha256 {of_a}, found {sha256(a)} on disk"):
        expect_chain(chain)
