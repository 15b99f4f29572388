"""Data that mean harm are refused with their place, in little memory and time, and nothing of them is run."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import lzma
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest

from mateprobe.answers import Answers, Fault
from mateprobe.cli import run
from mateprobe.errors import EvidenceError, InvalidValue
from mateprobe.pipeline import golden
from mateprobe.pipeline.code import SOURCE_LIMIT, code_digest
from mateprobe.pipeline.pack_check import ROOT, SUMS, checked
from mateprobe.pipeline.sealed import sealed
from mateprobe.pipeline.stage import read_receipt
from tests.unit.conftest import CODE

CASE = {"id": "a", "obligation": "o", "relation": "preserve", "baseline": 1, "variant": 2}
STUDY = """\
study: demo
title: T
cases: {file: FILE}
obligations: [{id: o, description: d}]
validators: [{id: v, callable: "numbered:sign"}]
"""
DEEP = "[" * 10_000 + "]" * 10_000
HUGE = "0x" + "F" * 5_000  # Python reads it, and prints none of so many digits

CSV = 'id,obligation,relation,baseline,variant\na,o,preserve,"{}",2\n'
AUDIT = 'validator = {{callable = "numbered:sign"}}\n[[cases]]\nid = "a"\nbaseline = {}\n'
RECORDS = '{{"format":"mateprobe.cases","version":1}}\n{}\n{{"end":1,"sha256":"{}"}}\n'


def case(text: str) -> str:
    return json.dumps({**CASE, "baseline": 0}).replace('"baseline": 0', f'"baseline": {text}')


# What is attacked: the file, its content, the command, the exit status and the pattern of what is said.
Attack = tuple[str, str, list[str], int, str]
DOCTOR, LINES, TABLE, AUDITED = (["doctor", "a.json"], ["doctor", "a.jsonl"], ["doctor", "a.csv"], ["audit", "a.toml"])
CHECK, CHECK_CASES = ["study", "check", "studies/s.yaml"], ["study", "check", "studies/y.yaml"]
TWICE, SURROGATE = '{"k": 1, "k": 2}', '"\\ud800"'
ATTACKS: dict[str, Attack] = {
    "JSON deep": ("a.json", f"[{case(DEEP)}]", DOCTOR, 2, "a.json: nested deeper than 200 levels; flatten it"),
    "JSON Lines deep": ("a.jsonl", f"{case('1')}\n{case(DEEP)}", LINES, 2, "a.jsonl, line 2: nested deeper"),
    "CSV deep": ("a.csv", CSV.format(DEEP), TABLE, 2, "a.csv, line 2, column baseline: nested deeper"),
    "TOML deep": ("a.toml", AUDIT.format(DEEP), AUDITED, 2, "a.toml: expected TOML whose values JSON can hold"),
    "TOML with deep keys": ("a.toml", f"a{'.a' * 10_000} = 1", AUDITED, 2, "a.toml: expected keys of at most 200"),
    "a deep bundle": ("a.json", DEEP, ["check", "a.json"], 2, "a.json: nested deeper than 200 levels"),
    "a deep record": ("a.jsonl", RECORDS.format(case(DEEP), "0" * 64), LINES, 2, "a.jsonl, line 2: nested deeper"),
    "YAML deep": ("studies/c.yaml", f"- {DEEP}", CHECK_CASES, 1, "studies/c.yaml:1: .*(deeper|depth)"),
    "YAML deep in lines": (
        "studies/c.yaml", "".join(f"{' ' * depth}-\n" for depth in range(2_000)), CHECK_CASES, 1,
        "studies/c.yaml:201: nested deeper than 200 levels; flatten it",
    ),
    "a deep study": ("studies/s.yaml", f"study: {DEEP}", CHECK, 1, "studies/s.yaml:1: .*(deeper|depth)"),
    "a tag": ("studies/s.yaml", "a: !!python/object/apply:os.system [id]", CHECK, 1, "expected plain data"),
    "a bomb of aliases": (
        "studies/s.yaml", "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(99)), CHECK, 1,
        r"studies/s.yaml:2: alias \*a; write the value out where it is used",
    ),
    "an integer nobody can print": ("studies/s.yaml", f"shards: {HUGE}\n", CHECK, 1, "studies/s.yaml:1: '0xFFFF"),
    "such an integer in TOML": ("a.toml", AUDIT.format(HUGE), AUDITED, 2, "a.toml: expected TOML whose values JSON"),
    "an integer of many digits": ("a.json", f"[{case('9' * 5_000)}]", DOCTOR, 2, "a.json: Exceeds the limit"),
    "a number that is none": ("a.json", f"[{case('NaN')}]", DOCTOR, 2, "a.json: NaN is not JSON"),
    "a key twice": ("a.json", f"[{case(TWICE)}]", DOCTOR, 2, "a.json: key 'k' occurs twice in one object; keep one"),
    "a lone surrogate": ("a.json", f"[{case(SURROGATE)}]", DOCTOR, 2, "a.json: case 'a'"),
    "bytes that are no text": ("a.csv", "id\udcff\n", TABLE, 2, "a.csv, line 1: expected CSV in UTF-8"),
    "a cell without end": ("a.csv", CSV.format('""' + "x" * 200_000), TABLE, 2, r"field limit \(131072\)"),
    "a path out of the folder": (
        "studies/s.yaml", STUDY.replace("FILE", "../secret.csv"), CHECK, 1,
        "studies/s.yaml:3: cases.file: cases.file='../secret.csv': expected a path that stays below studies",
    ),
    "an absolute path": ("studies/s.yaml", STUDY.replace("FILE", "/etc/x.csv"), CHECK, 1, "stays below studies"),
    "a link out of the folder": ("studies/s.yaml", STUDY.replace("FILE", "link.csv"), CHECK, 1, "stays below studies"),
    "a path out of an audit's folder": (
        "a.json", '{"validator": {"callable": "m:f"}, "cases": {"file": "../secret.csv"}}', ["audit", "a.json"], 2,
        r"a.json: \$.cases: file='../secret.csv': expected a path that stays below",
    ),
    "code of the library": (
        "a.json", json.dumps({"validator": {"callable": "os:system"}, "cases": [CASE]}), ["audit", "a.json"], 2,
        "'os:system': expected module:function, the module a file below",
    ),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what hostile files name, and things that they may not name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    files = {
        "studies/_code/numbered.py": CODE,
        "studies/y.yaml": STUDY.replace("FILE", "c.yaml").replace("demo", "y"),
        "studies/c.yaml": "[]",
        "secret.csv": "id,obligation,relation,baseline,variant\n",
    }
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    Path("studies/link.csv").symlink_to(Path("secret.csv").resolve())
    return tmp_path


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_a_hostile_file_is_refused_with_its_place(folder: Path, attack: Attack) -> None:
    name, content, arguments, status, expected = attack
    Path(name).write_text(content, "utf-8", "surrogateescape")
    said = StringIO()
    assert run(arguments, BytesIO(), said, said) == status
    assert re.search(expected, said.getvalue())
    assert len(said.getvalue()) < 1_500


@pytest.mark.parametrize("answer", [DEEP.encode(), b'{"id": ' + DEEP.encode() + b"}", b"9" * 5_000, b"\xff", b"\0"])
def test_a_hostile_answer_is_a_fault_of_the_program(answer: bytes) -> None:
    with pytest.raises(Fault, match=r"expected (JSON|an object)") as fault:
        Answers().judgement("a", answer)
    assert len(str(fault.value)) < 500


RECEIPT: dict[str, Any] = {
    "format": "mateprobe.receipt", "version": 2, "stage": "x", "inputs": {}, "outputs": {}, "code": "0" * 64,
    "params": "0" * 64,
}  # fmt: skip
RECEIPTS = {
    "inputs that are a number": {**RECEIPT, "inputs": 5},
    "inputs without hashes": {**RECEIPT, "inputs": {"a": 1}},
    "outputs that are a list": {**RECEIPT, "outputs": []},
    "a size that is text": {**RECEIPT, "outputs": {"a": {"sha256": "0" * 64, "bytes": "9"}}},
    "a key too many": {**RECEIPT, "more": 1},
    "no stage": {key: RECEIPT[key] for key in RECEIPT if key != "stage"},
}


@pytest.mark.parametrize("content", RECEIPTS.values(), ids=RECEIPTS)
def test_a_sealed_receipt_of_other_things_is_refused(tmp_path: Path, content: dict[str, Any]) -> None:
    path = tmp_path / "receipt.json"
    path.write_bytes(sealed(RECEIPT))
    assert read_receipt(path).stage == "x"
    path.write_bytes(sealed(content))
    with pytest.raises(EvidenceError, match=f"^{re.escape(str(path))}: expected a receipt, found "):
        read_receipt(path)


SOURCES = {
    "brackets": "(" * 100_000,
    "signs": "a = " + "-" * 500_000 + "1",
    "blocks": "".join(f"{' ' * depth}if a:\n" for depth in range(200)),
    "a NUL": "a = 1\0",
    "too much": "#" * (SOURCE_LIMIT + 1),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_hostile_source_is_refused_and_never_run(tmp_path: Path, source: str) -> None:
    tmp_path.joinpath("m.py").write_text(source)
    with pytest.raises(InvalidValue, match=re.escape(f"{tmp_path / 'm.py'}: expected Python source")):
        code_digest("m", roots=[tmp_path])


def test_a_list_of_hashes_beyond_the_limit_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden, "LIST_LIMIT", 100)
    path = tmp_path / "x.sha256"
    path.write_text(f"{'0' * 64}  {'a' * 60}\n")
    with pytest.raises(EvidenceError, match="expected a list of hashes of at most 100 bytes, found more"):
        golden.read_hashes(path)


# --- bombs --------------------------------------------------------------------------------------------------------

PIECE = 1 << 20
TIMES = 10 << 10  # makes 10 GiB
MEMORY = 200  # MiB, the interpreter and its modules included
SECONDS = 30  # of processor time
Pack = Callable[[bytes], bytes]


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def one_file(pack: Pack, root: str) -> bytes:
    return pack(header(f"{root}/x", PIECE * TIMES)) + pack(bytes(PIECE)) * TIMES


def many_files(pack: Pack, root: str) -> bytes:
    zeros = pack(bytes(PIECE)) * 64
    return b"".join(pack(header(f"{root}/x{number}", PIECE * 64)) + zeros for number in range(TIMES // 64))


def a_long_header(pack: Pack, root: str) -> bytes:
    return pack(header(f"{root}/x", PIECE * TIMES, tarfile.XHDTYPE)) + pack(b"9 a=bcde\n" * (PIECE // 9)) * TIMES


def a_map_of_holes(pack: Pack, root: str) -> bytes:
    block = bytearray(header(f"{root}/x", 1, tarfile.GNUTYPE_SPARSE))
    block[482:495] = b"\1" + b"00000000010\0"  # the map goes on in the next block
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return pack(bytes(block)) + pack((b"00000000001\0" * 42 + b"\1" * 8) * (PIECE // 512)) * TIMES


def nothing_but_zeros(pack: Pack, _: str) -> bytes:
    return pack(bytes(PIECE)) * TIMES


def zipped(root: str) -> bytes:
    whole = BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{root}/x", bytes(64 * PIECE))
    return whole.getvalue()


def faint(data: bytes) -> bytes:
    return lzma.compress(data, preset=0)


LIMITED = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from mateprobe import strict_json
from mateprobe.errors import MateProbeError
from mateprobe.pipeline import pack_check
from mateprobe.pipeline.archive import extract
from mateprobe.pipeline.pins import Archive
from mateprobe.records import read_records
from mateprobe.pipeline.store import Artifact
from mateprobe.pipeline.yaml_file import read_yaml

def published(path):
    extract(path, Archive("x.gz", "x==1", "0" * 64, "x", {"a": Artifact("0" * 64, 1)}), {"a": Path("out")})

def pack(path):
    pack_check.checked(path)

readers = {
    ".gz": published, ".bz2": pack, ".json": strict_json.load, ".yaml": read_yaml,
    ".jsonl": lambda path: [*read_records(path, "cases")],
}
pack_check.UNPACKED_LIMIT //= 16  # of the disk of whoever runs the tests
for name in sorted(sys.argv[1:]):
    path = Path(name)
    try:
        readers[path.suffix](path)
    except MateProbeError as error:
        print(error)
for line in Path("/proc/self/status").read_text().splitlines() if Path("/proc/self/status").exists() else ():
    if line.startswith("VmHWM:"):  # what a process inherits from the one that started it is not in there
        print(line.split()[1], file=sys.stderr)
""".replace("SECONDS", str(SECONDS))


