"""The published evidence: taken from the store, or fetched once through the user's own pip."""

from __future__ import annotations

from pathlib import Path

import pytest

from mateprobe.pipeline.archive import extract, obtained
from mateprobe.pipeline.evidence import PINS
from mateprobe.pipeline.pins import load_pins
from mateprobe.pipeline.store import Store


@pytest.fixture(scope="session")
def evidence(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the pinned members of the published archive."""
    archive, folder = load_pins(pytestconfig.rootpath / PINS), tmp_path_factory.mktemp("evidence")
    with obtained(archive, Store(pytestconfig.rootpath / Store().root)) as path:
        extract(path, archive, {member: folder / member for member in archive.members})
    return folder
