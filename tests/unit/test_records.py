"""Record files prove that they are what was written; every damage is named with file and line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mateprobe import records
from mateprobe.canonical import canonical_bytes
from mateprobe.errors import EvidenceError, InvalidType, InvalidValue
from mateprobe.pipeline.records import write_records
from mateprobe.records import read_records

ROWS: list[dict[str, Any]] = [{"id": "a", "text": "é"}, {"id": "b", "ids": [1, None, True, 2.5]}, {"id": "c"}]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of three cases: header, lines 2 to 4, footer in line 5."""
    path = tmp_path / "cases.jsonl"
    write_records(path, "cases", ROWS, {"study": "demo"})
    return path


def message(path: Path, *, strict: bool = False, kind: str = "cases") -> str:
    """Return what is said about the file, less its name."""
    with pytest.raises(EvidenceError) as error:
        list(read_records(path, kind, strict=strict))
    text = str(error.value)
    assert text.startswith(f"{path}, line ")
    return text.removeprefix(f"{path}, ")


def test_what_was_written_is_read(path: Path) -> None:
    assert list(read_records(path, "cases")) == ROWS


def test_the_header_is_read_before_any_record(path: Path) -> None:
    assert read_records(path, "cases").header == {"format": "mateprobe.cases", "version": 1, "study": "demo"}


def test_a_file_can_be_read_twice(path: Path) -> None:
    file = read_records(path, "cases")
    assert list(file) == list(file)


def test_the_bytes_are_canonical_lines_between_header_and_footer(path: Path) -> None:
    *body, footer = path.read_bytes().splitlines(keepends=True)
    assert b"".join(body).decode() == (
        '{"format":"mateprobe.cases","study":"demo","version":1}\n'
        '{"id":"a","text":"é"}\n{"id":"b","ids":[1,null,true,2.5]}\n{"id":"c"}\n'
    )
    assert json.loads(footer) == {"end": 3, "sha256": hashlib.sha256(b"".join(body)).hexdigest()}


def test_the_number_of_records_and_the_hash_of_the_file_are_returned(tmp_path: Path) -> None:
    written = write_records(tmp_path / "a", "cases", iter(ROWS))
    assert written == (3, hashlib.sha256((tmp_path / "a").read_bytes()).hexdigest())


def test_no_records_make_a_whole_file(tmp_path: Path) -> None:
    write_records(tmp_path / "a", "cases", [])
    assert list(read_records(tmp_path / "a", "cases")) == []


def test_a_record_that_looks_like_a_footer_is_a_record(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"end": 0, "sha256": "0" * 64}, {"id": "a"}]
    write_records(tmp_path / "a", "cases", rows)
    assert list(read_records(tmp_path / "a", "cases")) == rows


def edited(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data.replace(old, new, 1)


REMEDY = "; it was cut short or edited: remove it and make it again"
CLOSING = 'expected the closing line {"end":…,"sha256":…} (the file was cut short), found '
DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda data: b"", 'line 1: expected the header {"format":"mateprobe.cases", …}, found the end'),
    "header alone": (lambda data: data[:56], f"line 2: {CLOSING}the end of the file"),
    "cut in the header": (lambda data: data[:30], 'line 1: expected the header {"format":"mateprobe.cases", …}'),
    "cut in a record": (lambda data: data[:70], f'line 2: {CLOSING}\'{{"id":"a","tex\''),
    "cut after a record": (lambda data: data[: data.index(b'{"end')], f'line 4: {CLOSING}\'{{"id":"c"}}\''),
    "cut in the footer": (lambda data: data[:-1], f'line 5: {CLOSING}\'{{"end":3,'),
    "a record less": (edited(b'{"id":"c"}\n', b""), "line 4: expected 3 records with sha256"),
    "another count": (edited(b'"end":3', b'"end":4'), "line 5: expected 4 records with sha256"),
    "another letter": (edited(b'"c"', b'"d"'), "line 5: expected 3 records with sha256"),
    "another header": (edited(b"demo", b"more"), "line 5: expected 3 records with sha256"),
    "more after the footer": (lambda data: data + b'{"id":"d"}\n', f'line 6: {CLOSING}\'{{"id":"d"}}\''),
    "CR LF": (edited(b"\n", b"\r\n"), "line 1: expected lines that end in LF, found CR LF"),
    "not JSON": (edited(b'"id":"b"', b'"id":b'), "line 3, column 7: not JSON: Expecting value; found 'b,"),
    "not UTF-8": (edited("é".encode(), b"\xe9"), "line 2: expected UTF-8, found byte 0xe9 at 18"),
    "NaN": (edited(b"2.5", b"NaN"), "line 3: NaN is not JSON"),
    "not an object": (edited(b'{"id":"c"}', b'["c"]'), "line 4: expected a JSON object, found '[\"c\"]'"),
    "a blank line": (edited(b'{"id":"c"}', b""), "line 4, column 1: not JSON"),
    "too deep": (edited(b'"c"', b"[" * 5000), "line 4: nested deeper than 200 levels"),
    "a newer version": (edited(b'"version":1', b'"version":2'), "line 1: expected version 1 of mateprobe.cases"),
    "no version": (edited(b',"version":1', b""), "line 1: expected a version from 1 to 1, found None"),
    "a version that is true": (edited(b'version":1', b'version":true'), "line 1: expected a version from 1"),
    "another format": (edited(b"mateprobe.", b""), 'line 1: expected the header {"format":"mateprobe.cases"'),
}


