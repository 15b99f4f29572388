"""The page on reports: its files are written, its commands run, and what they print is what it shows."""

from __future__ import annotations

from pathlib import Path

import yaml

from tests.pages import ROOT, blocks, follow, printed

PAGE = (ROOT / "docs" / "reports.md").read_text("utf-8")


def test_every_file_and_command_of_the_page_does_what_it_shows(tmp_path: Path) -> None:
    follow(PAGE, tmp_path)


def test_the_line_for_ci_writes_a_report_and_a_summary(tmp_path: Path) -> None:
    for file, _, text in [block for block in blocks(PAGE) if block.file][:3]:
        (tmp_path / file).write_text(text, "utf-8")
    (line,) = [step["run"] for _, language, text in blocks(PAGE) if language == "yaml" for step in yaml.safe_load(text)]
    _, found = printed(["export GITHUB_STEP_SUMMARY=summary.md", line], tmp_path)
    assert found.startswith("not met: ")
    assert "| too much | amount | survived |" in (tmp_path / "summary.md").read_text("utf-8")
    assert (tmp_path / "report.jsonl").is_file()


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    assert {block.language for block in blocks(PAGE) if not block.file} == {"console", "yaml"}
