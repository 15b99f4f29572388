"""Whatever stands in a file of cases or of an audit, it is read or refused with its name: nothing else happens."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from mateprobe.audit_file import load_audit
from mateprobe.case_csv import COLUMNS
from mateprobe.case_file import case_rows
from mateprobe.errors import MateProbeError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
AUDIT: dict[str, Any] = {
    "obligations": [{"id": "sign", "description": "It is above zero."}],
    "cases": [{"id": "a", "obligation": "sign", "relation": "preserve", "baseline": 1, "variant": 2}],
    "validator": {"command": ["judge"], "seconds": 1},
    "gate": {"detection": 1, "preservation": 0.5},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("audits")


def assert_read_or_refused(path: Path, read: Any) -> None:
    try:
        read(path)
    except MateProbeError as refusal:
        assert str(refusal).startswith(str(path)), refusal  # noqa: PT017 - that it is refused is not asked for


@settings(deadline=None)
@given(part=st.sampled_from(sorted(AUDIT)), key=st.sampled_from(["", "id", "extra", "file"]), value=JSON)
def test_an_audit_with_anything_in_any_place_is_read_or_refused(folder: Path, part: str, key: str, value: Any) -> None:
    path = folder / "audit.json"
    old = AUDIT[part]
    new = {**old, key: value} if key and isinstance(old, dict) else value
    path.write_text(json.dumps({**AUDIT, part: new}))
    assert_read_or_refused(path, load_audit)


@settings(deadline=None)
@given(name=st.sampled_from(["a.json", "a.jsonl", "a.toml"]), data=st.binary(max_size=40) | st.text().map(str.encode))
def test_an_audit_of_any_bytes_is_refused(folder: Path, name: str, data: bytes) -> None:
    (folder / name).write_bytes(data)
    assert_read_or_refused(folder / name, load_audit)


@settings(deadline=None)
@given(data=st.binary(max_size=60) | st.text(alphabet='id,obligatonrevsm"\n\r\t;{}1é', max_size=60).map(str.encode))
def test_a_table_of_any_bytes_is_read_or_refused(folder: Path, data: bytes) -> None:
    path = folder / "cases.csv"
    path.write_bytes(data)
    assert_read_or_refused(path, lambda path: list(case_rows(path)))


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(
    lambda text: text[0] != " "
)
IDS = st.lists(st.from_regex(r"[a-z/@]+", fullmatch=True), max_size=3)
ROWS = st.lists(st.tuples(TEXTS, TEXTS, IDS, JSON, JSON), max_size=4)


@settings(deadline=None)
@given(rows=ROWS, order=st.permutations(COLUMNS))
def test_what_a_table_writer_writes_is_what_is_read(folder: Path, rows: list[Any], order: list[str]) -> None:
    path, text = folder / "cases.csv", StringIO(newline="")
    writer = csv.DictWriter(text, order)
    writer.writeheader()
    expected = []
    for id, obligation, ids, baseline, variant in rows:
        labels = {"id": id, "obligation": obligation, "relation": "violation", "expected": "; ".join(ids)}
        writer.writerow({**labels, "baseline": json.dumps(baseline), "variant": json.dumps(variant)})
        expected.append({**labels, "expected": ids, "baseline": baseline, "variant": variant})
    path.write_text(text.getvalue(), "utf-8", newline="")
    assert [row for _, row in case_rows(path)] == expected
