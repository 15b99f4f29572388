"""The page on pytest: its files are written, its commands run, and what they print is what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages import ROOT, follow


def test_every_file_and_command_of_the_page_does_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "pytest.ini").touch()
    follow((ROOT / "docs" / "pytest.md").read_text("utf-8"), tmp_path)
