"""How a variant differs from its baseline, in a few lines that a terminal can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from operator import eq
from typing import Any

from mateprobe.canonical import same
from mateprobe.decoding import shown, step

LINES = 8
"""Differences that are told one by one."""
AROUND = 16
"""Characters of a text shown before and after what differs."""
LONGEST = 60
"""Characters of a text shown at all."""


def sample_diff(baseline: Any, variant: Any) -> list[str]:
    """Return a line for each place in which two samples of JSON data differ, as ``$.amount: 40 → 400``.

    Of more than ``LINES`` places the rest is one more line, ``…``.

    Examples:
        >>> sample_diff({"amount": 40, "note": "a"}, {"amount": 400, "note": "a"})
        ['$.amount: 40 → 400']
    """
    found = [*islice(_differences("$", baseline, variant), LINES + 1)]
    return found if len(found) <= LINES else [*found[:LINES], "…"]


_ABSENT: Any = object()


def _differences(place: str, old: Any, new: Any) -> Iterator[str]:
    if old is _ABSENT:
        yield f"{place}: only in the variant: {shown(new)}"
    elif new is _ABSENT:
        yield f"{place}: only in the baseline: {shown(old)}"
    elif same(old, new):
        return
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from _differences(place + step(key), old.get(key, _ABSENT), new.get(key, _ABSENT))
    elif isinstance(old, list) and isinstance(new, list):
        for index, one, other in _items(old, new):
            yield from _differences(place + step(index), one, other)
    elif isinstance(old, str) and isinstance(new, str):
        before, after = _alike(old, new)
        yield f"{place}: {_part(old, before, after)} → {_part(new, before, after)}"
    else:
        yield f"{place}: {shown(old)} → {shown(new)}"


def _items(old: Sequence[Any], new: Sequence[Any]) -> Iterator[tuple[int, Any, Any]]:
    """Yield, with their places, what stands between the items that both begin and end with; as pairs if as many."""
    before, after = _alike(old, new)
    gone, come = old[before : len(old) - after], new[before : len(new) - after]
    if len(gone) == len(come):
        yield from ((before + index, *pair) for index, pair in enumerate(zip(gone, come, strict=True)))
        return
    yield from ((before + index, item, _ABSENT) for index, item in enumerate(gone))
    yield from ((before + index, _ABSENT, item) for index, item in enumerate(come))


def _alike(old: Sequence[Any], new: Sequence[Any]) -> tuple[int, int]:
    """Return how many items two sequences have in common at their beginnings, then at the ends of what is left."""
    alike = eq if isinstance(old, str) else same
    before = sum(1 for _ in takewhile(bool, map(alike, old, new)))
    rest = min(len(old), len(new)) - before
    ends = islice(zip(reversed(old), reversed(new), strict=False), rest)
    return before, sum(1 for _ in takewhile(lambda pair: alike(*pair), ends))


def _part(text: str, before: int, after: int) -> str:
    """Return a text without what is far from the difference, so many characters from its start and its end."""
    first = max(0, before - AROUND)
    last = min(len(text) - max(0, after - AROUND), first + LONGEST)
    return f"{'…' * (first > 0)}{text[first:last]!r}{'…' * (last < len(text))}"
