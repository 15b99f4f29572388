"""The functions a study names: looked up in the corpora and in the study code folder, nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from mateprobe.errors import StudyError

CODE = Path("studies/_code")
"""Where a study's own Python lives."""

CORPORA = "mateprobe.pipeline.corpora."
"""The package of the generators and comparators that come with MateProbe."""


def allowed(module: str, root: Path = CODE) -> str:
    """Return ``module`` if a study may name it.

    Raises:
        StudyError: it is neither one of the corpora nor a file below ``root``.
    """
    stem = root.joinpath(*module.split("."))
    if module.startswith(CORPORA) or stem.with_suffix(".py").is_file() or (stem / "__init__.py").is_file():
        return module
    raise StudyError(f"module {module!r}: expected one below {CORPORA[:-1]}, or a file below {root}")


def load_function(name: str, root: Path = CODE) -> Callable[..., Any]:
    """Return the function called ``module:function``.

    Raises:
        StudyError: the module may not be named, does not import, is another one of the same name, or
            has no such function.
    """
    module_name, _, function_name = name.partition(":")
    folder = root.resolve()
    own = not allowed(module_name, root).startswith(CORPORA)
    if own and str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        module = import_module(module_name)
    except Exception as error:  # noqa: BLE001 - a module of a study does what it likes as it is imported
        raise StudyError(f"{name!r}: expected a module that imports, found {type(error).__name__}: {error}") from None
    if own and not Path(str(module.__file__)).is_relative_to(folder):  # Python knows another one of that name
        raise StudyError(f"{name!r}: expected the module below {root}, found {module.__file__}; rename yours")
    function = getattr(module, function_name, None)
    if not callable(function):
        found = type(function).__name__ if hasattr(module, function_name) else "no such name"
        raise StudyError(f"{name!r}: expected a function, found {found}")
    return function  # type: ignore[no-any-return]
