"""Text from elsewhere, fit to be looked at: what a terminal would obey, or not show, is written out instead."""

from __future__ import annotations

import json
import re

# Controls but tab and line feed, zero widths, directions, tags, lone surrogates. By their numbers, not by what the
# interpreter knows of Unicode: what is written into an artifact is the same everywhere.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    r"""Return ``text`` with every character that acts on a terminal or is unseen as its escape, such as ``\x1b``.

    Tabs and line feeds stay; so do all characters that people write with.
    """
    return _UNSEEN.sub(_escape, text)


def visible_json(text: str) -> str:
    """Return a JSON text with those characters as escapes of JSON: in strings, where they stand, both mean one."""
    return _UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