def refused(paths: Iterable[Path]) -> list[str]:
    """Read files in one process, which may take little memory and time; return what is said of each."""
    names = [path.name for path in paths]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *names], cwd=Path.cwd(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stderr or 0) < MEMORY << 10
    return done.stdout.splitlines()


BUILDERS = (one_file, many_files, a_long_header, a_map_of_holes, nothing_but_zeros)
FORM, PACK_FORM = "expected a gzipped tar archive", "expected a tar archive in bzip2"
PINS = "; archive and pins do not belong together: restore the pins file, or name the right archive"
DAMAGED = "; it is damaged, or no evidence pack"


def test_ten_gigabytes_in_a_published_archive_are_refused(folder: Path) -> None:
    bombs = [build(gzip.compress, "x") for build in BUILDERS]
    bombs += [one_file(bz2.compress, "x"), one_file(faint, "x"), zipped("x")]
    for number, data in enumerate(bombs):
        Path(f"{number}.gz").write_bytes(data)
    assert refused(Path(f"{number}.gz") for number in range(len(bombs))) == [
        f"x.gz: unpacks to more than 268,435,456 bytes{PINS}",
        f"x.gz: unpacks to more than 268,435,456 bytes{PINS}",
        f"x.gz: {FORM}: a header of 10,737,418,240 bytes, where there may be 65,536{PINS}",
        f"x.gz: expected plain files, found 'x/x' of type b'S'{PINS}",
        f"x.gz: expected member x/a, found none so named{PINS}",
        *[f"x.gz: {FORM}: Not a gzipped file ({start}){PINS}" for start in ("b'BZ'", r"b'\xfd7'", "b'PK'")],
    ]


