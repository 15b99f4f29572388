"""What a study may name beside itself: files and functions in a folder of its own, and nothing elsewhere."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

from .errors import StudyError

_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


def file_below(folder: Path, name: str, key: str) -> Path:
    """Return ``folder / name`` if that is a file below ``folder``, links followed.

    Raises:
        StudyError: an absolute path, one that leaves the folder, or no file; ``key`` says whose value it is.
    """
    path = folder / name
    if Path(name).is_absolute() or not stays_below(path, folder):
        raise StudyError(f"{key}={name!r}: expected a path that stays below {folder}")
    if not is_file(path):
        raise StudyError(f"{key}={name!r}: expected a file below {folder}, found none")
    return path


def is_file(path: Path) -> bool:
    """Tell whether there is a file of that name; no name is too odd or too long to ask about."""
    try:
        return path.is_file()
    except OSError:
        return False


def stays_below(path: Path, folder: Path) -> bool:
    """Tell whether ``path`` is inside ``folder`` when all links are followed, whether it exists or not."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # a circle of links, a NUL
        return False


def module_below(folder: Path, module: str) -> bool:
    """Tell whether a module of that dotted name lies in ``folder``."""
    parts = module.split(".")
    stem = folder.joinpath(*parts)
    return all(map(str.isidentifier, parts)) and (is_file(stem.with_suffix(".py")) or is_file(stem / "__init__.py"))


def function_below(folder: Path, name: str) -> Callable[..., Any]:
    """Return the function called ``module:function``, the module being a file below ``folder``.

    Raises:
        StudyError: another form, no such module there, one that does not import or is hidden by
            another of the same name, or no such function.
    """
    if not _NAME.fullmatch(name) or not module_below(folder, name.partition(":")[0]):
        raise StudyError(f"{name!r}: expected module:function, the module a file below {folder}")
    root = folder.resolve()
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
        invalidate_caches()
    found = Path(str(_imported(name).__file__))
    if not found.is_relative_to(root):  # Python knows another one of that name
        raise StudyError(f"{name!r}: expected the module below {folder}, found {found}; rename yours")
    return function_of(name)


def function_of(name: str) -> Callable[..., Any]:
    """Return the function called ``module:function``, wherever Python finds the module.

    Raises:
        StudyError: the module does not import, or has no such function.
    """
    module, function_name = _imported(name), name.partition(":")[2]
    function = getattr(module, function_name, None)
    if not callable(function):
        found = type(function).__name__ if hasattr(module, function_name) else "no such name"
        raise StudyError(f"{name!r}: expected a function, found {found}")
    return function  # type: ignore[no-any-return]


def _imported(name: str) -> Any:
    try:
        return import_module(name.partition(":")[0])
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a module of a study does what it likes as it is imported
        raise StudyError(f"{name!r}: expected a module that imports, found {type(error).__name__}: {error}") from None
