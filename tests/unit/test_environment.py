"""The lock, the conda environment and the project's own declaration of what it needs say the same."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import lock

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
ENVIRONMENT = (ROOT / "environment.yml").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

BLOCKS = LOCK.replace("\\\n", " ").splitlines()
LOCKED = {canonicalize_name(pin.name): pin for pin in (Requirement(block.split(" --hash")[0]) for block in BLOCKS)}
WANTED = PROJECT["project"]["optional-dependencies"]["pipeline"] + PROJECT["dependency-groups"]["dev"]


def test_conda_environment_holds_exactly_the_pins_of_the_lock() -> None:
    *_, last = yaml.safe_load(ENVIRONMENT)["dependencies"]
    assert [str(Requirement(pin)) for pin in last["pip"]] == [str(pin) for pin in LOCKED.values()]


def test_conda_environment_has_the_oldest_python_that_the_project_admits() -> None:
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert f"python={oldest}" in yaml.safe_load(ENVIRONMENT)["dependencies"]


def test_conda_environment_is_what_the_lock_makes() -> None:
    assert lock.environment(LOCK) == ENVIRONMENT


@pytest.mark.parametrize("block", BLOCKS, ids=list(LOCKED))
def test_each_package_of_the_lock_has_one_version_and_hashes(block: str) -> None:
    pin, *hashes = re.split(r"\s+--hash=", block)
    assert [specifier.operator for specifier in Requirement(pin).specifier] == ["=="]
    assert hashes
    assert [digest for digest in hashes if not re.fullmatch(r"sha256:[0-9a-f]{64}", digest)] == []


@pytest.mark.parametrize("wanted", WANTED)
def test_each_declared_dependency_is_locked_at_a_version_it_allows(wanted: str) -> None:
    requirement = Requirement(wanted)
    (pin,) = LOCKED[canonicalize_name(requirement.name)].specifier
    assert pin.version in requirement.specifier


@pytest.mark.parametrize("text", [LOCK, ENVIRONMENT], ids=["requirements.lock", "environment.yml"])
@pytest.mark.parametrize("trace", ["://", "index-url", "find-links", "trusted-host", "@", ".org", ".com"])
def test_no_index_is_named(text: str, trace: str) -> None:
    assert trace not in text


def test_pins_keep_their_markers_and_leave_out_hashes() -> None:
    text = "a==1 \\\n    --hash=sha256:00\nb-c==2.0.post1 ; sys_platform == 'win32' \\\n    --hash=sha256:00\n"
    assert lock.pins(text) == ["a==1", "b-c==2.0.post1 ; sys_platform == 'win32'"]
