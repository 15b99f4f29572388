"""YAML is read as plain data, with the line of every key, or refused with file and line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, strategies as st

from mateprobe.errors import StudyError
from mateprobe.pipeline import yaml_file
from mateprobe.pipeline.yaml_file import key_text, read_yaml

Scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
Data = st.recursive(Scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("demo.yaml")


PLAIN: dict[str, tuple[str, Any]] = {
    "nothing": ("", None),
    "a byte order mark": ("\ufeffa: 1\n", {"a": 1}),
    "text": ("a: b", {"a": "b"}),
    "quoted text": ("a: '1'", {"a": "1"}),
    "folded text": ("a: >-\n  b\n  c\n", {"a": "b c"}),
    "not ASCII": ("a: señal\n", {"a": "señal"}),
    "integers": ("[12, -3, 0x1F, 1_000]", [12, -3, 31, 1000]),
    "floats": ("[1.5, -2.0, 1.0e+3]", [1.5, -2.0, 1000.0]),
    "truth": ("[true, False, yes, off]", [True, False, True, False]),
    "null": ("[null, ~, ]", [None, None]),
    "nested": ("a:\n  - {b: []}\n", {"a": [{"b": []}]}),
    "a named core tag": ("a: !!str 1\n", {"a": "1"}),
    "an anchor nobody uses": ("a: &x 1\n", {"a": 1}),
}


@pytest.mark.parametrize(("text", "expected"), PLAIN.values(), ids=PLAIN.keys())
def test_plain_data_is_read_as_it_stands(file: Path, text: str, expected: Any) -> None:
    file.write_text(text, "utf-8")
    assert repr(read_yaml(file).content) == repr(expected)


@given(data=Data)
def test_what_a_yaml_writer_makes_of_json_data_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, data: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "written.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False), "utf-8")
    assert repr(read_yaml(path).content) == repr(data)


REFUSED = {
    "an alias": ("a: &x [1]\nb: *x\n", r"demo.yaml:2: alias \*x; write the value out"),
    "a bomb of aliases": (
        "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60)),
        r"demo.yaml:2: alias \*a0",
    ),
    "a tag on text": ("a:\n  !env HOME\n", r"demo.yaml:2: 'HOME' is read as !env; expected plain data"),
    "a Python object": (
        "a: !!python/object:os.system {b: c}\n",
        r"demo.yaml:1: a collection is read as .*python/object:os.system; expected plain",
    ),
    "a tag on a mapping": (
        "- 1\n- !include {a: b}\n",
        r"demo.yaml:2: a collection is read as !include; expected plain data",
    ),
    "a tag on a list": ("a: !shuffled [b]\n", r"demo.yaml:1: a collection is read as !shuffled; expected plain data"),
    "a set": ("a: !!set {b, c}\n", r"demo.yaml:1: a collection is read as .*:set; expected plain data"),
    "a date": (
        "a: 1\nb: 2020-01-01\n",
        r"demo.yaml:2: '2020-01-01' is read as .*timestamp; expected plain data, or quote",
    ),
    "a binary": ("a: !!binary aGk=\n", r"demo.yaml:1: 'aGk=' is read as .*binary; expected plain data"),
    "a merge key": ("a: {<<: {b: 1}}\n", r"demo.yaml:1: '<<' is read as .*merge; expected plain data"),
    "an infinity": ("a: .inf\n", r"demo.yaml:1: '.inf' is read as .*float; expected plain data"),
    "not a number": ("a: .NaN\n", r"demo.yaml:1: '.NaN' is read as .*float; expected plain data"),
    "a float beyond doubles": ("a: 1.0e+999\n", r"demo.yaml:1: '1.0e\+999' is read as .*float; expected plain data"),
    "an octal number": ("a: 010\n", r"demo.yaml:1: '010' is read as .*int; expected plain data, or quote it as text"),
    "a time of day": ("a: 1:30\n", r"demo.yaml:1: '1:30' is read as .*int; expected plain data"),
    "a word that is no number": ("a: !!int ten\n", r"demo.yaml:1: 'ten' is read as .*int; expected plain data"),
    "a key twice": ("a: 1\nb:\n  c: 1\n  c: 2\n", r"demo.yaml:4: key b.c stands twice; keep one"),
    "a key twice in a list": ("- {a: 1}\n- {a: 1, a: 2}\n", r"demo.yaml:2: key \[1\].a stands twice; keep one"),
    "a number for a key": ("a: 1\n2: b\n", r"demo.yaml:2: key 2 is no text; quote it"),
    "a truth for a key": ("no: 1\n", r"demo.yaml:1: key False is no text; quote it"),
    "a list for a key": ("? [a]\n: 1\n", r"demo.yaml:1: key \['a'\] is no text; quote it"),
    "two documents": ("a: 1\n---\nb: 2\n", r"demo.yaml:2: expected YAML: .*another document"),
    "a tab": ("a:\n\t- b\n", r"demo.yaml:2: expected YAML: .*cannot start any token"),
    "an open bracket": ("a: [1,\nb\n", r"demo.yaml:3: expected YAML: "),
    "a control character": ("a: \0\n", r"demo.yaml:1: expected YAML: .*control characters are not allowed"),
    "deep nesting": ("[" * 100_000, r"demo.yaml(:1: expected YAML: .*nesting depth|: nests too deeply; flatten it)"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_plain_data_is_refused_with_file_and_line(file: Path, text: str, message: str) -> None:
    file.write_text(text, "utf-8")
    with pytest.raises(StudyError, match=f"^{message}"):
        read_yaml(file)


def test_a_refusal_stays_short_whatever_it_found(file: Path) -> None:
    file.write_text(f"a: {'9' * 10_000}\n")
    with pytest.raises(StudyError, match=r"^demo.yaml:1: '9999") as refusal:
        read_yaml(file)
    assert len(str(refusal.value)) < 300


def test_text_in_another_encoding_is_refused(file: Path) -> None:
    file.write_bytes("título: señal\n".encode("latin-1"))
    with pytest.raises(StudyError, match=r"^demo.yaml: expected UTF-8 text: byte 1 is 0xed"):
        read_yaml(file)


def test_no_file_is_refused(file: Path) -> None:
    with pytest.raises(StudyError, match=r"^demo.yaml: expected a readable YAML file: No such file"):
        read_yaml(file)


def test_a_folder_is_refused(file: Path) -> None:
    file.mkdir()
    with pytest.raises(StudyError, match=r"^demo.yaml: expected a readable YAML file: Is a directory"):
        read_yaml(file)


def test_a_file_too_large_is_refused_unread(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_file, "SIZE_LIMIT", 10)
    file.write_text("a: 1234567\n")
    with pytest.raises(StudyError, match=r"^demo.yaml: expected at most 10 bytes, found more"):
        read_yaml(file)


PLACES = {
    "the top": ((), "demo.yaml:1: (top level)"),
    "a key": (("a",), "demo.yaml:1: a"),
    "a key below": (("c", "d"), "demo.yaml:4: c.d"),
    "an item": (("b", 1), "demo.yaml:2: b[1]"),
    "a key of an item": (("c", "e", 0, "f"), "demo.yaml:6: c.e[0].f"),
    "a missing key": (("c", "nowhere", 2), "demo.yaml:3: c.nowhere[2]"),
}


@pytest.mark.parametrize(("key", "place"), PLACES.values(), ids=PLACES.keys())
def test_the_line_of_every_key_is_known(file: Path, key: tuple[str | int, ...], place: str) -> None:
    file.write_text("a: 1\nb: [x, y]\nc:\n  d: 1\n  e:\n    - f: 2\n")
    assert read_yaml(file).where(key) == place


def test_a_key_path_reads_as_people_write_it() -> None:
    assert key_text(("validators", 1, "with", "profile")) == "validators[1].with.profile"
