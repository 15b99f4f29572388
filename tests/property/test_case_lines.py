"""Cases read in part say what they say when read whole, whatever their samples hold."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from mateprobe.canonical import plain_bytes
from mateprobe.errors import EvidenceError, InvalidType, InvalidValue
from mateprobe.pipeline import cases
from mateprobe.pipeline.case_lines import labels_in, samples_of, sides_of
from mateprobe.pipeline.cases import Encoder, case_line
from mateprobe.pipeline.records import write_records
from mateprobe.records import RecordFile, read_records
from tests.property import objects

KEYS = ("baseline", "baseline_sha256", "variant", "variant_sha256", "expected", "a")
LIKE_KEYS = [f'{{"{key}":' for key in KEYS] + [f',"{key}":' for key in KEYS] + [f'"{key}' for key in KEYS]
samples = st.recursive(
    objects.values | st.sampled_from(LIKE_KEYS),
    lambda inner: st.dictionaries(st.sampled_from(KEYS), inner, max_size=4) | st.lists(inner, max_size=2),
    max_leaves=5,
)
NESTED = {"a": 1, "baseline_sha256": "0" * 64, "variant": 2, "variant_sha256": None}


def row(number: int, one: Any, other: Any, /, **fields: Any) -> dict[str, Any]:
    labels = {"group": "g", "family": "f", "obligation": "o", "relation": "violation", "validity": "valid"}
    return {"id": str(number), **labels, "provenance": ',"variant":', "expected": [',"variant":'],
            "baseline": one, "variant": other, **fields}  # fmt: skip


ABOUT: list[dict[str, Any]] = [{"about": NESTED}, {"about": {"a": 1}}]
UNPAIRED: dict[str, Any] = {"relation": None, "validity": "unreviewed", "expected": [], "variant": None}


def written(folder: str | Path, rows: list[dict[str, Any]]) -> RecordFile:
    path = Path(folder, "cases.jsonl")
    write_records(path, "cases", [case_line(one, {"o"})[1] for one in rows])
    return read_records(path, "cases")


@given(st.lists(st.tuples(samples, samples, st.sampled_from([{}, UNPAIRED, *ABOUT])), max_size=4))
@example([(NESTED, 1, {}), (1, NESTED, {}), (NESTED, NESTED, ABOUT[0]), (1, 2, ABOUT[1]), (None, None, UNPAIRED)])
def test_labels_and_samples_are_those_of_the_whole_record(pairs: list[tuple[Any, Any, dict[str, Any]]]) -> None:
    with TemporaryDirectory() as folder:
        cases = written(folder, [row(n, one, other, **fields) for n, (one, other, fields) in enumerate(pairs)])
        assert list(samples_of(cases)) == [sides_of(case) for case in cases]
        for number, line in cases.lines():
            case = cases.record(number, line)
            if labels := labels_in(line):
                before, after = labels.shared
                read = json.loads(b"{%b,%b,%b}" % (before, labels.own, after))
                identities = {"baseline_sha256": labels.baseline, "variant_sha256": labels.variant}
                assert {**read, **identities} == {key: case[key] for key in case if key not in ("baseline", "variant")}
                assert json.loads(b"{%b}" % labels.own).keys() == {"group", "id"}


def test_a_line_is_cut_unless_its_samples_hold_what_looks_like_a_record(tmp_path: Path) -> None:
    pairs = [([1], [2]), (NESTED, [2]), ([1], NESTED), ([1], {"a": 0, "variant": 1, "group": 2})]
    cases = written(tmp_path, [row(number, *pair) for number, pair in enumerate(pairs)])
    assert [labels_in(line) is not None for _, line in cases.lines()] == [True, False, False, True]


@pytest.mark.parametrize("key", ["group", "obligation", "variant", "baseline_sha256", "variant_sha256"])
def test_a_line_without_one_of_its_keys_is_not_cut(key: str) -> None:
    line = case_line(row(0, [1], [2], provenance="by hand"), {"o"})[1]
    assert labels_in(line)
    assert labels_in(line.replace(f'"{key}":'.encode(), b'"other":')) is None


def test_a_file_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, [row(0, [1], [2]), row(1, [1], [3])]).path
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(EvidenceError, match="cut short"):
        list(samples_of(read_records(path, "cases")))


def test_a_sample_is_the_text_that_was_hashed(tmp_path: Path) -> None:
    ((_, baseline), (_, variant)) = next(samples_of(written(tmp_path, [row(0, {"ä": 1.0}, "ü")])))
    assert (json.loads(baseline), variant) == ({"ä": 1.0}, plain_bytes("ü"))


# Few labels, right and wrong, so that rows share them; values that Python calls equal and JSON does not.
SAMPLES = st.sampled_from([1, True, 1.0, {"a": 1}, {"a": True}, {"b": 0, "a": 1}, {"a": 1, "b": 0}, "\ud800", 1e999])
CHANGES: dict[str, list[Any]] = {
    "id": ["a", "", 1, "\ud800", 'a"'],
    "group": ["h", 1, "\ud800"],
    "family": ["F", 1, True, ["f"]],
    "obligation": ["p", "unknown", None, ["o"]],
    "relation": ["preserve", None, "odd"],
    "validity": ["unreviewed", 1],
    "provenance": ["", 1, "x" * 600],
    "expected": [["e", "f"], [], "e", ["e", ""], [1], [True], {"e": 1}],
    "about": [{}, {"a": 1}],
    "more": [1],
}
changed = st.lists(st.sampled_from([(key, value) for key, values in CHANGES.items() for value in values]), max_size=2)
ROWS = st.builds(
    lambda one, other, changes: row(0, one, other, **{"expected": ["e"], **dict(changes)}), SAMPLES, SAMPLES, changed
)


def told(case: dict[str, Any], encoder: Encoder | None) -> Any:
    try:
        return case_line(case, ["o", "p"], encoder)
    except (InvalidType, InvalidValue) as error:
        return type(error), str(error)


@given(st.lists(ROWS, max_size=8), st.booleans())
@example([row(0, 1, 2, **{key: value}) for key, value in [("expected", ["e"]), ("expected", "e")]], True)
def test_a_row_is_told_the_same_whatever_came_before(rows: list[dict[str, Any]], parsed: bool) -> None:
    encoder = Encoder(parsed=parsed)
    for case in [*rows, *rows]:
        assert told(case, encoder) == told(case, None)


def test_labels_that_are_remembered_are_not_many_nor_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "_MANY", 2)
    encoder = Encoder(parsed=True)
    families = ["x" * 600, "a", "b", "c"]
    for _ in range(2):
        lines = [case_line(row(0, 1, 2, family=family), {"o"}, encoder)[1] for family in families]
        assert [json.loads(line)["family"] for line in lines] == families
    known = [encoder.labels(row(1, 1, 2, family=family)) is not None for family in families]
    assert known == [False, True, True, False]
