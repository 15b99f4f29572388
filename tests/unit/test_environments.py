"""Environments of audited packages: locked by hash, built once, and an outcome where they cannot be."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mateprobe.errors import EvidenceError, StageError
from mateprobe.pipeline import environments
from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.environment import at_hand
from mateprobe.pipeline.environments import Environment, environment_name, lock_path, obtained
from mateprobe.pipeline.lock import locked
from mateprobe.pipeline.uv import Ran, from_pip
from tests.unit.packages import only_from, wheel

TINY = ("tiny==1.0",)


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages, and a working folder beside it."""
    folder, work = tmp_path / "index", tmp_path / "work"
    folder.mkdir()
    work.mkdir()
    wheel(folder, "tiny", "1.0", "answer = 1\n")
    wheel(folder, "tiny", "2.0", "answer = 2\n", "other")
    wheel(folder, "other", "1.0", "")
    wheel(folder, "picky", "1.0", "", "tiny<2")
    only_from(folder, tmp_path / "uv", monkeypatch)
    monkeypatch.delenv("MATEPROBE_CACHE", raising=False)
    monkeypatch.chdir(work)
    return folder


def lock(*requirements: str) -> str:
    """Make the lock of these requirements and return its environment's name."""
    name = environment_name(requirements)
    lock_path(name).parent.mkdir(parents=True, exist_ok=True)
    lock_path(name).write_text(locked(requirements))
    return name


def built() -> list[Path]:
    return sorted(Path(".cache/environments").glob("*"))


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_lock_names_every_package_by_version_and_hash_and_no_index(index: Path) -> None:
    hashes = {path.name: sha256(path) for path in index.rglob("*.whl")}
    expected = (
        f"other==1.0 \\\n    --hash=sha256:{hashes['other-1.0-py3-none-any.whl']}\n"
        f"tiny==2.0 \\\n    --hash=sha256:{hashes['tiny-2.0-py3-none-any.whl']}\n"
    )
    assert locked(["tiny==2.0"]) == expected


@pytest.mark.parametrize(
    ("requirements", "expected"),
    [
        (["tiny==9"], "# unavailable: the index has no tiny==9\n"),
        (["tiny==2.0", "picky==1.0"], "# unavailable: nothing satisfies tiny==2.0, picky==1.0\n"),
        (["absent==1.0"], "# unavailable: nothing satisfies absent==1.0\n"),
    ],
    ids=["no such release", "pins that contradict", "no such package"],
)
def test_what_nobody_can_install_has_a_lock_that_says_why(requirements: list[str], expected: str) -> None:
    assert locked(requirements) == expected


def test_a_release_that_was_withdrawn_has_a_lock_that_says_so(index: Path) -> None:
    page = index / "tiny" / "index.html"
    page.write_text(
        page.read_text().replace('<a href="tiny-1.0', '<a data-yanked="wrong &lt;commit&gt;" href="tiny-1.0')
    )
    assert locked(["tiny==1.0"]) == "# unavailable: tiny==1.0 was withdrawn: wrong <commit>\n"
    assert locked(["tiny==2.0"]).startswith("other==1.0")


def test_a_lock_cannot_be_made_where_the_index_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    away(monkeypatch)
    with pytest.raises(StageError, match=r"tiny==1\.0: the package index cannot be reached"):
        locked(TINY)


