"""Compiled modules that are held against their source by content.

Python takes a compiled module for what its source says if the time and size of the source agree, and so may run
what an edit has replaced, while the digest of the code is already another. A compiled module that says so itself
(PEP 552) is held against a hash of the source instead; what Python compiles in its place says so too.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from py_compile import PycInvalidationMode, PyCompileError, compile as compile_module

_CHECKED = MAGIC_NUMBER + (0b11).to_bytes(4, "little")  # goes by a hash, and is to be checked


def check_by_content(folder: Path) -> None:
    """Compile the modules below ``folder`` that are not yet held against their source by content.

    What cannot be compiled or written is left as it is: Python will say so, or do without.
    """
    for path in sorted(folder.rglob("*.py")):
        if _beginning(Path(cache_from_source(str(path)))) != _CHECKED:
            with suppress(OSError, PyCompileError):
                compile_module(str(path), doraise=True, invalidation_mode=PycInvalidationMode.CHECKED_HASH)


def _beginning(path: Path) -> bytes | None:
    try:
        with path.open("rb") as stream:
            return stream.read(len(_CHECKED))
    except OSError:
        return None