def test_ten_gigabytes_in_a_pack_are_refused(folder: Path) -> None:
    bombs = [build(bz2.compress, ROOT) for build in BUILDERS]
    bombs += [one_file(gzip.compress, ROOT), one_file(faint, ROOT), zipped(ROOT)]
    for number, data in enumerate(bombs):
        Path(f"{number}.bz2").write_bytes(data)
    assert refused(Path(f"{number}.bz2") for number in range(len(bombs))) == [
        f"0.bz2: unpacks to more than 268,435,456 bytes{DAMAGED}",
        f"1.bz2: unpacks to more than 268,435,456 bytes{DAMAGED}",
        f"2.bz2: expected plain files, found '{ROOT}/x' of type b'x'{DAMAGED}",
        f"3.bz2: expected plain files, found '{ROOT}/x' of type b'S'{DAMAGED}",
        f"4.bz2: {PACK_FORM}: holds something after its end{DAMAGED}",
        *[f"{number}.bz2: {PACK_FORM}: Invalid data stream{DAMAGED}" for number in (5, 6, 7)],
    ]


def test_texts_that_would_fill_the_memory_are_refused(folder: Path) -> None:
    head = b'{"format":"mateprobe.cases","version":1}\n'
    texts = {
        "a.json": b"[" + b"[[[]]]," * (9 << 20) + b"0]",
        "b.json": b"{" + b'"a":0,' * (11 << 20) + b'"b":0}',
        "c.yaml": b"- a\n" * (4 << 20),
        "d.yaml": b"[" + b"a," * (8 << 20),
        "e.jsonl": head + b'{"a":[' + b"[[[]]]," * (9 << 20) + b"0]}\n{}\n",
        "f.jsonl": head + b" " * (65 << 20),
        "g.json": b"{" + b"".join(b'"%x":0,' % number for number in range(300_000)) + b'"493df":0}',
    }
    for name, data in texts.items():
        Path(name).write_bytes(data)
    remedy = "; it was cut short or edited: remove it and make it again"
    assert refused(map(Path, texts)) == [
        "a.json: expected at most 4,000,000 values in one JSON text, found more; split it",
        "b.json: expected at most 67,108,864 bytes of JSON, found more",
        "c.yaml:500000: expected at most 500,000 values and keys, found more; split the file",
        "d.yaml: expected at most 16,777,216 bytes, found more",
        f"e.jsonl, line 2: expected at most 4,000,000 values in one JSON text, found more; split it{remedy}",
        "f.jsonl, line 2: expected at most 67,108,864 bytes, found more",
        "g.json: key '493df' occurs twice in one object; keep one",
    ]


def test_hostile_source_in_a_pack_is_refused_and_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "studies/demo.yaml": STUDY.replace("FILE", "c.csv").encode(),
        "studies/c.csv": b"id,obligation,relation,baseline,variant\n",
        "studies/_code/numbered.py": b"open('run', 'w')\n" + b"a = " + b"-" * 500_000 + b"1\n",
    }
    files[SUMS] = golden.golden_text({name: hashlib.sha256(data).hexdigest() for name, data in files.items()}).encode()
    members = b"".join(
        header(f"{ROOT}/{name}", len(data)) + data + bytes(-len(data) % 512) for name, data in files.items()
    )
    Path("x.tar.bz2").write_bytes(bz2.compress(members + bytes(1024)))
    with pytest.raises(EvidenceError, match=r"demo\.yaml:5: validators\[0\].*expected Python source"):
        checked(Path("x.tar.bz2"))
    assert [path.name for path in Path().iterdir()] == ["x.tar.bz2"]