def away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let uv have no index but one that nobody answers for."""
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")


def test_the_name_is_of_the_release_and_of_all_that_is_asked_for() -> None:
    names = [environment_name(names) for names in (["Tiny_Package==1.0"], ["Tiny_Package==1.0", "other==1.0"])]
    assert [re.sub("[0-9a-f]{8}$", "…", name) for name in names] == ["tiny-package-1.0-…", "tiny-package-1.0-…"]
    assert names[0] != names[1]


def test_an_environment_holds_what_its_lock_names_and_says_so() -> None:
    found = obtained(lock("tiny==2.0"))
    [folder] = built()
    records = {path.parent.name.removesuffix(".dist-info"): sha256(path) for path in folder.rglob("RECORD")}
    assert found.distributions == records
    assert sorted(records) == ["other-1.0", "tiny-2.0"]
    assert found.lock == sha256(lock_path(found.name))
    assert (found.unavailable, found.away) == (None, False)


def test_its_python_sees_its_packages_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(environments.__file__).parents[2]))
    python = obtained(lock(*TINY)).interpreter
    source = "import importlib.util, tiny; print(tiny.answer, importlib.util.find_spec('mateprobe'))"
    done = subprocess.run([python, "-I", "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout == "1 None\n"


def test_the_same_lock_is_built_once_whatever_it_is_called() -> None:
    first = obtained(lock(*TINY))
    second = obtained(lock("tiny<=1.0"))
    assert second.folder == first.folder
    assert len(built()) == 1
    assert second == replace(first, name=second.name)


def test_a_file_that_changed_is_noticed_and_the_environment_built_anew() -> None:
    name = lock(*TINY)
    before = obtained(name)
    [module] = built()[0].rglob("tiny.py")
    module.write_text("answer = 3\n")
    assert obtained(name) == before
    [module] = built()[0].rglob("tiny.py")
    assert module.read_text() == "answer = 1\n"


def test_an_environment_is_built_anew_when_that_is_asked_for() -> None:
    name = lock(*TINY)
    obtained(name)
    (built()[0] / "mark").touch()
    obtained(name)
    assert (built()[0] / "mark").exists()
    obtained(name, anew=True)
    assert not (built()[0] / "mark").exists()


BROKEN: dict[str, tuple[Callable[[str], str], str]] = {
    "a wrong hash": (
        lambda text: re.sub("sha256:.", "sha256:x".replace("x", "0" if "sha256:0" not in text else "1"), text),
        "a file of the index has another hash than the lock",
    ),
    "no hash": (lambda text: text.partition(" ")[0], "the lock has no hash for a package"),
    "a release that was withdrawn": (
        lambda text: text.replace("==1.0", "==1.5"),
        "the index does not have a release of the lock",
    ),
    "a package that was withdrawn": (
        lambda text: text.replace("tiny", "absent"),
        "the index does not have a package of the lock",
    ),
    "no lock at all": (lambda text: "<<<<<<< ours\n", "the lock cannot be read"),
}


@pytest.mark.parametrize("damage", BROKEN)
def test_a_lock_that_cannot_be_installed_is_an_outcome_with_a_reason(damage: str) -> None:
    change, reason = BROKEN[damage]
    name = lock(*TINY)
    lock_path(name).write_text(change(lock_path(name).read_text()))
    found = obtained(name)
    assert (found.unavailable, found.away, found.distributions) == (reason, False, {})
    assert built() == []


def test_a_lock_that_says_why_there_is_none_is_an_outcome_too() -> None:
    found = obtained(lock("tiny==9"))
    assert (found.unavailable, found.away) == ("the index has no tiny==9", False)


def test_where_nothing_can_be_fetched_nothing_is_said_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    name = lock(*TINY)
    away(monkeypatch)
    monkeypatch.setenv("UV_CACHE_DIR", str(Path("empty").absolute()))
    found = obtained(name)
    assert (found.unavailable, found.away) == ("the packages cannot be fetched here", True)


def test_where_its_python_is_missing_nothing_is_said_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "PYTHON", "3.2")
    found = obtained(lock(*TINY))
    assert (found.unavailable, found.away) == ("there is no Python 3.2 here", True)


def test_without_a_lock_there_is_no_environment() -> None:
    with pytest.raises(EvidenceError, match=r"tiny\.txt: expected a lock file, found none; make it with .* lock STUDY"):
        obtained("tiny")


def test_the_receipt_holds_what_was_installed_and_no_path() -> None:
    name = lock(*TINY)
    assert main(["environment", "--name", name]) == 0
    text = Path(f"results/environments/{name}.json").read_text()
    receipt = json.loads(text)
    fields = {"name", "lock", "python", "platform", "distributions", "unavailable", "away"}
    assert receipt.keys() == {"format", "version", "seal", *fields}
    assert (receipt["name"], list(receipt["distributions"])) == (name, ["tiny-1.0"])
    assert str(Path.cwd()) not in text


def test_what_failed_is_not_tried_again_while_its_lock_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    name = lock(*TINY)
    good = lock_path(name).read_text()
    lock_path(name).write_text(good.replace("==1.0", "==1.5"))
    main(["environment", "--name", name])
    with monkeypatch.context() as changed:
        changed.setattr("mateprobe.pipeline.environment.obtained", lambda name: pytest.fail("tried again"))
        assert at_hand(name).unavailable == "the index does not have a release of the lock"
    lock_path(name).write_text(good)
    assert at_hand(name).unavailable is None


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ("", {}),
        ("global.index-url='https://a/simple'\nglobal.timeout='60'\n", {"UV_DEFAULT_INDEX": "https://a/simple"}),
        ("global.index-url='https://a'\n:env:.index-url='https://b'\n", {"UV_DEFAULT_INDEX": "https://b"}),
        ("global.index-url='https://a'\ninstall.index-url='https://c'\n", {"UV_DEFAULT_INDEX": "https://c"}),
        ("global.extra-index-url='https://a'\n", {}),
        (":env:.cert='/c.pem'\n", {"SSL_CERT_FILE": "/c.pem"}),
    ],
    ids=["nothing", "a file", "the environment", "the command", "an extra index", "certificates"],
)
def test_the_index_is_the_one_that_pip_is_configured_with(
    configuration: str, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UV_DEFAULT_INDEX")
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    assert from_pip(configuration) == expected


def test_a_configuration_of_uv_itself_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/mine.pem")
    assert from_pip("global.index-url='https://a'\nglobal.cert='/c.pem'\n") == {}


def test_only_a_failure_for_want_of_the_network_is_one_of_this_machine() -> None:
    said = "error: Failed to fetch: tcp connect error"
    assert [Ran(well, said).away for well in (False, True)] == [True, False]
    assert not Ran(well=False, said="Hash mismatch").away


def test_an_environment_is_itself_wherever_it_lies() -> None:
    here, there = (Environment("a", "b", folder=Path(folder)) for folder in ("x", "y"))
    assert here == there
