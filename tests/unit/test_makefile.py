"""Setting up: `make environment` with a stand-in for Python that writes down what it is asked to do."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

STAND_IN = """\
#!/bin/sh
printf '%s\\n' "$*" >> "{log}"
case "$*" in
    -c*) exit {too_old} ;;
    --version) echo Python 3.10.0 ;;
    "-m venv"*) mkdir -p .venv/bin && rm -f .venv/bin/python && cp "$0" .venv/bin/python ;;
    *"-r requirements.lock") test ! -e fail ;;
esac
"""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A copy of the files that make an environment, in a folder whose name has a space."""

    folder: Path
    python: Path
    log: Path

    def make(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = ["make", f"PYTHON={self.python}", *(words or ["environment"])]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)

    def asked(self) -> list[str]:
        """Returns what Python was asked since the last call."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return lines


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    for inherited in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):  # these tests may themselves be run by make
        monkeypatch.delenv(inherited, raising=False)
    folder = tmp_path / "a checkout"
    folder.mkdir()
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    made = Checkout(folder, tmp_path / "python", tmp_path / "log")
    stand_in(made, too_old=0)
    return made


def stand_in(checkout: Checkout, too_old: int) -> None:
    checkout.python.write_text(STAND_IN.format(log=checkout.log, too_old=too_old))
    checkout.python.chmod(0o755)


def test_everything_that_is_installed_has_a_hash(checkout: Checkout) -> None:
    assert checkout.make().returncode == 0
    installs = [line for line in checkout.asked() if line.startswith("-m pip")]
    *locked, project = installs
    assert [line for line in locked if "--require-hashes" not in line] == []
    assert "--no-deps --editable ." in project
    assert [line for line in (locked[-1], project) if "--no-build-isolation" not in line] == []


def test_the_build_tool_is_installed_before_what_it_builds(checkout: Checkout) -> None:
    checkout.make()
    first, second = [line.split()[-1] for line in checkout.asked() if "--require-hashes" in line]
    assert (first, second) == (".venv/installers.lock", "requirements.lock")
    lock = (checkout.folder / "requirements.lock").read_text()
    blocks = re.findall(r"^(?:pip|setuptools)==.*\n(?: .*\n)+", lock, flags=re.MULTILINE)
    assert len(blocks) == 2
    assert (checkout.folder / first).read_text() == "".join(blocks)


def test_a_profile_with_a_lock_is_installed_with_its_hashes_and_once(checkout: Checkout) -> None:
    lock = checkout.folder / "workflow/profiles/site/requirements.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text("executor==1\n")
    checkout.make()
    checkout.asked()
    checkout.make("PROFILE=site", "reproduce")
    (installed,) = [line for line in checkout.asked() if line.startswith("-m pip")]
    assert installed.endswith("--require-hashes --no-deps -r workflow/profiles/site/requirements.lock")
    checkout.make("PROFILE=site", "reproduce")
    checkout.make("PROFILE=other", "reproduce")
    assert [line.split()[1:] for line in checkout.asked()] == [
        ["mateprobe.pipeline", "reproduce", "--profile", profile] for profile in ("site", "other")
    ]


def test_a_finished_environment_is_used_as_it_is(checkout: Checkout) -> None:
    checkout.make()
    checkout.asked()
    for name in ("requirements.lock", "pyproject.toml"):
        (checkout.folder / name).touch()
    again = checkout.make()
    assert (again.returncode, again.stderr, checkout.asked()) == (0, "", [])


def test_an_edited_lock_makes_the_environment_anew(checkout: Checkout) -> None:
    checkout.make()
    checkout.asked()
    with (checkout.folder / "requirements.lock").open("a") as lock:
        lock.write("# edited\n")
    checkout.make()
    assert "-m venv --clear .venv" in checkout.asked()


def test_an_edited_declaration_enters_the_project_anew_and_no_more(checkout: Checkout) -> None:
    checkout.make()
    checkout.asked()
    with (checkout.folder / "pyproject.toml").open("a") as project:
        project.write("# edited\n")
    checkout.make()
    (only,) = checkout.asked()
    assert only.endswith("--editable .")


def test_a_moved_checkout_makes_the_environment_anew(checkout: Checkout) -> None:
    checkout.make()
    checkout.asked()
    moved = Checkout(checkout.folder.rename(checkout.folder.parent / "moved"), checkout.python, checkout.log)
    moved.make()
    assert "-m venv --clear .venv" in moved.asked()


def test_an_interrupted_set_up_is_begun_anew(checkout: Checkout) -> None:
    (checkout.folder / "fail").touch()
    assert checkout.make().returncode != 0
    (checkout.folder / "fail").unlink()
    checkout.asked()
    assert checkout.make().returncode == 0
    assert "-m venv --clear .venv" in checkout.asked()


def test_a_python_that_is_too_old_is_named_and_refused(checkout: Checkout) -> None:
    stand_in(checkout, too_old=1)
    refused = checkout.make("test")
    assert refused.returncode != 0
    assert f"needs Python 3.11 or newer; PYTHON={checkout.python} answers: Python 3.10.0" in refused.stderr
    assert "make PYTHON=python3.11 test" in refused.stderr
    assert not (checkout.folder / ".venv").exists()


def test_the_stages_may_keep_what_they_compile(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (checkout.folder / "show.mk").write_text('include Makefile\nshow:\n\t@echo "[$$PYTHONDONTWRITEBYTECODE]"\n')
    assert checkout.make("-f", "show.mk", "show").stdout == "[]\n"


def test_the_locale_is_one_in_which_any_path_is_read(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    (checkout.folder / "show.mk").write_text('include Makefile\nshow:\n\t@echo "[$$LC_ALL] [$$LC_CTYPE]"\n')
    assert checkout.make("-f", "show.mk", "show").stdout == "[] [C.UTF-8]\n"


def test_each_command_of_the_help_exists(checkout: Checkout) -> None:
    makefile = (checkout.folder / "Makefile").read_text()
    listed = [line.split()[1] for line in checkout.make("help").stdout.splitlines()]
    assert [command for command in listed if f"\n{command}:" not in makefile] == []
    assert {"reproduce", "test"} <= set(listed)


def test_the_builder_of_the_documentation_is_installed_with_its_hashes_and_once(checkout: Checkout) -> None:
    lock = checkout.folder / "docs/requirements.lock"
    lock.parent.mkdir()
    lock.write_text("builder==1\n")
    checkout.make()
    checkout.asked()
    checkout.make("docs")
    installed, build = checkout.asked()
    assert installed.endswith("--require-hashes --no-deps -r docs/requirements.lock")
    checkout.make("docs")
    assert (build, checkout.asked()) == ("-m mkdocs build --strict", [build])
