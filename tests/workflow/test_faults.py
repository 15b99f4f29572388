"""What goes wrong on machines: each works all the same, or says what to do, and loses nothing."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.workflow.project import Tree

DECADE = 10 * 365 * 24 * 3600


def command(
    tree: Tree, *arguments: str, umask: int = -1, variables: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Run a stage of the pipeline in the folder; return its exit code and what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "mateprobe.pipeline", *arguments],
        cwd=tree.path, env={**tree.environment(), **(variables or {})}, umask=umask, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
    )  # fmt: skip
    return done.returncode, done.stdout


def reproduce(tree: Tree) -> tuple[int, str]:
    return command(tree, "reproduce", "--cores", "2")


@pytest.fixture
def emptied(tree: Tree) -> Tree:
    """A folder whose results have been removed, and are in its store."""
    shutil.rmtree(tree.path / "results")
    return tree


def mount(*arguments: str | Path) -> None:
    """Mount something; where nothing can be mounted, the test says so."""
    if not Path("/bin/mount").exists():
        pytest.skip("there is no mount here")
    done = subprocess.run(["/bin/mount", *map(str, arguments)], check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"cannot mount here: {done.stderr.strip()}")


@contextmanager
def left_of_a_run(tree: Tree) -> Iterator[None]:
    """Let a run begin, kill its ``reproduce`` and its Snakemake within a job, and let that wait to the block's end."""
    pipe = tree.path / "studies/_code/held"
    os.mkfifo(pipe)
    run = subprocess.Popen(
        [sys.executable, "-m", "mateprobe.pipeline", "reproduce", "--cores", "2"],
        cwd=tree.path, env=tree.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with pipe.open("w"):  # as soon as the validator reads it
        (snakemake,) = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
        for pid in (run.pid, int(snakemake)):
            os.kill(pid, signal.SIGKILL)
        run.wait()
        pipe.unlink()
        yield


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="there is no /proc here")
def test_what_is_left_of_a_killed_run_keeps_others_away_until_it_ends(
    untouched: Tree, trees: tuple[Tree, Tree], tmp_path: Path
) -> None:
    tree = untouched.copy(tmp_path / "left")
    lock = tree.path / "results/.running"
    with left_of_a_run(tree):
        said = f"another run is at work here, or what is left of one; process {lock.read_text()} began it"
        for name in ("reproduce", "verify", "freeze", "pack"):
            code, told = command(tree, name)
            assert (code, said in told) == (2, True), told
        process = tree.start()
        assert said in process.communicate()[0]
        assert process.returncode == 1
    with lock.open() as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)  # once the job has ended
    assert reproduce(tree)[0] == 0
    assert tree.results() == trees[0].results()


def test_a_run_waits_for_nobody_who_reads_what_it_would_change(tree: Tree) -> None:
    with (tree.path / "results/.running").open("w+") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        assert command(tree, "verify", "numbers", "scenes")[0] == 0
        code, told = reproduce(tree)
        assert (code, told) == (
            2, "reproduce: results: being read by verify, freeze or pack; wait for it, or use another clone\n",
        )  # fmt: skip


def test_a_run_verifies_what_it_made_while_it_holds_the_folder(tree: Tree) -> None:
    for path in (tree.path / "studies/_frozen").glob("*.sha256"):
        path.unlink()  # of other studies
    code, told = command(tree, "reproduce", "verify")
    assert code == 0, told
    assert (tree.path / "results/logs/verify.log").read_text() == ""


def test_on_a_full_disk_a_run_says_so_and_ends_when_there_is_room(emptied: Tree, trees: tuple[Tree, Tree]) -> None:
    place = emptied.path / "results"
    place.mkdir()
    mount("-t", "tmpfs", "-o", "size=160k", "tmpfs", place)
    try:
        code, told = reproduce(emptied)
        assert code in (1, 2)
        assert "make room" in told
        subprocess.run(["/bin/mount", "-o", "remount,size=64m", str(place)], check=True)
        assert reproduce(emptied)[0] == 0
        assert emptied.results() == trees[0].results()
    finally:
        subprocess.run(["/bin/umount", str(place)], check=True)


