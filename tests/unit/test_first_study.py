"""The page for newcomers: its files are written, its commands run, and what they print is what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from mateprobe.commands import FAILED, MET, NOT_MET, NOTHING, UNUSABLE
from tests.pages import ROOT, blocks, follow, printed

PAGE = (ROOT / "docs" / "first-study.md").read_text("utf-8")
ALONE, _, IN_A_CHECKOUT = PAGE.partition("## When one audit becomes many")


def test_every_file_and_command_of_the_page_does_what_it_shows(tmp_path: Path) -> None:
    follow(ALONE, tmp_path)


def test_the_line_for_ci_is_a_command_that_passes(tmp_path: Path) -> None:
    for file, _, text in blocks(ALONE):
        if file:
            (tmp_path / file).write_text(text, "utf-8")
    (line,) = [step["run"] for _, language, text in blocks(PAGE) if language == "yaml" for step in yaml.safe_load(text)]
    (found, status) = printed([line, "echo $?"], tmp_path)
    assert (found[:4], status) == ("met:", "0\n")
    assert "| too much | amount | detected |" in (tmp_path / "audit.md").read_text("utf-8")


def test_the_table_of_exit_statuses_has_all_of_them() -> None:
    assert sorted(map(int, re.findall(r"^\| `(\d)` \|", PAGE, flags=re.MULTILINE))) == sorted(
        [MET, NOT_MET, UNUSABLE, FAILED, NOTHING]
    )


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    assert {block.language for block in blocks(PAGE) if not block.file} == {"console", "yaml"}
    assert {block.language for block in blocks(IN_A_CHECKOUT)} == {"console"}
