"""Foreign JSON: whatever is ambiguous, endless or no JSON is refused with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from mateprobe import strict_json
from mateprobe.errors import InvalidValue
from mateprobe.strict_json import DEPTH

REFUSED = {
    "empty": ("", "x, column 1: not JSON: Expecting value; found the end of the text"),
    "not JSON": ('{"a" 1}', "x, column 6: not JSON: Expecting ':' delimiter; found '1}'"),
    "in line 2": ('{\n"a": tru}', "x, line 2, column 6: not JSON: Expecting value; found 'tru}'"),
    "two values": ("1 2", "x, column 3: not JSON: Extra data; found '2'"),
    "duplicate key": ('{"a": {"b": 1, "b": 1}}', "x: key 'b' occurs twice in one object; keep one"),
    "equal once unescaped": ('{"a": 1, "\\u0061": 2}', "x: key 'a' occurs twice in one object; keep one"),
    "NaN": ("[NaN]", "x: NaN is not JSON; expected a finite number, a string or null"),
    "infinity": ("[-Infinity]", "x: -Infinity is not JSON; expected a finite number, a string or null"),
    "beyond a double": ("[-1e999]", "x: number -1e999 is beyond what a double can hold"),
    "byte order mark": ("\ufeff{}", "x: begins with a byte order mark; save it as UTF-8 without one"),
    "not UTF-8": (b'{"a": "\xe9"}', "x: expected UTF-8, found byte 0xe9 at 7"),
    "UTF-16": ("{}".encode("utf-16-le"), "x, column 2: not JSON: Expecting property name enclosed in double quotes"),
    "too deep": ("[" * 201 + "]" * 201, f"x: nested deeper than {DEPTH} levels; flatten it"),
    "deep enough to end a parser": ("[" * 100_000, f"x: nested deeper than {DEPTH} levels; flatten it"),
    "deep objects": ('{"a":' * 201 + "1" + "}" * 201, f"x: nested deeper than {DEPTH} levels; flatten it"),
}


@pytest.mark.parametrize(("text", "expected"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_strict_json_is_refused_with_its_place(text: str | bytes, expected: str) -> None:
    with pytest.raises(InvalidValue) as error:
        strict_json.loads(text, "x")
    assert str(error.value).startswith(expected)


def test_an_integer_without_end_is_refused() -> None:
    with pytest.raises(InvalidValue, match=r"^x: .*4300 digits"):
        strict_json.loads("9" * 5000, "x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": [1, 2.5, "é", null, true], "b": {"a": 1}}', {"a": [1, 2.5, "é", None, True], "b": {"a": 1}}),
        ("[" * DEPTH + "]" * DEPTH, None),
        (b' "a" \n', "a"),
        ("1e308", 1e308),
    ],
    ids=["object", "as deep as allowed", "bytes with white space", "a large number"],
)
def test_strict_json_is_read(text: str | bytes, expected: object) -> None:
    value = strict_json.loads(text, "x")
    assert expected in (None, value)


def test_a_file_is_named_in_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": 1,\n "a": }')
    with pytest.raises(InvalidValue, match=f"^{path}, line 2, column 7: not JSON"):
        strict_json.load(path)


def test_lines_come_with_their_numbers_and_blank_ones_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":1}\r\n\n[2]\n  \n"last"')
    assert list(strict_json.lines(path)) == [(1, {"a": 1}), (3, [2]), (5, "last")]


def test_a_bad_line_is_named_after_the_good_ones(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('1\n{"a":1,"a":2}\n')
    lines = strict_json.lines(path)
    assert next(lines) == (1, 1)
    with pytest.raises(InvalidValue, match=f"^{path}, line 2: key 'a' occurs twice"):
        next(lines)


def test_more_bytes_than_the_limit_are_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "LIMIT", 10)
    path = tmp_path / "a.jsonl"
    path.write_text("1\n[1, 2, 3, 4]\n")
    with pytest.raises(InvalidValue, match=r"a.jsonl: expected at most 10 bytes of JSON, found more"):
        strict_json.load(path)
    with pytest.raises(InvalidValue, match=r"a.jsonl, line 2: expected at most 10 bytes of JSON, found more"):
        list(strict_json.lines(path))
