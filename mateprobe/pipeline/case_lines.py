"""Case records read in part, as the texts that they are: the labels without the samples, the samples without labels.

Samples are most of a line, and few labels differ from case to case: most need not be turned into values. The stage
``cases`` writes a line in one order: the baseline first, then the labels, the variant last but for its identity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mateprobe.canonical import plain_bytes
from mateprobe.records import RecordFile

Sides = tuple[tuple[str | None, bytes], tuple[str | None, bytes]]
"""The baseline and the variant of a case: its identity, None if there is no sample, and its canonical JSON."""

_FIRST, _LABELS, _VARIANT, _LAST = b'{"baseline":', b',"baseline_sha256":', b',"variant":', b',"variant_sha256":'
_OWN, _AFTER = b',"group":', b',"obligation":'
_NONE, _HEX = b"null", 64


class Labels(NamedTuple):
    """The labels of a pair as they stand in its line, and the identities of its samples.

    ``own`` are its group and id, ``shared`` what stands before them and after them, without the commas around them.
    """

    baseline: str
    variant: str
    shared: tuple[bytes, bytes]
    own: bytes


def labels_in(line: bytes) -> Labels | None:
    """Return the labels in the line of a case; None of one that has to be read to know, or that is no pair."""
    if not (cut := _cut(line)):
        return None
    start, end, last = cut
    baseline, variant = _identity(line, start + len(_LABELS)), _identity(line, last + len(_LAST))
    own, after = line.find(_OWN, start), line.find(_AFTER, start)
    if baseline is None or variant is None or not 0 < own < after < end:
        return None
    first = start + len(_LABELS) + _HEX + 3  # a digest in its quotes, and a comma
    return Labels(baseline, variant, (line[first:own], line[after + 1 : end]), line[own + 1 : after])


def samples_of(cases: RecordFile) -> Iterator[Sides]:
    """Yield the samples of each case.

    Raises:
        EvidenceError: as iterating over ``cases``, but for samples that are no JSON.
    """
    for number, line in cases.lines():
        if cut := _cut(line):
            start, end, last = cut
            baseline = _identity(line, start + len(_LABELS)), line[len(_FIRST) : start]
            yield baseline, (_identity(line, last + len(_LAST)), line[end + len(_VARIANT) : last])
        else:
            yield sides_of(cases.record(number, line))


def sides_of(case: Mapping[str, Any]) -> Sides:
    """Return the samples of a case record."""
    return (
        (case["baseline_sha256"], plain_bytes(case["baseline"])),
        (case["variant_sha256"], plain_bytes(case["variant"])),
    )


def _cut(line: bytes) -> tuple[int, int, int] | None:
    """Return where labels, variant and its identity begin; None of a line that has to be read to know.

    Quotes inside of a text are escaped, so that what looks like a key is one. If it occurs once, it is the record's
    own, and not one of a sample; no label holds an object.
    """
    start = line.find(_LABELS)
    end, last = line.find(_VARIANT, start), line.rfind(_LAST)
    if not line.startswith(_FIRST) or not 0 < start < end < last or line.find(_LABELS, start + 1) > 0:
        return None
    return start, end, last


def _identity(line: bytes, start: int) -> str | None:
    if line.startswith(_NONE, start):
        return None
    return line[start + 1 : start + 1 + _HEX].decode()
