"""The one writer: a reader sees the old file or the new one, whoever dies in between."""

from __future__ import annotations

import errno
import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mateprobe.pipeline.files import BLOCK, PARTIAL, scratch, sha256_file, sweep, write_bytes, writing

KILLED_WRITER = """
import sys
from pathlib import Path
from mateprobe.pipeline.files import scratch, writing
path = Path(sys.argv[1])
with scratch(path.parent) as folder, writing(path) as writer:
    (folder / "half").write_text("half")
    writer.write(b"new " * 1_000_000)
    print("writing", flush=True)
    sys.stdin.read()
"""


def fail_midway(path: Path, error: type[BaseException]) -> None:
    with writing(path) as writer:
        writer.write(b"new")
        raise error


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_is_written_is_there_with_its_hash_and_size(tmp_path: Path) -> None:
    with writing(tmp_path / "a") as writer:
        writer.write(b"one ")
        writer.write(b"two")
    assert (tmp_path / "a").read_bytes() == b"one two"
    assert (writer.sha256, writer.size) == (hashlib.sha256(b"one two").hexdigest(), 7)


def test_missing_folders_are_made(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a/b/c", b"x")
    assert (tmp_path / "a/b/c").read_bytes() == b"x"


def test_nothing_is_at_the_path_before_the_block_ends(tmp_path: Path) -> None:
    with writing(tmp_path / "a") as writer:
        writer.write(b"x")
        assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_block_that_raises_leaves_the_old_file_and_nothing_else(tmp_path: Path, error: type[BaseException]) -> None:
    write_bytes(tmp_path / "a", b"old")
    with pytest.raises(error):
        fail_midway(tmp_path / "a", error)
    assert (tmp_path / "a").read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


def test_a_full_disk_is_told_with_the_file_there_was_no_room_for(tmp_path: Path) -> None:
    def fill() -> None:
        with writing(tmp_path / "a"):
            raise OSError(errno.ENOSPC, "No space left on device")  # as write() does, without a name

    with pytest.raises(OSError, match=r"No space left on device: '.*/a'$"):
        fill()
    assert names(tmp_path) == []


def test_a_writer_killed_midway_leaves_the_old_file_and_the_next_one_tidies_up(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_bytes(path, b"old")
    with subprocess.Popen(
        [sys.executable, "-c", KILLED_WRITER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"writing\n"
        process.send_signal(signal.SIGKILL)
    assert path.read_bytes() == b"old"
    assert [name.startswith(PARTIAL) for name in names(tmp_path)] == [True, True, False]
    write_bytes(tmp_path / "b", b"")
    assert names(tmp_path) == ["a", "b"]


def test_a_sweep_leaves_what_a_live_writer_holds(tmp_path: Path) -> None:
    with writing(tmp_path / "a") as writer, scratch(tmp_path) as folder:
        sweep(tmp_path)
        writer.write(b"x")
        assert folder.is_dir()
    assert (tmp_path / "a").read_bytes() == b"x"


def test_a_sweep_touches_only_partial_files(tmp_path: Path) -> None:
    for name in (".hidden", "partial-1", f"{PARTIAL}1"):
        (tmp_path / name).touch()
    sweep(tmp_path)
    assert names(tmp_path) == [".hidden", "partial-1"]


def test_a_sweep_does_not_follow_links(tmp_path: Path) -> None:
    write_bytes(tmp_path / "elsewhere/kept", b"x")
    (tmp_path / f"{PARTIAL}1").symlink_to("elsewhere")
    sweep(tmp_path)
    assert (tmp_path / "elsewhere/kept").exists()


def test_of_two_writers_at_once_the_last_to_end_wins_with_all_its_bytes(tmp_path: Path) -> None:
    with writing(tmp_path / "a") as first:
        first.write(b"first ")
        with writing(tmp_path / "a") as second:
            second.write(b"second")
        first.write(b"to end last")
    assert (tmp_path / "a").read_bytes() == b"first to end last"


def test_a_link_is_replaced_and_its_target_kept(tmp_path: Path) -> None:
    write_bytes(tmp_path / "target", b"old")
    (tmp_path / "link").symlink_to("target")
    write_bytes(tmp_path / "link", b"new")
    assert ((tmp_path / "target").read_bytes(), (tmp_path / "link").is_symlink()) == (b"old", False)


def test_the_mode_honours_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write_bytes(tmp_path / "a", b"")
    finally:
        os.umask(old)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_a_file_of_several_blocks_has_the_hash_of_its_bytes(tmp_path: Path) -> None:
    data = bytes(range(256)) * (BLOCK // 100)
    assert write_bytes(tmp_path / "a", data) == hashlib.sha256(data).hexdigest() == sha256_file(tmp_path / "a")


def test_a_scratch_folder_is_gone_when_its_block_raises(tmp_path: Path) -> None:
    def fail() -> None:
        with scratch(tmp_path) as folder:
            write_bytes(folder / "a/b", b"x")
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fail()
    assert names(tmp_path) == []
