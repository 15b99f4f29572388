"""Sorting more lines than memory should hold: sorted runs, spooled to disk and merged."""

from __future__ import annotations

import heapq
import json
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from operator import itemgetter
from typing import IO

RUN = 4096
"""Lines sorted in memory at a time."""

READ = 1 << 16
"""Bytes read of a run at a time; more by a line at most."""

Line = tuple[str, bytes]
"""What a line is sorted by, and the line, which holds no line feed."""
_key = itemgetter(0)


def in_order(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield lines sorted by key; lines of one key stay in their order."""
    lines = iter(lines)
    run = sorted(islice(lines, RUN), key=_key)
    following = next(lines, None)
    if following is None:
        yield from run
        return
    with tempfile.TemporaryFile() as spool:
        spans = [_spool(spool, run)]
        while following is not None:
            spans.append(_spool(spool, sorted([following, *islice(lines, RUN - 1)], key=_key)))
            following = next(lines, None)
        yield from heapq.merge(*(_unspool(spool, *span) for span in spans), key=_key)


def _spool(spool: IO[bytes], run: list[Line]) -> tuple[int, int]:
    start = spool.tell()
    spool.writelines(b"%b\t%b\n" % (_spooled(key), line) for key, line in run)
    return start, spool.tell()


def _unspool(spool: IO[bytes], position: int, end: int) -> Iterator[Line]:
    while position < end:
        spool.seek(position)
        for spooled in spool.readlines(min(READ, end - position - 1)):  # ends with the line that exceeds it
            position += len(spooled)
            key, _, line = spooled[:-1].partition(b"\t")
            yield json.loads(key) if key.startswith(_QUOTE) else key.decode(), line


def _spooled(key: str) -> bytes:
    """Return a key as it stands before a tab: most as they are, others as JSON."""
    plain = key.isprintable() and not key.startswith('"')
    return key.encode() if plain else json.dumps(key).encode()


_QUOTE = b'"'
