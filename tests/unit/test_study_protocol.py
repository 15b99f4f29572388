"""What a protocol fixes is recorded before anything is observed, and a change that is not listed stops the study."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from mateprobe.errors import StudyError
from mateprobe.pipeline.chain import Disk, differences
from mateprobe.pipeline.made import of_study
from mateprobe.pipeline.stage import read_receipt
from mateprobe.pipeline.studies import load_study
from mateprobe.pipeline.study_protocol import Deviation, read_protocol
from tests.unit.conftest import Bench, Ended, left, row, study

PATH = Path("paper/protocols/demo.md")
CASES = Path("results/demo/receipts/cases.json")
TEXT, CHANGED = "# Protocol: demo\n\nTen cases.\n", "# Protocol: demo\n\nTwelve cases.\n"
RECEIPTS = [f"results/demo/receipts/{stage}.json" for stage in ("cases", "observe.by_sign", "outcomes.by_sign")]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write(text: str, *below: str) -> str:
    """Write a protocol that was fixed with ``TEXT``; return the hash of the file."""
    whole = "\n".join([text, "## Deviations", "", f"Fixed with sha256 `{sha256(TEXT)}`.", "", *below, ""])
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_text(whole)
    return sha256(whole)


LISTED = f"- `{sha256(CHANGED)}`: two cases more, because ten left a family out."


@pytest.fixture
def folder(bench: Bench) -> Bench:
    bench.write(study(row("a"), row("b", relation="preserve", variant=2)))
    return bench


def manifest(bench: Bench) -> Any:
    assert bench.run("manifest", "--receipts", *RECEIPTS) == Ended(0, "")
    return json.loads(Path("results/demo/manifest.json").read_text())["protocol"]


def test_the_receipt_of_the_cases_names_the_protocol_and_every_observation_is_made_of_these_cases(
    folder: Bench,
) -> None:
    whole = write(TEXT)
    folder.judge()
    assert read_receipt(CASES).inputs[PATH.as_posix()] == whole
    cases = hashlib.sha256(Path("results/demo/cases.jsonl").read_bytes()).hexdigest()
    assert read_receipt(Path(RECEIPTS[1])).inputs["results/demo/cases.jsonl"] == cases
    assert manifest(folder) == {"path": PATH.as_posix(), "sha256": whole, "fixed": sha256(TEXT), "deviations": []}


def test_a_change_that_is_not_listed_stops_the_study_before_anything_is_observed(folder: Bench) -> None:
    write(CHANGED, "None.")
    said = (
        f"{PATH}: the text above ## Deviations was fixed with sha256 {sha256(TEXT)}, found {sha256(CHANGED)}; take the "
        f"change back, or list it there: - `{sha256(CHANGED)}`: what is other than it was, and why"
    )
    assert folder.run("cases") == Ended(2, f"cases: {said}\n")
    assert left() == []


def test_a_listed_change_is_a_deviation_in_the_manifest_and_nothing_is_observed_again(folder: Bench) -> None:
    write(TEXT)
    folder.judge()
    before = Path(RECEIPTS[1]).read_bytes()
    whole = write(CHANGED, LISTED)
    assert folder.run("cases") == Ended(0, "cases: made")
    assert folder.run("observe", "--validator", "by_sign") == Ended(0, "observe: restored\n")
    assert Path(RECEIPTS[1]).read_bytes() == before
    says = "two cases more, because ten left a family out."
    assert manifest(folder) == {
        "path": PATH.as_posix(),
        "sha256": whole,
        "fixed": sha256(TEXT),
        "deviations": [{"sha256": sha256(CHANGED), "says": says}],
    }


def test_changes_are_listed_one_after_the_other_and_the_last_is_the_text_as_it_is(folder: Bench) -> None:
    again = f"- `{sha256(TEXT)}`: back to ten."
    write(TEXT, LISTED, again)
    found = read_protocol("demo")
    assert found is not None
    assert found.deviations[1] == Deviation(sha256(TEXT), "back to ten.")
    write(TEXT, again, LISTED)
    with pytest.raises(StudyError, match=f"was fixed with sha256 {sha256(CHANGED)}, found {sha256(TEXT)};"):
        read_protocol("demo")


NOT_FIXED = {"no heading": TEXT, "no hash": f"{TEXT}\n## Deviations\n\nNone.\n"}


@pytest.mark.parametrize("text", NOT_FIXED.values(), ids=NOT_FIXED.keys())
def test_a_protocol_that_was_never_fixed_is_told_how(folder: Bench, text: str) -> None:
    PATH.parent.mkdir(parents=True)
    PATH.write_text(text)
    said = (
        f"cases: {PATH}: expected a heading ## Deviations, and below it with which hash the text above was fixed; "
        f"before anything is observed, write: Fixed with sha256 `{sha256(TEXT)}`.\n"
    )
    assert folder.run("cases") == Ended(2, said)
    assert left() == []


def test_a_protocol_that_comes_after_the_observations_is_refused(folder: Bench) -> None:
    folder.judge()
    write(TEXT)
    said = f"manifest: {PATH}: the cases of 'demo' were made without it; run from the stage cases on again\n"
    assert folder.run("manifest", "--receipts", *RECEIPTS) == Ended(2, said)
    assert folder.run("cases").code == 0
    write(CHANGED, LISTED)
    said = said.replace("without it", "under another text of it")
    assert folder.run("manifest", "--receipts", *RECEIPTS) == Ended(2, said)


def test_a_protocol_changed_after_the_run_is_named_when_results_are_verified(folder: Bench) -> None:
    write(TEXT)
    folder.judge()
    manifest(folder)
    made = of_study(load_study(Path("studies/demo.yaml")), ())
    assert [found.told for found in differences(made, (), Disk()) if PATH.as_posix() in found.told] == []
    write(CHANGED)
    told = [found for found in differences(made, (), Disk()) if found.told.startswith(PATH.as_posix())]
    assert [found.untrue for found in told] == [CASES, Path("results/demo/manifest.json")]
    assert "list it there" in told[1].told
    PATH.unlink()
    assert f"{PATH}: " in "\n".join(found.told for found in differences(made, (), Disk()) if found.untrue == CASES)
