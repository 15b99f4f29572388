"""Reports as readable JSON, written whole or not at all into folders that belong to the user."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from mateprobe.visible import visible_json


def json_text(data: Any) -> str:
    """Return JSON data as text for people and diffs: sorted keys, indented by 2, LF at the end.

    Non-ASCII is kept, but for what a terminal would obey or not show, and lone surrogates, which have no UTF-8.

    Examples:
        >>> print(json_text({"b": "é", "a": 1}), end="")
        {
          "a": 1,
          "b": "é"
        }
    """
    return visible_json(json.dumps(data, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=2)) + "\n"


def encodable(text: str) -> str:
    r"""Return ``text`` with lone surrogates, which have no UTF-8, as escapes; in a JSON string they mean the same.

    Examples:
        >>> print(encodable("a\ud800"))
        a\ud800
    """
    return text.encode("utf-8", "backslashreplace").decode()


def write_whole(path: str | Path, pieces: Iterable[str]) -> None:
    r"""Write text, piece by piece, to ``path`` as UTF-8 so that nobody ever sees a part of it.

    A link is followed. What is there and is no regular file, such as ``/dev/null``, is written to in place.

    Raises:
        OSError: the folder or the file cannot be written; an old file is then as it was.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write_whole(Path(folder, "report.md"), ["# Audit", "\n"])
        ...     Path(folder, "report.md").read_text("utf-8")
        '# Audit\n'
    """
    target = Path(os.path.realpath(path))
    if Path(path).exists() and not target.is_file():
        with Path(path).open("wb") as stream:
            _write(stream, pieces)
        return
    # Beside the target, so that the rename is atomic; random, so that two writers keep apart.
    partial = target.with_name(f".mateprobe-{os.urandom(8).hex()}.partial")
    try:
        with partial.open("xb") as stream:
            _write(stream, pieces)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(target)
    except OSError as error:  # the caller knows the target, not the partial file
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        partial.unlink(missing_ok=True)


def _write(stream: IO[bytes], pieces: Iterable[str]) -> None:
    for piece in [pieces] if isinstance(pieces, str) else pieces:
        stream.write(piece.encode())
