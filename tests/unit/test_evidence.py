"""The evidence is the pinned bytes or an error: nothing in an archive is taken at its word."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from mateprobe.errors import EvidenceError, StudyError
from mateprobe.pipeline import archive as archive_module, evidence
from mateprobe.pipeline.archive import extract
from mateprobe.pipeline.pins import Archive, archive_named, load_archives, load_pins
from mateprobe.pipeline.stage import read_receipt
from mateprobe.pipeline.store import Artifact, Store

REPOSITORY = Path(__file__).parents[2]
MEMBERS = {"data/a.json": b'{"a": 1}', "data/more/b.jsonl": b"1\n2\n"}
TREE = {f"demo-1.0/{name}": data for name, data in MEMBERS.items()} | {"demo-1.0/setup.py": b"1 / 0"}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def file(name: str, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    return info, data


def special(name: str, kind: bytes, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info, b""


def pack(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for info, data in members:
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def pack_tree(tree: dict[str, bytes]) -> bytes:
    return pack(*(file(name, data) for name, data in tree.items()))


def pinned(archive: bytes) -> Archive:
    """Pins that demand the right members of whatever archive is given."""
    members = {name: Artifact(sha256(data), len(data)) for name, data in MEMBERS.items()}
    return Archive("demo-1.0.tar.gz", "demo==1.0", sha256(archive), "demo-1.0", members)


def write_pins(path: Path, pins: Archive) -> Path:
    members = {name: {"bytes": pin.bytes, "sha256": pin.sha256} for name, pin in pins.members.items()}
    content = {"archive": pins.file, "requirement": pins.requirement, "sha256": pins.sha256}
    path.write_text(yaml.safe_dump({**content, "root": pins.root, "members": members}))
    return path


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with an empty store, and pip cut off from everything but ``index``."""
    (tmp_path / "index").mkdir()
    for name in [name for name in os.environ if name.startswith(("PIP_", "MATEPROBE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def collect(pins: Archive) -> None:
    evidence.collect(write_pins(Path("pins.yaml"), pins), Path("results"), Path("results/receipt.json"))


@pytest.mark.parametrize("named", ["archives", "archives/demo-1.0.tar.gz"], ids=["a folder", "the file"])
def test_pinned_members_of_a_local_archive_are_taken_and_no_others(
    offline: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    data = pack_tree(TREE)
    Path("archives").mkdir()
    Path("archives/demo-1.0.tar.gz").write_bytes(data)
    monkeypatch.setenv("MATEPROBE_ARCHIVES", named)
    collect(pinned(data))
    taken = files(offline / "results")
    receipt = read_receipt(Path("results/receipt.json"))
    assert (receipt.stage, set(receipt.inputs)) == ("evidence", {"pins.yaml"})
    assert taken.pop("receipt.json")
    assert taken == MEMBERS


def test_what_was_fetched_once_is_restored_without_the_archive(
    offline: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = pack_tree(TREE)
    Path("demo-1.0.tar.gz").write_bytes(data)
    monkeypatch.setenv("MATEPROBE_ARCHIVES", ".")
    collect(pinned(data))
    before = files(offline / "results")
    Path("demo-1.0.tar.gz").unlink()
    for path in before:
        (offline / "results" / path).unlink()
    collect(pinned(data))
    assert files(offline / "results") == before
    assert capsys.readouterr().err.splitlines()[-1] == "evidence: restored"


def test_the_archive_itself_is_kept_for_the_day_the_stage_changes(
    offline: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = pack_tree(TREE)
    Path("demo-1.0.tar.gz").write_bytes(data)
    monkeypatch.setenv("MATEPROBE_ARCHIVES", ".")
    collect(pinned(data))
    Path("demo-1.0.tar.gz").unlink()
    (action,) = Path(".cache/actions").rglob("*.json")
    action.unlink()
    collect(pinned(data))
    assert capsys.readouterr().err.splitlines()[-1].startswith("evidence: made in")


def test_what_the_store_says_came_of_the_stage_is_held_against_the_pins(
    offline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pack_tree(TREE)
    Path("demo-1.0.tar.gz").write_bytes(data)
    monkeypatch.setenv("MATEPROBE_ARCHIVES", ".")
    collect(pinned(data))
    (action,) = Path(".cache/actions").rglob("*.json")
    outputs = json.loads(action.read_text())["outputs"]
    action.write_text(json.dumps({"outputs": dict.fromkeys(outputs, outputs["data/a.json"])}))
    collect(pinned(data))
    assert files(offline / "results").items() >= MEMBERS.items()


def test_another_archive_is_refused_with_both_hashes(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = pack_tree(TREE), pack_tree({**TREE, "demo-1.0/data/a.json": b"tampered"})
    Path("demo-1.0.tar.gz").write_bytes(wrong)
    monkeypatch.setenv("MATEPROBE_ARCHIVES", ".")
    with pytest.raises(EvidenceError) as error:
        collect(pinned(right))
    assert str(error.value) == (
        f"demo-1.0.tar.gz: expected sha256 {sha256(right)}, found {sha256(wrong)}; it is not the published "
        "demo-1.0.tar.gz: remove it, or name the right one in MATEPROBE_ARCHIVES"
    )
    assert (files(offline / "results"), files(offline / ".cache")) == ({}, {})


def test_a_file_for_another_archive_is_not_taken_for_this_one(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("other-2.0.tar.gz").write_bytes(pack_tree(TREE))
    monkeypatch.setenv("MATEPROBE_ARCHIVES", "other-2.0.tar.gz")
    with pytest.raises(EvidenceError, match=r"^demo-1\.0\.tar\.gz: expected the archive .* could not fetch it"):
        collect(pinned(b""))


def test_a_place_for_archives_that_does_not_exist_is_named(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATEPROBE_ARCHIVES", "nowhere")
    with pytest.raises(EvidenceError, match=r"^MATEPROBE_ARCHIVES=nowhere: expected demo-1\.0\.tar\.gz or its folder"):
        collect(pinned(b""))


def test_an_archive_pip_cannot_find_says_why_and_what_to_do(offline: Path) -> None:
    with pytest.raises(EvidenceError) as error:
        collect(pinned(b""))
    text = str(error.value)
    assert text.startswith(f"demo-1.0.tar.gz: expected the archive with sha256 {sha256(b'')}, and could not fetch it")
    assert "No matching distribution found for demo==1.0" in text
    assert "put demo-1.0.tar.gz into a folder and name the folder in MATEPROBE_ARCHIVES" in text


def test_pip_refuses_another_archive_before_it_opens_it(offline: Path) -> None:
    (offline / "index/demo-1.0.tar.gz").write_bytes(pack_tree(TREE))  # whose setup.py would fail
    with pytest.raises(EvidenceError, match="DO NOT MATCH THE HASHES"):
        collect(pinned(b"another"))
    assert files(offline / "results") == {}


def test_pip_without_an_answer_is_given_up(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "PIP_SECONDS", 0)
    with pytest.raises(EvidenceError, match="could not fetch it: pip took longer than 0 s"):
        collect(pinned(b""))


A_FILE = file("demo-1.0/data/a.json", MEMBERS["data/a.json"])
FAR_OUT = "expected members below demo-1.0/, found "
HOSTILE: dict[str, tuple[tuple[tarfile.TarInfo, bytes], str]] = {
    "parent": (file("../evil", b"x"), f"{FAR_OUT}'../evil'"),
    "parent below the root": (file("demo-1.0/../../evil", b"x"), f"{FAR_OUT}'demo-1.0/../../evil'"),
    "absolute": (file("/evil", b"x"), FAR_OUT),
    "beside the root": (file("demo-1.0.evil/a", b"x"), FAR_OUT),
    "backslashes": (file("demo-1.0/..\\..\\evil", b"x"), FAR_OUT),
    "symbolic link": (special("demo-1.0/data/a.json", tarfile.SYMTYPE, "/etc/passwd"), "of type b'2'"),
    "link to a folder": (special("demo-1.0/data", tarfile.SYMTYPE, "/etc"), "of type b'2'"),
    "hard link": (special("demo-1.0/x", tarfile.LNKTYPE, "demo-1.0/data/a.json"), "of type b'1'"),
    "device": (special("demo-1.0/x", tarfile.CHRTYPE), "of type b'3'"),
    "fifo": (special("demo-1.0/x", tarfile.FIFOTYPE), "of type b'6'"),
    "a member twice": (A_FILE, "expected each member once, found 'demo-1.0/data/a.json' twice"),
}


@pytest.mark.parametrize(("member", "expected"), HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
def test_what_no_source_archive_holds_is_refused(
    tmp_path: Path, member: tuple[tarfile.TarInfo, bytes], expected: str, first: bool
) -> None:
    tree = [file(name, data) for name, data in TREE.items()]
    message = refusal(tmp_path, pack(*([member, *tree] if first else [*tree, member])))
    assert expected in message
    assert message.endswith("archive and pins do not belong together: restore the pins file, or name the right archive")
    assert not (tmp_path.parent / "evil").exists()


def refusal(folder: Path, data: bytes) -> str:
    """Return why the archive is refused; whatever was written before is whole and pinned."""
    path = folder / "demo-1.0.tar.gz"
    path.write_bytes(data)
    targets = {name: folder / "out" / name for name in MEMBERS}
    with pytest.raises(EvidenceError) as error:
        extract(path, pinned(data), targets)
    assert files(folder / "out").items() <= MEMBERS.items()
    assert str(error.value).startswith("demo-1.0.tar.gz: ")
    return str(error.value).removeprefix("demo-1.0.tar.gz: ")


A, B = "demo-1.0/data/a.json", "demo-1.0/data/more/b.jsonl"
WRONG: dict[str, tuple[bytes, str]] = {
    "missing": (pack_tree({B: TREE[B]}), f"expected member {A}, found none so named"),
    "other bytes": (pack_tree({**TREE, A: b'{"a": 2}'}), f"member {A}: expected sha256 {sha256(TREE[A])}, found"),
    "other size": (pack_tree({**TREE, A: b"x" * 10_000}), f"member {A}: expected 8 bytes, found 10,000"),
    "a folder": (pack(special(A, tarfile.DIRTYPE)), f"member {A}: expected 8 bytes, found 0"),
    "no archive": (b"PK\3\4", "expected a gzipped tar archive"),
    "gzip of something else": (gzip.compress(b"x" * 5000), "expected a gzipped tar archive"),
    "cut short": (pack_tree({**TREE, "demo-1.0/more": os.urandom(5000)})[:-3000], "expected a gzipped tar archive"),
    "empty": (b"", "expected a gzipped tar archive"),
    "no members": (pack(), f"expected member {A}, found none so named"),
}


@pytest.mark.parametrize(("data", "expected"), WRONG.values(), ids=WRONG.keys())
def test_a_member_that_is_not_as_pinned_is_refused(tmp_path: Path, data: bytes, expected: str) -> None:
    assert refusal(tmp_path, data).startswith(expected)


def with_header_of(size: int) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo("demo-1.0/x")
    info.pax_headers = {"comment": "x" * size}
    return info, b""


BOMBS = {
    "a large member": (file("demo-1.0/zeros", bytes(3_000_000)), "unpacks to more than 1,000,000 bytes"),
    "a large header": (with_header_of(3_000_000), "expected a gzipped tar archive: a header of 3,000,0"),
}


@pytest.mark.parametrize(("member", "expected"), BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_is_refused_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, member: tuple[tarfile.TarInfo, bytes], expected: str
) -> None:
    monkeypatch.setattr(archive_module, "UNPACKED_LIMIT", 1_000_000)
    assert refusal(tmp_path, pack(member)).startswith(expected)


def test_a_sparse_member_is_refused(tmp_path: Path) -> None:
    info = tarfile.TarInfo(A)
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[156:157] = tarfile.GNUTYPE_SPARSE
    header[483:495] = b"00000000010\0"  # the size it would expand to
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    assert "of type b'S'" in refusal(tmp_path, gzip.compress(bytes(header) + bytes(1024)))


PINS: dict[str, Any] = yaml.safe_load((REPOSITORY / evidence.PINS).read_bytes())


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in PINS.items() if name != key}


def with_member(name: Any, pin: Any) -> dict[str, Any]:
    return {**PINS, "members": {name: pin}}


PIN = {"bytes": 1, "sha256": "0" * 64}
BAD_PINS: dict[str, tuple[Any, str]] = {
    "a list": (
        [],
        ":1: (top level): expected the keys archive, members, requirement, root, sha256 and, if wanted, folder",
    ),
    "a key less": (without("root"), ":1: (top level): expected the keys"),
    "a key more": ({**PINS, "url": "x"}, ":1: (top level): expected the keys"),
    "a short hash": ({**PINS, "sha256": "0" * 63}, ": sha256: expected 64 lower-case hex digits, found '000"),
    "a path for an archive": ({**PINS, "archive": "../a.tar.gz"}, ": archive: expected one plain file name"),
    "a folder above": ({**PINS, "folder": "a/.."}, ": folder: expected one plain file name, found 'a/..'"),
    "a root above": ({**PINS, "root": ".."}, ": root: expected one plain file name, found '..'"),
    "an option as requirement": ({**PINS, "requirement": "-r x"}, ": requirement: expected NAME==VERSION"),
    "a line more": ({**PINS, "requirement": "a==1\n-e ."}, ": requirement: expected NAME==VERSION"),
    "members in a list": ({**PINS, "members": ["a"]}, ": members: expected a mapping of members, found ['a']"),
    "a member above": (with_member("../a", PIN), "../a: expected a relative path without .., found '../a'"),
    "an absolute member": (with_member("/a", PIN), "members./a: expected a relative path without .."),
    "a member that is a number": (with_member(1, PIN), ":3: key 1 is no text"),
    "a member without size": (with_member("a", {"sha256": "0" * 64}), ":3: members.a: expected the keys bytes, sha256"),
    "a size below zero": (with_member("a", {**PIN, "bytes": -1}), ":4: members.a.bytes: expected a size in bytes"),
    "a size that is true": (with_member("a", {**PIN, "bytes": True}), ":4: members.a.bytes: expected a size"),
    "a hash in capitals": (with_member("a", {**PIN, "sha256": "A" * 64}), ":5: members.a.sha256: expected 64"),
}


@pytest.mark.parametrize(("content", "expected"), BAD_PINS.values(), ids=BAD_PINS.keys())
def test_pins_that_cannot_be_used_are_refused_with_their_place(tmp_path: Path, content: Any, expected: str) -> None:
    path = tmp_path / "pins.yaml"
    path.write_text(yaml.safe_dump(content))
    with pytest.raises(StudyError) as error:
        load_pins(path)
    assert str(error.value).startswith(f"{path}:")
    assert expected in str(error.value)


def test_members_go_to_the_folder_of_their_archive(tmp_path: Path) -> None:
    write_pins(tmp_path / "a.yaml", pinned(b""))
    (tmp_path / "b.yaml").write_text((tmp_path / "a.yaml").read_text() + "folder: other\n")
    archives = load_archives(tmp_path)
    assert {name: archive.receipt for name, archive in archives.items()} == {
        "a": Path("results/evidence/receipt.json"), "b": Path("results/evidence/other/receipt.json")
    }  # fmt: skip
    assert archives["b"].files["data/a.json"] == Path("results/evidence/other/data/a.json")
    assert archive_named("b", tmp_path) == archives["b"]


def test_two_archives_in_one_folder_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_pins(tmp_path / f"{name}.yaml", pinned(b""))
    with pytest.raises(StudyError, match=r"b\.yaml: folder: '' is that of a\.yaml; choose another"):
        load_archives(tmp_path)


def test_an_archive_without_pins_is_refused_with_the_near_miss(tmp_path: Path) -> None:
    write_pins(tmp_path / "suite.yaml", pinned(b""))
    with pytest.raises(StudyError, match=r"archive 'suit': expected one of 'suite'; did you mean 'suite'\?"):
        archive_named("suit", tmp_path)


def test_a_file_that_holds_no_pins_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"pins\.yaml: expected a readable YAML file"):
        load_pins(tmp_path / "pins.yaml")


@pytest.fixture(scope="session")
def store() -> Store:
    """The store of the repository, so that the published archive is fetched once a clone."""
    return Store(Path(os.environ.get("MATEPROBE_CACHE") or REPOSITORY / ".cache"))


def test_the_published_evidence_is_fetched_and_every_member_is_as_pinned(store: Store, tmp_path: Path) -> None:
    pins = load_pins(REPOSITORY / evidence.PINS)
    evidence.collect(REPOSITORY / evidence.PINS, tmp_path / "evidence", tmp_path / "receipt.json", store)
    taken = files(tmp_path / "evidence")
    assert {name: Artifact(sha256(data), len(data)) for name, data in taken.items()} == pins.members
    assert len(taken) == 20


def test_the_stage_is_run_with_its_arguments(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = pack_tree(TREE)
    Path("demo-1.0.tar.gz").write_bytes(data)
    monkeypatch.setenv("MATEPROBE_ARCHIVES", ".")
    write_pins(Path("pins.yaml"), pinned(data))
    parser = argparse.ArgumentParser()
    evidence.configure(parser)
    arguments = parser.parse_args(["--pins", "pins.yaml", "--folder", "out", "--receipt", "receipt.json"])
    assert evidence.run(arguments) == 0
    assert files(Path("out")) == MEMBERS
