"""Whatever JSON holds comes back from a record file, and no damage to the file goes unseen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from mateprobe.canonical import canonical
from mateprobe.errors import EvidenceError
from mateprobe.pipeline.records import write_records
from mateprobe.records import read_records

text = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(text, inner), max_leaves=10)
objects = st.dictionaries(text, values, max_size=4)
rows = st.lists(objects, max_size=5)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records") / "rows.jsonl"


@given(rows=rows, header=objects, strict=st.booleans())
def test_what_is_written_is_read_to_the_last_type(
    path: Path, rows: list[dict[str, Any]], header: dict[str, Any], strict: bool
) -> None:
    own = {key: value for key, value in header.items() if key not in ("format", "version")}
    write_records(path, "rows", rows, own)
    file = read_records(path, "rows", strict=strict)
    assert [canonical(row) for row in file] == [canonical(row) for row in rows]
    assert canonical(dict(file.header)) == canonical({"format": "mateprobe.rows", "version": 1, **own})


@given(rows=rows, data=st.data())
def test_a_file_cut_anywhere_is_refused(path: Path, rows: list[dict[str, Any]], data: st.DataObject) -> None:
    write_records(path, "rows", rows)
    whole = path.read_bytes()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(EvidenceError):
        list(read_records(path, "rows"))


@given(rows=rows, byte=st.integers(1, 255), data=st.data())
def test_a_file_with_one_byte_changed_is_refused(
    path: Path, rows: list[dict[str, Any]], byte: int, data: st.DataObject
) -> None:
    write_records(path, "rows", rows)
    damaged = bytearray(path.read_bytes())
    damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= byte
    path.write_bytes(damaged)
    with pytest.raises(EvidenceError):
        list(read_records(path, "rows"))
