"""What an installed copy of the project is: its metadata, its files, and nothing it would need besides."""

import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from configparser import ConfigParser
from email.message import Message
from email.parser import Parser
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
import yaml
from hatchling.builders.wheel import WheelBuilder

from mateprobe._version import __version__

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("dist")), versions=["standard"])
    with zipfile.ZipFile(built) as opened:
        yield opened


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    return Parser().parsestr(wheel.read(f"mateprobe-{__version__}.dist-info/METADATA").decode())


def test_the_version_is_the_one_of_the_citation(metadata: Message) -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (__version__, __version__) == (citation["version"], metadata["Version"])


def test_the_change_log_has_an_entry_for_the_version() -> None:
    assert f"\n## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_a_clone_that_would_turn_line_ends_gets_the_bytes_that_were_committed(tmp_path: Path) -> None:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("there is no repository here")
    clone = [
        git,
        "-c",
        "core.autocrlf=true",
        "clone",
        "--quiet",
        "--depth",
        "1",
        ROOT.as_uri(),
        str(tmp_path / "clone"),
    ]
    subprocess.run(clone, check=True, capture_output=True)
    listed = subprocess.run(
        [git, "ls-files", "--eol"], cwd=tmp_path / "clone", check=True, capture_output=True, encoding="utf-8"
    )
    ends = [line.split()[:2] for line in listed.stdout.splitlines()]
    assert len(ends) > 500
    assert [(index, copy) for index, copy in ends if index[2:] != copy[2:]] == []


def test_the_core_requires_nothing_but_python(metadata: Message) -> None:
    assert [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line] == []


def test_the_licence_is_named_and_enclosed(wheel: zipfile.ZipFile, metadata: Message) -> None:
    assert metadata["License-Expression"] == "MIT"
    assert b"The MateProbe contributors" in wheel.read(f"mateprobe-{__version__}.dist-info/licenses/LICENSE")


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel: zipfile.ZipFile) -> None:
    package = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "mateprobe").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    installed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert installed == package
    assert "mateprobe/py.typed" in installed


@pytest.mark.parametrize("group", ["console_scripts", "pytest11"])
def test_each_entry_point_leads_to_something(wheel: zipfile.ZipFile, group: str) -> None:
    declared = ConfigParser()
    declared.read_string(wheel.read(f"mateprobe-{__version__}.dist-info/entry_points.txt").decode())
    targets = declared[group]
    assert list(targets) == ["mateprobe"]
    assert EntryPoint("mateprobe", targets["mateprobe"], group).load() is not None
