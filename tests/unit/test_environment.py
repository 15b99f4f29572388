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
SLURM_LOCK, DOCS_LOCK, MUTANTS_LOCK = (
    lock.GROUPS[group].read_text(encoding="utf-8") for group in ("slurm", "docs", "mutants")
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def blocks(text: str) -> list[str]:
    """Return each package of a lock with its hashes, in one line."""
    return text.replace("\\\n", " ").splitlines()


def locked(text: str) -> dict[str, Requirement]:
    """Return each package of a lock by its name."""
    return {
        canonicalize_name(pin.name): pin for pin in (Requirement(line.split(" --hash")[0]) for line in blocks(text))
    }


BLOCKS = {block.split()[0]: block for block in blocks(LOCK + SLURM_LOCK + DOCS_LOCK + MUTANTS_LOCK)}
LOCKED = locked(LOCK + SLURM_LOCK + DOCS_LOCK + MUTANTS_LOCK)
GROUPS = PROJECT["dependency-groups"]
BESIDE = [wanted for group in lock.GROUPS for wanted in GROUPS[group]]
WANTED = PROJECT["project"]["optional-dependencies"]["pipeline"] + GROUPS["dev"] + BESIDE


def test_conda_environment_holds_exactly_the_pins_of_the_lock() -> None:
    *_, last = yaml.safe_load(ENVIRONMENT)["dependencies"]
    assert [str(Requirement(pin)) for pin in last["pip"]] == [str(pin) for pin in locked(LOCK).values()]


def test_conda_environment_has_the_oldest_python_that_the_project_admits() -> None:
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert f"python={oldest}" in yaml.safe_load(ENVIRONMENT)["dependencies"]


def test_conda_environment_is_what_the_lock_makes() -> None:
    assert lock.environment(LOCK) == ENVIRONMENT


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS.keys())
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


def test_what_one_lock_has_beside_another_keeps_its_hashes() -> None:
    both = "a==1 \\\n    --hash=sha256:00\nb==2 \\\n    --hash=sha256:00 \\\n    --hash=sha256:01\n"
    assert lock.beside(both, "a==1 \\\n    --hash=sha256:07\nb==1\n") == both.partition("\n    --hash=sha256:00\n")[2]


def test_no_package_is_locked_at_two_versions() -> None:
    assert len(LOCKED) == len(BLOCKS)


@pytest.mark.parametrize(
    "text",
    [LOCK, ENVIRONMENT, SLURM_LOCK, DOCS_LOCK, MUTANTS_LOCK],
    ids=["lock", "environment.yml", "slurm", "docs", "mutants"],
)
@pytest.mark.parametrize("trace", ["://", "index-url", "find-links", "trusted-host", "@", ".org", ".com"])
def test_no_index_is_named(text: str, trace: str) -> None:
    assert trace not in text


def test_pins_keep_their_markers_and_leave_out_hashes() -> None:
    text = "a==1 \\\n    --hash=sha256:00\nb-c==2.0.post1 ; sys_platform == 'win32' \\\n    --hash=sha256:00\n"
    assert lock.pins(text) == ["a==1", "b-c==2.0.post1 ; sys_platform == 'win32'"]
