"""Lines are sorted by key with few of them in memory."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from mateprobe.pipeline import sorting
from mateprobe.pipeline.sorting import Line, in_order

Keys = st.text(max_size=3) | st.sampled_from(["", "a", "b", "\t", "\n", '"', "\\"])
Lines = st.lists(st.tuples(Keys, st.sampled_from([b"", b"1", b"\t", b'{"n":"\\n"}'])), max_size=14)


@given(lines=Lines, run=st.integers(1, 5))
def test_sorting_with_little_memory_is_sorting_and_keeps_lines_of_one_key_in_order(lines: list[Line], run: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "RUN", run)
        assert list(in_order(lines)) == sorted(lines, key=lambda line: line[0])


def test_lines_are_taken_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorting, "RUN", 2)
    lines = ((f"{n:03d}", b"x") for n in reversed(range(9)))
    assert [key for key, _ in in_order(lines)] == [f"{n:03d}" for n in range(9)]
