"""Case records read in part: the labels without the samples, or the samples as the texts that they are.

Samples are most of a line, and who wants the labels or the texts need not turn them into values. The stage
``cases`` writes a line in one order: the baseline first, then the labels, the variant last but for its identity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mateprobe import strict_json
from mateprobe.canonical import plain_bytes
from mateprobe.errors import InvalidValue
from mateprobe.records import RecordFile

Sides = tuple[tuple[str | None, bytes], tuple[str | None, bytes]]
"""The baseline and the variant of a case: its identity, None if there is no sample, and its canonical JSON."""

_FIRST, _LABELS, _VARIANT, _LAST = b'{"baseline":', b',"baseline_sha256":', b',"variant":', b',"variant_sha256":'
_NONE, _HEX = b"null", 64


def labels_of(cases: RecordFile) -> Iterator[Mapping[str, Any]]:
    """Yield each case without its samples, but with their identities.

    Raises:
        EvidenceError: as iterating over ``cases``.
    """
    for number, line in cases.lines():
        if cut := _cut(line):
            start, end, last = cut
            try:
                yield strict_json.loads_quickly(b"{%b%b" % (line[start + 1 : end], line[last:]), "labels")
                continue
            except InvalidValue:  # it is told of the whole line
                pass
        yield cases.record(number, line)


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
