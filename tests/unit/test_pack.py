"""An evidence pack: one archive of the same bytes each time, and a check that believes nothing in it."""

from __future__ import annotations

import bz2
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mateprobe.errors import EvidenceError
from mateprobe.pipeline import pack_check
from mateprobe.pipeline.__main__ import main
from mateprobe.pipeline.files import PARTIAL
from mateprobe.pipeline.golden import golden_text
from mateprobe.pipeline.pack_check import ROOT, SUMS, checked, unpack
from mateprobe.pipeline.sealed import read_sealed, sealed
from tests.unit.conftest import Bench, Ended, left, row, study

PACK = Path("results/mateprobe-evidence.tar.bz2")
SUMMARY, RECEIPT = "results/demo/summary.json", "results/demo/receipts/summary.json"
CLAIMS = """\
other: {cases: {says: "of a study elsewhere", expected: 1, artifact: results/other/summary.json, pointer: /cases}}
"""
BESIDE = {
    "LICENSE": "MIT\n",
    "notes/a.txt": "read by the generator\n",
    "notes/b.txt": "that too\n",
    "paper/claims.yaml": CLAIMS,
    "requirements.lock": "demo==1\n",
}
Files = dict[str, bytes]


@pytest.fixture
def results(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The results of a study of two cases, as the workflow makes them."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    content = study(row(), row("b", relation="preserve", variant=2))
    del content["tables"]
    content["cases"]["reads"] = ["notes/*.txt"]
    bench.write(content)
    for name, text in BESIDE.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    bench.judge()
    assert bench.run("statistics") == Ended(0, "statistics: made")
    assert main(["tables", "--table", "demo", SUMMARY]) == 0
    receipts = sorted(map(str, Path("results/demo/receipts").glob("*.json")))
    assert main(["manifest", "--study", "demo", "--receipts", *receipts]) == 0
    assert main(["page", "demo"]) == 0
    bench.capsys.readouterr()
    return bench


@pytest.fixture
def files(results: Bench) -> Files:
    """The files of the pack of these results, by path in there."""
    assert main(["pack"]) == 0
    results.capsys.readouterr()
    with tarfile.open(PACK) as archive:
        return {info.name.removeprefix(f"{ROOT}/"): archive.extractfile(info).read() for info in archive}  # type: ignore[union-attr]


def file(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """Return the header of a member."""
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = size, kind, "/etc/passwd"
    return info.tobuf(tarfile.GNU_FORMAT)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 512)


def packed(files: Files, **raw: bytes) -> Path:
    """Write a pack of these files, after which come ``raw`` headers and data."""
    members = b"".join(file(f"{ROOT}/{name}", len(data)) + padded(data) for name, data in sorted(files.items()))
    Path("other.tar.bz2").write_bytes(bz2.compress(members + b"".join(raw.values()) + bytes(1024)))
    return Path("other.tar.bz2")


def listed(files: Files) -> Files:
    """Return the files with a list of hashes that agrees with them."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name != SUMS}
    return files | {SUMS: golden_text(hashes).encode()}


def found(files: Files) -> list[str]:
    """Return the problems of a pack of these files, without hashes."""
    return [re.sub(r"\b[0-9a-f]{64}\b", "…", line) for line in checked(packed(files)).problems]


def test_a_pack_is_written_and_checked(results: Bench) -> None:
    assert main(["pack"]) == 0
    sha256, size = hashlib.sha256(PACK.read_bytes()).hexdigest(), PACK.stat().st_size
    (count,) = re.findall(rf"^{PACK}: (\d+) files, {size:,} bytes, sha256 {sha256}\n$", results.capsys.readouterr().out)
    assert main(["verify", "--pack", str(PACK)]) == 0
    said = f"{PACK}: {int(count) - 1} files are as they should be; sha256 {sha256}\n"  # the list lists not itself
    assert results.capsys.readouterr().out == said
    assert main(["verify", str(PACK)]) == 0
    assert results.capsys.readouterr().out == said
    assert main(["verify"]) == 0  # of the results; the pack beside them does not belong to them


def test_what_is_wrong_with_a_pack_is_data_too(files: Files, results: Bench) -> None:
    for held, status, differences in ((files, 0, []), (changed(files), 1, [str(SUMMARY)])):
        assert main(["verify", "--json", str(packed(held))]) == status
        told = json.loads(results.capsys.readouterr().out)["differences"]
        assert [line.partition(":")[0] for line in told] == differences


def test_two_packs_of_one_tree_are_the_same_bytes(results: Bench) -> None:
    first, second = Path("first.tar.bz2"), Path("second.tar.bz2")
    assert main(["pack", "--output", str(first)]) == 0
    for path in Path().rglob("*"):
        os.utime(path, (1, 1))
    Path(SUMMARY).chmod(0o600)
    Path("studies/_code/__pycache__").mkdir(exist_ok=True)
    Path("studies/_code/__pycache__/numbered.pyc").write_bytes(b"of this run")
    code = "import sys; from mateprobe.pipeline.__main__ import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "pack", "--output", str(second)]
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "7", "TZ": "Pacific/Kiritimati"}
    subprocess.run(command, check=True, env=environment, capture_output=True)
    assert first.read_bytes() == second.read_bytes()


def test_a_pack_holds_artifacts_receipts_and_what_they_were_made_from(files: Files) -> None:
    made = [name for name in left() if name != str(PACK)]
    beside = [*BESIDE, "studies/_code/numbered.py", "studies/demo.yaml"]
    own = ["SHA256SUMS", "python-version", "ro-crate-metadata.json"]
    assert sorted(files) == sorted([*made, *beside, *own])
    assert files["python-version"].decode() == f"{sys.version_info.major}.{sys.version_info.minor}\n"
    assert {name: files[name] for name in made} == {name: Path(name).read_bytes() for name in made}


def test_the_list_of_hashes_is_one_that_sha256sum_reads(files: Files) -> None:
    hashes = dict(line.split("  ")[::-1] for line in files[SUMS].decode().splitlines())
    assert hashes == {name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name != SUMS}


def test_the_description_has_every_file_and_how_it_was_made(files: Files) -> None:
    graph = {entity["@id"]: entity for entity in json.loads(files["ro-crate-metadata.json"])["@graph"]}
    root = graph["./"]
    assert root["conformsTo"] == {"@id": "https://w3id.org/ro/wfrun/process/0.5"}
    assert root["license"] == {"@id": "LICENSE"}
    parts = {part["@id"] for part in root["hasPart"]}
    assert parts == files.keys() - {SUMS, "ro-crate-metadata.json"}
    sha256 = hashlib.sha256(files[SUMMARY]).hexdigest()
    assert {key: graph[SUMMARY][key] for key in ("@type", "sha256", "encodingFormat")} == {
        "@type": "File",
        "sha256": sha256,
        "encodingFormat": "application/json",
    }
    action = graph[f"#{RECEIPT}"]
    assert (action["@type"], action["instrument"]) == ("CreateAction", {"@id": "#stage-summary"})
    assert action["result"] == [{"@id": SUMMARY}]
    assert {"@id": "results/demo/outcomes/by_sign.jsonl"} in action["object"]
    assert root["mentions"] == [{"@id": id} for id, entity in graph.items() if entity["@type"] == "CreateAction"]
    assert graph["#stage-summary"]["softwareRequirements"] == [{"@id": "#python"}, {"@id": "requirements.lock"}]
    referred = set(re.findall(r'"@id": "(.*?)"', files["ro-crate-metadata.json"].decode()))
    assert {id for id in referred - graph.keys() if not id.startswith("https://w3id.org/ro/crate/")} == set()


def test_a_date_is_the_one_given_or_none(files: Files, results: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert b"datePublished" not in files["ro-crate-metadata.json"]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert main(["pack"]) == 0
    with tarfile.open(PACK) as archive:
        (description,) = [archive.extractfile(info) for info in archive if info.name.endswith("metadata.json")]
        assert description is not None
        assert b'"datePublished": "2023-11-14"' in description.read()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    assert main(["pack"]) == 2
    said = results.capsys.readouterr().err
    assert said == "pack: SOURCE_DATE_EPOCH='today': expected seconds since 1970 as a whole number\n"


def test_results_that_are_not_as_they_should_be_are_not_packed(results: Bench) -> None:
    Path(SUMMARY).write_text("{}")
    assert main(["pack"]) == 1
    said = results.capsys.readouterr().err
    assert said.startswith(f"pack: results: cannot be packed:\n{SUMMARY}: changed; expected sha256 ")
    assert [path for path in left() if path.endswith(".bz2") or PARTIAL in path] == []


def test_without_results_there_is_nothing_to_pack(bench: Bench) -> None:
    bench.write(study(row()))
    assert main(["pack"]) == 2
    expected = "pack: results: expected results of demo, found none; run make reproduce\n"
    assert bench.capsys.readouterr().err == expected


def changed(files: Files) -> Files:
    data = files[SUMMARY]
    return files | {SUMMARY: data[:-2] + bytes([data[-2] ^ 1]) + data[-1:]}


def without(*names: str) -> Callable[[Files], Files]:
    return lambda files: {name: data for name, data in files.items() if name not in names}


EDITS: dict[str, tuple[Callable[[Files], Files], str]] = {
    "one flipped byte": (changed, f"{SUMMARY}: changed; expected sha256 …, found …"),
    "one missing": (without(SUMMARY), f"{SUMMARY}: missing; expected sha256 …"),
    "one extra": (lambda files: files | {"results/x": b"1"}, "results/x: extra; sha256 … is in no list"),
    "an edited description": (
        lambda files: files | {"ro-crate-metadata.json": b"{}"},
        "ro-crate-metadata.json: changed; expected sha256 …, found …",
    ),
    "no list": (without(SUMS), "LICENSE: extra; sha256 … is in no list"),
}


@pytest.mark.parametrize(("edit", "told"), EDITS.values(), ids=EDITS.keys())
def test_a_file_that_is_not_as_listed_is_named(files: Files, edit: Callable[[Files], Files], told: str) -> None:
    assert found(files) == []
    lines = found(edit(files))
    assert lines[0] == told
    assert len(lines) == 1 or SUMS not in edit(files)


RELISTED: dict[str, tuple[Callable[[Files], Files], str]] = {
    "one flipped byte": (changed, f"{SUMMARY}: changed; expected sha256 …"),
    "one missing": (without(SUMMARY), f"{SUMMARY}: missing; expected sha256 …"),
    "one extra": (lambda files: files | {"results/x": b"1"}, "results/x: extra; nothing makes it"),
    "an edited receipt": (lambda files: files | {RECEIPT: b"{}"}, f"{RECEIPT}: expected a receipt, found"),
    "an input left out": (without("notes/a.txt"), "notes/a.txt: missing"),
    "a manifest left out": (without("results/demo/manifest.json"), "results/demo/manifest.json: missing"),
}


@pytest.mark.parametrize(("edit", "told"), RELISTED.values(), ids=RELISTED.keys())
def test_a_list_that_was_made_to_agree_hides_nothing_from_the_receipts(
    files: Files, edit: Callable[[Files], Files], told: str
) -> None:
    assert found(listed(files)) == []
    assert [line for line in found(listed(edit(files))) if line.startswith(told)] != []


def test_a_pack_without_studies_is_no_evidence(files: Files, results: Bench) -> None:
    pack = packed(listed(without("studies/demo.yaml")(files)))
    assert main(["verify", str(pack)]) == 2
    expected = "verify: other.tar.bz2: studies: expected study files *.yaml, found none\n"
    assert results.capsys.readouterr().err == expected


def test_no_file_outside_of_a_pack_is_looked_at(files: Files) -> None:
    secret = Path("secret").absolute()
    secret.write_text("s")
    Path("receipt").write_bytes(files[RECEIPT])
    receipt = read_sealed(Path("receipt"))
    receipt["inputs"] = {str(secret): hashlib.sha256(b"s").hexdigest()}
    lines = found(listed(files | {RECEIPT: sealed(receipt)}))
    assert [line for line in lines if line.startswith(f"{secret}: missing")] != []


def test_no_code_of_a_pack_is_run(files: Files) -> None:
    code = b"import pathlib; pathlib.Path(%r).touch()\n" % str(Path("run").absolute())
    names = ("studies/_code/numbered.py", "sitecustomize.py", "yaml.py", "mateprobe/__init__.py")
    checked(packed(listed(files | dict.fromkeys(names, code))))
    assert not Path("run").exists()


BELOW = f"{ROOT}/x"
MALICIOUS = {
    "a symbolic link": (file(BELOW, 0, tarfile.SYMTYPE), "expected plain files, found 'mateprobe-evidence/x' of type"),
    "a hard link": (file(BELOW, 0, tarfile.LNKTYPE), "expected plain files"),
    "a device": (file(BELOW, 0, tarfile.CHRTYPE), "expected plain files"),
    "a pipe": (file(BELOW, 0, tarfile.FIFOTYPE), "expected plain files"),
    "a folder": (file(BELOW, 0, tarfile.DIRTYPE), "expected plain files"),
    "an extension of the format": (file(BELOW, 1 << 40, tarfile.XHDTYPE), "expected plain files"),
    "an absolute name": (file("/etc/x", 0), "expected files below mateprobe-evidence/, found '/etc/x'"),
    "a name above": (file(f"{ROOT}/../x", 0), "expected files below mateprobe-evidence/"),
    "a name in another folder": (file("other/x", 0), "expected files below mateprobe-evidence/"),
    "the folder itself": (file(ROOT, 0), "expected files below mateprobe-evidence/"),
    "a name with an empty part": (file(f"{ROOT}//x", 0), "expected files below mateprobe-evidence/"),
    "a backslash": (file(f"{ROOT}/a\\..\\x", 0), "expected files below mateprobe-evidence/"),
    "a control character": (file(f"{ROOT}/\x1b[2J", 0), "expected files below mateprobe-evidence/"),
    "a name twice": (file(BELOW, 0) * 2, "'x': cannot be unpacked: File exists"),
    "a file that is a folder too": (file(BELOW, 0) + file(f"{BELOW}/y", 0), "'x/y': cannot be unpacked"),
    "a size it does not have": (file(BELOW, 4096), "ends too early; it is damaged"),
    "no header": (b"x" * 512, "expected the header of a file"),
    "something after its end": (bytes(1024) + b"x" * 512, "holds something after its end"),
}


@pytest.mark.parametrize(("member", "message"), MALICIOUS.values(), ids=MALICIOUS.keys())
def test_a_malicious_pack_is_refused(bench: Bench, member: bytes, message: str) -> None:
    folder = Path("unpacked")
    folder.mkdir()
    pack = packed({}, member=member)
    with pytest.raises(EvidenceError, match=re.escape(message)):
        unpack(pack, folder)
    assert [path for path in Path().rglob("*") if path.is_symlink() or folder not in (path, *path.parents)] == [pack]


DAMAGED = {
    "cut off": lambda data: data[: len(data) // 2],
    "without its end": lambda data: data[:-4],
    "one flipped byte": lambda data: data[:-40] + bytes([data[-40] ^ 1]) + data[-39:],
    "nothing": lambda _: b"",
    "another kind": lambda _: b"PK\x03\x04" + bytes(600),
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_pack_is_refused(bench: Bench, damage: Callable[[bytes], bytes]) -> None:
    pack = packed({"a": os.urandom(4096)})
    pack.write_bytes(damage(pack.read_bytes()))
    assert main(["verify", str(pack)]) == 2
    assert "it is damaged" in bench.capsys.readouterr().err


def test_a_pack_that_is_not_there_is_named(bench: Bench) -> None:
    assert main(["verify", "none.tar.bz2"]) == 2
    expected = "verify: none.tar.bz2: expected an evidence pack: No such file or directory\n"
    assert bench.capsys.readouterr().err == expected


def test_a_pack_unpacks_to_no_more_than_there_may_be(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack_check, "UNPACKED_LIMIT", 1 << 16)
    Path("unpacked").mkdir()
    bomb = packed({"a": bytes(1 << 20)})
    assert bomb.stat().st_size < 1000
    with pytest.raises(EvidenceError, match="unpacks to more than 65,536 bytes"):
        unpack(bomb, Path("unpacked"))


def test_a_pack_has_no_more_files_than_there_may_be(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack_check, "FILES_LIMIT", 2)
    Path("unpacked").mkdir()
    with pytest.raises(EvidenceError, match="holds more than 2 files"):
        unpack(packed({"a": b"", "b": b"", "c": b""}), Path("unpacked"))
