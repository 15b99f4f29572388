"""Text for Typst: as a string in its code, where nothing is markup."""

from __future__ import annotations

import re

_UNSAFE = re.compile(r'[\\"\x00-\x1f\x7f-\x9f\u2028\u2029]')


def string(text: str) -> str:
    """Return ``text`` as a Typst string literal on one line: what stands in it is shown, never run.

    Source: Typst reference, ``str``, escape sequences.
    """
    return f'"{_UNSAFE.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    return f"\\{character}" if character in '\\"' else f"\\u{{{ord(character):x}}}"
