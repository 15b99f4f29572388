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
        StudyError: the module may not be named, does not import, or has no such function.
    """
    module_name, _, function_name = name.partition(":")
    folder = str(root.resolve())
    if not allowed(module_name, root).startswith(CORPORA) and folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        function = getattr(import_module(module_name), function_name)
    except (ImportError, AttributeError, SyntaxError) as error:
        raise StudyError(f"{name!r}: expected a function that can be imported: {error}") from None
    if not callable(function):
        raise StudyError(f"{name!r} is a {type(function).__name__}; expected a function")
    return function  # type: ignore[no-any-return]