@pytest.fixture
def read_only(tree: Tree) -> Iterator[Tree]:
    """A folder whose results nobody may write, root included."""
    place = tree.path / "results"
    if os.geteuid() == 0:
        mount("--bind", place, place)
        subprocess.run(["/bin/mount", "-o", "remount,bind,ro", str(place)], check=True)
    else:
        subprocess.run(["/bin/chmod", "-R", "a-w", str(place)], check=True)
    yield tree
    if os.geteuid() == 0:
        subprocess.run(["/bin/umount", str(place)], check=True)
    else:
        subprocess.run(["/bin/chmod", "-R", "u+w", str(place)], check=True)


def test_results_nobody_may_write_are_verified_and_a_run_says_what_to_do(read_only: Tree) -> None:
    before = read_only.results()
    assert command(read_only, "verify", "numbers", "scenes")[0] == 0
    code, told = reproduce(read_only)
    assert code == 2
    assert told.startswith("reproduce: results/.running: ")
    assert told.endswith("work in a folder that you may write, or change who owns this one and its mode\n")
    assert read_only.results() == before


def ahead(folder: Path) -> None:
    """Give every file a time to come."""
    for path in folder.rglob("*"):
        if path.is_file():
            later = path.stat().st_mtime + DECADE
            os.utime(path, (later, later))


def test_inputs_of_a_time_to_come_give_the_same_bytes(emptied: Tree, trees: tuple[Tree, Tree]) -> None:
    for name in ("studies", "mateprobe", "paper"):
        ahead(emptied.path / name)
    assert reproduce(emptied)[0] == 0
    assert emptied.results() == trees[0].results()


def test_an_edit_counts_though_the_clock_was_set_back_and_results_are_younger(tree: Tree) -> None:
    before = tree.results()
    ahead(tree.path / "results")
    tree.edit("studies/_profiles/narrative.yaml", lambda text: text.replace("minimum: ", "minimum: 1"))
    assert reproduce(tree)[0] == 0
    name = "scenes/observations/contracts_strict.jsonl"
    assert tree.results()[name] != before[name]
    assert command(tree, "verify", "scenes")[0] == 0
    assert "nothing to do" in reproduce(tree)[1]


HARSH = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""Nothing that would have Python read and write UTF-8 whatever the locale."""


def test_a_folder_may_be_called_anything_under_a_bare_locale_and_a_narrow_mask(
    emptied: Tree, trees: tuple[Tree, Tree], tmp_path: Path
) -> None:
    odd = emptied.copy(tmp_path / "Ünï cödé dir" / "o'brien $x; \"#y")
    shutil.rmtree(odd.path / ".cache")
    code, told = command(odd, "reproduce", umask=0o077, variables={**HARSH, "LC_ALL": "C"})
    assert code == 0, told
    assert odd.results() == trees[0].results()
    assert (odd.path / "results/numbers/cases.jsonl").stat().st_mode & 0o077 == 0


def test_a_turkish_locale_of_eight_bits_changes_no_byte(
    emptied: Tree, trees: tuple[Tree, Tree], tmp_path: Path
) -> None:
    definition = Path("/usr/bin/localedef")
    if not definition.exists():
        pytest.skip("there is no localedef here")
    name = tmp_path / "tr_TR.ISO-8859-9"
    if subprocess.run([definition, "-i", "tr_TR", "-f", "ISO-8859-9", name], check=False).returncode:
        pytest.skip("there is no source of a Turkish locale here")
    shutil.rmtree(emptied.path / ".cache")
    emptied.edit("studies/numbers.yaml", lambda text: text.replace("Numbers,", "≤ Ğı,"))  # for the page
    code, told = command(emptied, "reproduce", variables={**HARSH, "LC_ALL": name.name, "LOCPATH": str(tmp_path)})
    assert code == 0, told
    found, expected = emptied.results(), trees[0].results()
    assert [path for path in expected if found[path] != expected[path] and not path.startswith("report/")] == []
