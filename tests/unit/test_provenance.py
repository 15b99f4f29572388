"""Provenance: what is told is checked, what is observed is the folder asked about, unknown is never clean."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mateprobe import provenance
from mateprobe.errors import InvalidType, InvalidValue
from mateprobe.provenance import GitProvenance, observe_git, supplied_git_provenance

COMMIT = "0123456789abcdef0123456789ABCDEF01234567"


@pytest.fixture(autouse=True)
def no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A clean work tree with one tracked file and one ignored pattern."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "tracked.txt").write_text("one\n")
    (folder / ".gitignore").write_text("*.log\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "first")
    return folder


def stand_in(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    """Put a ``git`` before the real one, which the script can call as ``$GIT``."""
    folder.mkdir()
    program = folder / "git"
    program.write_text(f"#!/bin/sh\nGIT={shutil.which('git')}\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_a_clean_work_tree_is_observed_with_its_commit(repository: Path) -> None:
    assert observe_git(repository) == GitProvenance(git(repository, "rev-parse", "HEAD"), False, "observed")


@pytest.mark.parametrize(
    ("name", "dirty"),
    [("tracked.txt", True), ("untracked.txt", True), ("ignored.log", False)],
    ids=["a tracked file", "an untracked file", "an ignored file"],
)
def test_a_changed_file_makes_the_work_tree_dirty_unless_it_is_ignored(
    repository: Path, name: str, dirty: bool
) -> None:
    (repository / name).write_text("two\n")
    assert observe_git(repository).dirty is dirty


def test_settings_that_hide_untracked_files_do_not_make_a_work_tree_clean(repository: Path) -> None:
    git(repository, "config", "status.showUntrackedFiles", "no")
    (repository / "untracked.txt").write_text("two\n")
    assert observe_git(repository).dirty is True


def test_a_folder_inside_the_work_tree_stands_for_all_of_it(repository: Path) -> None:
    (repository / "inside").mkdir()
    (repository / "tracked.txt").write_text("two\n")
    assert observe_git(str(repository / "inside")) == GitProvenance(
        git(repository, "rev-parse", "HEAD"), True, "observed"
    )


def test_the_environment_cannot_point_to_another_repository(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(repository, tmp_path / "other")
    git(tmp_path / "other", "commit", "--quiet", "--allow-empty", "--message", "second")
    expected = git(repository, "rev-parse", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    assert observe_git(repository) == GitProvenance(expected, False, "observed")


def test_no_program_of_the_repository_is_run(repository: Path, tmp_path: Path) -> None:
    program = tmp_path / "monitor"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'was-run'}\n")
    program.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(program))
    observe_git(repository)
    assert not (tmp_path / "was-run").exists()


def test_a_folder_outside_any_repository_is_not_a_repository(tmp_path: Path) -> None:
    assert observe_git(tmp_path) == GitProvenance(None, None, "observed", "not_a_repository")


@pytest.mark.parametrize("name", ["absent", "file", "with\0nul"])
def test_what_is_no_folder_is_not_a_repository(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    assert observe_git(f"{tmp_path}/{name}") == GitProvenance(None, None, "observed", "not_a_repository")


def test_a_repository_without_commits_has_no_commit_to_name(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    assert observe_git(tmp_path) == GitProvenance(None, None, "observed", "invalid_commit")


def test_a_repository_without_a_work_tree_is_an_error_of_git(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "bare")
    assert observe_git(tmp_path / "bare") == GitProvenance(None, None, "observed", "git_error")


def test_a_machine_without_git_says_so(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert observe_git(repository) == GitProvenance(None, None, "observed", "git_unavailable")


def test_a_git_that_never_answers_is_given_up(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "never")
    stand_in(monkeypatch, tmp_path / "bin", f"read answer < {tmp_path / 'never'}")
    monkeypatch.setattr(provenance, "TIMEOUT", 0.1)
    assert observe_git(repository) == GitProvenance(None, None, "observed", "timeout")


def test_a_commit_made_during_the_observation_leaves_it_unknown(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = f"-C {repository} -c user.name=A -c user.email=a@example.org commit --quiet --allow-empty -m second"
    stand_in(monkeypatch, tmp_path / "bin", f'case "$*" in *status*) "$GIT" {commit} ;; esac\nexec "$GIT" "$@"')
    assert observe_git(repository) == GitProvenance(None, None, "observed", "snapshot_changed")


def test_an_answer_that_is_no_commit_is_refused(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, tmp_path / "bin", "echo refs/heads/main")
    assert observe_git(repository) == GitProvenance(None, None, "observed", "invalid_commit")


@pytest.mark.parametrize("commit", [None, COMMIT, "a" * 64])
@pytest.mark.parametrize("dirty", [None, True, False])
def test_supplied_provenance_is_kept_as_told(commit: str | None, dirty: bool | None) -> None:
    assert supplied_git_provenance(commit, dirty) == GitProvenance(commit, dirty, "supplied", None)


def test_whether_the_work_tree_was_dirty_is_unknown_unless_told() -> None:
    assert supplied_git_provenance(COMMIT).dirty is None


REFUSED = {
    "a short commit": ((COMMIT[:7], None, "supplied"), InvalidValue, "commit='0123456'; expected 40 or 64 hex"),
    "an empty commit": (("", None, "supplied"), InvalidValue, "commit=''; expected 40 or 64 hex"),
    "a commit and a line end": ((COMMIT + "\n", None, "supplied"), InvalidValue, "expected 40 or 64 hex"),
    "a branch": (("g" * 40, None, "supplied"), InvalidValue, "expected 40 or 64 hex"),
    "a number": ((7, None, "supplied"), InvalidValue, "commit=7; expected 40 or 64 hex"),
    "dirty as a number": ((COMMIT, 0, "supplied"), InvalidType, "dirty=0 has type int; expected bool or None"),
    "another source": ((COMMIT, None, "guessed"), InvalidValue, "source='guessed'; expected 'supplied' or"),
    "another error": ((None, None, "observed", "time_out"), InvalidValue, "did you mean 'timeout'?"),
    "a commit beside an error": ((COMMIT, None, "observed", "timeout"), InvalidValue, "error='timeout' beside commit="),
    "clean beside an error": ((None, False, "observed", "timeout"), InvalidValue, "error='timeout' beside commit=None"),
}


@pytest.mark.parametrize(("arguments", "kind", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_provenance_that_contradicts_itself_is_refused(
    arguments: tuple[object, ...], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as error:
        GitProvenance(*arguments)  # type: ignore[arg-type]
    assert message in str(error.value)