@pytest.mark.parametrize(("damage", "expected"), DAMAGE.values(), ids=DAMAGE.keys())
@pytest.mark.parametrize("strict", [False, True], ids=["ours", "foreign"])
def test_damage_is_named_with_its_line(
    path: Path, damage: Callable[[bytes], bytes], expected: str, strict: bool
) -> None:
    path.write_bytes(damage(path.read_bytes()))
    assert message(path, strict=strict).startswith(expected)


def test_damage_says_what_to_do(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])
    assert message(path).endswith(REMEDY)


def test_a_newer_version_asks_for_an_upgrade(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"version":1', b'"version":2'))
    assert message(path).endswith("found 2, of a newer mateprobe; upgrade this one")


def test_another_kind_is_refused_at_once(path: Path) -> None:
    with pytest.raises(EvidenceError, match=r"expected the header .*\.outcomes.*, found .*\.cases"):
        read_records(path, "outcomes")


def test_no_file_is_refused_with_what_was_sought(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match=r"nowhere\.jsonl: expected a file of cases, found none"):
        read_records(tmp_path / "nowhere.jsonl", "cases")


@pytest.mark.parametrize(
    ("new", "expected"),
    [(b'"id":"c","id":"d"', "line 4: key 'id' occurs twice"), (b'"id":1e999', "line 4: number 1e999 is beyond")],
    ids=["duplicate key", "beyond a double"],
)
def test_foreign_records_are_read_strictly(path: Path, new: bytes, expected: str) -> None:
    path.write_bytes(path.read_bytes().replace(b'"id":"c"', new))
    assert message(path, strict=True).startswith(expected)


def test_records_before_the_damage_are_read(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"id":"c"', b"oops"))
    reading = iter(read_records(path, "cases"))
    assert [next(reading), next(reading)] == ROWS[:2]
    with pytest.raises(EvidenceError, match="line 4"):
        next(reading)


BAD_ROWS: dict[str, tuple[Any, type[Exception], str]] = {
    "a list": ([1], InvalidType, "line 3: record has type list; expected a mapping"),
    "NaN inside": ({"a": [float("nan")]}, InvalidValue, r"line 3: \$.a\[0\]=nan is not finite"),
    "a set inside": ({"a": {1}}, InvalidType, r"line 3: \$.a has type set"),
    "a lone surrogate": ({"a": "\ud800"}, InvalidValue, r"line 3: \$.a has a lone surrogate"),
    "too long": ({"a": "x" * 100}, InvalidValue, "line 3: record of 109 bytes; readers take 100"),
}


@pytest.mark.parametrize(("row", "kind", "expected"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_a_row_no_reader_would_take_is_not_written(
    path: Path, monkeypatch: pytest.MonkeyPatch, row: Any, kind: type[Exception], expected: str
) -> None:
    before = path.read_bytes()
    monkeypatch.setattr(records, "LINE_LIMIT", 100)
    with pytest.raises(kind, match=expected):
        write_records(path, "cases", [{"id": "a"}, row])
    assert [path.read_bytes()] == [before for _ in path.parent.iterdir()]


def test_rows_given_as_their_canonical_bytes_make_the_same_file(path: Path, tmp_path: Path) -> None:
    write_records(tmp_path / "lines", "cases", map(canonical_bytes, ROWS), {"study": "demo"})
    assert (tmp_path / "lines").read_bytes() == path.read_bytes()


def test_bytes_no_reader_would_take_are_not_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LINE_LIMIT", 100)
    with pytest.raises(InvalidValue, match="line 2: record of 109 bytes; readers take 100"):
        write_records(path, "cases", [canonical_bytes({"a": "x" * 100})])


def test_a_line_beyond_the_limit_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(path.read_bytes().replace(b'"id":"c"', b'"id":"' + b"x" * 200 + b'"'))
    monkeypatch.setattr(records, "LINE_LIMIT", 100)
    assert message(path).startswith("line 4: expected at most 100 bytes, found more")


def test_rows_that_end_in_an_error_leave_the_old_file(path: Path) -> None:
    def rows() -> Iterator[dict[str, Any]]:
        yield {"id": "new"}
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        write_records(path, "cases", rows())
    assert list(read_records(path, "cases")) == ROWS


@pytest.mark.parametrize("field", ["format", "version"])
def test_the_header_fields_of_the_format_cannot_be_overwritten(tmp_path: Path, field: str) -> None:
    with pytest.raises(InvalidValue, match=f"header field '{field}' is set by the writer"):
        write_records(tmp_path / "a", "cases", [], {field: "x"})
