"""Runs that were killed at moments nobody chose come to the same end, and need no hand."""

from __future__ import annotations

import random
from pathlib import Path

from tests.workflow.kills import campaign
from tests.workflow.project import Tree


def test_killed_runs_that_are_started_again_give_the_same_bytes(untouched: Tree, tmp_path: Path) -> None:
    tally = campaign(tmp_path, untouched, random.Random(1729), kills=3, stretch=14)
    assert tally.failures == []
    assert tally.differences == []
    assert (tally.kills, tally.completions > 0) == (3, True)
