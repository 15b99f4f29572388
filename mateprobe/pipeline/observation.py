"""The record of what a validator said of a sample: as fields, and as the line of a file."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from mateprobe.canonical import plain_bytes
from mateprobe.runner import Failure, Judgement

Observation = dict[str, Any]
_SAMPLE = b'"sample":""'  # the quotes inside of any text are escaped: it occurs once
_SHORT = 512  # characters of an answer that may be kept


def observation(digest: str, found: Judgement) -> Observation:
    """Return what was said of a sample as the fields of its record."""
    if isinstance(found, Failure):
        return failed(digest, found.message)
    return {
        "sample": digest,
        "accepted": found.accepted,
        "complete": found.complete,
        "violations": [_utf8(id) for id in found.violations],
        "evidence": [_utf8(text) for text in found.evidence],
        "error": None,
    }


def failed(digest: str, message: str) -> Observation:
    """Return the observation of a sample on which the validator gave no usable verdict."""
    return {"sample": digest, "accepted": False, "complete": False, "violations": [], "error": _utf8(message)}


def line(digest: str, found: Judgement, *, changed: bool = False) -> bytes:
    """Return the line of what was said of a sample; ``changed`` if the validator changed the sample it was given."""
    of_its_own = isinstance(found, Failure) or found.evidence or sum(map(len, found.violations)) > _SHORT
    before, after = (_around if of_its_own else _around_often)(found, changed)
    return b'%b"sample":"%b"%b' % (before, digest.encode(), after)


def _around(found: Judgement, changed: bool) -> tuple[bytes, bytes]:
    """Return what stands before and after the sample in a line: the same of most samples."""
    row = observation("", found) | ({"changed_sample": True} if changed else {})
    before, _, after = plain_bytes(row).partition(_SAMPLE)
    return before, after


_around_often = lru_cache(maxsize=1024)(_around)


def _utf8(text: str) -> str:
    """Return the text with lone surrogates spelled out: a validator may say what no file can hold."""
    return text.encode(errors="backslashreplace").decode()
