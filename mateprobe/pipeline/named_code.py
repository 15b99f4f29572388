"""The functions a study names: looked up in the corpora and in the code folder beside the study, nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mateprobe.beside import function_below, function_of, module_below
from mateprobe.errors import StudyError

CODE = Path("studies/_code")
"""Where the Python of studies lies: a folder of this name beside the study file."""

CORPORA = "mateprobe.pipeline.corpora."
"""The package of the generators and comparators that come with MateProbe."""


def allowed(module: str, root: Path = CODE) -> str:
    """Return ``module`` if a study may name it.

    Raises:
        StudyError: it is neither one of the corpora nor a file below ``root``.
    """
    if module.startswith(CORPORA) or module_below(root, module):
        return module
    raise StudyError(f"module {module!r}: expected one below {CORPORA[:-1]}, or a file below {root}")


def load_function(name: str, root: Path = CODE) -> Callable[..., Any]:
    """Return the function called ``module:function``.

    Raises:
        StudyError: the module may not be named, does not import, is another one of the same name, or
            has no such function.
    """
    own = not allowed(name.partition(":")[0], root).startswith(CORPORA)
    return function_below(root, name) if own else function_of(name)
