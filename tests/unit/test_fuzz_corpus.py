"""What fuzzing begins with, and what it has found: every target takes or refuses it as it should."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mateprobe import answers, strict_json
from mateprobe.command import Command
from mateprobe.pipeline import archive, pack_check, study
from mateprobe.runner import Judgement, Verdict
from tools import fuzz_targets
from tools.fuzz_targets import TARGETS, Obeyed

CORPUS = Path(__file__).parents[1] / "corpus"
INPUTS = {f"{path.parent.name}/{path.name}": path for path in sorted(CORPUS.glob("*/*"))}


@pytest.mark.parametrize("path", INPUTS.values(), ids=INPUTS)
def test_an_input_is_taken_or_refused(path: Path, tmp_path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes(), tmp_path)


def test_every_target_has_inputs() -> None:
    assert {path.parent.name for path in INPUTS.values()} == TARGETS.keys()


def broken(*_: Any, **__: Any) -> Any:
    raise KeyError("broken")


FAULTS = {
    "loader": (strict_json, "loads", "seed-json"),
    "study": (study, "read_studies", "seed-study"),
    "records": (fuzz_targets, "case_line", "seed-whole"),
    "worker": (answers, "_verdict", "seed-whole"),
    "archive": (archive, "_take", "seed-tar"),
}


@pytest.mark.parametrize("target", FAULTS)
def test_a_fault_is_noticed(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, seed = FAULTS[target]
    monkeypatch.setattr(module, name, broken)
    with pytest.raises(KeyError, match="broken"):
        TARGETS[target](CORPUS.joinpath(target, seed).read_bytes(), tmp_path)


def test_an_escape_sequence_on_the_terminal_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mateprobe.reports.markdown.visible", str)
    with pytest.raises(Obeyed):
        TARGETS["loader"](CORPUS.joinpath("loader", "control-in-obligation").read_bytes(), tmp_path)


def test_what_a_program_answers_in_pieces_is_a_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    heard: list[Judgement] = []

    class Heard(Command):
        def ask(self, id: str, sample: Any) -> Judgement:
            heard.append(super().ask(id, sample))
            return heard[-1]

    monkeypatch.setattr(fuzz_targets, "Command", Heard)
    TARGETS["worker"](CORPUS.joinpath("worker", "seed-split").read_bytes(), tmp_path)
    assert heard == [Verdict(True, evidence=("e",)), Verdict(False, ("x",))]


def test_the_archives_to_begin_with_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in ("seed-gz", "seed-tar", "seed-pax", "seed-gnu"):
        TARGETS["archive"](CORPUS.joinpath("archive", seed).read_bytes(), tmp_path)
        assert (tmp_path / "out" / "a").read_bytes() == b"a\n"
        (tmp_path / "out" / "a").unlink()
    monkeypatch.setattr(pack_check, "problems", broken)
    for seed in ("seed-bz2", "seed-pack"):
        with pytest.raises(KeyError, match="broken"):
            TARGETS["archive"](CORPUS.joinpath("archive", seed).read_bytes(), tmp_path)
