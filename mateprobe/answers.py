"""What a program says of a sample, from the line it answers with; what it says again and again is read once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from json.encoder import encode_basestring_ascii
from typing import Any

from . import strict_json
from .errors import InvalidType, InvalidValue
from .runner import Failure, Judgement, Origin, Verdict

LONGEST, MOST = 512, 1024
"""Bytes of an answer that is kept, and how many are: most samples are told one of a few."""

_VERDICT = {"id", "accepted", "complete", "violations", "evidence"}


def told(text: str) -> str:
    """Return the text of a failure without what differs from run to run: addresses and folders."""
    return _FOLDERS.sub("…/", _ADDRESS.sub("0x…", text))


_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_FOLDERS = re.compile(r"(?<![\w:/.])/(?:[\w.+-]+/)+")


class Fault(Exception):
    """A program did not answer as the protocol says."""


class Answers:
    """Reads the answers of one program."""

    def __init__(self) -> None:
        self._known: dict[bytes, Judgement] = {}

    def judgement(self, id: str, line: bytes) -> Judgement:
        """Return what a line of the protocol says.

        An answer that begins with the id is told apart by the rest alone: no key may stand in it twice.

        Raises:
            Fault: it is no such line, or one about another sample.
        """
        head = b'{"id": %b, ' % encode_basestring_ascii(id).encode()
        if not line.startswith(head) or len(line) > LONGEST:
            return _read(id, line)
        rest = line[len(head) :]
        known = self._known.get(rest)
        if known is None:
            known = _read(id, line)
            if len(self._known) >= MOST:
                self._known.clear()
            self._known[rest] = known
        return known


def _read(id: str, line: bytes) -> Judgement:
    """Return what a line of the protocol says.

    Raises:
        Fault: it is none, or one about another sample.
    """
    try:
        answer = strict_json.loads(line, "answer")
    except InvalidValue as error:
        raise Fault(f"expected JSON, found {excerpt(line)} ({error})") from None
    if not isinstance(answer, dict) or answer.keys() not in ({"id", "error"}, _VERDICT):
        raise Fault(f"expected an object with id and error, or with {sorted(_VERDICT)}, found {excerpt(line)}")
    if answer.pop("id") != id:
        raise Fault(f"expected the answer about sample {id!r}, found {excerpt(line)}")
    if "error" in answer:
        return Failure(Origin.VALIDATOR, told(_text(answer["error"], line)))
    return _verdict(answer, line)


def _text(error: Any, line: bytes) -> str:
    if not isinstance(error, str) or not error:
        raise Fault(f"expected the error as text, found {excerpt(line)}")
    return error


def _verdict(answer: Mapping[str, Any], line: bytes) -> Verdict:
    try:
        return Verdict(**answer)
    except (InvalidValue, InvalidType) as error:
        raise Fault(f"{error}; found {excerpt(line)}") from None


def excerpt(data: bytes | bytearray) -> str:
    """Return the beginning of a line as a message shows it."""
    return repr(bytes(data[:80]).decode(errors="replace").rstrip("\n"))
