"""Data files of the page: scripts, because a page opened from a disk may run a script beside it but fetch nothing.

A data file is one call, ``mateprobe.take(NAME, JSON)``. The JSON is a string that the page parses, so
that no text in it is ever code and a key such as ``__proto__`` is a key.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

# Non-ASCII and controls are escapes in the JSON already; a "<" could only begin a tag or a comment.
_ESCAPED = {"\\": "\\\\", "'": "\\'", "<": "\\x3c"}


def write_script(path: Path, name: str, data: Any) -> None:
    """Write JSON data as the data file that the page loads by ``name``."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    path.write_bytes(f"mateprobe.take('{_string(name)}','{_string(text)}');\n".encode("ascii"))


def _string(text: str) -> str:
    for character, escape in _ESCAPED.items():
        text = text.replace(character, escape)
    return text
