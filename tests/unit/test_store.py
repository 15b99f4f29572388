"""The store believes nothing it holds: what comes out is what went in, or nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from mateprobe.errors import EvidenceError, InvalidValue
from mateprobe.pipeline.store import Artifact, Store

DATA = b"the bytes"
KNOWN = Artifact(hashlib.sha256(DATA).hexdigest(), len(DATA))
KEY = "ab" * 32


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "cache")
    (tmp_path / "file").write_bytes(DATA)
    assert store.keep(tmp_path / "file", KNOWN)
    return store


def blob(store: Store) -> Path:
    return store.root / "blobs" / KNOWN.sha256[:2] / KNOWN.sha256


def action(store: Store) -> Path:
    return store.root / f"actions/ab/{KEY}.json"


def test_kept_bytes_come_back_as_a_file_of_their_own(store: Store, tmp_path: Path) -> None:
    assert store.fetch(KNOWN.sha256, tmp_path / "out/copy")
    copy = tmp_path / "out/copy"
    assert (copy.read_bytes(), copy.is_symlink(), copy.stat().st_nlink) == (DATA, False, 1)


def test_unknown_bytes_are_a_miss(store: Store, tmp_path: Path) -> None:
    assert not store.fetch("0" * 64, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("data", [b"The bytes", b"", DATA * 2], ids=["same size", "emptied", "longer"])
def test_a_spoiled_blob_is_never_handed_out(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes
) -> None:
    blob(store).write_bytes(data)
    (tmp_path / "copy").write_bytes(b"old")
    assert not store.fetch(KNOWN.sha256, tmp_path / "copy")
    assert ((tmp_path / "copy").read_bytes(), blob(store).exists()) == (b"old", False)
    found = hashlib.sha256(data).hexdigest()
    assert capsys.readouterr().err == f"store: {blob(store)}: expected sha256 {KNOWN.sha256}, found {found}; removed\n"


def test_a_spoiled_blob_can_be_kept_anew(store: Store, tmp_path: Path) -> None:
    blob(store).write_bytes(b"The bytes")
    store.fetch(KNOWN.sha256, tmp_path / "copy")
    assert store.keep(tmp_path / "file", KNOWN)
    assert store.fetch(KNOWN.sha256, tmp_path / "copy")


def test_a_file_that_changed_while_it_was_stored_is_not_kept(store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"other")
    blob(store).unlink()
    with pytest.raises(EvidenceError, match=f"file: expected sha256 {KNOWN.sha256}, found .* changed while"):
        store.keep(tmp_path / "file", KNOWN)
    assert not blob(store).exists()


def test_what_is_remembered_is_recalled(store: Store) -> None:
    assert store.recall(KEY) is None
    store.remember(KEY, "cases", {"a/b": KNOWN})
    assert store.recall(KEY) == {"a/b": KNOWN}


DAMAGED = {
    "cut short": '{"stage":"cases","outputs":{"a":{"sha',
    "not an object": "[]",
    "no outputs": '{"stage":"cases"}',
    "a list of outputs": '{"outputs":[1]}',
    "an output without size": '{"outputs":{"a":{"sha256":"' + "0" * 64 + '"}}}',
    "a path for a hash": '{"outputs":{"a":{"bytes":1,"sha256":"../../../etc/passwd"}}}',
    "a number for a hash": '{"outputs":{"a":{"bytes":1,"sha256":7}}}',
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_action_is_forgotten(store: Store, capsys: pytest.CaptureFixture[str], text: str) -> None:
    store.remember(KEY, "cases", {})
    action(store).write_text(text)
    assert store.recall(KEY) is None
    assert not action(store).exists()
    assert capsys.readouterr().err.startswith(f"store: {action(store)}")


@pytest.mark.parametrize("sha256", ["../../x", "", "A" * 64, "0" * 63])
def test_only_a_hash_becomes_a_path(store: Store, tmp_path: Path, sha256: str) -> None:
    with pytest.raises(InvalidValue, match="expected 64 lower-case hex digits"):
        store.fetch(sha256, tmp_path / "copy")


def test_a_cache_that_is_no_folder_costs_nothing_but_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cache").write_text("in the way")
    (tmp_path / "file").write_bytes(DATA)
    store = Store(tmp_path / "cache")
    assert not store.keep(tmp_path / "file", KNOWN)
    store.remember(KEY, "cases", {})
    assert not store.fetch(KNOWN.sha256, tmp_path / "copy")
    assert store.recall(KEY) is None
    assert [line.split(":")[1][:12] for line in capsys.readouterr().err.splitlines()] == [
        " cannot keep",
        " cannot reme",
        " cannot read",
        " cannot read",
    ]


def test_the_environment_names_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATEPROBE_CACHE", "/shared")
    assert Store().root == Path("/shared")
    monkeypatch.setenv("MATEPROBE_CACHE", "")
    assert Store().root == Path(".cache")
