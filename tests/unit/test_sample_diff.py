"""What a failure shows of the difference between two samples."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from mateprobe.reports.sample_diff import LINES, sample_diff

LONG, OTHER = "x" * 50, "z" * 50
TABLE: dict[str, tuple[Any, Any, list[str]]] = {
    "a value": ({"amount": 40}, {"amount": 400}, ["$.amount: 40 → 400"]),
    "types": ([1, True, 1.0], [1.0, 1, True], ["$[0]: 1 → 1.0", "$[1]: true → 1", "$[2]: 1.0 → true"]),
    "another kind": ({"a": {}}, {"a": []}, ["$.a: an object of 0 → an array of 0"]),
    "a key that went": ({"a": 1, "b": None}, {"a": 1}, ["$.b: only in the baseline: null"]),
    "a key that came": ({}, {"no name": 1}, ["$['no name']: only in the variant: 1"]),
    "an item that went": ([1, 2, 3, 4], [1, 2, 4], ["$[2]: only in the baseline: 3"]),
    "an item that came": ([1, 2], [1, 5, 6, 2], ["$[1]: only in the variant: 5", "$[2]: only in the variant: 6"]),
    "an item inside": ([{"a": 1}, 0], [{"a": 2}, 0], ["$[0].a: 1 → 2"]),
    "a text": ("paid", "unpaid", ["$: 'paid' → 'unpaid'"]),
    "far apart": (
        f"{LONG}40 €{OTHER}",
        f"{LONG}400 €{OTHER}",
        [f"$: …'{LONG[:14]}40 €{OTHER[:14]}'… → …'{LONG[:14]}400 €{OTHER[:14]}'…"],
    ),
    "a long text": ("", "y" * 100, [f"$: '' → '{'y' * 60}'…"]),
}


@pytest.mark.parametrize(("baseline", "variant", "lines"), TABLE.values(), ids=TABLE.keys())
def test_each_place_that_differs_is_a_line(baseline: Any, variant: Any, lines: list[str]) -> None:
    assert sample_diff(baseline, variant) == lines


def test_of_many_places_the_rest_is_one_line() -> None:
    found = sample_diff([0] * 20, [1] * 20)
    assert (len(found), found[-2:]) == (LINES + 1, [f"$[{LINES - 1}]: 0 → 1", "…"])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab\n", max_size=90),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, JSON)
def test_there_is_a_line_if_and_only_if_the_samples_differ(baseline: Any, variant: Any) -> None:
    lines = sample_diff(baseline, variant)
    assert bool(lines) == (repr(baseline) != repr(variant) and not _same(baseline, variant))
    assert not any("\n" in line or len(line) > 400 for line in lines)


def _same(one: Any, other: Any) -> bool:
    import json

    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
